//! The command line: what there is to say, and who answers.
#![allow(clippy::doc_markdown)] // the comments on commands and flags are help texts, read on a terminal

mod agent;
mod analytics;
mod audit;
mod backup;
mod config;
mod connect;
mod doctor;
mod hook;
mod login;
mod mcp;
mod moments;
mod overview;
mod policy;
mod python;
mod run;
mod runs;
mod scaffold;
mod search;
mod session;
mod skill;
mod token;
mod user;
mod validate;
mod workspace;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory as _, Parser, Subcommand};

use crate::config::{Layer, LogLayer, SandboxLayer, Secret, ServeLayer, Settings, Switch};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;
use crate::session::Session;

/// What `--verbose` shows: our own doings, not every statement of the database.
const VERBOSE: &str = "info,repertoire=debug,repertoire_http=debug,repertoire_app=debug";

/// How long work that nobody waits for may hold the process at its end.
const LAST_WORK: Duration = Duration::from_millis(500);

const EXIT_CODES: &str = "Exit codes: 0 done, 1 findings or failed items, 2 usage, 3 not found, 4 not allowed, \
    5 conflict, 6 invalid content, 7 unavailable, 8 the run failed, 70 internal";

/// A self-hosted skill library for AI agents.
#[derive(Parser)]
#[command(name = "repertoire", version, propagate_version = true, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Option<Command>,
}

/// What every command takes.
#[derive(Args)]
#[command(next_help_heading = "Options for every command")]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
struct Global {
    /// Work on the library in this folder [env: REPERTOIRE_DATA]
    #[arg(long, global = true, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Work on this PostgreSQL database [env: REPERTOIRE_DATABASE]
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
    /// Work on the library of this server [env: REPERTOIRE_SERVER]
    #[arg(long, global = true, value_name = "URL", conflicts_with_all = ["data", "database"])]
    server: Option<String>,
    /// Work in this workspace [env: REPERTOIRE_WORKSPACE]
    #[arg(long, global = true, value_name = "NAME")]
    workspace: Option<String>,
    /// Act through this agent [env: REPERTOIRE_AGENT]
    #[arg(long, global = true, value_name = "NAME")]
    agent: Option<String>,
    /// Act as this user; on this machine only [env: REPERTOIRE_USER]
    #[arg(long, global = true, value_name = "HANDLE")]
    user: Option<String>,
    /// Answer in JSON
    #[arg(long, global = true)]
    json: bool,
    /// Say only what was asked for
    #[arg(short, long, global = true)]
    quiet: bool,
    /// Use no colours
    #[arg(long, global = true)]
    no_color: bool,
    /// Say what is going on inside
    #[arg(short, long, global = true)]
    verbose: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run the server: web app, API, MCP, sign-in, metrics
    Serve(ServeArgs),
    /// Speak MCP on standard input and output, for agent hosts
    Mcp(mcp::McpArgs),
    /// Work with skills: list, show, edit, review and more
    #[command(subcommand, visible_alias = "skills")]
    Skill(skill::SkillCommand),
    /// Run a skill's procedure in the sandbox
    Run(run::RunArgs),
    /// Look at what was run, and what came of it
    #[command(subcommand)]
    Runs(runs::RunsCommand),
    /// See how the library is used: most, failing, never
    Analytics(analytics::AnalyticsArgs),
    /// Look at what agents did: sessions with messages, tool calls and tasks
    #[command(subcommand, visible_alias = "sessions")]
    Session(session::SessionCommand),
    /// Put skills from folders or archives into the library
    #[command(visible_aliases = ["add", "install"])]
    Import(skill::ImportArgs),
    /// Write skills to folders, byte for byte
    Export(skill::ExportArgs),
    /// List the skills of the library
    #[command(visible_alias = "ls")]
    List(skill::ListArgs),
    /// Find skills by what you need, in plain words
    #[command(visible_alias = "find")]
    Search(search::SearchArgs),
    /// Delete skills from the library
    #[command(visible_aliases = ["rm", "uninstall"])]
    Remove(skill::DeleteArgs),
    /// Turn skills on
    Enable(skill::Names),
    /// Turn skills off
    Disable(skill::Names),
    /// Make a folder with a new SKILL.md
    Init(scaffold::InitArgs),
    /// Check skills on disk, without a library
    Validate(validate::ValidateArgs),
    /// List the tags with how many skills have each
    Tags,
    /// Work with agents and the skills assigned to them
    #[command(subcommand)]
    Agent(agent::AgentCommand),
    /// Work with workspaces
    #[command(subcommand)]
    Workspace(workspace::WorkspaceCommand),
    /// Work with people and their roles
    #[command(subcommand)]
    User(user::UserCommand),
    /// Work with access tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Read and verify the audit log
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// Govern what agents may do: policies in force, why, what was decided
    #[command(subcommand, visible_alias = "policies")]
    Policy(policy::PolicyCommand),
    /// Work with the Python environments that skills run in
    #[command(subcommand)]
    Python(python::PythonCommand),
    /// Give coding agents the tools and skills of the library
    #[command(subcommand)]
    Connect(connect::ConnectCommand),
    /// Let coding agents ask before they act
    #[command(subcommand, visible_alias = "hooks")]
    Hook(hook::HookCommand),
    /// Write a copy of the whole library to a file, also while a server runs
    Backup(backup::BackupArgs),
    /// Fill an empty library from a backup
    Restore(backup::RestoreArgs),
    /// Keep a token for a server
    Login(login::LoginArgs),
    /// Forget the token of a server
    Logout,
    /// Say who you are to the library
    Whoami,
    /// Show the settings and where they come from
    #[command(subcommand)]
    Config(config::ConfigCommand),
    /// Look for what could be wrong
    Doctor,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the OpenAPI document of the API
    Openapi,
    /// Print the version
    Version,
}

