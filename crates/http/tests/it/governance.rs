//! Policies, governed runs and decisions through the door.

use model::{Role, TokenScope};
use serde_json::{Value, json};

use crate::api::{Api, get, id, post};

const SECRETS: &str = "(?i)password|token|secret|key";

fn code_review() -> Value {
    json!({"name": "code-review", "title": "Code Review Skill", "description": "Reviews code.", "scope": "workspace",
    "policy": {
        "scope": "development",
        "priority": 10,
        "keywords": ["review", "code review", "analyze code", "inspect", "audit code"],
        "allowed_tools": ["code_analyzer", "syntax_checker", "linter", "security_scanner"],
        "forbidden_tools": ["file_writer", "code_modifier"],
        "max_steps": 5,
        "context": {"review_mode": true, "focus_areas": ["security", "performance", "maintainability"]},
        "planning": "Only review; change nothing.",
    }})
}

fn security_policy() -> Value {
    json!({"name": "security-policy", "title": "Security Policy Skill", "description": "Keeps things safe.",
    "scope": "workspace",
    "policy": {
        "scope": "security",
        "priority": 100,
        "when": "!has(context.user_role) || context.user_role != 'admin'",
        "forbidden_tools": ["file_deleter", "system_command", "database_writer", "network_request"],
        "max_execution_seconds": 300,
        "validators": [{"argument_deny": SECRETS}],
    }})
}

/// A door with both policies in force, a token of who wrote them, and one of a member.
async fn governed() -> (Api, String, String) {
    let api = Api::new().await;
    let gov = api.user("gov", &[Role::Admin, Role::PolicyAdmin]).await;
    for policy in [code_review(), security_policy()] {
        let made = api.ok_as(&gov, 201, post("/skills").json(policy)).await.json();
        assert_eq!(made["skill"]["status"], "active", "{made}");
    }
    let alice = api.user("alice", &[]).await;
    (api, gov, alice)
}

fn developer() -> Value {
    json!({"user_role": "developer"})
}

fn reasons() -> Value {
    json!([
        "Skill 'security-policy' (Security Policy Skill) activated: task matches activation conditions",
        "Skill 'code-review' (Code Review Skill) activated: task matches activation conditions",
        "Skill 'security-policy' adds forbidden tools: database_writer, file_deleter, network_request, system_command",
        "Skill 'security-policy' sets max execution time: 00:05:00",
        "Skill 'security-policy' adds custom validators: 1",
        "Skill 'code-review' sets allowed tools: code_analyzer, linter, security_scanner, syntax_checker",
        "Skill 'code-review' adds forbidden tools: code_modifier, file_writer",
        "Skill 'code-review' sets max steps: 5",
        "Skill 'code-review' sets context values: focus_areas, review_mode",
        "Final constraints: AllowedTools=4 (null means no restriction), ForbiddenTools=6, MaxSteps=5, \
         MaxExecutionTime=00:05:00, ContextModifications=2, CustomValidators=1",
    ])
}

#[tokio::test]
async fn resolving_says_what_holds_and_why_word_for_word() {
    let (api, _, alice) = governed().await;
    let ask = post("/governance/resolve").json(json!({"task": "Please REVIEW this", "context": developer()}));
    let resolved = api.ok_as(&alice, 200, ask).await.json();
    assert_eq!(resolved["active_ids"], json!(["security-policy", "code-review"]));
    assert_eq!(resolved["reasons"], reasons());
    assert_eq!(
        resolved["constraints"],
        json!({
            "allowed_tools": ["code_analyzer", "linter", "security_scanner", "syntax_checker"],
            "forbidden_tools": [
                "code_modifier", "database_writer", "file_deleter", "file_writer", "network_request",
                "system_command",
            ],
            "max_steps": 5,
            "max_execution_time_ms": 300_000,
            "context": {"review_mode": true, "focus_areas": ["security", "performance", "maintainability"]},
            "validators": 1,
        })
    );
    let first = &resolved["active"][0];
    assert_eq!(
        (&first["id"], &first["priority"], &first["revision"]),
        (&json!("security-policy"), &json!(100), &json!(1))
    );
    assert_eq!((&first["name"], &first["scope"]), (&json!("Security Policy Skill"), &json!("security")));
    assert!(first["skill_id"].is_string() && first["digest"].is_string(), "{first}");
    assert_eq!(
        (&resolved["context"]["review_mode"], &resolved["context"]["user_role"]),
        (&json!(true), &json!("developer"))
    );
    let kept = format!("/governance/decisions/{}", resolved["decision_id"].as_str().unwrap());
    let kept = api.ok_as(&alice, 200, get(&kept)).await.json();
    assert_eq!(
        (&kept["kind"], &kept["reasons"], &kept["allowed"]),
        (&json!("resolution"), &reasons(), &Value::Null)
    );
    assert_eq!(kept["task"], "Please REVIEW this");
}

