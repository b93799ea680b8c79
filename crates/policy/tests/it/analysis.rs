//! Remarks on policies, and what a change of policies changes.

use std::sync::Arc;
use std::time::Duration;

use model::{Activation, Validator};
use repertoire_policy::constraints::analysis::{Remark, RemarkLevel, analyse, changes};
use repertoire_policy::constraints::{Declared, Problem};
use serde_json::json;

use crate::support::{always, declared, forbidding, identity, object, resolved, texts};

fn ready(id: &str, policy: &model::Policy) -> Arc<Declared> {
    Arc::new(Declared::compile(identity(id), policy).unwrap())
}

fn when(condition: &str) -> model::Policy {
    let activation = Activation { when: Some(condition.to_owned()), ..Activation::default() };
    model::Policy { activation, ..model::Policy::default() }
}

fn about(keyword: &str) -> model::Policy {
    let activation = Activation { keywords: texts(&[keyword]), ..Activation::default() };
    model::Policy { activation, ..model::Policy::default() }
}

/// `level code place: message`, a line a remark.
fn shown(remarks: &[Remark]) -> Vec<String> {
    let line = |remark: &Remark| {
        let place = remark.place.as_ref().map(|place| format!(" {place}")).unwrap_or_default();
        format!("{} {}{place}: {}", remark.level.as_str(), remark.code, remark.message)
    };
    remarks.iter().map(line).collect()
}

fn alone(policy: &model::Policy) -> Vec<String> {
    shown(&analyse(&ready("new", policy), &[]))
}

fn beside(policy: &model::Policy, others: &[(&str, &model::Policy)]) -> Vec<String> {
    let others: Vec<_> = others.iter().map(|(id, policy)| ready(id, policy)).collect();
    shown(&analyse(&ready("new", policy), &others))
}

#[test]
fn a_policy_that_is_as_it_should_be_gets_no_remark() {
    let plain = model::Policy {
        allowed_tools: Some(texts(&["Bash(git:*)", "Read"])),
        forbidden_tools: texts(&["Bash(git push:*)"]),
        max_steps: Some(5),
        validators: vec![Validator::Expression("args.n > 1".to_owned())],
        ..about("review")
    };
    assert_eq!(alone(&plain), [""; 0]);
    let other = model::Policy { forbidden_tools: texts(&["rm"]), max_steps: Some(9), ..always() };
    assert_eq!(beside(&plain, &[("other", &other)]), [""; 0]);
}

#[test]
fn a_policy_that_can_never_be_active_is_told_of() {
    let never = "this policy is never active; add `activation` with `always: true`, `keywords` or `when`";
    let cases = [
        (model::Policy::default(), vec![format!("warning policy_never_active activation: {never}")]),
        (when("task == 'x'"), vec![]),
    ];
    for (policy, expected) in cases {
        assert_eq!(alone(&policy), expected);
    }
    for condition in ["1 == 2", "false && task == 'x'", "task == 'a' && task == 'b'"] {
        let expected =
            "warning policy_never_active activation.when: this policy is never active: `when` is never true";
        assert_eq!(alone(&when(condition)), [expected], "{condition}");
    }
    assert_eq!(
        alone(&when("context.a == 'x' && context.a == 'y'")),
        [
            "warning policy_condition activation.when: `when` is never true; the policy is active only where it \
          cannot be evaluated"
        ]
    );
    assert_eq!(
        alone(&when("1 / 0 == 1")),
        ["warning policy_condition activation.when: `when` can never be evaluated, so that the policy is \
          always active, without what it adds"]
    );
    assert_eq!(
        alone(&when("1 == 1")),
        ["info policy_activation_pointless activation.when: `when` is always true; write `always: true`"]
    );
}

