//! May this tool call be made?

use std::time::Duration;

use super::members::Members;
use super::resolve::{Active, Resolution};
use super::{Attempt, Cause, Context, Failure, ToolCall, Usage, reasons};

/// How a check that did not pass ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It refused.
    Refused,
    /// It could not be evaluated, which denies as well.
    Error(Failure),
}

/// A check that did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedCheck {
    /// The policy it belongs to.
    pub skill: String,
    /// Its place among the checks of that policy, from 1.
    pub number: usize,
    /// What it is called, such as `path_prefix`.
    pub name: &'static str,
    /// How it ended.
    pub outcome: Outcome,
}

/// Why a call is denied, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// What it rests on.
    pub cause: Cause,
    /// The ids of all policies responsible, in their order.
    pub skills: Vec<String>,
    /// The reason in words.
    pub reason: String,
    /// The checks that did not pass, where it rests on those.
    pub failed: Vec<FailedCheck>,
}

/// What is decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The tool.
    pub tool: String,
    /// Why not, if not.
    pub denial: Option<Denial>,
}

impl Verdict {
    /// Whether the call may be made.
    pub fn is_allowed(&self) -> bool {
        self.denial.is_none()
    }

    /// The `error` of a denied result, the same whatever the reason.
    pub fn error(&self) -> Option<String> {
        self.denial.as_ref().map(|_| reasons::denied(&self.tool))
    }

    /// The `denial_reason` of a denied result.
    pub fn denial_reason(&self) -> Option<&str> {
        self.denial.as_ref().map(|denial| denial.reason.as_str())
    }
}

/// Decides about a call. `context` is what the caller knows, without the values that policies set.
pub fn judge(resolution: &Resolution, call: ToolCall<'_>, context: &Context, usage: Usage) -> Verdict {
    let (tool, index) = (call.tool, &resolution.index);
    let attempt = Attempt::new(call, context);
    let denial = in_error(resolution, tool)
        .or_else(|| forbidden(resolution, tool, &index.forbidden.touched(&attempt)))
        .or_else(|| not_allowed(resolution, tool, &index.allowed.admitting(&attempt)))
        .or_else(|| not_validated(resolution, &attempt))
        .or_else(|| steps_used_up(resolution, tool, usage.steps))
        .or_else(|| time_used_up(resolution, tool, usage.elapsed));
    Verdict { tool: tool.to_owned(), denial }
}

fn ids<'a>(skills: impl Iterator<Item = &'a Active>) -> Vec<String> {
    skills.map(|skill| skill.metadata.id.clone()).collect()
}

/// A denial by these policies, if there are any.
fn deny(cause: Cause, skills: Vec<String>, reason: impl FnOnce(&[String]) -> String) -> Option<Denial> {
    if skills.is_empty() {
        return None;
    }
    let reason = reason(&skills);
    Some(Denial { cause, skills, reason, failed: Vec::new() })
}

fn in_error(resolution: &Resolution, tool: &str) -> Option<Denial> {
    let failed = resolution.at(&resolution.index.failed).map(|(_, skill)| skill);
    deny(Cause::EvaluationError, ids(failed), |skills| reasons::evaluation_error(tool, skills))
}

fn forbidden(resolution: &Resolution, tool: &str, by: &Members) -> Option<Denial> {
    if by.is_empty() {
        return None;
    }
    let skills = (0..).zip(&resolution.active).filter(|(number, _)| by.has(*number));
    deny(Cause::Forbidden, ids(skills.map(|(_, skill)| skill)), |skills| reasons::forbidden(tool, skills))
}

fn not_allowed(resolution: &Resolution, tool: &str, admitting: &Members) -> Option<Denial> {
    let others = resolution.at(&resolution.index.whitelists).filter(|(number, _)| !admitting.has(*number));
    deny(Cause::NotAllowed, ids(others.map(|(_, skill)| skill)), |_| reasons::not_allowed(tool))
}

