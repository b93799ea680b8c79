//! `repertoire hook`: what coding agents run before they act, and how they are made to.

mod call;
mod install;

pub(crate) use install::{Hooks, state, uninstall};

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::Global;
use crate::config::OnFailure;
use crate::exit::Outcome;
use crate::hosts::Host;
use crate::session::Session;

/// What to do about hooks.
#[derive(Subcommand)]
pub(crate) enum HookCommand {
    /// Answer a hook of Claude Code; the event is read from standard input
    Claude(CallArgs),
    /// Answer a hook of Codex
    Codex(CallArgs),
    /// Answer a hook of Gemini CLI
    Gemini(CallArgs),
    /// Answer a hook of Cursor
    Cursor(CallArgs),
    /// Answer a hook of GitHub Copilot
    Copilot(CallArgs),
    /// Make a coding agent ask before it acts
    Install(install::InstallArgs),
    /// Take our hooks out of a coding agent's settings
    Uninstall(install::UninstallArgs),
    /// Say which coding agents ask, and where that is set
    Status,
}

/// How to answer.
#[derive(Args)]
pub(crate) struct CallArgs {
    /// What the agent may do when we cannot decide: deny or allow [default: deny]
    #[arg(long, value_name = "WHAT", value_enum, hide_possible_values = true)]
    on_failure: Option<OnFailure>,
    /// After how many seconds that is the case
    #[arg(long, value_name = "SECONDS", default_value_t = call::TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,
    /// The folder that holds `repertoire/config.toml` and `repertoire/credentials.toml`
    #[arg(long, value_name = "DIR")]
    config_home: Option<String>,
    /// The configuration file, where it is another one
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
}

impl HookCommand {
    /// Answers a hook, where this is a call of one. Nothing else of the program's ways applies to it.
    pub(crate) fn answer(&self, global: &Global) -> Option<ExitCode> {
        let (host, args) = match self {
            Self::Claude(args) => (Host::Claude, args),
            Self::Codex(args) => (Host::Codex, args),
            Self::Gemini(args) => (Host::Gemini, args),
            Self::Cursor(args) => (Host::Cursor, args),
            Self::Copilot(args) => (Host::Copilot, args),
            Self::Install(_) | Self::Uninstall(_) | Self::Status => return None,
        };
        Some(call::answer(host, args, global))
    }

    pub(crate) fn run(self, session: &Session) -> Outcome {
        match self {
            Self::Install(args) => args.run(session),
            Self::Uninstall(args) => args.run(session),
            Self::Status => install::status(session),
            Self::Claude(_) | Self::Codex(_) | Self::Gemini(_) | Self::Cursor(_) | Self::Copilot(_) => Ok(()),
        }
    }
}

/// Denies, where a command line that makes no sense is a call of a hook.
pub(crate) fn refuse_misspelt(error: &clap::Error) -> Option<ExitCode> {
    let mut words = std::env::args_os().skip(1);
    let is_hook = words.next().is_some_and(|word| word == "hook" || word == "hooks");
    let host = words.next().and_then(|word| Host::ALL.into_iter().find(|host| word == host.as_str()));
    (is_hook && error.use_stderr()).then(|| host.map(|host| call::refuse(host, error)))?
}
