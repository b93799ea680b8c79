//! Runs the test tables kept beside a policy.

use std::sync::Arc;

use model::{CaseCall, Expectation, PolicyCase};
use serde_json::Value;

use super::{Policy, Resolution, ToolCall, Usage, Verdict, judge, resolve};

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseResult {
    /// The file the case stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: u32,
    /// What it claims.
    pub name: String,
    /// Whether it is so.
    pub passed: bool,
    /// What was expected, in words such as `active, deny (forbidden)`.
    pub expected: String,
    /// What came out, in the same words.
    pub found: String,
    /// Why the call was denied, if it was.
    pub reason: Option<String>,
}

/// Puts each case to these policies; whether one is active is asked of the policy under test.
pub fn run_cases(policies: &[Arc<dyn Policy>], under_test: &str, cases: &[PolicyCase]) -> Vec<CaseResult> {
    cases.iter().map(|case| run(policies, under_test, case)).collect()
}

fn run(policies: &[Arc<dyn Policy>], under_test: &str, case: &PolicyCase) -> CaseResult {
    let resolution = resolve(policies, &case.task, &case.context);
    let mut expected = Vec::new();
    let mut found = Vec::new();
    let mut passed = true;
    if let Some(active) = case.active {
        let is_active = resolution.active_ids().any(|id| id == under_test);
        let word = |active| if active { "active" } else { "not active" }.to_owned();
        passed = active == is_active;
        expected.push(word(active));
        found.push(word(is_active));
    }
    let mut reason = None;
    if let Some(call) = &case.call {
        let verdict = decide(&resolution, call, case);
        passed = passed && is_as_expected(&call.expect, &verdict);
        expected.push(describe_expected(&call.expect));
        found.push(describe(&call.expect, &verdict));
        reason = verdict.denial.map(|denial| denial.reason);
    }
    CaseResult {
        file: case.file.clone(),
        line: case.line,
        name: case.name.clone(),
        passed,
        expected: expected.join(", "),
        found: found.join(", "),
        reason,
    }
}

fn decide(resolution: &Resolution, call: &CaseCall, case: &PolicyCase) -> Verdict {
    let arguments = Value::Object(call.arguments.clone());
    let usage = Usage { steps: call.steps, elapsed: call.elapsed };
    judge(resolution, ToolCall::new(&call.tool, &arguments), &case.context, usage)
}

fn is_as_expected(expect: &Expectation, verdict: &Verdict) -> bool {
    match (expect, &verdict.denial) {
        (Expectation::Allow, denial) => denial.is_none(),
        (Expectation::Deny { .. }, None) => false,
        (Expectation::Deny { cause, reason }, Some(denial)) => {
            cause.is_none_or(|cause| cause == denial.cause)
                && reason.as_ref().is_none_or(|reason| *reason == denial.reason)
        }
    }
}

fn describe_expected(expect: &Expectation) -> String {
    match expect {
        Expectation::Allow => "allow".to_owned(),
        Expectation::Deny { cause, reason } => {
            denied(cause.map(model::DenialCause::as_str), reason.as_deref())
        }
    }
}

/// A denial with its cause, and with its reason where one was expected.
fn describe(expect: &Expectation, verdict: &Verdict) -> String {
    let Some(denial) = &verdict.denial else { return "allow".to_owned() };
    let worded = matches!(expect, Expectation::Deny { reason: Some(_), .. });
    denied(Some(denial.cause.as_str()), worded.then_some(denial.reason.as_str()))
}

fn denied(cause: Option<&str>, reason: Option<&str>) -> String {
    let cause = cause.map(|cause| format!(" ({cause})")).unwrap_or_default();
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    format!("deny{cause}{reason}")
}
