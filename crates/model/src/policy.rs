//! The policy facet: when it is active, and which tools and limits then hold; places in it, and the cases it is tested
//! with.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::word::words;

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

/// A step on the way to a place in the policy facet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PolicyStep {
    /// A field of a map.
    Field(Cow<'static, str>),
    /// An item of a list, from 1.
    Item(usize),
}

/// A place in the policy facet, such as `validators[2].host_allow[1]`; without a step, the facet as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyPlace(Vec<PolicyStep>);

impl PolicyPlace {
    /// A field of the facet.
    pub fn of(field: &'static str) -> Self {
        Self::default().field(field)
    }

    /// A field of what stands at this place.
    #[must_use]
    pub fn field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        self.0.push(PolicyStep::Field(name.into()));
        self
    }

    /// An item of the list at this place, from 1.
    #[must_use]
    pub fn item(mut self, number: usize) -> Self {
        self.0.push(PolicyStep::Item(number));
        self
    }

    /// The way to it.
    pub fn steps(&self) -> &[PolicyStep] {
        &self.0
    }
}

impl fmt::Display for PolicyPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                PolicyStep::Field(name) if index == 0 => f.write_str(name)?,
                PolicyStep::Field(name) => write!(f, ".{name}")?,
                PolicyStep::Item(number) => write!(f, "[{number}]")?,
            }
        }
        Ok(())
    }
}

words! {
    /// What the denial of a tool call rests on, in the order in which it is asked.
    DenialCause, "cause" {
        /// The constraints of an active policy could not be had.
        EvaluationError => "evaluation_error",
        /// An active policy forbids the tool, or such a call of it.
        Forbidden => "forbidden",
        /// A whitelist does not admit it.
        NotAllowed => "not_allowed",
        /// A check did not pass.
        Validation => "validation",
        /// The steps of the run are used up.
        MaxSteps => "max_steps",
        /// The time of the run is used up.
        MaxExecutionTime => "max_execution_time",
    }
}

/// What a case expects of a tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// It is allowed.
    Allow,
    /// It is denied.
    Deny {
        /// What the denial rests on, where that matters.
        cause: Option<DenialCause>,
        /// The reason word for word, where that matters.
        reason: Option<String>,
    },
}

/// The tool call of a case.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The steps taken before.
    pub steps: u32,
    /// The time since the run began.
    pub elapsed: Duration,
    /// What is expected.
    pub expect: Expectation,
}

/// A case of a test table kept beside a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyCase {
    /// The file it stands in.
    pub file: String,
    /// The line it begins on, from 1.
    pub line: u32,
    /// What it claims.
    pub name: String,
    /// The task.
    pub task: String,
    /// What is known beside it.
    pub context: Map<String, Value>,
    /// Whether the policy is active, where that matters.
    pub active: Option<bool>,
    /// The call that is tried; without one only activation is asked.
    pub call: Option<CaseCall>,
}
