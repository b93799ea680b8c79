//! What an agent may do while policies are active.
//!
//! [`resolve`] says which policies are active for a task and a context, what they demand together, and why.
//! [`judge`] puts one tool call to that. Both are functions of what they are given and of nothing else: the same input
//! gives the same answer to the byte, whatever the order in which policies were registered.
//!
//! The rules:
//! - a call is allowed iff no active policy forbids it, every active whitelist admits it, every check passes, and the
//!   limits of the run are not used up; hence another policy can only narrow what is allowed;
//! - the order is priority descending, then id by bytes; where two policies set the same context value, the first in
//!   this order wins;
//! - no whitelist is no restriction, whitelists with nothing in common allow nothing;
//! - what cannot be evaluated denies, and says so.
//!
//! A policy is anything that implements [`Policy`]. [`Declared`] is the form that stands in `repertoire.yaml`; it goes
//! through the same trait, so both forms decide alike.

mod activation;
pub mod analysis;
mod cases;
mod checks;
mod declared;
mod expression;
mod index;
mod inputs;
mod judge;
mod members;
mod pattern;
mod place;
mod problem;
mod reasons;
mod resolve;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

pub use activation::{Task, fold};
pub use cases::{CaseResult, run_cases};
pub use checks::{Check, CheckError};
pub use declared::{Declared, Identity};
pub use expression::{Expression, ExpressionError, Variables};
pub use inputs::{Attempt, Situation};
pub use judge::{Denial, FailedCheck, Filtered, Outcome, Verdict, judge};
pub use model::DenialCause as Cause;
pub use pattern::{PatternError, ToolSet};
pub use problem::{Problem, Wrong};
pub use resolve::{Active, Duplicate, Merged, Policies, Resolution, resolve};

/// What an agent knows: the values that policies look at, and those that they set.
pub type Context = Map<String, Value>;

/// What is known of a policy without executing anything of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// What it is called in reasons; no two registered policies share one.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version, for the record.
    pub version: Option<String>,
    /// A word for grouping, such as `security`.
    pub scope: Option<String>,
    /// The greater comes first.
    pub priority: i64,
}

/// What an active policy demands.
#[derive(Debug, Clone, Default)]
pub struct Constraints {
    /// The only tools allowed; `None` restricts nothing, an empty set allows nothing.
    pub allowed_tools: Option<ToolSet>,
    /// Tools that are never allowed.
    pub forbidden_tools: ToolSet,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// The longest a run may take.
    pub max_execution_time: Option<Duration>,
    /// Values put into the agent's context.
    pub context: Context,
    /// Checks on each tool call; all must pass.
    pub checks: Vec<Arc<dyn Check>>,
}

/// Why something could not be evaluated. It names no value, so that it may stand in a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// A failure in these words.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// A policy, for programs that embed this library. It must be pure: the same input, the same answer.
pub trait Policy: Send + Sync {
    /// What is known of it without executing anything of it.
    fn metadata(&self) -> &Metadata;

    /// Whether it is active for a task and a context. On a failure its restrictions hold.
    fn activates(&self, situation: &Situation<'_>) -> Result<bool, Failure>;

    /// What it demands when active; asked once a resolution. On a failure every call is denied.
    fn constraints(&self, context: &Context) -> Result<Arc<Constraints>, Failure>;

    /// The planning prompt with what this policy has to say about it; `None` changes nothing.
    fn plan(&self, _prompt: &str, _context: &Context) -> Option<String> {
        None
    }
}

impl fmt::Debug for dyn Policy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.metadata().fmt(formatter)
    }
}

/// A tool call before it runs.
#[derive(Debug, Clone, Copy)]
pub struct ToolCall<'a> {
    /// The tool's name; what reasons and checks call it.
    pub tool: &'a str,
    /// The host's own name of the tool, where `tool` is the one it has across hosts. Policies may use either: a call is
    /// forbidden when one of its names is, and a whitelist admits it by one of them.
    pub alias: Option<&'a str>,
    /// Its arguments; an object, from every host we know.
    pub arguments: &'a Value,
}

impl<'a> ToolCall<'a> {
    /// A call of a tool that has one name.
    pub fn new(tool: &'a str, arguments: &'a Value) -> Self {
        Self { tool, alias: None, arguments }
    }

    /// Everything the tool is called.
    pub(super) fn names(self) -> impl Iterator<Item = &'a str> + Clone {
        std::iter::once(self.tool).chain(self.alias)
    }
}

/// What the run has used before this call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// The steps already taken.
    pub steps: u32,
    /// The time since the run began.
    pub elapsed: Duration,
}