#[tokio::test]
async fn each_policy_activates_as_described() {
    let (api, gov, alice) = governed().await;
    let both = json!(["security-policy", "code-review"]);
    for (token, task, context, expected) in [
        (&alice, "do a code review", json!({"user_role": "admin"}), json!(["code-review"])),
        (&alice, "INSPECT it", json!({"user_role": "user"}), both.clone()),
        (&alice, "write a poem", json!({"user_role": "admin"}), json!([])),
        (&alice, "write a poem", json!({"user_role": "user"}), json!(["security-policy"])),
        // Who says nothing of a role has the strongest of their own.
        (&alice, "write a poem", json!({}), json!(["security-policy"])),
        (&gov, "write a poem", json!({}), json!([])),
    ] {
        let ask = post("/governance/resolve").json(json!({"task": task, "context": context}));
        assert_eq!(api.ok_as(token, 200, ask).await.json()["active_ids"], expected, "{task} {context}");
    }
}

fn judge(tool: &str, arguments: &Value) -> crate::api::Ask {
    let body = json!({"task": "audit code", "context": developer(), "tool": tool, "arguments": arguments});
    post("/governance/judge").json(body)
}

#[tokio::test]
async fn an_allowed_call_is_answered_in_full() {
    let (api, _, alice) = governed().await;
    let mut judged = api.ok_as(&alice, 200, judge("linter", &json!({"path": "a.rs"}))).await.json();
    assert!(judged["decision_id"].take().is_string());
    assert_eq!(
        judged,
        json!({
            "decision_id": null,
            "tool": "linter",
            "allowed": true,
            "active_ids": ["security-policy", "code-review"],
            "usage": {"steps": 0, "elapsed_ms": 0, "max_steps": 5, "max_execution_time_ms": 300_000},
        })
    );
}

#[tokio::test]
async fn a_denied_call_is_answered_with_the_result_to_give_the_agent() {
    let (api, _, alice) = governed().await;
    let invalid = |tool| format!("Tool '{tool}' failed custom validation by active skill constraints");
    let check = json!([{"policy": "security-policy", "number": 1, "name": "argument_deny", "error": null}]);
    for (tool, arguments, reason, cause, denied_by, failed) in [
        (
            "file_writer",
            json!({}),
            "Tool 'file_writer' is forbidden by Skill(s): code-review".to_owned(),
            "forbidden",
            json!(["code-review"]),
            None,
        ),
        (
            "file_deleter",
            json!({}),
            "Tool 'file_deleter' is forbidden by Skill(s): security-policy".to_owned(),
            "forbidden",
            json!(["security-policy"]),
            None,
        ),
        (
            "web_search",
            json!({}),
            "Tool 'web_search' is not in the allowed tools list".to_owned(),
            "not_allowed",
            json!(["code-review"]),
            None,
        ),
        (
            "linter",
            json!({"note": "the PASSWORD"}),
            invalid("linter"),
            "validation",
            json!(["security-policy"]),
            Some(check.clone()),
        ),
        (
            "linter",
            json!({"a": [{"api_key": 1}]}),
            invalid("linter"),
            "validation",
            json!(["security-policy"]),
            Some(check),
        ),
    ] {
        let mut judged = api.ok_as(&alice, 200, judge(tool, &arguments)).await.json();
        let kept = format!("/governance/decisions/{}", judged["decision_id"].take().as_str().unwrap());
        let mut expected = json!({
            "decision_id": null,
            "tool": tool,
            "allowed": false,
            "error": format!("Tool '{tool}' is forbidden by active skill constraints"),
            "metadata": {"skill_constraint_violation": true, "denial_reason": reason},
            "cause": cause,
            "denied_by": denied_by,
            "active_ids": ["security-policy", "code-review"],
            "usage": {"steps": 0, "elapsed_ms": 0, "max_steps": 5, "max_execution_time_ms": 300_000},
        });
        if let Some(failed) = failed {
            expected["failed_checks"] = failed;
        }
        assert_eq!(judged, expected);
        let kept = api.ok_as(&alice, 200, get(&kept)).await.json();
        assert_eq!((&kept["allowed"], &kept["reason"]), (&json!(false), &json!(reason)));
        assert_eq!((&kept["cause"], &kept["denied_by"]), (&json!(cause), &denied_by));
    }
}

