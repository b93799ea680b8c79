//! `repertoire connect`: gives a coding agent our tools, our hooks and our skills, and takes them back.
//!
//! What will change is shown first, and happens only with a yes.

mod changes;
mod shelf;
mod status;
mod sync;
mod undo;

use clap::{Args, Subcommand, ValueEnum};
use model::Toolset;
use serde_json::{Value, json};

use super::hook::Hooks;
use crate::config::{ProcessEnvironment, Source};
use crate::exit::{Failure, Outcome};
use crate::hosts::{self, Place, Reach, Target, ToolHost};
use crate::session::Session;
use changes::{Changes, Consent};
use shelf::{Shelf, Wish};

/// The names of hosts, as commands have them.
const HOSTS: [&str; 5] = ["claude-code", "codex", "gemini", "cursor", "vscode"];

/// From which source on a library is written down: not every host passes its environment on.
const NAMED: Source = Source::Environment;

/// What to connect, or to do about connections.
#[derive(Subcommand)]
pub(crate) enum ConnectCommand {
    /// Give Claude Code the tools of the library
    #[command(visible_alias = "claude")]
    ClaudeCode(ConnectArgs),
    /// Give Codex the tools of the library
    Codex(ConnectArgs),
    /// Give Gemini CLI the tools of the library
    Gemini(ConnectArgs),
    /// Give Cursor the tools of the library
    Cursor(ConnectArgs),
    /// Give VS Code the tools of the library
    #[command(name = "vscode")]
    VsCode(ConnectArgs),
    /// Bring skills that were written as files in step with the library
    Sync(sync::SyncArgs),
    /// Say which hosts are connected, and where that is set
    Status,
    /// Take a connection back: tools, hooks and skills
    Undo(undo::UndoArgs),
}

/// How to connect.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct ConnectArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Under this name
    #[arg(long, value_name = "NAME", default_value = "repertoire", value_parser = server_name)]
    name: String,
    /// Offer only these tools: interpreter, memory, library, learning; as the agent is set when left out
    #[arg(long, alias = "toolset", value_name = "NAMES", value_delimiter = ',', value_parser = toolset)]
    toolsets: Vec<Toolset>,
    /// Let it talk to this server itself, over HTTP; otherwise it starts this program
    #[arg(long, value_name = "URL", value_parser = server_url, conflicts_with_all = ["data", "database", "server", "user"])]
    url: Option<String>,
    /// The environment variable that holds the token for it
    #[arg(long, value_name = "VARIABLE", default_value = "REPERTOIRE_TOKEN", value_parser = variable, requires = "url")]
    token_env: String,
    /// Also let it ask before it acts, as `repertoire hook install` does
    #[arg(long)]
    hooks: bool,
    /// Also write the skills as files, where it looks for them
    #[arg(long)]
    skills: bool,
    /// Also those that only you see, into the project's folder
    #[arg(long, requires = "skills")]
    personal: bool,
    /// Replace skills on disk that someone changed or made there
    #[arg(long, requires = "skills")]
    force: bool,
    #[command(flatten)]
    consent: Consent,
}

/// Whose settings are meant.
#[derive(Args)]
struct ScopeArgs {
    /// In whose settings: project (of this folder) or user (your own, in every folder)
    #[arg(long, value_enum, value_name = "SCOPE", default_value = "project", hide_possible_values = true)]
    scope: ScopeWord,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeWord {
    Project,
    User,
}

impl ScopeArgs {
    fn reach(&self) -> Reach {
        match self.scope {
            ScopeWord::Project => Reach::Project,
            ScopeWord::User => Reach::User,
        }
    }
}

impl ConnectCommand {
    /// The server that is named beside the flags that every command has.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::ClaudeCode(args)
            | Self::Codex(args)
            | Self::Gemini(args)
            | Self::Cursor(args)
            | Self::VsCode(args) => args.url.as_deref(),
            Self::Sync(_) | Self::Status | Self::Undo(_) => None,
        }
    }

    pub(crate) async fn run(self, session: &Session) -> Outcome {
        match self {
            Self::ClaudeCode(args) => args.run(ToolHost::ClaudeCode, session).await,
            Self::Codex(args) => args.run(ToolHost::Codex, session).await,
            Self::Gemini(args) => args.run(ToolHost::Gemini, session).await,
            Self::Cursor(args) => args.run(ToolHost::Cursor, session).await,
            Self::VsCode(args) => args.run(ToolHost::VsCode, session).await,
            Self::Sync(args) => args.run(session).await,
            Self::Status => status::run(session),
            Self::Undo(args) => args.run(session),
        }
    }
}

