//! Tables for the rules of merging, activation and denial.

use std::sync::Arc;
use std::time::Duration;

use model::{Activation, Validator};
use repertoire_policy::constraints::{
    Attempt, Cause, Check, Constraints, Context, Declared, Duplicate, Failure, Metadata, Outcome, Policies,
    Policy, Situation, ToolCall, Usage, judge, resolve,
};
use serde_json::json;

use crate::support::{
    Shared, allowing, always, asked, asked_with, declared, forbidding, identity, metadata, object, resolved,
    texts, validating,
};

#[test]
fn whitelists_intersect() {
    for (lists, expected) in [
        (vec![], None),
        (vec![vec!["a", "b"]], Some(vec!["a", "b"])),
        (vec![vec!["1", "2", "3"], vec!["2", "3", "4"]], Some(vec!["2", "3"])),
        (vec![vec!["1", "2", "3"], vec!["2", "3", "4"], vec!["3", "9"]], Some(vec!["3"])),
        (vec![vec!["a"], vec!["b"]], Some(vec![])),
        (vec![vec![]], Some(vec![])),
        (vec![vec!["a", "a"]], Some(vec!["a"])),
        (vec![vec!["mcp__github__*"], vec!["mcp__github__read", "x"]], Some(vec!["mcp__github__read"])),
        (vec![vec!["Bash"], vec!["Bash(git:*)"]], Some(vec!["Bash(git:*)"])),
    ] {
        let policies: Vec<Shared> =
            lists.iter().enumerate().map(|(index, list)| allowing(&format!("p{index}"), 0, list)).collect();
        let resolution = resolved(&policies);
        let expected = expected.map(|tools| texts(&tools));
        assert_eq!(resolution.constraints.allowed_tools, expected, "{lists:?}");
    }
}

#[test]
fn an_empty_intersection_is_not_no_restriction() {
    let nothing = resolved(&[allowing("a", 0, &["x"]), allowing("b", 0, &["y"])]);
    let free = resolved(&[]);
    for tool in ["x", "y", "z"] {
        assert!(!nothing.is_tool_allowed(tool) && free.is_tool_allowed(tool));
        assert!(!asked(&nothing, tool).is_allowed() && asked(&free, tool).is_allowed());
    }
    assert!(nothing.reasons.last().unwrap().contains("AllowedTools=0 (null means no restriction)"));
    assert!(free.reasons.last().unwrap().contains("AllowedTools=unrestricted (null means no restriction)"));
    assert_eq!(free.reasons.first().unwrap(), "No skill activated: nothing is restricted");
    let empty = resolved(&[allowing("a", 0, &[])]);
    assert!(empty.reasons.contains(&"Skill 'a' sets allowed tools: (none)".to_owned()));
}

#[test]
fn blacklists_unite_and_each_reason_has_what_is_new() {
    let policies =
        [forbidding("b", 5, &["x", "y"]), forbidding("a", 1, &["y", "z"]), forbidding("c", 0, &["x"])];
    let resolution = resolved(&policies);
    assert_eq!(resolution.constraints.forbidden_tools, ["x", "y", "z"]);
    let added: Vec<_> = resolution.reasons.iter().filter(|reason| reason.contains("adds")).collect();
    assert_eq!(added, ["Skill 'b' adds forbidden tools: x, y", "Skill 'a' adds forbidden tools: z"]);
    assert_eq!(resolution.denial_reason("x").unwrap(), "Tool 'x' is forbidden by Skill(s): b, c");
    assert_eq!(resolution.denial_reason("y").unwrap(), "Tool 'y' is forbidden by Skill(s): b, a");
    assert_eq!(resolution.denial_reason("w"), None);
}

#[test]
fn deny_beats_allow() {
    for (allower, forbidder) in [(1, 9), (9, 1)] {
        let policies = [
            allowing("allow", allower, &["file_writer", "linter"]),
            forbidding("deny", forbidder, &["file_writer"]),
        ];
        let resolution = resolved(&policies);
        assert!(resolution.reasons.contains(
            &"Conflict resolution: Deny-overrides-Allow. Tools file_writer are in both allowed and forbidden lists, they will be forbidden."
                .to_owned()
        ));
        assert_eq!(resolution.constraints.allowed_tools, Some(texts(&["linter"])));
        assert_eq!(
            asked(&resolution, "file_writer").denial_reason(),
            Some("Tool 'file_writer' is forbidden by Skill(s): deny")
        );
        assert!(asked(&resolution, "linter").is_allowed());
    }
}