#[test]
fn parts_of_an_activation_that_change_nothing_are_told_of() {
    let with = |always, keywords: &[&str], when: Option<&str>| model::Policy {
        activation: Activation { always, keywords: texts(keywords), when: when.map(str::to_owned) },
        ..model::Policy::default()
    };
    assert_eq!(
        alone(&with(true, &["a", "ab"], Some("task == 'x'"))),
        [
            "info policy_activation_pointless activation.keywords: `keywords` is never needed: the policy is always active",
            "info policy_activation_pointless activation.when: `when` is never needed: the policy is always active",
        ]
    );
    assert_eq!(
        alone(&with(false, &["code review", "Review", "fix", "FIX"], None)),
        [
            "info policy_activation_pointless activation.keywords[1]: keyword `code review` is never needed: \
             `Review` is found wherever it is",
            "info policy_activation_pointless activation.keywords[4]: keyword `FIX` is never needed: `fix` is \
             found wherever it is",
        ]
    );
    assert_eq!(
        alone(&with(false, &["a"], Some("false"))),
        ["info policy_activation_pointless activation.when: `when` is never true; only the keywords count"]
    );
}

#[test]
fn own_rules_that_cancel_each_other_are_told_of() {
    let policy = model::Policy {
        allowed_tools: Some(texts(&["Bash(git:*)", "Read", "Bash(git log)", "Read"])),
        forbidden_tools: texts(&["Bash(git log)", "mcp__a", "mcp__a__b"]),
        validators: vec![
            Validator::Expression("tool == 'a' && tool == 'b'".to_owned()),
            Validator::Expression("args.n == 1".to_owned()),
            Validator::Expression("true || args.n == 1".to_owned()),
            Validator::Expression("'x'".to_owned()),
        ],
        ..always()
    };
    assert_eq!(
        alone(&policy),
        [
            "warning policy_tool_unusable allowed_tools[3]: `Bash(git log)` can never be used: the policy itself forbids `Bash(git log)`",
            "info policy_entry_redundant allowed_tools[3]: `Bash(git log)` adds nothing: `Bash(git:*)` is in the list too",
            "info policy_entry_redundant allowed_tools[4]: `Read` adds nothing: `Read` is in the list too",
            "info policy_entry_redundant forbidden_tools[3]: `mcp__a__b` adds nothing: `mcp__a` is in the list too",
            "warning policy_validator_constant validators[1]: this expression lets no call pass",
            "info policy_validator_constant validators[3]: this expression lets every call pass",
            "warning policy_validator_constant validators[4]: this expression can never be evaluated, so that no call passes",
        ]
    );
    let nothing = model::Policy { allowed_tools: Some(vec![]), ..always() };
    assert_eq!(
        alone(&nothing),
        ["info policy_no_tool_left allowed_tools: no tool can be used while this policy is active"]
    );
}

#[test]
fn rules_in_the_shadow_of_a_policy_always_active_are_told_of() {
    let base = model::Policy {
        priority: 100,
        allowed_tools: Some(texts(&["Read", "Bash(npm:*)", "Bash(git:*)"])),
        forbidden_tools: texts(&["Bash(git push:*)", "rm"]),
        max_steps: Some(10),
        max_execution_time: Some(Duration::from_mins(5)),
        context: object(json!({ "mode": "strict", "same": 1 })),
        ..always()
    };
    let new = model::Policy {
        allowed_tools: Some(texts(&["Read", "Bash(git push origin)", "Bash(cargo:*)", "Write"])),
        forbidden_tools: texts(&["ls", "rm"]),
        max_steps: Some(10),
        max_execution_time: Some(Duration::from_mins(6)),
        context: object(json!({ "mode": "loose", "own": 1, "same": 1 })),
        ..about("x")
    };
    let remarks = [
        "warning policy_tool_unusable allowed_tools[2]: `Bash(git push origin)` can never be used: `base` forbids `Bash(git push:*)`",
        "warning policy_tool_unusable allowed_tools[3]: `Bash(cargo:*)` can never be used: `base` does not allow it",
        "warning policy_tool_unusable allowed_tools[4]: `Write` can never be used: `base` does not allow it",
        "info policy_rule_shadowed forbidden_tools[2]: `rm` is forbidden already: `base` forbids `rm`",
        "info policy_rule_shadowed max_steps: `max_steps: 10` has no effect: `base` sets 10",
        "info policy_rule_shadowed max_execution_time: `max_execution_time` of 00:06:00 has no effect: `base` sets 00:05:00",
        "warning policy_rule_shadowed context.mode: context value `mode` has no effect: `base` sets it and comes first",
        "info policy_rule_shadowed context.same: context value `same` adds nothing: `base` sets the same",
        "info policy_tools_lost allowed_tools: while this policy is active, tools that `base` allows cannot be used: `Bash(npm:*)`",
    ];
    assert_eq!(beside(&new, &[("base", &base)]), remarks);
    // One that is only active at times shadows nothing, and its former self does not count.
    let base = model::Policy { activation: about("y").activation, ..base };
    assert_eq!(beside(&new, &[("base", &base), ("new", &always())]), remarks[8..]);
    let remarks = analyse(&ready("new", &new), &[ready("base", &base)]);
    assert_eq!(
        (remarks[0].level, remarks[0].skills.as_slice()),
        (RemarkLevel::Info, texts(&["base"]).as_slice())
    );
}

