//! Which rules of one policy have no effect beside another that is always active.

use model::PolicyPlace;

use super::super::reasons::clock;
use super::super::resolve::precedes;
use super::super::{Declared, Policy as _};
use super::{Remark, quoted};

/// The rules of this policy that have no effect, as another one is always active.
pub(super) fn shadowed_by(new: &Declared, other: &Declared) -> Vec<Remark> {
    let (Some(own), Some(theirs)) = (new.demands(), other.demands()) else { return Vec::new() };
    let id = &other.metadata().id;
    let shadowed =
        |message: String, place| Remark::info("policy_rule_shadowed", message).at(place).about(other);
    let mut remarks = Vec::new();
    for (index, entry) in new.source().allowed_tools.iter().flatten().enumerate() {
        let entry = entry.trim();
        let why = if let Some(rule) = theirs.forbidden_tools.covering(entry) {
            format!("`{id}` forbids `{rule}`")
        } else if theirs.allowed_tools.as_ref().is_some_and(|tools| !tools.may_meet(entry)) {
            format!("`{id}` does not allow it")
        } else {
            continue;
        };
        let message = format!("`{entry}` can never be used: {why}");
        let place = PolicyPlace::of("allowed_tools").item(index + 1);
        remarks.push(Remark::warning("policy_tool_unusable", message).at(place).about(other));
    }
    for (index, entry) in new.source().forbidden_tools.iter().enumerate() {
        let entry = entry.trim();
        if let Some(rule) = theirs.forbidden_tools.forbidding(entry) {
            let message = format!("`{entry}` is forbidden already: `{id}` forbids `{rule}`");
            remarks.push(shadowed(message, PolicyPlace::of("forbidden_tools").item(index + 1)));
        }
    }
    if let (Some(steps), Some(most)) = (own.max_steps, theirs.max_steps)
        && steps >= most
    {
        let message = format!("`max_steps: {steps}` has no effect: `{id}` sets {most}");
        remarks.push(shadowed(message, PolicyPlace::of("max_steps")));
    }
    if let (Some(time), Some(most)) = (own.max_execution_time, theirs.max_execution_time)
        && time >= most
    {
        let (time, most) = (clock(time), clock(most));
        let message = format!("`max_execution_time` of {time} has no effect: `{id}` sets {most}");
        remarks.push(shadowed(message, PolicyPlace::of("max_execution_time")));
    }
    if precedes(other.metadata(), new.metadata()) {
        for (key, value) in &own.context {
            let place = PolicyPlace::of("context").field(key.clone());
            match theirs.context.get(key) {
                Some(other) if other == value => {
                    let message = format!("context value `{key}` adds nothing: `{id}` sets the same");
                    remarks.push(shadowed(message, place));
                }
                Some(_) => {
                    let message =
                        format!("context value `{key}` has no effect: `{id}` sets it and comes first");
                    let remark = Remark::warning("policy_rule_shadowed", message);
                    remarks.push(remark.at(place).about(other));
                }
                None => {}
            }
        }
    }
    remarks
}

/// The rules of another policy that have no effect, as this one is always active.
pub(super) fn shadows(new: &Declared, other: &Declared) -> Option<Remark> {
    let (own, theirs) = (new.demands()?, other.demands()?);
    let mut rules = Vec::new();
    let entries = theirs.forbidden_tools.texts();
    let forbidden: Vec<&String> =
        entries.iter().filter(|entry| own.forbidden_tools.forbidding(entry).is_some()).collect();
    if !forbidden.is_empty() {
        rules.push(format!("it forbids {}", quoted(&forbidden)));
    }
    if let (Some(most), Some(steps)) = (own.max_steps, theirs.max_steps)
        && steps >= most
    {
        rules.push(format!("`max_steps: {steps}`"));
    }
    if let (Some(most), Some(time)) = (own.max_execution_time, theirs.max_execution_time)
        && time >= most
    {
        rules.push(format!("`max_execution_time` of {}", clock(time)));
    }
    if precedes(new.metadata(), other.metadata()) {
        let keys: Vec<&String> = theirs.context.keys().filter(|key| own.context.contains_key(*key)).collect();
        if !keys.is_empty() {
            rules.push(format!("it sets the context values {}", quoted(&keys)));
        }
    }
    if rules.is_empty() {
        return None;
    }
    let id = &other.metadata().id;
    let message = format!("beside this policy, rules of `{id}` have no effect: {}", rules.join("; "));
    Some(Remark::info("policy_shadows", message).about(other))
}