#[test]
fn limits_take_the_minimum_and_name_those_that_are_reached() {
    let limited = |id, steps, seconds| {
        let max_execution_time = Some(Duration::from_secs(seconds));
        declared(id, 0, &model::Policy { max_steps: Some(steps), max_execution_time, ..always() })
    };
    let resolution = resolved(&[limited("a", 9, 60), limited("b", 5, 90), limited("c", 7, 30)]);
    assert_eq!(resolution.constraints.max_steps, Some(5));
    assert_eq!(resolution.constraints.max_execution_time, Some(Duration::from_secs(30)));
    let at = |steps, seconds| {
        let usage = Usage { steps, elapsed: Duration::from_secs(seconds) };
        let arguments = json!({});
        let verdict = judge(&resolution, ToolCall::new("t", &arguments), &Context::new(), usage);
        verdict.denial.map(|denial| (denial.cause, denial.skills))
    };
    assert_eq!(at(4, 29), None);
    assert_eq!(at(5, 0), Some((Cause::MaxSteps, texts(&["b"]))));
    assert_eq!(at(8, 0), Some((Cause::MaxSteps, texts(&["b", "c"]))));
    assert_eq!(at(0, 70), Some((Cause::MaxExecutionTime, texts(&["a", "c"]))));
}

#[test]
fn of_equal_priority_the_lower_id_sets_the_context() {
    let sets = |id, value| declared(id, 3, &model::Policy { context: object(value), ..always() });
    let policies = [
        sets("b", json!({ "k": 2, "only_b": 1 })),
        sets("a", json!({ "k": 1 })),
        sets("c", json!({ "k": 1 })),
    ];
    let resolution = resolved(&policies);
    assert_eq!(resolution.constraints.context, object(json!({ "k": 1, "only_b": 1 })));
    assert!(resolution.reasons.contains(
        &"Conflict resolution: Lower-Id-first. Context key 'k' is set by Skill(s): a, b, c, the value of 'a' is used."
            .to_owned()
    ));
    // The same value twice is no conflict.
    let same = resolved(&[sets("a", json!({ "k": 1 })), sets("b", json!({ "k": 1 }))]);
    assert!(!same.reasons.iter().any(|reason| reason.starts_with("Conflict")));
}

#[test]
fn every_validator_must_pass_and_all_responsible_are_named() {
    let policies = [
        validating("a", 1, "args.n > 1"),
        validating("b", 9, "args.n > 3"),
        validating("c", 5, "args.n % 2 == 0"),
    ];
    let resolution = resolved(&policies);
    let named = |n: i64| asked_with(&resolution, "t", &json!({ "n": n })).denial.map(|denial| denial.skills);
    assert_eq!(named(4), None);
    assert_eq!(named(5), Some(texts(&["c"])));
    assert_eq!(named(2), Some(texts(&["b"])));
    assert_eq!(named(1), Some(texts(&["b", "c", "a"])));
    let verdict = asked_with(&resolution, "t", &json!({ "n": 1 }));
    assert_eq!(
        verdict.denial_reason(),
        Some("Tool 't' failed custom validation by active skill constraints")
    );
    let failed = verdict.denial.unwrap().failed;
    assert_eq!((failed[0].skill.as_str(), failed[0].number, failed[0].name), ("b", 1, "expression"));
}

#[test]
fn a_validator_that_cannot_be_evaluated_denies_and_is_named() {
    let resolution = resolved(&[validating("a", 1, "args.n > 1"), validating("b", 2, "args.missing == 1")]);
    let verdict = asked_with(&resolution, "t", &json!({ "n": 5 }));
    assert_eq!(
        verdict.denial_reason(),
        Some(
            "Tool 't' failed custom validation by active skill constraints (evaluation error in Skill(s): b)"
        )
    );
    let denial = verdict.denial.unwrap();
    assert_eq!((denial.cause, &denial.skills), (Cause::Validation, &texts(&["b"])));
    let expected = Outcome::Error(Failure::new("the expression reads a value that is not there"));
    assert_eq!(denial.failed[0].outcome, expected);
}

