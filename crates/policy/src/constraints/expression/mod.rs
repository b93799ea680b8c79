//! CEL expressions: compiled once, and evaluated with a bound on what an evaluation may cost.
//!
//! The crate `cel` has no cost limit of its own, so there is one here, in two parts.
//!
//! **When compiled**, the text is at most [`MAX_SOURCE`] bytes, the tree at most [`MAX_NODES`] nodes, [`MAX_DEPTH`]
//! levels and [`MAX_LOOPS`] loops inside each other, of known functions and variables only; the pattern of `matches` is
//! a literal, compiled then and there to at most [`MAX_PATTERN`] bytes.
//!
//! **When evaluated**, `cost` first walks the tree over the actual input and adds up the most that the evaluation can
//! touch or copy: a loop counts as often as its list is long, a text or list made by `+` is as long as its parts, a
//! pattern counts once a byte and state. `size` spares that walk where the size of tree and input tell enough. What would come to more than [`BUDGET`] units is not evaluated at all and is an
//! error, which denies. A unit takes some nanoseconds at most, so that no evaluation takes more than a fraction of a
//! second or more than some tens of megabytes; a test measures the worst we could build.
//!
//! `map` and `filter` over a map are an error as well: the order of their result would not be fixed.

mod compile;
mod cost;
mod pattern;
mod size;
mod truth;

use std::sync::{Arc, LazyLock};

use cel::common::ast::IdedExpr;
use cel::common::types::{CelBool, CelInt, CelString, STRING_TYPE};
use cel::common::value::CowVal;
use cel::{Context, Env, ExecutionError, FunctionContext, Value};

use super::Failure;
use super::inputs::{Attempt, Situation, Values};
pub(super) use cost::{MAX_DEPTH as MAX_INPUT_DEPTH, NODE};
pub(super) use pattern::{MAX_TEXT_UNITS, TextPattern, compile_pattern};
use size::Size;
pub(super) use truth::Truth;

/// The longest expression, in bytes.
pub(super) const MAX_SOURCE: usize = 4096;
/// The most nodes of an expression's tree.
pub(super) const MAX_NODES: usize = 2000;
/// The most levels of an expression's tree.
pub(super) const MAX_DEPTH: usize = 64;
/// The most `all`, `exists`, `map` and `filter` inside each other.
pub(super) const MAX_LOOPS: usize = 3;
/// The largest compiled pattern of `matches`, in bytes.
pub(super) const MAX_PATTERN: usize = 256 << 10;
/// The most that one evaluation may cost, in units of about a byte touched.
pub(super) const BUDGET: u64 = 10_000_000;

/// Which variables an expression may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    /// `task` and `context`.
    Activation,
    /// `tool`, `args` and `context`.
    Check,
}

impl Variables {
    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Activation => &["task", "context"],
            Self::Check => &["tool", "args", "context"],
        }
    }
}

/// Why an expression cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// There is nothing, or too much.
    #[error("an expression has 1 to {MAX_SOURCE} bytes")]
    Length,
    /// It is not CEL.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser says.
        message: String,
    },
    /// It has too many parts.
    #[error("an expression has at most {MAX_NODES} parts; split it into several validators")]
    Nodes,
    /// It is nested too deeply.
    #[error("an expression is nested at most {MAX_DEPTH} deep")]
    Depth,
    /// It has too many loops inside each other.
    #[error("at most {MAX_LOOPS} of `all`, `exists`, `map` and `filter` may stand inside each other")]
    Loops,
    /// It names something that is not there.
    #[error("there is no `{name}` here; there are {known}")]
    Name {
        /// What it names.
        name: String,
        /// What it could name.
        known: String,
    },
    /// It calls something that is not there.
    #[error("there is no function `{0}` with these arguments")]
    Function(String),
    /// It uses a part of CEL that is not offered.
    #[error("{0} are not offered")]
    NotOffered(&'static str),
    /// The pattern of `matches` is not a literal.
    #[error("the pattern of `matches` must be written out as a text")]
    PatternNotLiteral,
    /// The pattern of `matches` is not a regular expression, or a too large one.
    #[error("`matches`: {0}")]
    Pattern(String),
}

/// A compiled expression.
#[derive(Debug, Clone)]
pub struct Expression {
    tree: Arc<IdedExpr>,
    patterns: Arc<[TextPattern]>,
    loops: bool,
    /// `None` where it has loops or patterns.
    size: Option<Size>,
}

impl Expression {
    /// Compiles an expression.
    pub fn compile(source: &str, variables: Variables) -> Result<Self, ExpressionError> {
        compile::compile(source, variables)
    }

