//! Requests about policies and decisions that are refused, for the table of bad input.

use serde_json::{Value, json};

use crate::api::{get, post};
use crate::bad_input::Case;

/// Requests about a governed run that is over, and others.
pub(crate) fn cases(over: &str) -> Vec<Case> {
    let judge = |extra: Value| {
        let mut body = json!({"tool": "ls"});
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        post("/governance/judge").json(body)
    };
    let bad = |name, ask| (name, ask, 400, "invalid_request");
    let nobody = "/governance/decisions/00000000-0000-7000-8000-000000000000";
    let list = |query: &str| get(&format!("/governance/decisions?{query}"));
    vec![
        (
            "a call in a run that is over",
            post(&format!("/governance/runs/{over}/judge")).json(json!({"tool": "ls"})),
            409,
            "run_finished",
        ),
        bad("a call without a tool", post("/governance/judge").json(json!({}))),
        bad("a tool without a name", judge(json!({"tool": " "}))),
        bad("a tool with a long name", judge(json!({"tool": "x".repeat(257)}))),
        bad("arguments as a list", judge(json!({"arguments": []}))),
        bad("a context as a text", judge(json!({"context": "x"}))),
        bad("steps below zero", judge(json!({"usage": {"steps": -1}}))),
        bad("a time that no run takes", judge(json!({"usage": {"elapsed_ms": u64::MAX}}))),
        bad("a time just too long", judge(json!({"usage": {"elapsed_ms": 1_000_000_000_001_u64}}))),
        bad("an unknown field of a call", judge(json!({"args": {}}))),
        ("an agent that is not there", judge(json!({"agent": "nobody"})), 404, "not_found"),
        bad("a session without a name", post("/governance/runs").json(json!({"session": ""}))),
        bad(
            "a long outcome",
            post(&format!("/governance/runs/{over}/finish")).json(json!({"outcome": "x".repeat(101)})),
        ),
        ("a run that is none", get("/governance/runs/x"), 404, "not_found"),
        ("a decision that is none", get("/governance/decisions/x"), 404, "not_found"),
        ("a decision that is not there", get(nobody), 404, "not_found"),
        bad("an unknown kind", list("kind=thought")),
        bad("an unknown verdict", list("verdict=maybe")),
        bad("an unknown cause", list("cause=mood")),
        bad("a policy's id with letters it cannot have", list("denied_by=%25")),
        bad("no moment", list("since=yesterday")),
        ("a cursor that is none", list("cursor=x"), 400, "invalid_cursor"),
        bad("a page that is too long", list("limit=201")),
        bad("an unknown filter", list("who=me")),
        bad("pruning without a moment", post("/governance/decisions/prune").json(json!({}))),
    ]
}
