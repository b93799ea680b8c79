//! The declarative form of a policy: what stands in `repertoire.yaml`, made ready once.

use std::sync::Arc;

use super::activation::fold;
use super::checks::{Built, Check, CheckError};
use super::expression::{Expression, ExpressionError, Variables};
use super::pattern::{PatternError, ToolSet};
use super::{Constraints, Context, Failure, Metadata, Policy, Situation};

/// What even a call without arguments takes: `{}`.
const LEAST_ARGUMENTS: u64 = 2;

/// Something in a declared policy that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A keyword would be found in every task.
    #[error("activation: a keyword is empty")]
    EmptyKeyword,
    /// The condition is wrong.
    #[error("activation, when: {0}")]
    When(ExpressionError),
    /// An entry of the whitelist is wrong.
    #[error("allowed_tools: {0}")]
    Allowed(PatternError),
    /// An entry of the blacklist is wrong.
    #[error("forbidden_tools: {0}")]
    Forbidden(PatternError),
    /// A validator is wrong.
    #[error("validators, number {number}: {error}")]
    Validator {
        /// Which, from 1.
        number: usize,
        /// What is wrong.
        error: CheckError,
    },
    /// A limit that nothing can keep.
    #[error("{0}: nothing can keep this limit; write a greater one, or forbid the tools")]
    Impossible(&'static str),
}

/// The skill a policy is declared in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Identity {
    /// What it is called in reasons.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// Its version, for the record.
    pub version: Option<String>,
}

impl Identity {
    fn metadata(self, policy: &model::Policy) -> Metadata {
        let Self { id, name, version } = self;
        Metadata { id, name, version, scope: policy.scope.clone(), priority: policy.priority }
    }
}

/// A declared policy, ready to be asked.
#[derive(Debug, Clone)]
pub struct Declared {
    metadata: Metadata,
    always: bool,
    keywords: Vec<String>,
    when: Option<Expression>,
    constraints: Result<Arc<Constraints>, Failure>,
    planning: Option<String>,
}

impl Declared {
    /// Makes a declared policy ready, or says everything that is wrong with it.
    pub fn compile(skill: Identity, policy: &model::Policy) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        let keywords: Vec<String> = policy.activation.keywords.iter().map(|word| fold(word.trim())).collect();
        if keywords.iter().any(String::is_empty) {
            problems.push(Problem::EmptyKeyword);
        }
        let when = policy.activation.when.as_deref();
        let when = when.map(|source| Expression::compile(source, Variables::Activation));
        let when = when.transpose().map_err(|error| problems.push(Problem::When(error))).ok().flatten();
        let allowed_tools = policy.allowed_tools.as_ref().map(|tools| {
            // An entry that cannot be read must not turn into "everything is allowed".
            ToolSet::parse(tools).map_err(|error| problems.push(Problem::Allowed(error))).unwrap_or_default()
        });
        let forbidden_tools = ToolSet::parse(&policy.forbidden_tools)
            .map_err(|error| problems.push(Problem::Forbidden(error)))
            .unwrap_or_default();
        if policy.max_steps == Some(0) {
            problems.push(Problem::Impossible("max_steps"));
        }
        if policy.max_execution_time.is_some_and(|time| time.is_zero()) {
            problems.push(Problem::Impossible("max_execution_time"));
        }
        let mut checks: Vec<Arc<dyn Check>> = Vec::new();
        for (index, validator) in policy.validators.iter().enumerate() {
            if matches!(validator, model::Validator::ArgumentSize(most) if *most < LEAST_ARGUMENTS) {
                problems.push(Problem::Impossible("argument_size"));
            }
            match Built::compile(validator) {
                Ok(check) => checks.push(Arc::new(check)),
                Err(error) => problems.push(Problem::Validator { number: index + 1, error }),
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let constraints = Constraints {
            allowed_tools,
            forbidden_tools,
            max_steps: policy.max_steps,
            max_execution_time: policy.max_execution_time,
            context: policy.context.clone(),
            checks,
        };
        Ok(Self {
            metadata: skill.metadata(policy),
            always: policy.activation.always,
            keywords,
            when,
            constraints: Ok(Arc::new(constraints)),
            planning: policy.planning.clone(),
        })
    }

    /// A policy that stands in the store although it cannot be made ready: it is always active and denies every call.
    pub fn broken(skill: Identity, policy: &model::Policy, problems: &[Problem]) -> Self {
        let first = problems.first().map_or_else(|| "it cannot be read".to_owned(), ToString::to_string);
        Self {
            metadata: skill.metadata(policy),
            always: true,
            keywords: Vec::new(),
            when: None,
            constraints: Err(Failure(first)),
            planning: None,
        }
    }
}

impl Policy for Declared {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    fn activates(&self, situation: &Situation<'_>) -> Result<bool, Failure> {
        if self.always || self.keywords.iter().any(|word| situation.task().contains(word)) {
            return Ok(true);
        }
        self.when.as_ref().map_or(Ok(false), |when| when.holds_for(situation))
    }

    fn constraints(&self, _context: &Context) -> Result<Arc<Constraints>, Failure> {
        self.constraints.clone()
    }

    fn plan(&self, prompt: &str, _context: &Context) -> Option<String> {
        let planning = self.planning.as_deref().filter(|text| !text.trim().is_empty())?;
        Some(if prompt.is_empty() { planning.to_owned() } else { format!("{prompt}\n\n{planning}") })
    }
}
