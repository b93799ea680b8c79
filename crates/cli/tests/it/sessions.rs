//! Sessions on the command line, and across restarts of the server.

use serde_json::json;

use crate::api::Api;
use crate::world::{Server, World};

#[tokio::test]
async fn a_session_with_its_tasks_survives_a_restart_and_is_read_by_people() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let api = Api::new(&world, &server);
    let made = api.post("/api/v1/sessions", &json!({"source": "claude-code"})).await.expect(201);
    let id = made["id"].as_str().unwrap();
    let artifact = json!({"type": "skill_used", "title": "Skill Used: adder",
        "metadata": {"skill_object_id": "/s/adder", "skill_name": "adder"}});
    let entries = json!({"entries": [
        {"kind": "message", "role": "user", "text": "What is 2 + 2?\u{1b}[2J"},
        {"kind": "tool_call", "tool": "execute", "call_id": "c1", "data": {"code": "2 + 2"}},
        {"kind": "tool_result", "tool": "execute", "call_id": "c1", "text": "no\nresult", "failed": true},
        {"kind": "artifact", "data": artifact},
    ]});
    api.post(&format!("/api/v1/sessions/{id}/entries"), &entries).await.expect(200);
    let todos = json!({"todos": [
        {"id": "1", "content": "Read the question", "status": "completed"},
        {"id": "2", "content": "Answer it", "status": "in_progress"},
        {"id": "3", "content": "Rest", "status": "pending"},
    ]});
    api.put(&format!("/api/v1/sessions/{id}/todos"), &todos).await.expect(200);
    server.stop();
    let server = Server::start(&world, &[]);
    let api = Api::new(&world, &server);
    assert_eq!(api.get(&format!("/api/v1/sessions/{id}/todos")).await.expect(200), todos);
    assert_eq!(
        world.ok(&["session", "todos", id]).trim_end(),
        "[x] Read the question\n[>] Answer it\n[ ] Rest"
    );
    let shown = world.ok(&["session", "show", id]);
    for line in [
        "source    claude-code",
        "active    adder",
        "-> execute {\"code\":\"2 + 2\"}",
        "<- execute failed: no result",
        "** Skill Used: adder",
    ] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("What is 2 + 2?") && !shown.contains('\u{1b}'), "{shown}");
    assert!(world.ok(&["session", "show", id, "--limit", "1"]).contains("and 3 more"));
    assert_eq!(world.json(&["session", "show", id])["entries"].as_array().unwrap().len(), 4);
    assert!(world.ok(&["session", "list", "--open", "--since", "1h"]).contains(id));
    assert_eq!(world.ok(&["sessions", "ls", "--outcome", "failed"]).trim_end(), "no sessions");
    world.ok(&["session", "delete", id, "--yes"]);
    assert_eq!(world.run(&["session", "show", id]).code, 3);
    server.stop();
}
