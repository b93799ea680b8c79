//! Which policies together leave no tool, and which tools one takes from another.

use model::PolicyPlace;

use super::super::{Constraints, Declared, Policy as _, ToolSet};
use super::{Remark, is_in_force, quoted};

/// The most rounds; fewer only leave a remark out.
const MAX_ROUNDS: usize = 8;

/// What is left of the tools beside each of the others, and beside all that are always active.
pub(super) fn remarks(new: &Declared, others: &[&Declared], in_force: &[&Declared]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let code = "policy_no_tool_left";
    let broken = others.iter().filter(|other| other.demands().is_none());
    remarks.extend(broken.map(|other| {
        let message =
            format!("`{}` is broken, and denies every call until it is corrected", other.metadata().id);
        Remark::warning(code, message).about(other)
    }));
    let Some(own) = new.demands() else { return remarks };
    if leave_nothing(&[own]) {
        return remarks;
    }
    let mut told = false;
    for other in others {
        let Some(theirs) = other.demands().filter(|theirs| !leave_nothing(&[*theirs])) else { continue };
        if leave_nothing(&[own, theirs]) {
            told |= is_in_force(other);
            let message = format!("while `{}` is active too, no tool is left", other.metadata().id);
            remarks.push(Remark::warning(code, message).about(other));
        } else {
            remarks.extend(lost(new, own, other, theirs));
        }
    }
    let known: Vec<&Constraints> = in_force.iter().filter_map(|other| other.demands()).collect();
    let all: Vec<&Constraints> = known.iter().copied().chain([own]).collect();
    if !told && known.len() > 1 && leave_nothing(&all) {
        let ids: Vec<&String> = in_force.iter().map(|other| &other.metadata().id).collect();
        let remark = if leave_nothing(&known) {
            let message =
                format!("no tool is left even without this policy, as {} are always active", quoted(&ids));
            Remark::info(code, message)
        } else {
            let message =
                format!("while this policy is active, no tool is left: {} are always active", quoted(&ids));
            Remark::warning(code, message)
        };
        remarks.push(in_force.iter().fold(remark, |remark, other| remark.about(other)));
    }
    remarks
}

/// The tools that another policy allows and that cannot be used while this one is active.
fn lost(new: &Declared, own: &Constraints, other: &Declared, theirs: &Constraints) -> Option<Remark> {
    let entries = theirs.allowed_tools.as_ref()?.texts();
    let is_lost = |entry: &&String| {
        let usable_there = !theirs.forbidden_tools.covers(entry);
        let not_allowed = own.allowed_tools.as_ref().is_some_and(|tools| !tools.may_meet(entry));
        usable_there && (own.forbidden_tools.covers(entry) || not_allowed)
    };
    let lost: Vec<&String> = entries.iter().filter(is_lost).collect();
    if lost.is_empty() {
        return None;
    }
    let id = &other.metadata().id;
    let message =
        format!("while this policy is active, tools that `{id}` allows cannot be used: {}", quoted(&lost));
    let forbids = lost.iter().any(|entry| own.forbidden_tools.covers(entry));
    let place = PolicyPlace::of(if forbids { "forbidden_tools" } else { "allowed_tools" });
    let code = "policy_tools_lost";
    let remark = if is_in_force(new) { Remark::warning(code, message) } else { Remark::info(code, message) };
    Some(remark.at(place).about(other))
}

/// Whether it is certain that no call is allowed by all of these, as far as lists of tools tell.
///
/// An allowed call is within an entry of every whitelist. So an entry counts only as long as no blacklist covers it and
/// every other whitelist still has an entry that it may meet; when a whitelist has none left, nothing is allowed.
fn leave_nothing(policies: &[&Constraints]) -> bool {
    let is_forbidden = |entry: &str| policies.iter().any(|policy| policy.forbidden_tools.covers(entry));
    let mut lists: Vec<ToolSet> = policies.iter().filter_map(|policy| policy.allowed_tools.clone()).collect();
    if lists.is_empty() {
        return is_forbidden("*");
    }
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for index in 0..lists.len() {
            let others =
                || lists.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, list)| list);
            let counts = |entry: &&String| !is_forbidden(entry) && others().all(|list| list.may_meet(entry));
            let Some(list) = lists.get(index) else { continue };
            let before = list.texts().len();
            let left: Vec<String> = list.texts().iter().filter(counts).cloned().collect();
            if left.is_empty() {
                return true;
            }
            if left.len() < before
                && let Some(list) = lists.get_mut(index)
            {
                changed = true;
                *list = ToolSet::read(left).0;
            }
        }
        if !changed {
            return false;
        }
    }
    false
}