#[test]
fn causes_are_asked_in_order() {
    let policy = model::Policy {
        allowed_tools: Some(texts(&["a", "b", "c"])),
        forbidden_tools: texts(&["a", "d"]),
        max_steps: Some(1),
        max_execution_time: Some(Duration::from_secs(1)),
        validators: vec![Validator::Expression("tool != 'b'".to_owned())],
        ..always()
    };
    let resolution = resolved(&[declared("p", 0, &policy)]);
    let late = Usage { steps: 1, elapsed: Duration::from_secs(1) };
    let arguments = json!({});
    for (tool, usage, expected) in [
        ("a", late, "forbidden"),
        ("d", late, "forbidden"),
        ("x", late, "not_allowed"),
        ("b", late, "validation"),
        ("c", late, "max_steps"),
        ("c", Usage { steps: 0, ..late }, "max_execution_time"),
    ] {
        let verdict = judge(&resolution, ToolCall::new(tool, &arguments), &Context::new(), usage);
        assert_eq!(verdict.denial.unwrap().cause.as_str(), expected, "{tool}");
        assert_eq!(verdict.tool, tool);
    }
}

#[test]
fn any_condition_activates() {
    let active = |activation: Activation, task: &str, context: serde_json::Value| {
        let policy = declared("p", 0, &model::Policy { activation, ..model::Policy::default() });
        !resolve(&[policy], task, &object(context)).active.is_empty()
    };
    let with = |always, keywords: &[&str], when: Option<&str>| Activation {
        always,
        keywords: texts(keywords),
        when: when.map(str::to_owned),
    };
    assert!(!active(Activation::default(), "anything", json!({})));
    assert!(active(with(true, &[], None), "", json!({})));
    assert!(active(with(false, &["deploy", "Ship"], None), "please SHIP it", json!({})));
    assert!(!active(with(false, &["deploy"], None), "please ship it", json!({})));
    assert!(active(with(false, &[], Some("context.env == 'prod'")), "x", json!({ "env": "prod" })));
    assert!(!active(with(false, &[], Some("context.env == 'prod'")), "x", json!({ "env": "dev" })));
    assert!(active(with(false, &["x"], Some("false")), "x", json!({})));
    assert!(active(with(false, &["y"], Some("task == 'x'")), "x", json!({})));
    assert!(active(with(false, &["x"], Some("context.missing")), "x", json!({})));
}

#[test]
fn a_condition_that_cannot_be_evaluated_holds_its_restrictions() {
    let policy = model::Policy {
        activation: Activation { when: Some("context.role == 'x'".to_owned()), ..Activation::default() },
        forbidden_tools: texts(&["writer"]),
        context: object(json!({ "mode": "mine" })),
        planning: Some("Mine.".to_owned()),
        ..model::Policy::default()
    };
    let resolution = resolved(&[declared("p", 0, &policy)]);
    assert!(resolution.reasons.contains(
        &"Skill 'p' (The p) activated: activation conditions could not be evaluated (the expression reads a value that is not there)"
            .to_owned()
    ));
    assert!(!asked(&resolution, "writer").is_allowed() && asked(&resolution, "reader").is_allowed());
    assert!(resolution.constraints.context.is_empty());
    assert_eq!(resolution.plan("Plan.", &Context::new()), "Plan.");
}

/// A policy that fails where it is told to.
struct Failing(Metadata);

impl Policy for Failing {
    fn metadata(&self) -> &Metadata {
        &self.0
    }

    fn activates(&self, _: &Situation<'_>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn constraints(&self, _: &Context) -> Result<Arc<Constraints>, Failure> {
        Err(Failure::new("the service is down"))
    }
}