#[tokio::test]
async fn limits_outside_of_a_run_are_what_the_caller_counted() {
    let (api, _, alice) = governed().await;
    let ask = |usage: Value| {
        let body = json!({"task": "review", "context": developer(), "tool": "linter", "usage": usage});
        post("/governance/judge").json(body)
    };
    for (usage, cause) in [
        (json!({"steps": 4, "elapsed_ms": 299_999}), Value::Null),
        (json!({"steps": 5}), json!("max_steps")),
        (json!({"elapsed_ms": 300_001}), json!("max_execution_time")),
        (json!({"elapsed_ms": 1_000_000_000_000_u64}), json!("max_execution_time")),
    ] {
        let judged = api.ok_as(&alice, 200, ask(usage.clone())).await.json();
        assert_eq!(judged["cause"], cause, "{usage}: {judged}");
    }
    let verified = api.ok(200, get("/audit/verification")).await.json();
    assert_eq!((&verified["valid"], &verified["decisions"]), (&json!(true), &json!(4)), "{verified}");
}

#[tokio::test]
async fn planning_sees_the_filtered_tools_and_the_added_text() {
    let (api, _, alice) = governed().await;
    let body = json!({"task": "review", "context": developer(), "prompt": "Plan.",
        "tools": ["linter", "file_writer", "web_search", "code_analyzer"]});
    let planned = api.ok_as(&alice, 200, post("/governance/plan").json(body)).await.json();
    assert_eq!(planned["tools"], json!(["linter", "code_analyzer"]));
    assert_eq!(
        planned["removed"],
        json!([
            {"tool": "file_writer", "reason": "Tool 'file_writer' is forbidden by Skill(s): code-review"},
            {"tool": "web_search", "reason": "Tool 'web_search' is not in the allowed tools list"},
        ])
    );
    assert_eq!(planned["prompt"], "Plan.\n\nOnly review; change nothing.");
    assert_eq!(planned["resolution"]["active_ids"], json!(["security-policy", "code-review"]));
}

#[tokio::test]
async fn a_governed_run_from_its_beginning_to_its_end() {
    let (api, _, alice) = governed().await;
    let body = json!({"task": "review", "context": developer(), "host": "my-agent", "session": "s-1"});
    let answer = api.ok_as(&alice, 201, post("/governance/runs").json(body)).await;
    let started = answer.json();
    let path = format!("/governance/runs/{}", id(&started["run"]));
    assert_eq!(answer.header("location"), format!("/api/v1{path}"));
    assert_eq!(started["resolution"]["reasons"], reasons());
    let step = |tool: &str| post(&format!("{path}/judge")).json(json!({"tool": tool}));
    for n in 0..5 {
        let judged = api.ok_as(&alice, 200, step("linter")).await.json();
        assert_eq!((&judged["allowed"], &judged["usage"]["steps"]), (&json!(true), &json!(n)));
        assert_eq!(judged["run"]["steps"], n + 1);
    }
    let judged = api.ok_as(&alice, 200, step("linter")).await.json();
    assert_eq!((&judged["cause"], &judged["denied_by"]), (&json!("max_steps"), &json!(["code-review"])));
    let read = api.ok_as(&alice, 200, get(&path)).await.json();
    assert_eq!((&read["steps"], &read["denied"], &read["reasons"]), (&json!(5), &json!(1), &reasons()));
    let listed = api.ok_as(&alice, 200, get("/governance/runs?open=true&host=my-agent")).await.json();
    assert_eq!(id(&listed["items"][0]), id(&started["run"]));
    let finish = || post(&format!("{path}/finish"));
    let done = api.ok_as(&alice, 200, finish().json(json!({"outcome": "done"}))).await.json();
    assert_eq!((&done["outcome"], done["finished_at"].is_string()), (&json!("done"), true));
    assert_eq!(api.ok_as(&alice, 200, finish()).await.json(), done);
    api.refused(step("linter").bearer(&alice), 409, "run_finished").await;
    let decisions = format!("/governance/decisions?run_id={}", id(&started["run"]));
    let decisions = api.ok_as(&alice, 200, get(&decisions)).await.json();
    assert_eq!(decisions["items"].as_array().unwrap().len(), 7);
}

