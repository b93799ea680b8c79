//! Checks on a tool call before it runs: expressions, and those with a name.
//!
//! - `argument_deny`: no text in the arguments may match a regular expression: values and keys, at any depth.
//! - `path_prefix`: every path in the arguments lies in one of these folders, however it is written. It looks at
//!   arguments whose name or look is that of a path, not into commands.
//! - `host_allow`: every URL in the arguments names one of these hosts.
//! - `argument_size`: the arguments take at most so many bytes as JSON.

pub(super) mod hosts;

use std::fmt;
use std::io;

use model::{HostPattern, Validator};
use serde_json::Value;

use super::expression::{Expression, ExpressionError, MAX_TEXT_UNITS, Variables, compile_pattern};
use super::place::{Bases, Place, is_path_name, looks_like_path};
use super::{Attempt, Failure};

/// The deepest arguments.
const MAX_DEPTH: usize = 128;

/// A check on a tool call before it runs. It must be pure: the same input, the same answer.
pub trait Check: Send + Sync {
    /// What it is called in the record.
    fn name(&self) -> &'static str {
        "validator"
    }

    /// Whether the call may go on; a failure denies as well, and is named as such.
    fn check(&self, attempt: &Attempt<'_>) -> Result<bool, Failure>;
}

impl<F> Check for F
where
    F: Fn(&Attempt<'_>) -> Result<bool, Failure> + Send + Sync,
{
    fn check(&self, attempt: &Attempt<'_>) -> Result<bool, Failure> {
        self(attempt)
    }
}

impl fmt::Debug for dyn Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why a validator cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The expression is wrong.
    #[error("expression: {0}")]
    Expression(#[from] ExpressionError),
    /// The regular expression is wrong.
    #[error("argument_deny: {0}")]
    Pattern(String),
    /// A prefix is no path.
    #[error("path_prefix: `{0}` is not a path of a folder")]
    Prefix(String),
    /// A host is none.
    #[error("host_allow: {0}")]
    Host(String),
    /// Nothing would ever pass.
    #[error("{0}: the list is empty, so that nothing would pass; name something or leave it out")]
    Empty(&'static str),
}

/// The declared checks.
pub(super) enum Built {
    Expression(Expression),
    ArgumentDeny(super::expression::TextPattern),
    PathPrefix(Vec<String>),
    HostAllow(Vec<HostPattern>),
    ArgumentSize(u64),
}

impl Built {
    pub(super) fn compile(validator: &Validator) -> Result<Self, CheckError> {
        match validator {
            Validator::Expression(source) => {
                Ok(Self::Expression(Expression::compile(source, Variables::Check)?))
            }
            Validator::ArgumentDeny(pattern) => {
                compile_pattern(pattern).map(Self::ArgumentDeny).map_err(CheckError::Pattern)
            }
            Validator::PathPrefix(prefixes) if prefixes.is_empty() => Err(CheckError::Empty("path_prefix")),
            Validator::PathPrefix(prefixes) => {
                match prefixes.iter().find(|prefix| Place::readings(prefix, &Bases::default()).is_err()) {
                    Some(wrong) => Err(CheckError::Prefix(wrong.chars().take(120).collect())),
                    None => Ok(Self::PathPrefix(prefixes.clone())),
                }
            }
            Validator::HostAllow(hosts) if hosts.is_empty() => Err(CheckError::Empty("host_allow")),
            Validator::HostAllow(hosts) => hosts
                .iter()
                .map(|host| hosts::pattern(host))
                .collect::<Result<_, _>>()
                .map(Self::HostAllow)
                .map_err(CheckError::Host),
            Validator::ArgumentSize(most) => Ok(Self::ArgumentSize(*most)),
        }
    }
}

impl Check for Built {
    fn name(&self) -> &'static str {
        match self {
            Self::Expression(_) => "expression",
            Self::ArgumentDeny(_) => "argument_deny",
            Self::PathPrefix(_) => "path_prefix",
            Self::HostAllow(_) => "host_allow",
            Self::ArgumentSize(_) => "argument_size",
        }
    }

    fn check(&self, attempt: &Attempt<'_>) -> Result<bool, Failure> {
        match self {
            Self::Expression(expression) => expression.admits(attempt),
            Self::ArgumentDeny(pattern) => {
                let mut left = MAX_TEXT_UNITS;
                let mut found = false;
                each_text(attempt.arguments(), &mut |_, text| {
                    left = left.checked_sub(pattern.cost(text.len() as u64 + 16)).ok_or_else(too_large)?;
                    found = found || pattern.is_match(text);
                    Ok(())
                })?;
                Ok(!found)
            }
            Self::PathPrefix(prefixes) => paths_lie_in(prefixes, attempt),
            Self::HostAllow(hosts) => {
                let mut allowed = true;
                each_text(attempt.arguments(), &mut |key, text| {
                    allowed = allowed && hosts::all_allowed(hosts, key, text);
                    Ok(())
                })?;
                Ok(allowed)
            }
            Self::ArgumentSize(most) => {
                let mut counter = Counter(0);
                serde_json::to_writer(&mut counter, attempt.arguments())
                    .map_err(|_| Failure::new("the arguments are not JSON"))?;
                Ok(counter.0 <= *most)
            }
        }
    }
}

fn too_large() -> Failure {
    Failure::new("the arguments are too large for this pattern")
}

fn paths_lie_in(prefixes: &[String], attempt: &Attempt<'_>) -> Result<bool, Failure> {
    let bases = Bases::of(attempt.context());
    let folders: Vec<Place> = prefixes.iter().filter_map(|prefix| Place::read(prefix, &bases).ok()).collect();
    let mut inside = true;
    each_text(attempt.arguments(), &mut |key, text| {
        if key.is_some_and(is_path_name) || looks_like_path(text) {
            inside = inside
                && Place::readings(text, &bases).is_ok_and(|readings| {
                    readings.iter().all(|place| folders.iter().any(|folder| place.is_in(folder)))
                });
        }
        Ok(())
    })?;
    Ok(inside)
}

/// Is given a text and the key it stands under.
type Visit<'v> = dyn FnMut(Option<&str>, &str) -> Result<(), Failure> + 'v;

/// Every text in the arguments: values with the key they stand under, and keys. Numbers and truth values are texts too.
fn each_text(value: &Value, visit: &mut Visit<'_>) -> Result<(), Failure> {
    each_below(value, None, 0, visit)
}

fn each_below(value: &Value, key: Option<&str>, depth: usize, visit: &mut Visit<'_>) -> Result<(), Failure> {
    if depth > MAX_DEPTH {
        return Err(Failure::new("the arguments are nested too deeply"));
    }
    match value {
        Value::Null => Ok(()),
        Value::Bool(value) => visit(key, if *value { "true" } else { "false" }),
        Value::Number(number) => visit(key, &number.to_string()),
        Value::String(text) => visit(key, text),
        Value::Array(items) => items.iter().try_for_each(|item| each_below(item, key, depth + 1, visit)),
        Value::Object(map) => map.iter().try_for_each(|(key, item)| {
            visit(None, key)?;
            each_below(item, Some(key), depth + 1, visit)
        }),
    }
}

/// Counts bytes instead of keeping them.
struct Counter(u64);

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
