//! `repertoire policy`: what agents may do, why, and what was decided.

mod change;
mod decision;
mod explain;
mod list;
mod log;
mod people;
mod target;
mod test;

use clap::Subcommand;

use crate::exit::{Exit, Outcome};
use crate::session::Session;

/// What to do with policies and decisions.
#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// List the policies in force; with --agent those that hold for it
    #[command(visible_alias = "ls")]
    List,
    /// Say what would be decided and why, or why something was decided
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// List what was decided, newest first; with --agent for that agent
    #[command(after_help = log::EXAMPLES)]
    Log(log::LogArgs),
    /// Run the cases in the tests/ folder of policies
    #[command(after_help = test::EXAMPLES)]
    Test(test::TestArgs),
    /// Say what a policy would change: what is wrong with it, and what each agent could no longer do
    #[command(after_help = change::CHECK_EXAMPLES)]
    Check(change::CheckArgs),
    /// Judge what was decided once more, with a changed policy
    #[command(after_help = change::REPLAY_EXAMPLES)]
    Replay(change::ReplayArgs),
    /// List governed runs, newest first; with --agent those of that agent
    Runs(list::RunsArgs),
}

impl PolicyCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        match self {
            Self::List => list::policies(session).await,
            Self::Explain(args) => args.run(session).await,
            Self::Log(args) => args.run(session).await,
            Self::Runs(args) => args.run(session).await,
            Self::Test(args) => return args.run(session).await,
            Self::Check(args) => args.run(session).await,
            Self::Replay(args) => args.run(session).await,
        }
        .map(|()| Exit::Ok)
    }
}

/// The agent that a command is about: the one it acts through.
fn agent(session: &Session) -> Option<&str> {
    session.settings.library.agent.value.as_deref()
}