#[tokio::test]
async fn a_turn_that_ends_leaves_task_and_limits_as_they_are() {
    let (api, _, alice) = governed().await;
    let hook = |event: &str, more: Value| {
        let mut body = json!({"session_id": "s", "hook_event_name": event});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        api.ok_as(&alice, 200, post("/governance/hooks/claude").json(body))
    };
    let call = || hook("PreToolUse", json!({"tool_name": "linter", "tool_input": {}}));
    hook("UserPromptSubmit", json!({"prompt": "review"})).await;
    for _ in 0..5 {
        let answer = call().await;
        assert_eq!((answer.text().as_str(), answer.header("repertoire-hook").as_str()), ("", "claude"));
    }
    assert_eq!(hook("Stop", json!({})).await.text(), "");
    assert!(call().await.text().contains("deny"), "another hook made it go on");
    hook("UserPromptSubmit", json!({"prompt": "review"})).await;
    assert_eq!(call().await.text(), "");
    hook("SessionEnd", json!({})).await;
    let open = api.ok_as(&alice, 200, get("/governance/runs?open=true")).await.json();
    assert_eq!(open["items"], json!([]));
}

#[tokio::test]
async fn explaining_changes_nothing_and_says_the_same() {
    let (api, gov, alice) = governed().await;
    let before = api.app.snapshot().await;
    let body = json!({"task": "review", "context": developer(), "tool": "file_writer"});
    let explained = api.ok_as(&alice, 200, post("/governance/explain").json(body)).await.json();
    assert_eq!(explained["reasons"], reasons());
    assert_eq!(explained["verdict"]["cause"], "forbidden");
    assert_eq!(explained["planning"].as_str().unwrap().trim(), "Only review; change nothing.");
    let states: Vec<_> = explained["policies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|state| (&state["id"], &state["active"]))
        .collect();
    assert_eq!(states, [(&json!("code-review"), &json!(true)), (&json!("security-policy"), &json!(true))]);
    let other = post("/governance/explain").json(json!({"user": "gov"}));
    api.refused(other.bearer(&alice), 403, "forbidden").await;
    api.ok_as(&gov, 200, post("/governance/explain").json(json!({"user": "alice"}))).await;
    let policies = api.ok_as(&alice, 200, get("/governance/policies")).await.json();
    let ids: Vec<_> = policies["items"].as_array().unwrap().iter().map(|policy| &policy["id"]).collect();
    assert_eq!(ids, [&json!("security-policy"), &json!("code-review")], "by priority");
    for policy in policies["items"].as_array().unwrap() {
        assert!(policy.get("active").is_none(), "that depends on a task: {policy}");
    }
    assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new());
}

#[tokio::test]
async fn decisions_are_filtered_and_pruned() {
    let (api, gov, alice) = governed().await;
    for tool in ["linter", "file_writer"] {
        api.ok_as(&alice, 200, judge(tool, &json!({}))).await;
    }
    api.ok_as(&alice, 200, post("/governance/resolve").json(json!({"task": "x"}))).await;
    for (query, expected) in [
        ("", 3),
        ("kind=verdict", 2),
        ("verdict=denied", 1),
        ("verdict=allowed", 1),
        ("user=alice", 3),
        ("user=gov", 0),
        ("denied_by=code-review", 1),
        ("denied_by=review", 0),
        ("tool=linter", 1),
        ("cause=forbidden", 1),
        ("cause=max_steps", 0),
        ("since=2026-01-01T00:00:00Z&until=2030-01-01T00:00:00Z", 3),
        ("until=2026-01-01T00:00:00Z", 0),
        ("limit=2", 2),
    ] {
        let found = api.ok_as(&gov, 200, get(&format!("/governance/decisions?{query}"))).await.json();
        assert_eq!(found["items"].as_array().unwrap().len(), expected, "{query}");
    }
    let reader = api.token(&api.app.caller("gov").await, &[TokenScope::Read]).await;
    let own = api.ok_as(&reader, 200, get("/governance/decisions")).await.json();
    assert_eq!(own["items"], json!([]), "reading all takes a token that reads the audit log");
    let prune = || post("/governance/decisions/prune").json(json!({"before": "2030-01-01T00:00:00Z"}));
    api.refused(prune().bearer(&alice), 403, "forbidden").await;
    assert_eq!(api.ok_as(&gov, 200, prune()).await.json(), json!({"removed": 3}));
    let verified = api.ok(200, get("/audit/verification")).await.json();
    assert_eq!((&verified["valid"], &verified["decisions"]), (&json!(true), &json!(0)), "{verified}");
}
