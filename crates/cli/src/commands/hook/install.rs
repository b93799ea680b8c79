//! `repertoire hook install`, `uninstall` and `status`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};
use similar::TextDiff;

use super::call;
use crate::config::{Environment as _, OnFailure, ProcessEnvironment, Source};
use crate::disk::rewrite_file;
use crate::exit::{Failure, Outcome};
use crate::hosts::{self, Host, Reach};
use crate::output::Table;
use crate::session::Session;

/// How much longer a host waits than we do, in seconds.
const GRACE: u64 = 5;
const AGENTS: [&str; 5] = ["claude-code", "codex", "gemini", "cursor", "copilot"];

/// Whose settings are changed.
#[derive(Args)]
struct Target {
    /// The coding agent: claude-code, codex, gemini, cursor or copilot
    #[arg(id = "agent", long, value_name = "AGENT", value_parser = AGENTS, hide_possible_values = true)]
    agent: String,
    /// In the settings of the project in this folder, not in your own
    #[arg(long)]
    project: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// How to install hooks.
#[derive(Args)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    target: Target,
    /// Act through this agent of the library
    #[arg(long = "as", value_name = "NAME")]
    acting: Option<String>,
    /// What the agent may do when we cannot decide: deny or allow
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true)]
    on_failure: Option<OnFailure>,
    /// After how many seconds that is the case
    #[arg(long, value_name = "SECONDS", default_value_t = call::TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
}

/// How to take hooks out.
#[derive(Args)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    target: Target,
}

impl Target {
    fn place(&self) -> Outcome<(Host, Place)> {
        let host = Host::of_agent(&self.agent);
        let host = host.ok_or_else(|| Failure::usage(format!("`{}` is no agent we know", self.agent)))?;
        let reach = if self.project { Reach::Project } else { Reach::User };
        Ok((host, Place::find(host, reach)?))
    }
}

impl InstallArgs {
    pub(crate) fn run(self, session: &Session) -> Outcome {
        let (host, place) = self.target.place()?;
        let command = self.command(host, session)?;
        let before = place.read()?;
        let entries = host.entries(&command, self.timeout + GRACE);
        let text = before.as_deref().unwrap_or(hosts::EMPTY);
        let ours = |command: &str| hosts::is_ours(command, host.as_str());
        let after = hosts::install(text, &entries, host.needs_version(), &ours);
        let after = after.map_err(|why| place.unreadable(&why))?;
        let changed = before.as_deref() != Some(&after);
        if changed && !self.target.dry_run {
            rewrite_file(&place.real, after.as_bytes())?;
        }
        let value = json!({
            "agent": host.agent(), "file": place.shown(), "changed": changed, "dry_run": self.target.dry_run,
            "command": command, "notes": host.notes(),
        });
        session.output.result(&value, || match (self.target.dry_run, changed) {
            (true, true) => place.difference(before.as_deref().unwrap_or_default(), &after),
            (_, false) => format!("{} asks already, as set in {}", host.agent(), place.shown()),
            (false, true) => format!("{} asks from now on, as set in {}", host.agent(), place.shown()),
        })?;
        for note in host.notes() {
            session.output.note(&format!("note: {note}"));
        }
        if self.target.project {
            session.output.note("note: the command names a program of this machine; others of the project run `install` themselves");
        }
        Ok(())
    }

    /// The command that the host is to run.
    fn command(&self, host: Host, session: &Session) -> Outcome<String> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::internal(format!("cannot say where this program is: {error}")))?;
        let program = program.to_str().ok_or_else(|| {
            Failure::usage(format!("the path of this program is not text: `{}`", program.display()))
        })?;
        let mut words = vec![program.to_owned(), "hook".to_owned(), host.as_str().to_owned()];
        let library = &session.settings.library;
        if library.database.source == Source::Flag {
            return Err(Failure::usage(
                "a database's address may hold a password, which settings of others must not",
            )
            .hint("name it in the configuration: `repertoire config path` says where"));
        }
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        let given = |source: Source, value: Option<String>| value.filter(|_| source == Source::Flag);
        flag("--server", given(library.server.source, library.server.value.clone()));
        let data = std::path::absolute(&library.data.value)
            .map_err(|error| Failure::file("find", &library.data.value, &error))?;
        flag("--data", given(library.data.source, Some(data.display().to_string())));
        flag("--workspace", given(library.workspace.source, library.workspace.value.clone()));
        flag("--user", given(library.user.source, Some(library.user.value.clone())));
        flag("--agent", self.acting.clone());
        // Written down, so that the environment of a project cannot say otherwise.
        let on_failure = self.on_failure.unwrap_or(session.settings.hooks.on_failure.value);
        flag("--on-failure", Some(on_failure.as_str().to_owned()));
        flag("--timeout", (self.timeout != call::TIMEOUT).then(|| self.timeout.to_string()));
        Ok(words.iter().map(|word| hosts::quote(word)).collect::<Vec<_>>().join(" "))
    }
}