impl ConnectArgs {
    async fn run(self, host: ToolHost, session: &Session) -> Outcome {
        let reach = self.scope.reach();
        let entry = host.entry(&self.target(host, session)?);
        let Some(place) = settings(host, reach)? else { return Err(self.by_hand(host, &entry)) };
        let mut changes = Changes::default();
        self.put(host, &place, &entry, &mut changes)?;
        let hooks = if self.hooks { Some(self.put_hooks(host, session, &mut changes)?) } else { None };
        if self.skills {
            let folder = Shelf::open(skills(host, reach)?)?;
            let wish = self.wish(host, session)?;
            changes.shelves.push(session.work(async |client| folder.plan(client, &wish).await).await?);
        }
        let question = format!("Connect {}?", host.title());
        let made = changes.make(session.output, &self.consent, &question)?;
        let next = self.next(host, reach);
        let value = json!({
            "host": host.as_str(), "scope": reach.as_str(), "name": self.name, "file": place.shown(), "entry": entry,
            "changed": made.is_change(), "dry_run": self.consent.dry_run, "hooks": hooks,
            "skills": changes.shelves.first().map(shelf::Plan::json), "next": next,
        });
        session.output.result(&value, || {
            made.say(
                &format!("{} is connected, as set in {}", host.title(), place.shown()),
                &format!("{} is connected already, as set in {}", host.title(), place.shown()),
            )
        })?;
        if made.is_done() {
            changes.say_notes(session.output);
            for note in host.hooks().notes().iter().filter(|_| self.hooks) {
                session.output.note(&format!("note: {note}"));
            }
            for step in &next {
                session.output.note(&format!("next: {step}"));
            }
        }
        Ok(())
    }

    fn toolset_names(&self) -> String {
        let names: Vec<_> = self.toolsets.iter().map(|set| set.as_str()).collect();
        names.join(",")
    }

    /// What is asked of a server behind its address.
    fn query(&self) -> String {
        if self.toolsets.is_empty() { String::new() } else { format!("?toolsets={}", self.toolset_names()) }
    }

    /// What the entry leads to.
    fn target(&self, host: ToolHost, session: &Session) -> Outcome<Target> {
        if let Some(url) = &self.url {
            let library = &session.settings.library;
            let told = [("repertoire-workspace", &library.workspace), ("repertoire-agent", &library.agent)];
            let told = told.into_iter().filter(|(_, setting)| setting.source >= NAMED);
            let headers = told.filter_map(|(name, setting)| Some((name, setting.value.clone()?))).collect();
            return Ok(Target::Server {
                url: format!("{url}/mcp{}", self.query()),
                variable: self.token_env.clone(),
                headers,
            });
        }
        let command = hosts::this_program()?;
        let mut args = vec!["mcp".to_owned()];
        args.extend(library(session)?);
        if !self.toolsets.is_empty() {
            args.extend(["--toolsets".to_owned(), self.toolset_names()]);
        }
        let strange = [&command].into_iter().chain(&args).find(|word| word.contains('$'));
        if let Some(word) = strange.filter(|_| host.reads_variables()) {
            let message = format!("{} reads the `$` in `{word}` as a variable", host.title());
            return Err(Failure::usage(message).hint("move it to a path without `$`"));
        }
        Ok(Target::Program { command, args })
    }

    /// Notes the entry, unless another program has its name.
    fn put(&self, host: ToolHost, place: &Place, entry: &Value, changes: &mut Changes) -> Outcome {
        let known = match place.read()? {
            None => Vec::new(),
            Some(text) => host.form().list(&text).map_err(|why| place.unreadable(&why))?,
        };
        if known.iter().any(|(name, known)| *name == self.name && !hosts::leads_to_us(known)) {
            let message = format!("`{}` in `{}` is another program", self.name, place.shown());
            return Err(Failure::conflict(message).hint("pass --name with a name of its own"));
        }
        changes.edits.change(place, |text| host.form().put(text, &self.name, entry).map(Some)).map(drop)
    }

