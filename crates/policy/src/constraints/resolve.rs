//! Which policies are active, and what they demand together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::index::Index;
use super::{Constraints, Context, Failure, Metadata, Policy, Situation, ToolSet, reasons};

/// An active policy, with what it demanded when it was asked.
#[derive(Debug, Clone)]
pub struct Active {
    /// What is known of it.
    pub metadata: Metadata,
    /// Why its condition could not be evaluated, if so. Its restrictions hold then, what it would add does not.
    pub unevaluated: Option<Failure>,
    /// Why its constraints could not be had, if so. Every call is denied then.
    pub failure: Option<Failure>,
    pub(super) constraints: Arc<Constraints>,
    pub(super) policy: Arc<dyn Policy>,
}

impl Active {
    /// What it demanded for this task and context.
    pub fn constraints(&self) -> &Constraints {
        &self.constraints
    }

    /// Whether what it adds holds: context values and planning text.
    pub(super) fn adds(&self) -> bool {
        self.unevaluated.is_none() && self.failure.is_none()
    }
}

/// What all active policies demand together.
///
/// The lists are for people and for planning. Where patterns are in them, `allowed_tools` has the entries that every
/// whitelist covers; a call is put to each whitelist by itself.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Merged {
    /// The only tools allowed, in the order of bytes; `None` restricts nothing, an empty list allows nothing.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools that are never allowed, in the order of bytes.
    pub forbidden_tools: Vec<String>,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// The longest a run may take.
    pub max_execution_time: Option<Duration>,
    /// Values put into the agent's context, in the order of keys.
    pub context: Context,
    /// How many checks there are on each call.
    pub validators: usize,
}

/// What holds for a task in a context, and why.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The active policies: priority descending, then id by bytes.
    pub active: Vec<Active>,
    /// What they demand together.
    pub constraints: Merged,
    /// Why, in the order in which it was decided.
    pub reasons: Vec<String>,
    /// The active policies, for judging calls.
    pub(super) index: Index,
}

impl Resolution {
    /// The ids of the active policies, in their order.
    pub fn active_ids(&self) -> impl Iterator<Item = &str> {
        self.active.iter().map(|active| active.metadata.id.as_str())
    }

    /// The whole resolution in a line, for the log.
    pub fn summary(&self) -> String {
        reasons::resolved(&self.active, &self.reasons)
    }

    /// The context with the values that policies set. Checks are to be given the context without them: otherwise one
    /// policy could satisfy the check of another.
    pub fn enhance(&self, context: &Context) -> Context {
        let mut enhanced = context.clone();
        enhanced.extend(self.constraints.context.clone());
        enhanced
    }

    /// The planning prompt with what the active policies say about it, in their order.
    pub fn plan(&self, prompt: &str, context: &Context) -> String {
        self.active
            .iter()
            .filter(|active| active.adds())
            .fold(prompt.to_owned(), |prompt, active| active.policy.plan(&prompt, context).unwrap_or(prompt))
    }
}

/// Two policies with one id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("skill with id `{0}` is already registered")]
pub struct Duplicate(pub String);

/// Registered policies.
#[derive(Debug, Clone, Default)]
pub struct Policies {
    policies: Vec<Arc<dyn Policy>>,
    ids: BTreeSet<String>,
}

impl Policies {
    /// Registers a policy.
    pub fn add(&mut self, policy: Arc<dyn Policy>) -> Result<(), Duplicate> {
        let id = policy.metadata().id.clone();
        if !self.ids.insert(id.clone()) {
            return Err(Duplicate(id));
        }
        self.policies.push(policy);
        Ok(())
    }

    /// Takes a policy out; whether it was there.
    pub fn remove(&mut self, id: &str) -> bool {
        self.policies.retain(|policy| policy.metadata().id != id);
        self.ids.remove(id)
    }

    /// What is known of each, without executing anything.
    pub fn metadata(&self) -> impl Iterator<Item = &Metadata> {
        self.policies.iter().map(|policy| policy.metadata())
    }

    /// What holds for a task in a context, and why.
    pub fn resolve(&self, task: &str, context: &Context) -> Resolution {
        resolve(&self.policies, task, context)
    }
}

/// Says which of these policies are active for a task in a context, what they demand together, and why.
pub fn resolve(policies: &[Arc<dyn Policy>], task: &str, context: &Context) -> Resolution {
    let situation = Situation::new(task, context);
    let mut active: Vec<Active> = policies.iter().filter_map(|policy| activate(policy, &situation)).collect();
    active.sort_by(|left, right| order(&left.metadata).cmp(&order(&right.metadata)));
    mark_duplicates(&mut active);
    let mut lines = Vec::new();
    if active.is_empty() {
        lines.push(reasons::NONE_ACTIVE.to_owned());
    }
    for skill in &active {
        lines.push(match &skill.unevaluated {
            None => reasons::activated(&skill.metadata),
            Some(failure) => reasons::activated_unevaluated(&skill.metadata, failure),
        });
    }
    let constraints = merge(&active, &mut lines);
    lines.push(reasons::summary(&constraints));
    let index = Index::of(&active);
    Resolution { active, constraints, reasons: lines, index }
}