impl UninstallArgs {
    pub(crate) fn run(self, session: &Session) -> Outcome {
        let (host, place) = self.target.place()?;
        let before = place.read()?;
        let text = before.clone().unwrap_or_default();
        let ours = |command: &str| hosts::is_ours(command, host.as_str());
        let after = match &before {
            None => String::new(),
            Some(text) => hosts::uninstall(text, &ours).map_err(|why| place.unreadable(&why))?,
        };
        let changed = after != text;
        if changed && !self.target.dry_run {
            if after == hosts::EMPTY {
                let removed = std::fs::remove_file(&place.real);
                removed.map_err(|error| Failure::file("remove", &place.real, &error))?;
            } else {
                rewrite_file(&place.real, after.as_bytes())?;
            }
        }
        let value = json!({
            "agent": host.agent(), "file": place.shown(), "changed": changed, "dry_run": self.target.dry_run,
        });
        session.output.result(&value, || match (self.target.dry_run, changed) {
            (true, true) => place.difference(&text, &after),
            (_, false) => format!("there are no hooks of ours in {}", place.shown()),
            (false, true) => {
                format!("{} no longer asks; our hooks are gone from {}", host.agent(), place.shown())
            }
        })
    }
}

/// Says for every agent where it is set that it asks.
pub(super) fn status(session: &Session) -> Outcome {
    let mut rows = Vec::new();
    for host in Host::ALL {
        for reach in [Reach::User, Reach::Project] {
            let (file, state, command) = state(host, reach);
            rows.push(json!({
                "agent": host.agent(), "settings": reach.as_str(), "file": file, "state": state, "command": command,
            }));
        }
    }
    session.output.result(&json!({"items": rows}), || {
        let mut table = Table::new(&["agent", "settings", "state", "file"]);
        for row in &rows {
            let text = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            table.row([text("agent"), text("settings"), text("state"), text("file")]);
        }
        session.output.table(&table)
    })
}

fn state(host: Host, reach: Reach) -> (String, String, Option<String>) {
    let place = match Place::find(host, reach) {
        Ok(place) => place,
        Err(failure) => return ("-".to_owned(), failure.message.clone(), None),
    };
    let ours = |command: &str| hosts::is_ours(command, host.as_str());
    let found = place.read().and_then(|text| {
        let found = text.map(|text| hosts::entries(&text, &ours)).transpose();
        found.map_err(|why| place.unreadable(&why))
    });
    let (state, command) = match found {
        Err(failure) => (failure.message.clone(), None),
        Ok(found) => {
            let found = found.unwrap_or_default();
            let command = found.first().map(|entry| entry.command.clone());
            let wanted = host.entries("", 0);
            let missing = wanted.iter().any(|(event, _)| !found.iter().any(|entry| entry.event == *event));
            let is_gone =
                |command: &str| hosts::program(command).is_none_or(|program| !Path::new(&program).is_file());
            let state = match &command {
                None => "off",
                Some(command) if is_gone(command) => "broken: its program is gone",
                Some(_) if missing => "incomplete: install again",
                Some(_) => "asks",
            };
            (state.to_owned(), command)
        }
    };
    (place.shown(), state, command)
}

/// A settings file.
struct Place {
    /// As people name it.
    file: PathBuf,
    /// Where it really is.
    real: PathBuf,
}

impl Place {
    fn find(host: Host, reach: Reach) -> Outcome<Self> {
        let base = match reach {
            Reach::User => ProcessEnvironment.get("HOME").map(PathBuf::from).ok_or_else(|| {
                Failure::usage("there is no home folder").hint("set HOME, or pass --project")
            })?,
            Reach::Project => std::env::current_dir()
                .map_err(|error| Failure::usage(format!("cannot say which folder this is: {error}")))?,
        };
        let file = host.file(reach, &base, &ProcessEnvironment);
        let real = real_path(&file)?;
        let moved = !file.starts_with(&base);
        let base = base.canonicalize().map_err(|error| Failure::file("find", &base, &error))?;
        if !moved && !real.starts_with(&base) {
            let message =
                format!("`{}` leads to `{}`, outside `{}`", file.display(), real.display(), base.display());
            return Err(Failure::conflict(message).hint("put a file in the place of the link, and try again"));
        }
        Ok(Self { file, real })
    }

    fn read(&self) -> Outcome<Option<String>> {
        match std::fs::read_to_string(&self.real) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(self.unreadable("it is not UTF-8")),
            Err(error) => Err(Failure::file("read", &self.file, &error)),
        }
    }

    fn shown(&self) -> String {
        self.file.display().to_string()
    }

    fn unreadable(&self, why: &str) -> Failure {
        Failure::invalid(format!("`{}` is left as it is: {why}", self.file.display()))
            .hint("mend it, and try again")
    }

    fn difference(&self, before: &str, after: &str) -> String {
        let name = self.shown();
        TextDiff::from_lines(before, after).unified_diff().context_radius(2).header(&name, &name).to_string()
    }
}

/// Where a file really is, links followed; it need not be there, nor the folders it will be in.
fn real_path(file: &Path) -> Outcome<PathBuf> {
    match file.canonicalize() {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::file("find", file, &error)),
        Err(_) => {}
    }
    if std::fs::symlink_metadata(file).is_ok() {
        return Err(Failure::conflict(format!("`{}` is a link that leads nowhere", file.display()))
            .hint("remove it, and try again"));
    }
    match (file.parent(), file.file_name()) {
        (Some(folder), Some(name)) => Ok(real_path(folder)?.join(name)),
        _ => Ok(file.to_owned()),
    }
}