    fn put_hooks(&self, host: ToolHost, session: &Session, changes: &mut Changes) -> Outcome<Value> {
        let agent = &session.settings.library.agent;
        let acting = agent.value.clone().filter(|_| agent.source >= NAMED);
        let hooks = Hooks::usual(acting);
        let installed = hooks.install(host.hooks(), self.scope.reach(), session, &mut changes.edits)?;
        let (file, command, is_new) = installed;
        Ok(json!({"file": file.shown(), "command": command, "changed": is_new}))
    }

    fn wish(&self, host: ToolHost, session: &Session) -> Outcome<Wish> {
        Ok(Wish {
            library: library(session)?,
            host: Some(host.as_str()),
            personal: Some(self.personal || self.scope.reach() == Reach::User),
            force: self.force,
        })
    }

    fn next(&self, host: ToolHost, reach: Reach) -> Vec<String> {
        let mut steps = Vec::new();
        if self.url.is_some() {
            steps.push(format!(
                "set {} where {} is started; `repertoire token create` makes a token",
                self.token_env,
                host.title()
            ));
        }
        if let Some(url) = self.url.as_ref().filter(|_| self.hooks) {
            steps.push(format!("run `repertoire login --server {url}`, so that the hooks have a token too"));
        }
        steps.extend(host.next(reach, &self.name));
        if self.url.is_none() && reach == Reach::Project {
            steps.push(
                "the entry names a program of this machine: others of the project connect themselves"
                    .to_owned(),
            );
        }
        steps
    }

    /// What to do where the host alone can write its settings.
    fn by_hand(&self, host: ToolHost, entry: &Value) -> Failure {
        let mut server = serde_json::Map::from_iter([("name".to_owned(), Value::from(self.name.as_str()))]);
        server.extend(entry.as_object().cloned().unwrap_or_default());
        let server = hosts::quote(&Value::Object(server).to_string());
        Failure::usage(format!("{} alone writes the settings of its user", host.title()))
            .hint(format!("run: code --add-mcp {server}"))
    }
}

/// The file that a host lists servers in, where we may write it.
fn settings(host: ToolHost, reach: Reach) -> Outcome<Option<Place>> {
    let mut is_known = true;
    let place = Place::find(reach, |base| {
        host.file(reach, base, &ProcessEnvironment).unwrap_or_else(|| {
            is_known = false;
            base.to_owned()
        })
    })?;
    Ok(Some(place).filter(|_| is_known))
}

/// The folder that a host reads skills from.
fn skills(host: ToolHost, reach: Reach) -> Outcome<Place> {
    Place::find(reach, |base| host.skills(reach, base, &ProcessEnvironment))
}

/// The flags that name the library and the agent again.
fn library(session: &Session) -> Outcome<Vec<String>> {
    let library = &session.settings.library;
    let mut words = hosts::library_flags(library, NAMED)?;
    let agent = library.agent.value.clone().filter(|_| library.agent.source >= NAMED);
    words.extend(agent.into_iter().flat_map(|agent| ["--agent".to_owned(), agent]));
    Ok(words)
}

fn toolset(word: &str) -> Result<Toolset, String> {
    Toolset::parse(word).map_err(|error| error.to_string())
}

fn server_name(name: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let is_sound = !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain);
    is_sound.then(|| name.to_owned()).ok_or_else(|| "use letters, digits, - and _".to_owned())
}

fn variable(name: &str) -> Result<String, String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_sound = name.chars().all(is_plain)
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty();
    is_sound.then(|| name.to_owned()).ok_or_else(|| "name a variable, not its value".to_owned())
}

/// The address of a server, without `/mcp` at its end.
fn server_url(url: &str) -> Result<String, String> {
    let parsed = reqwest::Url::parse(url).map_err(|error| error.to_string())?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err("use an http:// or https:// address".to_owned());
    }
    if !parsed.username().is_empty()
        || parsed.password().is_some()
        || parsed.query().is_some()
        || url.contains('$')
    {
        return Err("the address goes into a file: leave out user, password, query and variables".to_owned());
    }
    let url = url.trim_end_matches('/');
    Ok(url.strip_suffix("/mcp").unwrap_or(url).trim_end_matches('/').to_owned())
}
