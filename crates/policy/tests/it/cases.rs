//! Test tables kept beside a policy.

use std::time::Duration;

use model::{Activation, CaseCall, DenialCause, Expectation, PolicyCase};
use repertoire_policy::constraints::run_cases;
use serde_json::json;

use crate::support::{Shared, declared, forbidding, object, texts};

fn case(active: Option<bool>, call: Option<CaseCall>) -> PolicyCase {
    PolicyCase {
        file: "tests/a.yaml".to_owned(),
        line: 7,
        name: "it is so".to_owned(),
        task: "fix it".to_owned(),
        context: object(json!({ "level": 1 })),
        active,
        call,
    }
}

fn call(tool: &str, steps: u32, expect: Expectation) -> CaseCall {
    let arguments = object(json!({ "command": "git log" }));
    CaseCall { tool: tool.to_owned(), arguments, steps, elapsed: Duration::ZERO, expect }
}

fn deny(cause: Option<DenialCause>, reason: Option<&str>) -> Expectation {
    Expectation::Deny { cause, reason: reason.map(str::to_owned) }
}

fn policies() -> Vec<Shared> {
    let tested = model::Policy {
        activation: Activation { keywords: texts(&["fix"]), ..Activation::default() },
        allowed_tools: Some(texts(&["Bash(git:*)", "rm"])),
        max_steps: Some(3),
        ..model::Policy::default()
    };
    vec![declared("tested", 0, &tested), forbidding("other", 0, &["rm"])]
}

#[test]
fn a_case_passes_when_all_it_expects_is_so() {
    let reason = "Tool 'rm' is forbidden by Skill(s): other";
    for (active, call, passed, expected, found) in [
        (Some(true), None, true, "active", "active"),
        (Some(false), None, false, "not active", "active"),
        (None, Some(call("Bash", 0, Expectation::Allow)), true, "allow", "allow"),
        (None, Some(call("Read", 0, Expectation::Allow)), false, "allow", "deny (not_allowed)"),
        (None, Some(call("Read", 0, deny(None, None))), true, "deny", "deny (not_allowed)"),
        (None, Some(call("Bash", 0, deny(None, None))), false, "deny", "allow"),
        (
            Some(true),
            Some(call("Bash", 3, deny(Some(DenialCause::MaxSteps), None))),
            true,
            "active, deny (max_steps)",
            "active, deny (max_steps)",
        ),
        (
            None,
            Some(call("rm", 0, deny(Some(DenialCause::NotAllowed), None))),
            false,
            "deny (not_allowed)",
            "deny (forbidden)",
        ),
        (
            None,
            Some(call("rm", 0, deny(None, Some("other words")))),
            false,
            "deny: other words",
            "deny (forbidden): Tool 'rm' is forbidden by Skill(s): other",
        ),
        (
            Some(false),
            Some(call("rm", 0, deny(None, Some(reason)))),
            false,
            "not active, deny: Tool 'rm' is forbidden by Skill(s): other",
            "active, deny (forbidden): Tool 'rm' is forbidden by Skill(s): other",
        ),
    ] {
        let results = run_cases(&policies(), "tested", &[case(active, call)]);
        let [result] = results.as_slice() else { panic!("{results:?}") };
        assert_eq!((result.expected.as_str(), result.found.as_str()), (expected, found));
        assert_eq!(result.passed, passed, "{result:?}");
        assert_eq!(
            (result.file.as_str(), result.line, result.name.as_str()),
            ("tests/a.yaml", 7, "it is so")
        );
        assert_eq!(result.reason.is_some(), found.contains("deny"));
    }
}

#[test]
fn an_unknown_policy_is_not_active() {
    let results = run_cases(&policies(), "nobody", &[case(Some(false), None), case(Some(true), None)]);
    assert_eq!(results.iter().map(|result| result.passed).collect::<Vec<_>>(), [true, false]);
}
