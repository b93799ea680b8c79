//! Sessions through the door.

use app::sessions::RecordingSettings;
use model::Role;
use serde_json::{Value, json};

use crate::api::{Api, delete, get, id, patch, post, put};

async fn begun(api: &Api, token: &str, request: Value) -> String {
    id(&api.ok_as(token, 201, post("/sessions").json(request)).await.json())
}

#[tokio::test]
async fn a_conversation_goes_in_and_comes_out() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let request = json!({"key": "c-1", "source": "claude-code"});
    let made = api.ok_as(&alice, 201, post("/sessions").json(request.clone())).await;
    let session = id(&made.json());
    assert_eq!(made.header("location"), format!("/api/v1/sessions/{session}"));
    assert_eq!(id(&api.ok_as(&alice, 200, post("/sessions").json(request)).await.json()), session);
    let path = |rest: &str| format!("/sessions/{session}{rest}");
    let skill = "019a0000-0000-7000-8000-000000000001";
    let artifact = json!({"type": "skill_used", "title": "Skill Used: Adder", "skill_id": skill,
        "metadata": {"skill_object_id": "/s/adder", "skill_name": "Adder"}});
    let entries = json!({"entries": [
        {"kind": "message", "role": "user", "text": "What is 2 + 2?"},
        {"kind": "tool_call", "tool": "execute", "call_id": "c1", "data": {"code": "2 + 2", "api_key": "sk-12345"}},
        {"kind": "tool_result", "tool": "execute", "call_id": "c1", "text": "4", "failed": true},
        {"kind": "artifact", "data": artifact},
    ]});
    let after = api.ok_as(&alice, 200, post(&path("/entries")).json(entries)).await.json();
    assert_eq!((&after["entry_count"], &after["title"]), (&json!(4), &json!("What is 2 + 2?")));
    assert_eq!(after["active_skills"], json!([{"id": skill, "object_id": "/s/adder", "name": "Adder"}]));
    let page = api.ok_as(&alice, 200, get(&path("/entries?limit=3"))).await.json();
    assert_eq!(page["items"][1]["data"], json!({"code": "2 + 2", "api_key": "[redacted]"}));
    assert_eq!(page["items"][2]["failed"], json!(true));
    let next = path(&format!("/entries?cursor={}", page["next_cursor"].as_str().unwrap()));
    let page = api.ok_as(&alice, 200, get(&next)).await.json();
    assert_eq!((&page["items"][0]["number"], &page["items"][0]["data"]), (&json!(4), &artifact));
    let todos = json!({"todos": [{"id": "1", "content": "Answer", "status": "in_progress"}]});
    assert_eq!(api.ok_as(&alice, 200, put(&path("/todos")).json(&todos)).await.json(), todos);
    assert_eq!(api.ok_as(&alice, 200, get(&path("/todos"))).await.json(), todos);
    let done = json!({"outcome": "succeeded", "reason": "it is 4"});
    let done = api.ok_as(&alice, 200, post(&path("/complete")).json(done)).await.json();
    assert_eq!((&done["outcome"], &done["outcome_reason"]), (&json!("succeeded"), &json!("it is 4")));
    assert_eq!(api.ok_as(&alice, 200, get(&path(""))).await.json(), done);
    let listed = api.ok_as(&alice, 200, get("/sessions?outcome=succeeded&open=false")).await.json();
    assert_eq!(id(&listed["items"][0]), session);
    assert_eq!(listed["items"][0].get("todos"), None);
    let more = json!({"entries": [{"kind": "message", "role": "user", "text": "x"}]});
    api.refused(post(&path("/entries")).json(more).bearer(&alice), 409, "session_completed").await;
    api.ok_as(&alice, 204, delete(&path(""))).await;
    api.refused(get(&path("")).bearer(&alice), 404, "not_found").await;
}

#[tokio::test]
async fn another_s_session_is_read_by_reviewers_and_not_there_for_others() {
    let api = Api::new().await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    let rita = api.user("rita", &[Role::Reviewer]).await;
    let session = begun(&api, &alice, json!({})).await;
    let path = format!("/sessions/{session}");
    api.refused(get(&path).bearer(&bob), 404, "not_found").await;
    api.refused(delete(&path).bearer(&bob), 404, "not_found").await;
    api.ok_as(&rita, 200, get(&path)).await;
    api.refused(patch(&path).json(json!({"title": "T"})).bearer(&rita), 403, "forbidden").await;
    api.refused(delete(&path).bearer(&rita), 403, "forbidden").await;
    let listed = api.ok_as(&rita, 200, get("/sessions?user=alice")).await.json();
    assert_eq!(id(&listed["items"][0]), session);
    api.ok(204, delete(&path)).await;
}

#[tokio::test]
async fn a_title_changes_only_at_the_version_that_was_read() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let path = format!("/sessions/{}", begun(&api, &alice, json!({"title": "One"})).await);
    let tag = api.ok_as(&alice, 200, get(&path)).await.header("etag");
    let two = || patch(&path).json(json!({"title": "Two"})).header("if-match", &tag);
    assert_eq!(api.ok_as(&alice, 200, two()).await.json()["title"], "Two");
    api.refused(two().bearer(&alice), 412, "precondition_failed").await;
}

#[tokio::test]
async fn where_nothing_is_recorded_entries_are_refused_and_todos_kept() {
    let mut app = testkit::TestApp::new().await;
    app.cx = app.cx.clone().with_recording(RecordingSettings { record: false, history_days: 1 });
    let api = Api::of(app).await;
    let token = api.user("alice", &[]).await;
    let path = format!("/sessions/{}", begun(&api, &token, json!({})).await);
    let entries = json!({"entries": [{"kind": "message", "role": "user", "text": "x"}]});
    api.refused(post(&format!("{path}/entries")).json(entries).bearer(&token), 409, "recording_off").await;
    let todos = json!({"todos": [{"id": "1", "content": "a", "status": "pending"}]});
    api.ok_as(&token, 200, put(&format!("{path}/todos")).json(todos)).await;
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let api = Api::new().await;
    let token = api.user("alice", &[]).await;
    let path = format!("/sessions/{}", begun(&api, &token, json!({})).await);
    let entry = |entry: Value| post(&format!("{path}/entries")).json(json!({"entries": [entry]}));
    let todos = |todos: Value| put(&format!("{path}/todos")).json(json!({"todos": todos}));
    let todo = json!({"id": "1", "content": "a", "status": "pending"});
    for ask in [
        post("/sessions").json(json!({"key": ""})),
        post("/sessions").json(json!({"title": "x".repeat(201)})),
        post("/sessions").json(json!({"name": "x"})),
        entry(json!({"kind": "message", "text": "x"})),
        entry(json!({"kind": "tool_call", "text": "x"})),
        entry(json!({"kind": "thought", "text": "x"})),
        post(&format!("{path}/entries")).json(json!({"entries": []})),
        todos(json!([todo, todo])),
        todos(json!([{"id": "1", "content": "", "status": "pending"}])),
        todos(json!([{"id": "1", "content": "a", "status": "soon"}])),
        post(&format!("{path}/complete")).json(json!({"outcome": "good"})),
        get("/sessions?outcome=good"),
        get("/sessions?since=yesterday"),
    ] {
        api.refused(ask.bearer(&token), 400, "invalid_request").await;
    }
    api.refused(get("/sessions/x").bearer(&token), 404, "not_found").await;
}
