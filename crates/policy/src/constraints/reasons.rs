//! The words of reasons, in one place. They are part of what is promised: programs and records compare them.

use std::fmt::Write as _;
use std::time::Duration;

use super::resolve::{Active, Merged};
use super::{Failure, Metadata};

pub(super) const NONE_ACTIVE: &str = "No skill activated: nothing is restricted";

pub(super) fn activated(skill: &Metadata) -> String {
    format!("Skill '{}' ({}) activated: task matches activation conditions", skill.id, skill.name)
}

pub(super) fn activated_unevaluated(skill: &Metadata, failure: &Failure) -> String {
    format!(
        "Skill '{}' ({}) activated: activation conditions could not be evaluated ({failure})",
        skill.id, skill.name
    )
}

pub(super) fn constraints_failed(skill: &Metadata, failure: &Failure) -> String {
    format!("Skill '{}' denies every tool: constraints could not be evaluated ({failure})", skill.id)
}

pub(super) fn sets_allowed(skill: &Metadata, tools: &[String]) -> String {
    // A whitelist with nothing in it is not the same as none.
    let tools = if tools.is_empty() { "(none)".to_owned() } else { tools.join(", ") };
    format!("Skill '{}' sets allowed tools: {tools}", skill.id)
}

pub(super) fn adds_forbidden(skill: &Metadata, tools: &[&str]) -> String {
    format!("Skill '{}' adds forbidden tools: {}", skill.id, tools.join(", "))
}

pub(super) fn sets_max_steps(skill: &Metadata, steps: u32) -> String {
    format!("Skill '{}' sets max steps: {steps}", skill.id)
}

pub(super) fn sets_max_time(skill: &Metadata, time: Duration) -> String {
    format!("Skill '{}' sets max execution time: {}", skill.id, clock(time))
}

pub(super) fn sets_context(skill: &Metadata, keys: &[&str]) -> String {
    format!("Skill '{}' sets context values: {}", skill.id, keys.join(", "))
}

pub(super) fn adds_checks(skill: &Metadata, count: usize) -> String {
    format!("Skill '{}' adds custom validators: {count}", skill.id)
}

/// Two skills set the same context value to something else; the first of them wins.
pub(super) fn context_conflict(key: &str, skills: &[&Metadata]) -> String {
    let [winner, second, ..] = skills else { return String::new() };
    let rule =
        if winner.priority == second.priority { "Lower-Id-first" } else { "High-overrides-Low priority" };
    format!(
        "Conflict resolution: {rule}. Context key '{key}' is set by Skill(s): {}, the value of '{}' is used.",
        join(skills.iter().map(|skill| skill.id.as_str())),
        winner.id
    )
}

pub(super) fn deny_overrides(tools: &[String]) -> String {
    format!(
        "Conflict resolution: Deny-overrides-Allow. Tools {} are in both allowed and forbidden lists, they will be forbidden.",
        tools.join(", ")
    )
}

pub(super) fn summary(merged: &Merged) -> String {
    let or = |value: Option<String>, none: &str| value.unwrap_or_else(|| none.to_owned());
    format!(
        "Final constraints: AllowedTools={} (null means no restriction), ForbiddenTools={}, MaxSteps={}, \
         MaxExecutionTime={}, ContextModifications={}, CustomValidators={}",
        or(merged.allowed_tools.as_ref().map(|tools| tools.len().to_string()), "unrestricted"),
        merged.forbidden_tools.len(),
        or(merged.max_steps.map(|steps| steps.to_string()), "unlimited"),
        or(merged.max_execution_time.map(clock), "unlimited"),
        merged.context.len(),
        merged.validators,
    )
}

/// The text of every denied result; why stands in its reason.
pub(super) fn denied(tool: &str) -> String {
    format!("Tool '{tool}' is forbidden by active skill constraints")
}

pub(super) fn forbidden(tool: &str, skills: &[String]) -> String {
    format!("Tool '{tool}' is forbidden by Skill(s): {}", skills.join(", "))
}

pub(super) fn not_allowed(tool: &str) -> String {
    format!("Tool '{tool}' is not in the allowed tools list")
}

pub(super) fn failed_validation(tool: &str, in_error: &[&str]) -> String {
    let mut text = format!("Tool '{tool}' failed custom validation by active skill constraints");
    if !in_error.is_empty() {
        let _ = write!(text, " (evaluation error in Skill(s): {})", in_error.join(", "));
    }
    text
}

pub(super) fn evaluation_error(tool: &str, skills: &[String]) -> String {
    format!("Tool '{tool}' is denied by an evaluation error in Skill(s): {}", skills.join(", "))
}

pub(super) fn steps_used_up(tool: &str, most: u32, skills: &[String]) -> String {
    format!("Tool '{tool}' exceeds the maximum of {most} steps set by Skill(s): {}", skills.join(", "))
}

pub(super) fn time_used_up(tool: &str, most: Duration, skills: &[String]) -> String {
    format!(
        "Tool '{tool}' exceeds the maximum execution time of {} set by Skill(s): {}",
        clock(most),
        skills.join(", ")
    )
}

pub(super) fn resolved(active: &[Active], reasons: &[String]) -> String {
    format!(
        "Skill resolution completed. Activated {} skill(s): {}. Decision reasons: {}",
        active.len(),
        join(active.iter().map(|active| active.metadata.id.as_str())),
        reasons.join("; ")
    )
}

pub(super) fn filtered(allowed: usize, total: usize, removed: &[&str]) -> String {
    format!(
        "Tool filtering applied by Skills. Allowed: {allowed}/{total}. Removed tools: {}",
        removed.join(", ")
    )
}

fn join<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    texts.collect::<Vec<_>>().join(", ")
}

/// `00:05:00`, with days in front and parts of a second behind where there are any.
pub(super) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let mut text = String::new();
    if seconds >= 86_400 {
        let _ = write!(text, "{}.", seconds / 86_400);
    }
    let _ = write!(text, "{:02}:{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    if time.subsec_nanos() > 0 {
        let _ = write!(text, ".{:07}", time.subsec_nanos() / 100);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_a_clock_shows_it() {
        for (time, expected) in [
            (Duration::from_mins(5), "00:05:00"),
            (Duration::ZERO, "00:00:00"),
            (Duration::from_millis(1500), "00:00:01.5000000"),
            (Duration::from_secs(86_399), "23:59:59"),
            (Duration::from_secs(93_784), "1.02:03:04"),
        ] {
            assert_eq!(clock(time), expected);
        }
    }
}
