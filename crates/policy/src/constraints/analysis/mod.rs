//! What is odd about a policy, alone and beside others: what has no effect, and what leaves nothing.
//!
//! A remark is made only when it is certain. Whether a policy can ever be active, and whether two can be active at once,
//! cannot be decided in general, as conditions are expressions over anything; so what is not remarked on may still be.

mod beside;
mod changes;
mod left;
mod own;

use std::sync::Arc;

use model::PolicyPlace;

pub use changes::{Changes, changes};

use super::expression::Truth;
use super::{Declared, Policy as _};

/// How grave a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkLevel {
    /// It is hardly what was meant.
    Warning,
    /// Worth knowing.
    Info,
}

impl RemarkLevel {
    /// The level as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// Something odd about a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// A stable word for programs, in snake case.
    pub code: &'static str,
    /// How grave it is.
    pub level: RemarkLevel,
    /// For people: lower case, no full stop.
    pub message: String,
    /// Where in the policy it is, if it is at a place.
    pub place: Option<PolicyPlace>,
    /// The ids of the other policies concerned.
    pub skills: Vec<String>,
}

impl Remark {
    fn warning(code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { code, level: RemarkLevel::Warning, message, place: None, skills: Vec::new() }
    }

    fn info(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: RemarkLevel::Info, ..Self::warning(code, message) }
    }

    fn at(mut self, place: PolicyPlace) -> Self {
        self.place = Some(place);
        self
    }

    fn about(mut self, other: &Declared) -> Self {
        self.skills.push(other.metadata().id.clone());
        self
    }
}

/// The most comparisons of entries.
const MAX_COMPARISONS: usize = 2_000_000;

/// Says what is odd about a policy, alone and beside others. One of the same id among them is its former self, and is
/// left out.
pub fn analyse(new: &Declared, others: &[Arc<Declared>]) -> Vec<Remark> {
    let mut remarks = own::remarks(new);
    let mut cut = false;
    let mut compared = 0;
    let mut beside: Vec<&Declared> = Vec::new();
    for other in others.iter().map(AsRef::as_ref).filter(|other| other.metadata().id != new.metadata().id) {
        compared += comparisons(&[new, other]);
        if compared > MAX_COMPARISONS {
            cut = true;
            break;
        }
        beside.push(other);
    }
    for other in &beside {
        if is_in_force(other) {
            remarks.extend(beside::shadowed_by(new, other));
        }
        if is_in_force(new) {
            remarks.extend(beside::shadows(new, other));
        }
    }
    let in_force: Vec<&Declared> = beside.iter().copied().filter(|other| is_in_force(other)).collect();
    let all: Vec<&Declared> = std::iter::once(new).chain(in_force.iter().copied()).collect();
    let too_many = comparisons(&all) > MAX_COMPARISONS;
    remarks.extend(left::remarks(new, &beside, if too_many { &[] } else { &in_force }));
    if cut || too_many {
        let message = "there are too many entries to compare this policy with all others";
        remarks.push(Remark::info("policy_analysis_cut", message));
    }
    remarks
}

/// Whether it is active whatever the task: by its word, or because its condition is always true or always fails.
fn is_in_force(policy: &Declared) -> bool {
    policy.source().activation.always
        || policy.when().is_some_and(|when| matches!(when.truth(), Truth::True | Truth::Fails))
}

/// How many comparisons of entries these policies take.
fn comparisons(policies: &[&Declared]) -> usize {
    let constraints = || policies.iter().filter_map(|policy| policy.demands());
    let sets = || constraints().flat_map(|own| own.allowed_tools.iter().chain([&own.forbidden_tools]));
    let entries: usize = sets().map(|set| set.texts().len()).sum();
    let patterns: usize = sets().map(|set| set.pattern_count() + 1).sum();
    entries * patterns
}

/// Texts in backticks, the first few of them.
fn quoted<T: AsRef<str>>(texts: &[T]) -> String {
    const MOST: usize = 5;
    let shown: Vec<String> = texts.iter().take(MOST).map(|text| format!("`{}`", text.as_ref())).collect();
    match texts.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
