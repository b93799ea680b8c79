//! What a change of policies changes for an agent.

use super::super::reasons::clock;
use super::super::{Merged, Resolution};

/// What is different after a change of policies.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Tools that can no longer be used, each with the reason.
    pub newly_denied: Vec<(String, String)>,
    /// Tools that can be used now.
    pub newly_allowed: Vec<String>,
    /// What else is different, in lines for people.
    pub lines: Vec<String>,
}

impl Changes {
    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Says what is different for an agent with these tools, for the same task and context before and after.
pub fn changes(before: &Resolution, after: &Resolution, tools: &[&str]) -> Changes {
    let mut changes = Changes::default();
    for tool in tools {
        match (before.denial_reason(tool), after.denial_reason(tool)) {
            (None, Some(reason)) => changes.newly_denied.push(((*tool).to_owned(), reason)),
            (Some(_), None) => changes.newly_allowed.push((*tool).to_owned()),
            _ => {}
        }
    }
    for id in after.active_ids().filter(|id| !before.active_ids().any(|known| known == *id)) {
        changes.lines.push(format!("`{id}` is active"));
    }
    for id in before.active_ids().filter(|id| !after.active_ids().any(|known| known == *id)) {
        changes.lines.push(format!("`{id}` is no longer active"));
    }
    changes.lines.extend(differences(&before.constraints, &after.constraints));
    changes
}

fn differences(before: &Merged, after: &Merged) -> Vec<String> {
    let mut lines = Vec::new();
    let added = |one: &[String], two: &[String]| -> Vec<String> {
        two.iter().filter(|entry| !one.contains(entry)).cloned().collect()
    };
    for entry in added(&before.forbidden_tools, &after.forbidden_tools) {
        lines.push(format!("`{entry}` is forbidden"));
    }
    for entry in added(&after.forbidden_tools, &before.forbidden_tools) {
        lines.push(format!("`{entry}` is no longer forbidden"));
    }
    let tools = |merged: &Merged| match merged.allowed_tools.as_deref() {
        None => "all".to_owned(),
        Some([]) => "none".to_owned(),
        Some(tools) => tools.join(", "),
    };
    let steps = |merged: &Merged| merged.max_steps.map_or("unlimited".to_owned(), |most| most.to_string());
    let time = |merged: &Merged| merged.max_execution_time.map_or("unlimited".to_owned(), clock);
    let count = |merged: &Merged| merged.validators.to_string();
    let mut differs = |name: &str, before: String, after: String| {
        if before != after {
            lines.push(format!("{name}: {after} (before: {before})"));
        }
    };
    differs("allowed tools", tools(before), tools(after));
    differs("max steps", steps(before), steps(after));
    differs("max execution time", time(before), time(after));
    differs("validators", count(before), count(after));
    let mut keys: Vec<&String> = before.context.keys().chain(after.context.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let value =
            |merged: &Merged| merged.context.get(key).map_or("not set".to_owned(), ToString::to_string);
        differs(&format!("context value `{key}`"), value(before), value(after));
    }
    lines
}