#[test]
fn a_policy_always_active_is_told_what_it_shadows() {
    let new = model::Policy {
        priority: 9,
        forbidden_tools: texts(&["Bash", "rm"]),
        max_steps: Some(5),
        max_execution_time: Some(Duration::from_mins(1)),
        context: object(json!({ "mode": 1 })),
        ..always()
    };
    let other = model::Policy {
        forbidden_tools: texts(&["Bash(git:*)", "ls", "rm"]),
        allowed_tools: Some(texts(&["Bash(npm:*)", "Read"])),
        max_steps: Some(6),
        max_execution_time: Some(Duration::from_mins(1)),
        context: object(json!({ "mode": 2, "own": 3 })),
        ..about("x")
    };
    assert_eq!(
        beside(&new, &[("other", &other)]),
        [
            "info policy_shadows: beside this policy, rules of `other` have no effect: it forbids `Bash(git:*)`, \
             `rm`; `max_steps: 6`; `max_execution_time` of 00:01:00; it sets the context values `mode`",
            "warning policy_tools_lost forbidden_tools: while this policy is active, tools that `other` allows \
             cannot be used: `Bash(npm:*)`",
        ]
    );
}

#[test]
fn policies_that_leave_no_tool_together_are_told_of() {
    let left = |policy: &model::Policy, others: &[(&str, &model::Policy)]| -> Vec<String> {
        beside(policy, others).into_iter().filter(|line| line.contains("policy_no_tool_left")).collect()
    };
    let allows = |tools: &[&str]| model::Policy { allowed_tools: Some(texts(tools)), ..about("x") };
    let forbids = |tools: &[&str]| model::Policy { forbidden_tools: texts(tools), ..about("y") };
    let with = ["warning policy_no_tool_left: while `o` is active too, no tool is left"];
    let none = [""; 0];
    for (new, other, expected) in [
        (allows(&["a"]), allows(&["b"]), with.as_slice()),
        (allows(&["a", "b"]), allows(&["b"]), &none),
        (allows(&["Bash(git:*)"]), allows(&["Bash(npm:*)"]), &with),
        (allows(&["Bash(git:*)"]), allows(&["Bash(git log)"]), &none),
        (allows(&["mcp__*"]), allows(&["mcp__a__b"]), &none),
        (allows(&["a", "Bash(git:*)"]), forbids(&["Bash", "a"]), &with),
        (forbids(&["a"]), allows(&["a"]), &with),
        (forbids(&["a"]), forbids(&["b"]), &none),
        // What is common to both is forbidden, though neither list is.
        (
            model::Policy { forbidden_tools: texts(&["Bash(git:*)"]), ..allows(&["Bash"]) },
            allows(&["Bash(git:*)"]),
            &with,
        ),
        // The other leaves nothing by itself.
        (allows(&["a"]), allows(&[]), &none),
    ] {
        assert_eq!(left(&new, &[("o", &other)]), expected, "{new:?} {other:?}");
    }
}