/// How to serve.
#[derive(Args)]
struct ServeArgs {
    /// Where to listen [env: REPERTOIRE_LISTEN] [default: 127.0.0.1:7400]
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Where to serve metrics, or off [env: REPERTOIRE_METRICS_LISTEN] [default: 127.0.0.1:7401]
    #[arg(long, value_name = "ADDRESS")]
    metrics_listen: Option<String>,
    /// Answer to this host name too; repeat for more [env: REPERTOIRE_ALLOW_HOSTS]
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// The address people reach this server at [env: REPERTOIRE_PUBLIC_URL]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Serve the web app from this folder instead of the one in this program [env: REPERTOIRE_UI_DIR]
    #[arg(long, value_name = "DIR")]
    ui_dir: Option<PathBuf>,
    /// Believe the client addresses that this proxy forwards: an address or a CIDR network; repeat for more [env:
    /// REPERTOIRE_TRUSTED_PROXIES]
    #[arg(long, value_name = "NETWORK")]
    trusted_proxy: Vec<String>,
    /// Run code although a required protection is missing [env: REPERTOIRE_SANDBOX_ALLOW_WEAKER]
    #[arg(long)]
    allow_weaker_sandbox: bool,
    /// How log lines look: text or json [env: REPERTOIRE_LOG_FORMAT] [default: text]
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<String>,
    /// What is logged: error, warn, info, debug, trace or a filter [env: REPERTOIRE_LOG_LEVEL] [default: info]
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<String>,
    /// Write the bound address to this file once listening
    #[arg(long, value_name = "FILE")]
    ready_file: Option<PathBuf>,
}

/// Parses the command line, does it, and says how it went.
pub(crate) fn main() -> ExitCode {
    let Cli { global, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return hook::refuse_misspelt(&error).unwrap_or_else(|| error.exit()),
    };
    if let Some(Command::Hook(command)) = &command
        && let Some(exit) = command.answer(&global)
    {
        return exit;
    }
    let output = Output::new(global.json, global.quiet, global.no_color);
    let done = match command {
        None => output.print(&overview::text(output)).map(|()| Exit::Ok),
        Some(command) => run(&global, command, output),
    };
    let exit = done.unwrap_or_else(|failure| {
        output.failure(&failure);
        failure.exit
    });
    ExitCode::from(exit as u8)
}

fn run(global: &Global, command: Command, output: Output) -> Outcome<Exit> {
    match command {
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "repertoire", &mut std::io::stdout());
            return Ok(Exit::Ok);
        }
        Command::Openapi => return output.print(&door_http::openapi_json()).map(|()| Exit::Ok),
        Command::Version => return version(output),
        Command::Init(args) => return args.run(output),
        _ => {}
    }
    let verbose = global.verbose;
    let is_server = matches!(command, Command::Serve(_));
    let settings = Settings::load(flags(global, &command))?;
    if let Command::Validate(args) = command {
        return args.run(&settings.limits.bundles, output);
    }
    if verbose && !is_server {
        // A second start cannot happen; and without logs the command works as well.
        let _ = tracing_subscriber::fmt()
            .with_env_filter(VERBOSE)
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal())
            .try_init();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::internal(format!("cannot start: {error}")))?;
    let done = runtime.block_on(dispatch(Session { settings, output }, command));
    // Work that nobody waits for any more does not hold the process.
    runtime.shutdown_timeout(LAST_WORK);
    done
}

