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

use model::{HostPattern, PolicyPlace, Validator};
use serde_json::Value;

use super::expression::{Expression, MAX_TEXT_UNITS, Variables, compile_pattern};
use super::place::{Bases, Place, Readings, is_path_name, looks_like_path};
use super::{Attempt, Failure, Problem, Wrong};

/// The deepest arguments.
const MAX_DEPTH: usize = 128;
/// What even a call without arguments takes: `{}`.
const LEAST_ARGUMENTS: u64 = 2;

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
    /// The regular expression is wrong.
    #[error("{0}")]
    Pattern(String),
    /// A prefix is no path.
    #[error("`{0}` is not a path of a folder")]
    Prefix(String),
    /// A host is none.
    #[error("{0}")]
    Host(String),
    /// Nothing would ever pass.
    #[error("the list is empty, so that nothing would pass; name something or leave it out")]
    Empty,
}

/// The declared checks.
pub(super) enum Built {
    Expression(Expression),
    ArgumentDeny(super::expression::TextPattern),
    PathPrefix(Vec<Folder>),
    HostAllow(Vec<HostPattern>),
    ArgumentSize(u64),
}

impl Built {
    /// Makes the validator at this place ready, or says everything that is wrong with it.
    pub(super) fn compile(validator: &Validator, place: &PolicyPlace) -> Result<Self, Vec<Problem>> {
        let at = |kind: &'static str| place.clone().field(kind);
        let wrong = |kind, wrong: Wrong| vec![Problem::new(at(kind), wrong)];
        match validator {
            Validator::Expression(source) => Expression::compile(source, Variables::Check)
                .map(Self::Expression)
                .map_err(|error| wrong("expression", error.into())),
            Validator::ArgumentDeny(pattern) => compile_pattern(pattern)
                .map(Self::ArgumentDeny)
                .map_err(|error| wrong("argument_deny", CheckError::Pattern(error).into())),
            Validator::PathPrefix(prefixes) => each(prefixes, &at("path_prefix"), |prefix| {
                match Place::readings(prefix, &Bases::default()) {
                    Ok(_) => Ok(Folder::new(prefix)),
                    Err(_) => Err(CheckError::Prefix(prefix.chars().take(120).collect())),
                }
            })
            .map(Self::PathPrefix),
            Validator::HostAllow(hosts) => {
                each(hosts, &at("host_allow"), |host| hosts::pattern(host).map_err(CheckError::Host))
                    .map(Self::HostAllow)
            }
            Validator::ArgumentSize(most) if *most < LEAST_ARGUMENTS => {
                Err(wrong("argument_size", Wrong::Limit))
            }
            Validator::ArgumentSize(most) => Ok(Self::ArgumentSize(*most)),
        }
    }

    /// What of a call no value can pass both; `None` where some may, or where that cannot be seen.
    pub(super) fn contradicts(&self, other: &Self) -> Option<&'static str> {
        match (self, other) {
            (Self::HostAllow(one), Self::HostAllow(other)) => {
                let meet = one.iter().any(|one| other.iter().any(|other| hosts::may_meet(one, other)));
                (!meet).then_some("host")
            }
            (Self::PathPrefix(one), Self::PathPrefix(other)) => {
                let meet = one.iter().any(|one| {
                    other.iter().any(|other| match (one, other) {
                        (Folder::Known(one), Folder::Known(other)) => one.is_in(other) || other.is_in(one),
                        // Where a folder that is not known lies cannot be said.
                        _ => true,
                    })
                });
                (!meet).then_some("path")
            }
            _ => None,
        }
    }
}

/// A folder of `path_prefix`.
pub(super) enum Folder {
    /// It begins at a known place.
    Known(Place),
    /// It begins at a folder that the context tells.
    Relative(String),
}

impl Folder {
    fn new(text: &str) -> Self {
        match Place::read(text, &Bases::default()) {
            Ok(place) if place.is_known() => Self::Known(place),
            _ => Self::Relative(text.to_owned()),
        }
    }

    /// Whether a path lies in it.
    fn holds(&self, place: &Place, bases: &Bases) -> bool {
        match self {
            Self::Known(folder) => place.is_in(folder),
            Self::Relative(text) => Place::read(text, bases).is_ok_and(|folder| place.is_in(&folder)),
        }
    }
}

/// Reads every entry of a validator's list, or says what is wrong with each.
fn each<T>(
    texts: &[String],
    place: &PolicyPlace,
    read: impl Fn(&str) -> Result<T, CheckError>,
) -> Result<Vec<T>, Vec<Problem>> {
    if texts.is_empty() {
        return Err(vec![Problem::new(place.clone(), CheckError::Empty)]);
    }
    let mut good = Vec::new();
    let mut problems = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match read(text) {
            Ok(value) => good.push(value),
            Err(error) => problems.push(Problem::new(place.clone().item(index + 1), error)),
        }
    }
    if problems.is_empty() { Ok(good) } else { Err(problems) }
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
            Self::PathPrefix(folders) => {
                let is_inside =
                    |place: &Place| folders.iter().any(|folder| folder.holds(place, attempt.bases()));
                let found = attempt.likely_paths().as_ref().map_err(Clone::clone)?;
                Ok(found
                    .iter()
                    .all(|readings| readings.as_ref().is_ok_and(|places| places.iter().all(is_inside))))
            }
            Self::HostAllow(hosts) => hosts::all_allowed(hosts, attempt.targets()),
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

/// What each text in the arguments may mean that has the name or the look of a path.
pub(super) fn likely_paths(arguments: &Value, bases: &Bases) -> Result<Vec<Readings>, Failure> {
    let mut found = Vec::new();
    each_text(arguments, &mut |key, text| {
        if key.is_some_and(is_path_name) || looks_like_path(text) {
            found.push(Place::readings(text, bases));
        }
        Ok(())
    })?;
    Ok(found)
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