#[test]
fn all_that_are_always_active_are_looked_at_together() {
    let allows = |tools: &[&str]| model::Policy { allowed_tools: Some(texts(tools)), ..always() };
    let (one, two) = (allows(&["a", "b"]), allows(&["b", "c"]));
    let new = model::Policy { allowed_tools: Some(texts(&["a", "c"])), ..about("x") };
    let remarks = beside(&new, &[("one", &one), ("two", &two)]);
    assert_eq!(
        remarks.last().unwrap(),
        "warning policy_no_tool_left: while this policy is active, no tool is left: `one`, `two` are always active"
    );
    let apart = allows(&["z"]);
    let free = model::Policy { max_steps: Some(1), ..about("x") };
    assert_eq!(
        beside(&free, &[("one", &one), ("apart", &apart)]),
        [
            "info policy_no_tool_left: no tool is left even without this policy, as `one`, `apart` are always active"
        ]
    );
    let problems: Vec<Problem> = Vec::new();
    let broken = Arc::new(Declared::broken(identity("bad"), &always(), &problems));
    assert_eq!(
        shown(&analyse(&ready("new", &free), &[broken])),
        ["warning policy_no_tool_left: `bad` is broken, and denies every call until it is corrected"]
    );
}

#[test]
fn many_long_lists_end_soon() {
    let list = |prefix: &str| -> Vec<String> { (0..500).map(|n| format!("Bash({prefix}{n}:*)")).collect() };
    let big = |prefix: &str| model::Policy {
        allowed_tools: Some(list(prefix)),
        forbidden_tools: list(&format!("{prefix}x")),
        ..always()
    };
    let others: Vec<_> = (0..50).map(|n| ready(&format!("p{n}"), &big(&format!("p{n}")))).collect();
    let started = std::time::Instant::now();
    let remarks = analyse(&ready("new", &big("new")), &others);
    assert_eq!(remarks.last().unwrap().code, "policy_analysis_cut");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn what_a_new_policy_changes_is_said_in_plain_lines() {
    let base = [forbidding("base", 5, &["rm"])];
    let strict = model::Policy {
        allowed_tools: Some(texts(&["Read", "Bash(git:*)"])),
        forbidden_tools: texts(&["Bash(git push:*)"]),
        max_steps: Some(5),
        max_execution_time: Some(Duration::from_mins(5)),
        context: object(json!({ "mode": "strict" })),
        validators: vec![Validator::ArgumentSize(100)],
        ..always()
    };
    let before = resolved(&base);
    let after = resolved(&[base[0].clone(), declared("strict", 1, &strict)]);
    let tools = ["Read", "Bash", "Write", "rm"];
    let found = changes(&before, &after, &tools);
    assert_eq!(
        found.newly_denied,
        [("Write".to_owned(), "Tool 'Write' is not in the allowed tools list".to_owned())]
    );
    assert_eq!(found.newly_allowed, [""; 0]);
    assert_eq!(
        found.lines,
        [
            "`strict` is active",
            "`Bash(git push:*)` is forbidden",
            "allowed tools: Bash(git:*), Read (before: all)",
            "max steps: 5 (before: unlimited)",
            "max execution time: 00:05:00 (before: unlimited)",
            "validators: 1 (before: 0)",
            "context value `mode`: \"strict\" (before: not set)",
        ]
    );
    let back = changes(&after, &before, &tools);
    assert_eq!((back.newly_allowed, back.newly_denied), (texts(&["Write"]), vec![]));
    assert_eq!(
        back.lines[..2],
        ["`strict` is no longer active", "`Bash(git push:*)` is no longer forbidden"]
    );
    assert!(changes(&after, &after, &tools).is_empty());
}