    /// Whether it is true of a task and a context.
    pub fn holds_for(&self, situation: &Situation<'_>) -> Result<bool, Failure> {
        self.evaluate(situation.values())
    }

    /// Whether it is true of a tool call and a context.
    pub fn admits(&self, attempt: &Attempt<'_>) -> Result<bool, Failure> {
        self.evaluate(attempt.values())
    }

    fn evaluate(&self, values: &Values<'_>) -> Result<bool, Failure> {
        let most = self.size.and_then(|size| size.most(values));
        if most.is_none_or(|most| most > BUDGET) {
            cost::check(&self.tree, &self.patterns, values).map_err(|error| Failure::new(error.text()))?;
        }
        let mut context = Context::with_env(Arc::clone(&ENVIRONMENT));
        context.set_variable_resolver(values);
        if !self.patterns.is_empty() {
            let patterns = Arc::clone(&self.patterns);
            let function: Function = Box::new(move |call| matches(call, &patterns));
            context
                .add_function(MATCHES, function)
                .map_err(|_| Failure::new("`matches` cannot be declared"))?;
        }
        // Not `resolve_val`: it is inlined into its callers, and takes ten times the stack where those are not optimised.
        match Value::resolve(&self.tree, &context) {
            Ok(Value::Bool(value)) => Ok(value),
            Ok(_) => Err(Failure::new("the expression is neither true nor false")),
            Err(error) => Err(self.describe(&error)),
        }
    }

    /// The kind of error only: its text may hold values of the call. The order in which a loop goes over a map is not
    /// fixed, so after a loop even the kind may differ from time to time.
    fn describe(&self, error: &ExecutionError) -> Failure {
        if self.loops {
            return Failure::new("the expression failed");
        }
        Failure::new(match error {
            ExecutionError::NoSuchKey(_) => "the expression reads a value that is not there",
            ExecutionError::NoSuchOverload(_)
            | ExecutionError::UnexpectedType { .. }
            | ExecutionError::UnsupportedBinaryOperator(..)
            | ExecutionError::ValuesNotComparable(..)
            | ExecutionError::UnsupportedIndex(..)
            | ExecutionError::UnsupportedKeyType(_) => "the expression meets a value of another type",
            ExecutionError::IndexOutOfBounds(_) => "the expression reads past the end of a list",
            ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
                "the expression divides by zero"
            }
            ExecutionError::Overflow(..) => "the expression computes a number that is too large",
            _ => "the expression failed",
        })
    }
}

/// The name under which `matches` stands in a compiled tree; it cannot be written in a source.
const MATCHES: &str = "@matches";

type Function = Box<
    dyn for<'b, 'v> Fn(&mut FunctionContext<'b, 'v>) -> Result<CowVal<'b, 'v>, ExecutionError> + Send + Sync,
>;

/// `@matches(text, n)`: whether the text matches the pattern with this number.
fn matches<'b, 'v>(
    call: &FunctionContext<'b, 'v>,
    patterns: &[TextPattern],
) -> Result<CowVal<'b, 'v>, ExecutionError> {
    let [text, number] = call.args.as_slice() else {
        return Err(ExecutionError::invalid_argument_count(2, call.args.len()));
    };
    let text = text.downcast_ref::<CelString>();
    let number = number.downcast_ref::<CelInt>().and_then(|number| usize::try_from(*number.inner()).ok());
    match (text, number.and_then(|number| patterns.get(number))) {
        (Some(text), Some(pattern)) => Ok(CowVal::owned(CelBool::from(pattern.is_match(text.inner())))),
        _ => Err(ExecutionError::no_such_overload("matches", Vec::new())),
    }
}

/// The functions of an expression: CEL's own without optional values, and `lowerAscii`.
static ENVIRONMENT: LazyLock<Arc<Env>> = LazyLock::new(|| {
    let mut environment = Env::default().with_optional_support(false).with_stdlib();
    // The name is free in a fresh environment; were it not, calling it would be an evaluation error.
    let _ =
        environment.add_member_overload("lowerAscii", "string_lower_ascii", STRING_TYPE, vec![], lower_ascii);
    Arc::new(environment)
});

#[allow(clippy::needless_pass_by_value, reason = "the signature of an overload")]
fn lower_ascii<'b, 'v>(arguments: Vec<CowVal<'b, 'v>>) -> Result<CowVal<'b, 'v>, ExecutionError> {
    match arguments.first().and_then(|text| text.downcast_ref::<CelString>()) {
        Some(text) => Ok(CowVal::owned(CelString::from(text.inner().to_ascii_lowercase()))),
        None => Err(ExecutionError::no_such_member_overload("lowerAscii", Vec::new())),
    }
}

#[cfg(test)]
mod tests;