fn activate(policy: &Arc<dyn Policy>, situation: &Situation<'_>) -> Option<Active> {
    let unevaluated = match policy.activates(situation) {
        Ok(true) => None,
        Ok(false) => return None,
        // Active is the narrower of what it could be.
        Err(failure) => Some(failure),
    };
    let (constraints, failure) = match policy.constraints(situation.context()) {
        Ok(constraints) => (constraints, None),
        Err(failure) => (Arc::default(), Some(failure)),
    };
    let metadata = policy.metadata().clone();
    Some(Active { metadata, unevaluated, failure, constraints, policy: Arc::clone(policy) })
}

/// Priority descending, then id by bytes. What follows decides only between policies that share an id, which is an error.
fn order(skill: &Metadata) -> impl Ord + '_ {
    (std::cmp::Reverse(skill.priority), skill.id.as_bytes(), &skill.name, &skill.version, &skill.scope)
}

/// Whether a policy comes before another, so that it wins where both set a value.
pub(super) fn precedes(one: &Metadata, other: &Metadata) -> bool {
    order(one) < order(other)
}

fn mark_duplicates(active: &mut [Active]) {
    let mut seen = BTreeSet::new();
    let twice: BTreeSet<String> = active
        .iter()
        .filter(|skill| !seen.insert(skill.metadata.id.as_str()))
        .map(|skill| skill.metadata.id.clone())
        .collect();
    for skill in active.iter_mut().filter(|skill| twice.contains(&skill.metadata.id)) {
        skill.failure = Some(Failure::new("its id is registered more than once"));
        skill.constraints = Arc::default();
    }
}

fn merge(active: &[Active], lines: &mut Vec<String>) -> Merged {
    let mut merged = Merged::default();
    let mut forbidden: BTreeSet<&str> = BTreeSet::new();
    for skill in active {
        let (metadata, own) = (&skill.metadata, skill.constraints());
        if let Some(failure) = &skill.failure {
            lines.push(reasons::constraints_failed(metadata, failure));
            continue;
        }
        if let Some(allowed) = &own.allowed_tools {
            lines.push(reasons::sets_allowed(metadata, allowed.texts()));
        }
        let tools = own.forbidden_tools.texts().iter().map(String::as_str);
        let new: Vec<&str> = tools.filter(|tool| forbidden.insert(tool)).collect();
        if !new.is_empty() {
            lines.push(reasons::adds_forbidden(metadata, &new));
        }
        if let Some(steps) = own.max_steps {
            merged.max_steps = Some(merged.max_steps.map_or(steps, |least| least.min(steps)));
            lines.push(reasons::sets_max_steps(metadata, steps));
        }
        if let Some(time) = own.max_execution_time {
            merged.max_execution_time = Some(merged.max_execution_time.map_or(time, |least| least.min(time)));
            lines.push(reasons::sets_max_time(metadata, time));
        }
        if skill.adds() && !own.context.is_empty() {
            let mut keys: Vec<&str> = own.context.keys().map(String::as_str).collect();
            keys.sort_unstable();
            lines.push(reasons::sets_context(metadata, &keys));
        }
        if !own.checks.is_empty() {
            merged.validators += own.checks.len();
            lines.push(reasons::adds_checks(metadata, own.checks.len()));
        }
    }
    merged.context = merge_context(active, lines);
    let (allowed, conflicts) = merge_allowed(active);
    if !conflicts.is_empty() {
        lines.push(reasons::deny_overrides(&conflicts));
    }
    merged.allowed_tools = allowed;
    merged.forbidden_tools = forbidden.into_iter().map(str::to_owned).collect();
    merged
}

/// The first in order to set a value wins.
fn merge_context(active: &[Active], lines: &mut Vec<String>) -> Context {
    let mut setters: BTreeMap<&str, Vec<(&Metadata, &Value)>> = BTreeMap::new();
    for skill in active.iter().filter(|skill| skill.adds()) {
        for (key, value) in &skill.constraints().context {
            setters.entry(key).or_default().push((&skill.metadata, value));
        }
    }
    let mut context = Context::new();
    for (key, values) in setters {
        let Some((_, first)) = values.first() else { continue };
        if values.iter().any(|(_, value)| value != first) {
            let skills: Vec<&Metadata> = values.iter().map(|(skill, _)| *skill).collect();
            lines.push(reasons::context_conflict(key, &skills));
        }
        context.insert(key.to_owned(), (*first).clone());
    }
    context
}

/// The entries that every whitelist covers and no blacklist does, and those that a blacklist does.
fn merge_allowed(active: &[Active]) -> (Option<Vec<String>>, Vec<String>) {
    let lists: Vec<&ToolSet> =
        active.iter().filter_map(|skill| skill.constraints().allowed_tools.as_ref()).collect();
    if lists.is_empty() {
        return (None, Vec::new());
    }
    let entries: BTreeSet<&String> = lists.iter().flat_map(|list| list.texts()).collect();
    let common = entries.into_iter().filter(|entry| lists.iter().all(|list| list.covers(entry)));
    let is_forbidden =
        |entry: &&String| active.iter().any(|skill| skill.constraints().forbidden_tools.covers(entry));
    let (conflicts, allowed): (Vec<_>, Vec<_>) = common.partition(is_forbidden);
    (Some(allowed.into_iter().cloned().collect()), conflicts.into_iter().cloned().collect())
}
