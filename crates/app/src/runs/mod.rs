//! Runs: executing skills, and what is remembered of it.

mod bind;
mod check;
mod execute;
mod grant;
mod list;
mod output;
mod prepare;
mod prune;
mod statistics;
mod status;

use model::{CodeSessionId, RevisionNumber, Run, RunLimits};
use sandbox::{Captured, Visit};
use serde_json::{Map, Value};

use crate::live::Audience;

pub use check::{Check, check};
pub use execute::execute;
pub(crate) use execute::{execute_admitted, limits_hit};
pub use list::{ListRuns, list, of_skill, read};
pub use output::OutputFile;
pub use prune::prune;
pub(crate) use prune::prune_before;
/// What doors need of the sandbox to speak of runs.
pub use sandbox::{InputFile, Limits as ExecutionLimits};
pub use statistics::{SkillStatistics, statistics};
pub use status::{SandboxStatus, sandbox_status};

/// How to run a skill.
#[derive(Debug, Clone, Default)]
pub struct RunSkill {
    /// Values by parameter name.
    pub parameters: Map<String, Value>,
    /// The command line of a script that is run as a whole.
    pub arguments: Vec<String>,
    /// Files that are put into the work folder first.
    pub files: Vec<InputFile>,
    /// The code session whose work folder it uses; else a folder of its own.
    pub session: Option<CodeSessionId>,
    /// Which revision; else the one the agent is pinned to, else the current one.
    pub revision: Option<RevisionNumber>,
    /// Bounds on what this run may use.
    pub limits: RunLimits,
    /// Parameters whose values are not remembered.
    pub redact: Vec<String>,
    /// Whether the bytes of generated files are given back.
    pub contents: Contents,
    /// Who is told how it goes on.
    pub audience: Audience,
}

/// Whether the bytes of generated files are given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Contents {
    /// Up to a total size.
    #[default]
    Inline,
    /// Only their names and sizes.
    Omitted,
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Ran {
    /// What is remembered of it.
    pub run: Run,
    /// What the code returned; null where it failed.
    pub result: Value,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// The trace through the skill's own lines, where it failed.
    pub traceback: Option<String>,
    /// The files it made or changed, by path.
    pub files: Vec<OutputFile>,
    /// Whether there were more files than are listed.
    pub files_truncated: bool,
    /// Hosts it asked for.
    pub visits: Vec<Visit>,
}