#[test]
fn constraints_that_cannot_be_had_deny_everything() {
    let failing: Shared = Arc::new(Failing(metadata("failing", 3)));
    let resolution = resolved(&[failing, forbidding("other", 9, &["writer"])]);
    for tool in ["writer", "reader"] {
        let reason = format!("Tool '{tool}' is denied by an evaluation error in Skill(s): failing");
        assert_eq!(asked(&resolution, tool).denial_reason(), Some(reason.as_str()));
        assert_eq!(resolution.denial_reason(tool), Some(reason));
    }
    assert!(
        resolution.reasons.contains(
            &"Skill 'failing' denies every tool: constraints could not be evaluated (the service is down)"
                .to_owned()
        )
    );
}

#[test]
fn a_stored_policy_that_cannot_be_compiled_denies_everything() {
    let policy = model::Policy {
        activation: Activation {
            keywords: texts(&["x", " ", ""]),
            when: Some("1 +".to_owned()),
            always: false,
        },
        allowed_tools: Some(texts(&["a", "Bash(git:*", "b", ""])),
        forbidden_tools: texts(&["Bash)"]),
        max_steps: Some(0),
        max_execution_time: Some(Duration::ZERO),
        validators: vec![
            Validator::ArgumentSize(1),
            Validator::ArgumentDeny("(".to_owned()),
            Validator::HostAllow(texts(&["a.org", "https://b", "c d"])),
            Validator::PathPrefix(vec![]),
            Validator::Expression("nobody".to_owned()),
        ],
        ..model::Policy::default()
    };
    let problems = Declared::compile(identity("p"), &policy).unwrap_err();
    let expected = [
        ("policy_keyword", "activation.keywords[2]: a keyword is empty"),
        ("policy_keyword", "activation.keywords[3]: a keyword is empty"),
        ("policy_expression", "activation.when: line 1, column "),
        ("policy_pattern", "allowed_tools[2]: `Bash(git:*` is not a tool pattern: it should end with `)`"),
        ("policy_pattern", "allowed_tools[4]: `` is not a tool pattern"),
        ("policy_pattern", "forbidden_tools[1]: `Bash)` is not a tool pattern"),
        ("policy_limit", "max_steps: nothing can keep this limit"),
        ("policy_limit", "max_execution_time: nothing can keep this limit"),
        ("policy_limit", "validators[1].argument_size: nothing can keep this limit"),
        ("policy_validator", "validators[2].argument_deny: "),
        ("policy_validator", "validators[3].host_allow[2]: `https://b` is not a host"),
        ("policy_validator", "validators[3].host_allow[3]: `c d` is not a host"),
        ("policy_validator", "validators[4].path_prefix: the list is empty"),
        ("policy_expression", "validators[5].expression: there is no `nobody` here"),
    ];
    for (problem, (code, shown)) in problems.iter().zip(expected) {
        assert!(problem.code() == code && problem.to_string().starts_with(shown), "{problem}");
    }
    assert_eq!(problems.len(), expected.len());
    let broken: Shared = Arc::new(Declared::broken(identity("p"), &policy, &problems));
    assert!(!asked(&resolved(&[broken]), "reader").is_allowed());
}

#[test]
fn what_can_never_be_met_is_a_problem() {
    let wrong = |policy: model::Policy| -> Vec<String> {
        let problems = Declared::compile(identity("p"), &policy).err().unwrap_or_default();
        assert!(problems.iter().all(|problem| problem.code() == "policy_impossible"));
        problems.iter().map(|problem| problem.place.to_string()).collect()
    };
    let tools = |allowed: &[&str], forbidden: &[&str]| model::Policy {
        allowed_tools: Some(texts(allowed)),
        forbidden_tools: texts(forbidden),
        ..always()
    };
    assert_eq!(wrong(tools(&["Bash(git:*)", "rm"], &["Bash", "r*"])), ["allowed_tools"]);
    assert_eq!(wrong(tools(&["Bash(git:*)", "ls"], &["Bash", "r*"])), [""; 0]);
    // Allowing nothing is a way to say so.
    assert_eq!(wrong(tools(&[], &["Bash"])), [""; 0]);
    let hosts = |one: &[&str], two: &[&str]| {
        let validators = vec![Validator::HostAllow(texts(one)), Validator::HostAllow(texts(two))];
        model::Policy { validators, ..always() }
    };
    assert_eq!(wrong(hosts(&["a.org"], &["b.org", "*.a.org"])), ["validators[2]"]);
    assert_eq!(wrong(hosts(&["a.org:8080"], &["a.org"])), ["validators[2]"]);
    assert_eq!(wrong(hosts(&["x.a.org"], &["b.org", "*.a.org"])), [""; 0]);
    let paths = |one: &[&str], two: &[&str]| {
        let validators = vec![Validator::PathPrefix(texts(one)), Validator::PathPrefix(texts(two))];
        model::Policy { validators, ..always() }
    };
    assert_eq!(wrong(paths(&["/srv"], &["/home", "/etc"])), ["validators[2]"]);
    assert_eq!(wrong(paths(&["/srv"], &["/home", "/srv/data"])), [""; 0]);
    // A relative folder may lie anywhere.
    assert_eq!(wrong(paths(&["/srv"], &["data"])), [""; 0]);
}