fn flags(global: &Global, command: &Command) -> Layer {
    let weaker = matches!(command, Command::Serve(args) if args.allow_weaker_sandbox);
    let (serve, log) = match command {
        Command::Serve(args) => (
            ServeLayer {
                listen: args.listen.clone(),
                metrics_listen: args.metrics_listen.clone(),
                allow_hosts: (!args.allow_host.is_empty()).then(|| args.allow_host.clone()),
                public_url: args.public_url.clone(),
                ui_dir: args.ui_dir.clone(),
                trusted_proxies: (!args.trusted_proxy.is_empty()).then(|| args.trusted_proxy.clone()),
                ..ServeLayer::default()
            },
            LogLayer {
                format: args.log_format.clone(),
                level: args.log_level.clone().or_else(|| global.verbose.then(|| VERBOSE.to_owned())),
            },
        ),
        _ => (ServeLayer::default(), LogLayer::default()),
    };
    Layer {
        serve,
        log,
        sandbox: SandboxLayer {
            allow_weaker: weaker.then_some(Switch::Bool(true)),
            ..SandboxLayer::default()
        },
        ..named_library(global, command)
    }
}

/// The same, as some commands mean it.
fn named_library(global: &Global, command: &Command) -> Layer {
    let layer = library_flags(global);
    match command {
        Command::Connect(connect) if connect.url().is_some() => {
            Layer { server: connect.url().map(str::to_owned), ..layer }
        }
        // There `--agent` is the coding agent's name.
        Command::Hook(_) => Layer { agent: None, ..layer },
        _ => layer,
    }
}

/// Which library is meant, as whom.
fn library_flags(global: &Global) -> Layer {
    Layer {
        data: global.data.clone(),
        database: global.database.clone().map(Secret::new),
        server: global.server.clone(),
        workspace: global.workspace.clone(),
        agent: global.agent.clone(),
        user: global.user.clone(),
        ..Layer::default()
    }
}

async fn dispatch(session: Session, command: Command) -> Outcome<Exit> {
    let s = &session;
    match command {
        Command::Serve(args) => {
            return crate::serve::serve(&s.settings, s.output, args.ready_file.as_deref()).await;
        }
        Command::Mcp(args) => return args.run(session).await,
        Command::Skill(command) => return command.run(s).await,
        Command::Run(args) => return args.run(s).await,
        Command::Runs(command) => command.run(s).await,
        Command::Analytics(args) => args.run(s).await,
        Command::Session(command) => command.run(s).await,
        Command::Python(command) => command.run(s).await,
        Command::Import(args) => return args.run(s).await,
        Command::Export(args) => return args.run(s).await,
        Command::List(args) => args.run(s).await,
        Command::Search(args) => args.run(s).await,
        Command::Remove(args) => args.run(s).await,
        Command::Enable(names) => skill::switch(s, &names, "enable").await,
        Command::Disable(names) => skill::switch(s, &names, "disable").await,
        Command::Tags => skill::tags(s).await,
        Command::Agent(command) => command.run(s).await,
        Command::Workspace(command) => command.run(s).await,
        Command::User(command) => command.run(s).await,
        Command::Token(command) => command.run(s).await,
        Command::Audit(command) => return command.run(s).await,
        Command::Policy(command) => return command.run(s).await,
        Command::Backup(args) => args.run(s).await,
        Command::Restore(args) => args.run(s).await,
        Command::Login(args) => args.run(s).await,
        Command::Logout => login::logout(s),
        Command::Whoami => login::whoami(s).await,
        Command::Connect(command) => command.run(s).await,
        Command::Hook(command) => command.run(s),
        Command::Config(command) => command.run(s),
        Command::Doctor => return doctor::run(s).await,
        Command::Completions { .. }
        | Command::Openapi
        | Command::Version
        | Command::Init(_)
        | Command::Validate(_) => Ok(()),
    }
    .map(|()| Exit::Ok)
}

fn version(output: Output) -> Outcome<Exit> {
    let version = env!("CARGO_PKG_VERSION");
    let value = serde_json::json!({"version": version});
    output.result(&value, || format!("repertoire {version}")).map(|()| Exit::Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_and_flag_has_one_line_of_help() {
        fn check(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            assert!(command.get_about().is_some(), "{path} has no help");
            for argument in command.get_arguments() {
                let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.is_empty() && !help.contains('\n'), "{path} {}: {help:?}", argument.get_id());
            }
            command.get_subcommands().for_each(|inner| check(inner, &path));
        }
        let mut command = Cli::command();
        command.build();
        check(&command, "");
    }
}
