//! The defects known from the one public implementation, by their numbers in the register of conflicts.

use std::sync::Arc;
use std::time::Duration;

use repertoire_policy::constraints::{
    Cause, Constraints, Context, Failure, Metadata, Policy, Situation, ToolCall, ToolSet, Usage, judge,
    resolve,
};
use serde_json::json;

use crate::support::{allowing, always, declared, forbidding, metadata, object, resolved};

#[test]
fn k21_high_priority_wins_a_context_value() {
    let sets = |id, priority, value| {
        let context = object(json!({ "mode": value }));
        declared(id, priority, &model::Policy { context, ..always() })
    };
    let policies = [sets("low", 1, "loose"), sets("high", 9, "strict"), sets("middle", 5, "half")];
    let resolution = resolved(&policies);
    assert_eq!(resolution.constraints.context, object(json!({ "mode": "strict" })));
    assert!(resolution.reasons.contains(
        &"Conflict resolution: High-overrides-Low priority. Context key 'mode' is set by Skill(s): high, middle, low, the value of 'high' is used."
            .to_owned()
    ));
}

#[test]
fn k23_ids_are_ordered_by_bytes() {
    let policies = ["b", "a", "B", "é", "z", "a_b", "a-b", "aB"].map(|id| allowing(id, 0, &["t"]));
    let resolution = resolved(&policies);
    assert_eq!(resolution.active_ids().collect::<Vec<_>>(), ["B", "a", "a-b", "aB", "a_b", "b", "z", "é"]);
}

/// Forbids what the context names.
struct Contextual(Metadata);

impl Policy for Contextual {
    fn metadata(&self) -> &Metadata {
        &self.0
    }

    fn activates(&self, _: &Situation<'_>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn constraints(&self, context: &Context) -> Result<Arc<Constraints>, Failure> {
        let tool =
            context.get("tool").and_then(|tool| tool.as_str()).ok_or_else(|| Failure::new("no tool"))?;
        let forbidden_tools = ToolSet::parse([tool]).map_err(|error| Failure::new(error.to_string()))?;
        Ok(Arc::new(Constraints { forbidden_tools, ..Constraints::default() }))
    }
}

#[test]
fn k26_denial_names_the_owner_that_depended_on_the_context() {
    let policy: Arc<dyn Policy> = Arc::new(Contextual(metadata("contextual", 5)));
    let policies = [policy, forbidding("plain", 1, &["writer"])];
    let resolution = resolve(&policies, "", &object(json!({ "tool": "writer" })));
    let arguments = json!({});
    let call = ToolCall::new("writer", &arguments);
    // Whatever is known when the call is made: what was demanded when resolved holds.
    for context in [object(json!({})), object(json!({ "tool": "other" }))] {
        let verdict = judge(&resolution, call, &context, Usage::default());
        assert_eq!(
            verdict.denial_reason(),
            Some("Tool 'writer' is forbidden by Skill(s): contextual, plain")
        );
    }
}

#[test]
fn k27_limits_hold_for_the_run_and_are_enforced() {
    let limited =
        model::Policy { max_steps: Some(2), max_execution_time: Some(Duration::from_mins(5)), ..always() };
    let policies = [declared("limits", 1, &limited)];
    let resolution = resolved(&policies);
    let arguments = json!({});
    let at = |steps, seconds| {
        let usage = Usage { steps, elapsed: Duration::from_secs(seconds) };
        let verdict = judge(&resolution, ToolCall::new("t", &arguments), &Context::new(), usage);
        verdict.denial.map(|denial| (denial.cause, denial.reason))
    };
    let steps = "Tool 't' exceeds the maximum of 2 steps set by Skill(s): limits".to_owned();
    let time = "Tool 't' exceeds the maximum execution time of 00:05:00 set by Skill(s): limits".to_owned();
    assert_eq!(at(0, 0), None);
    assert_eq!(at(1, 299), None);
    assert_eq!(at(2, 0), Some((Cause::MaxSteps, steps.clone())));
    assert_eq!(at(3, 999), Some((Cause::MaxSteps, steps)));
    assert_eq!(at(1, 300), Some((Cause::MaxExecutionTime, time)));
    // The next run begins anew, and without the policy there is no limit.
    assert_eq!(at(0, 0), None);
    let free = resolved(&[]);
    assert_eq!(free.constraints.max_steps, None);
    let usage = Usage { steps: u32::MAX, elapsed: Duration::MAX };
    assert!(judge(&free, ToolCall::new("t", &arguments), &Context::new(), usage).is_allowed());
}

#[test]
fn k28_reasons_begin_with_the_highest_priority() {
    let policies =
        [forbidding("low", 1, &["a"]), forbidding("high", 9, &["b"]), forbidding("middle", 5, &["c"])];
    assert_eq!(
        resolved(&policies).reasons,
        [
            "Skill 'high' (The high) activated: task matches activation conditions",
            "Skill 'middle' (The middle) activated: task matches activation conditions",
            "Skill 'low' (The low) activated: task matches activation conditions",
            "Skill 'high' adds forbidden tools: b",
            "Skill 'middle' adds forbidden tools: c",
            "Skill 'low' adds forbidden tools: a",
            "Final constraints: AllowedTools=unrestricted (null means no restriction), ForbiddenTools=3, \
             MaxSteps=unlimited, MaxExecutionTime=unlimited, ContextModifications=0, CustomValidators=0",
        ]
    );
}