#[test]
fn ids_are_unique() {
    let mut policies = Policies::default();
    policies.add(forbidding("a", 1, &["x"])).unwrap();
    assert_eq!(policies.add(forbidding("a", 2, &["y"])), Err(Duplicate("a".to_owned())));
    policies.add(forbidding("b", 1, &["y"])).unwrap();
    assert_eq!(policies.metadata().map(|metadata| metadata.id.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(!asked(&policies.resolve("", &Context::new()), "x").is_allowed());
    assert!(policies.remove("a") && !policies.remove("a"));
    assert!(asked(&policies.resolve("", &Context::new()), "x").is_allowed());
    // Those who bypass the register are told with every call.
    let twice = resolved(&[forbidding("a", 1, &["x"]), forbidding("a", 2, &["y"])]);
    assert_eq!(
        asked(&twice, "z").denial_reason(),
        Some("Tool 'z' is denied by an evaluation error in Skill(s): a, a")
    );
}

#[test]
fn calls_are_put_to_each_whitelist_of_patterns() {
    let policies = [
        allowing("hosts", 2, &["Bash(git:*)", "Bash(npm:*)", "mcp__github__*", "Read"]),
        allowing("reads", 1, &["Bash(git log:*)", "Bash(git diff:*)", "mcp__*__read", "Read(//srv/**)"]),
        forbidding("never", 3, &["Bash(git log --format:*)"]),
    ];
    let resolution = resolved(&policies);
    for (tool, arguments, expected) in [
        ("Bash", json!({ "command": "git log -1" }), None),
        ("Bash", json!({ "command": "git log -1 && git diff" }), None),
        ("Bash", json!({ "command": "git push" }), Some("not_allowed")),
        ("Bash", json!({ "command": "npm test" }), Some("not_allowed")),
        ("Bash", json!({ "command": "git log --format x" }), Some("forbidden")),
        ("mcp__github__read", json!({}), None),
        ("mcp__github__write", json!({}), Some("not_allowed")),
        ("mcp__gitlab__read", json!({}), Some("not_allowed")),
        ("Read", json!({ "file_path": "/srv/x" }), None),
        ("Read", json!({ "file_path": "/srv/../etc/x" }), Some("not_allowed")),
    ] {
        let cause = asked_with(&resolution, tool, &arguments).denial.map(|denial| denial.cause.as_str());
        assert_eq!(cause, expected, "{tool} {arguments}");
    }
    let filtered =
        resolution.filter_tools(["Bash", "Read", "Write", "mcp__github__read", "mcp__github__write"]);
    assert_eq!(filtered.removed, ["Write", "mcp__github__write"]);
}

#[test]
fn one_policy_cannot_satisfy_the_check_of_another() {
    let sets = declared("sets", 9, &model::Policy { context: object(json!({ "mode": "safe" })), ..always() });
    let wants = validating("wants", 1, "has(context.mode) && context.mode == 'safe'");
    assert!(!asked(&resolved(&[Arc::clone(&wants)]), "t").is_allowed());
    assert!(!asked(&resolved(&[wants, sets]), "t").is_allowed());
}

#[test]
fn a_closure_is_a_check() {
    let check: Arc<dyn Check> = Arc::new(|attempt: &Attempt<'_>| Ok(attempt.tool() != "x"));
    assert_eq!(format!("{check:?}"), "validator");
}
