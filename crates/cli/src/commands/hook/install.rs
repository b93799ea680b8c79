//! `repertoire hook install`, `uninstall` and `status`.

use std::path::Path;

use clap::Args;
use serde_json::{Value, json};

use super::call;
use crate::config::{OnFailure, ProcessEnvironment, Source};
use crate::data_folder::DataFolder;
use crate::exit::{Failure, Outcome};
use crate::hosts::{self, Edits, Host, Place, Reach};
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
    fn host(&self) -> Outcome<(Host, Reach)> {
        let host = Host::of_agent(&self.agent);
        let host = host.ok_or_else(|| Failure::usage(format!("`{}` is no agent we know", self.agent)))?;
        Ok((host, if self.project { Reach::Project } else { Reach::User }))
    }
}

/// Hooks as they are to be put into a host's settings.
pub(crate) struct Hooks {
    /// Through which agent of the library it asks.
    pub(crate) acting: Option<String>,
    /// What holds when nobody can decide; as in the settings where left out.
    pub(crate) on_failure: Option<OnFailure>,
    /// After how many seconds that is the case.
    pub(crate) timeout: u64,
}

impl Hooks {
    /// Hooks as `hook install` makes them when nothing more is said.
    pub(crate) fn usual(acting: Option<String>) -> Self {
        Self { acting, on_failure: None, timeout: call::TIMEOUT }
    }

    /// Notes that the host asks; gives the file, the command it will run, and whether that is a change.
    pub(crate) fn install(
        &self,
        host: Host,
        reach: Reach,
        session: &Session,
        edits: &mut Edits,
    ) -> Outcome<(Place, String, bool)> {
        let place = place(host, reach)?;
        let command = self.command(host, session)?;
        let entries = host.entries(&command, self.timeout + GRACE);
        let ours = |command: &str| hosts::is_ours(command, host.as_str());
        let changed = edits.change(&place, |text| {
            let text = text.unwrap_or(hosts::EMPTY);
            hosts::install(text, &entries, host.needs_version(), &ours).map(Some)
        })?;
        Ok((place, command, changed))
    }

    /// The command that the host is to run. It says all that decides whom it asks, so that the environment of a project
    /// cannot say otherwise.
    fn command(&self, host: Host, session: &Session) -> Outcome<String> {
        let places = &session.settings.places;
        let mut words = vec![hosts::this_program()?, "hook".to_owned(), host.as_str().to_owned()];
        words.extend(hosts::library_flags(&session.settings.library, Source::Default)?);
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [name.to_owned(), value]));
        };
        flag("--agent", self.acting.clone());
        flag("--config-home", Some(hosts::absolute(places.config_home())?));
        let named = places.file.as_deref().filter(|_| places.is_named);
        flag("--config", named.map(hosts::absolute).transpose()?);
        let on_failure = self.on_failure.unwrap_or(session.settings.hooks.on_failure.value);
        flag("--on-failure", Some(on_failure.as_str().to_owned()));
        flag("--timeout", (self.timeout != call::TIMEOUT).then(|| self.timeout.to_string()));
        Ok(words.iter().map(|word| hosts::quote(word)).collect::<Vec<_>>().join(" "))
    }
}

/// Notes that a host no longer asks; gives the file, and whether that is a change.
pub(crate) fn uninstall(host: Host, reach: Reach, edits: &mut Edits) -> Outcome<(Place, bool)> {
    let place = place(host, reach)?;
    let ours = |command: &str| hosts::is_ours(command, host.as_str());
    let changed = edits.change(&place, |text| {
        let Some(text) = text else { return Ok(None) };
        let after = hosts::uninstall(text, &ours)?;
        Ok(Some(after).filter(|after| after == text || after != hosts::EMPTY))
    })?;
    Ok((place, changed))
}

fn place(host: Host, reach: Reach) -> Outcome<Place> {
    Place::find(reach, |base| host.file(reach, base, &ProcessEnvironment))
}

impl InstallArgs {
    pub(crate) fn run(self, session: &Session) -> Outcome {
        let (host, reach) = self.target.host()?;
        let acting = self.acting.or_else(|| session.settings.library.agent.value.clone());
        let hooks = Hooks { acting, on_failure: self.on_failure, timeout: self.timeout };
        let mut edits = Edits::default();
        let (place, command, changed) = hooks.install(host, reach, session, &mut edits)?;
        if !self.target.dry_run {
            edits.write()?;
        }
        let value = json!({
            "agent": host.agent(), "file": place.shown(), "changed": changed, "dry_run": self.target.dry_run,
            "command": command, "notes": host.notes(),
        });
        session.output.result(&value, || match (self.target.dry_run, changed) {
            (true, true) => edits.difference(),
            (_, false) => format!("{} asks already, as set in {}", host.agent(), place.shown()),
            (false, true) => format!("{} asks from now on, as set in {}", host.agent(), place.shown()),
        })?;
        for note in host.notes() {
            session.output.note(&format!("note: {note}"));
        }
        let library = &session.settings.library;
        if library.server.value.is_none()
            && library.database.value.is_none()
            && let Err(missing) = DataFolder::existing(&library.data.value)
        {
            session
                .output
                .note(&format!("note: {}; until there is one, everything is denied", missing.message));
        }
        if self.target.project {
            session.output.note("note: the command names a program of this machine; others of the project run `install` themselves");
        }
        Ok(())
    }
}

impl UninstallArgs {
    pub(crate) fn run(self, session: &Session) -> Outcome {
        let (host, reach) = self.target.host()?;
        let mut edits = Edits::default();
        let (place, changed) = uninstall(host, reach, &mut edits)?;
        if !self.target.dry_run {
            edits.write()?;
        }
        let value = json!({
            "agent": host.agent(), "file": place.shown(), "changed": changed, "dry_run": self.target.dry_run,
        });
        session.output.result(&value, || match (self.target.dry_run, changed) {
            (true, true) => edits.difference(),
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

/// Where it is set that a host asks, whether it does, and by which command.
pub(crate) fn state(host: Host, reach: Reach) -> (String, String, Option<String>) {
    let place = match place(host, reach) {
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
