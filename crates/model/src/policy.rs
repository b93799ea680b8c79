//! The policy facet: when it is active, and which tools and limits then hold.

use std::time::Duration;

use serde_json::{Map, Value};

/// When a policy is active. Any of these is enough.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Activation {
    /// Whatever the task.
    pub always: bool,
    /// When the task contains one of these, whatever the case.
    pub keywords: Vec<String>,
    /// When this CEL expression over `task` and `context` is true.
    pub when: Option<String>,
}

/// A check on a tool call before it runs. All must pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Validator {
    /// A CEL expression over `tool`, `args` and `context`.
    Expression(String),
    /// No argument may match this regular expression.
    ArgumentDeny(String),
    /// Path arguments must start with one of these.
    PathPrefix(Vec<String>),
    /// URLs in arguments must name one of these hosts.
    HostAllow(Vec<String>),
    /// The arguments may take at most this many bytes.
    ArgumentSize(u64),
}

/// The policy facet.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Policy {
    /// A word for grouping, such as `security`.
    pub scope: Option<String>,
    /// The greater wins where two policies set the same context value.
    pub priority: i64,
    /// When it is active.
    pub activation: Activation,
    /// The only tools allowed; `None` restricts nothing, an empty list allows nothing.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools that are never allowed.
    pub forbidden_tools: Vec<String>,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// The longest a run may take.
    pub max_execution_time: Option<Duration>,
    /// Values put into the agent's context.
    pub context: Map<String, Value>,
    /// Text added to the planning prompt.
    pub planning: Option<String>,
    /// Checks on each tool call.
    pub validators: Vec<Validator>,
}
