//! `repertoire python`: the Python environments that skills run in.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::config::is_module;
use crate::data_folder::DataFolder;
use crate::exit::{Failure, Outcome};
use crate::output::{Table, count, size};
use crate::python::{self, Entry, Profiles};
use crate::session::Session;

/// What to do with Python profiles.
#[derive(Subcommand)]
pub(crate) enum PythonCommand {
    /// Make a profile: a virtual environment with packages, for skills that name it
    Add(AddArgs),
    /// List the profiles, the machine's own Python first
    #[command(visible_alias = "ls")]
    List,
    /// Remove a profile
    #[command(visible_alias = "rm")]
    Remove {
        /// Which
        name: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// A profile to make.
#[derive(Args)]
pub(crate) struct AddArgs {
    /// Its name, as skills write it in `procedure.profile`
    name: String,
    /// The packages: a requirements file, as pip reads it
    #[arg(long, value_name = "FILE")]
    requirements: PathBuf,
    /// Modules to import ahead of time, with commas; numpy and pandas where they are installed when left out
    #[arg(long, value_name = "MODULES", value_delimiter = ',')]
    preload: Option<Vec<String>>,
    /// The interpreter to start from; the machine's own when left out
    #[arg(long, value_name = "PATH")]
    python: Option<String>,
}

impl PythonCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        if session.settings.library.server.value.is_some() {
            return Err(Failure::usage("Python profiles are made where the server runs, not through it")
                .hint("run it there, with the server's --data DIR"));
        }
        let profiles = Profiles::of(&session.settings);
        match self {
            Self::Add(args) => args.run(session, &profiles).await,
            Self::List => list(session, &profiles).await,
            Self::Remove { name, yes } => {
                python::check_name(&name)?;
                if !yes && !session.output.confirm(&format!("Remove the Python profile `{name}`?"))? {
                    return Ok(());
                }
                profiles.remove(&name)?;
                session
                    .output
                    .result(&json!({"removed": name}), || format!("removed the profile `{name}`"))?;
                say_restart(session);
                Ok(())
            }
        }
    }
}

impl AddArgs {
    async fn run(self, session: &Session, profiles: &Profiles) -> Outcome {
        let settings = &session.settings.sandbox;
        let python = match &self.python {
            Some(named) => settings
                .find(named)
                .ok_or_else(|| Failure::not_found(format!("there is no interpreter `{named}`")))?,
            None => settings.python().ok_or_else(|| Failure::not_found(settings.no_python()))?,
        };
        if let Some(module) = self.preload.iter().flatten().find(|module| !is_module(module)) {
            return Err(Failure::usage(format!("`{module}` is not the name of a module")));
        }
        DataFolder::open(&session.settings.library.data.value)?;
        let request = python::Request {
            name: self.name.clone(),
            python,
            requirements: self.requirements,
            preload: self.preload,
            usual_preload: settings.preload.value.clone(),
        };
        let made = python::build(profiles, &request, session.output).await?;
        let value = json!({
            "name": self.name, "version": made.version, "packages": made.packages, "preload": made.preload,
        });
        session.output.result(&value, || {
            format!(
                "made the profile `{}`: Python {}, {}",
                self.name,
                made.version,
                count(made.packages, "package")
            )
        })?;
        say_restart(session);
        Ok(())
    }
}

/// A server reads the profiles when it starts.
fn say_restart(session: &Session) {
    let folder = DataFolder::open(&session.settings.library.data.value);
    if let Ok(folder) = folder
        && let Some((server, _)) = folder.server()
    {
        session.output.note(&format!(
            "restart the server (process {} at {}): it reads the profiles when it starts",
            server.pid, server.url
        ));
    }
}

async fn list(session: &Session, profiles: &Profiles) -> Outcome {
    let output = session.output;
    let mut items = Vec::new();
    let settings = &session.settings.sandbox;
    if let Some(python) = settings.python() {
        let version = python::version(&python).await;
        items.push(json!({
            "name": sandbox::DEFAULT_PROFILE, "state": if version.is_some() { "ready" } else { "broken" },
            "version": version, "packages": null, "preload": settings.preload.value, "bytes": null,
            "path": python.display().to_string(),
        }));
    }
    for (name, entry) in profiles.list()? {
        let path = profiles.folder(&name);
        let (state, description) = match entry {
            Entry::Ready(description) => ("ready", Some(description)),
            Entry::Building => ("building", None),
            Entry::Broken => ("broken", None),
        };
        items.push(json!({
            "name": name, "state": state, "bytes": python::size_of(&path), "path": path.display().to_string(),
            "version": description.as_ref().map(|known| &known.version),
            "packages": description.as_ref().map(|known| known.packages),
            "preload": description.as_ref().map(|known| &known.preload),
        }));
    }
    output.result(&json!({"items": items}), || {
        if items.is_empty() {
            return settings.no_python();
        }
        output.table(&table(&items))
    })
}

fn table(items: &[Value]) -> Table {
    let mut table = Table::new(&["name", "state", "python", "packages", "size", "preload"]);
    for item in items {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or("-").to_owned();
        let number = |key: &str| item.get(key).and_then(Value::as_u64);
        let preload = item.get("preload").and_then(Value::as_array).cloned().unwrap_or_default();
        let preload: Vec<_> = preload.iter().filter_map(Value::as_str).collect();
        table.row([
            text("name"),
            text("state"),
            text("version"),
            number("packages").map_or_else(|| "-".to_owned(), |packages| packages.to_string()),
            number("bytes").map_or_else(|| "-".to_owned(), size),
            preload.join(", "),
        ]);
    }
    table
}