fn not_validated(resolution: &Resolution, attempt: &Attempt<'_>) -> Option<Denial> {
    let mut failed = Vec::new();
    for (_, skill) in resolution.at(&resolution.index.checked) {
        for (index, check) in skill.constraints().checks.iter().enumerate() {
            let outcome = match check.check(attempt) {
                Ok(true) => continue,
                Ok(false) => Outcome::Refused,
                Err(failure) => Outcome::Error(failure),
            };
            let skill = skill.metadata.id.clone();
            failed.push(FailedCheck { skill, number: index + 1, name: check.name(), outcome });
        }
    }
    let mut skills: Vec<String> = failed.iter().map(|check| check.skill.clone()).collect();
    skills.dedup();
    let mut in_error: Vec<&str> = failed
        .iter()
        .filter(|check| matches!(check.outcome, Outcome::Error(_)))
        .map(|check| check.skill.as_str())
        .collect();
    in_error.dedup();
    let denial = deny(Cause::Validation, skills, |_| reasons::failed_validation(attempt.tool(), &in_error))?;
    Some(Denial { failed, ..denial })
}

fn steps_used_up(resolution: &Resolution, tool: &str, steps: u32) -> Option<Denial> {
    let most = resolution.constraints.max_steps.filter(|most| steps >= *most)?;
    let used_up = |skill: &&Active| skill.constraints().max_steps.is_some_and(|most| steps >= most);
    let skills = ids(resolution.active.iter().filter(used_up));
    deny(Cause::MaxSteps, skills, |skills| reasons::steps_used_up(tool, most, skills))
}

fn time_used_up(resolution: &Resolution, tool: &str, elapsed: Duration) -> Option<Denial> {
    let most = resolution.constraints.max_execution_time.filter(|most| elapsed >= *most)?;
    let used_up =
        |skill: &&Active| skill.constraints().max_execution_time.is_some_and(|most| elapsed >= most);
    let skills = ids(resolution.active.iter().filter(used_up));
    deny(Cause::MaxExecutionTime, skills, |skills| reasons::time_used_up(tool, most, skills))
}

/// A list of tools without those that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filtered<'t> {
    /// The tools of which some call may be allowed, in the order given.
    pub allowed: Vec<&'t str>,
    /// The others, in the order given.
    pub removed: Vec<&'t str>,
}

impl Filtered<'_> {
    /// The filtering in a line, for the log.
    pub fn summary(&self) -> String {
        let total = self.allowed.len() + self.removed.len();
        reasons::filtered(self.allowed.len(), total, &self.removed)
    }
}

impl Resolution {
    /// The active policies with these numbers.
    fn at<'r>(&'r self, numbers: &'r [u32]) -> impl Iterator<Item = (u32, &'r Active)> {
        let skill = |number: u32| self.active.get(usize::try_from(number).ok()?);
        numbers.iter().filter_map(move |number| Some((*number, skill(*number)?)))
    }

    /// Whether some call of this tool may be allowed, as far as its name tells.
    pub fn is_tool_allowed(&self, tool: &str) -> bool {
        self.tool_denial(tool).is_none()
    }

    /// Why every call of this tool is denied; `None` when it is not.
    pub fn denial_reason(&self, tool: &str) -> Option<String> {
        self.tool_denial(tool).map(|denial| denial.reason)
    }

    /// Why every call of this tool is denied, and by whom; `None` when it is not.
    pub fn tool_denial(&self, tool: &str) -> Option<Denial> {
        let names = std::iter::once(tool);
        in_error(self, tool)
            .or_else(|| forbidden(self, tool, &self.index.forbidden.having_tool(names)))
            .or_else(|| not_allowed(self, tool, &self.index.allowed.may_have_tool(tool)))
    }

    /// The tools that planning may see.
    pub fn filter_tools<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Filtered<'t> {
        let (allowed, removed) = tools.into_iter().partition(|tool| self.is_tool_allowed(tool));
        Filtered { allowed, removed }
    }
}
