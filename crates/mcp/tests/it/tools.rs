//! The tools: what they cost, what they look like, and what they answer.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::world::{Host, World};

#[tokio::test]
async fn the_usual_tools_cost_less_than_600_tokens() {
    let world = World::new().await;
    let host = world.agent_host("").await;
    let list = host.result("tools/list", json!({})).await;
    let tokens = app::search::count_tokens(&list["tools"].to_string());
    println!("the usual tools take {tokens} tokens");
    assert!(tokens < 600, "{tokens}");
    let all = Host { query: "?toolsets=interpreter,memory,library,learning", ..host.clone() };
    let list = all.result("tools/list", json!({})).await;
    println!("all tools take {} tokens", app::search::count_tokens(&list["tools"].to_string()));
    let discovered = all.result("server/discover", json!({})).await;
    let instructions = discovered["instructions"].as_str().unwrap();
    assert!(instructions.chars().count() < 2_048, "{}", instructions.len());
}

/// The list of tools as text, for people to read in a change.
#[tokio::test]
async fn the_tools_are_as_they_were_agreed_on() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=interpreter,memory,library,learning").await;
    let list = host.result("tools/list", json!({})).await;
    let mut text = String::new();
    for tool in list["tools"].as_array().unwrap() {
        let (name, description) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
        writeln!(text, "{name}: {description}").unwrap();
        writeln!(text, "  in  {}", tool["inputSchema"]).unwrap();
        writeln!(text, "  out {}", tool["outputSchema"]).unwrap();
        writeln!(text, "  {}", tool["annotations"]).unwrap();
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tools.txt");
    let known = std::fs::read_to_string(file).unwrap_or_default();
    if known != text {
        let seen = std::env::temp_dir().join("repertoire-tools.txt");
        std::fs::write(&seen, &text).unwrap();
        panic!("the tools changed; if that is wanted, copy {} to {file}", seen.display());
    }
}

#[tokio::test]
async fn both_eras_say_the_same_about_the_server() {
    let world = World::new().await;
    let host = world.agent_host("").await;
    let modern = host.result("server/discover", json!({})).await;
    let legacy = initialize(&host).await;
    for field in ["instructions", "capabilities"] {
        assert_eq!(modern[field], legacy[field], "{field}");
    }
    assert_eq!(legacy["protocolVersion"], "2025-06-18");
}

async fn initialize(host: &Host) -> Value {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
    });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let request = axum::http::Request::builder()
        .method("POST")
        .uri("/mcp")
        .header("host", "127.0.0.1")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("authorization", format!("Bearer {}", host.token))
        .body(axum::body::Body::from(body.to_string()))
        .unwrap();
    let mut stream = crate::world::Stream::new(host.send(request).await);
    stream.next().await["result"].clone()
}

fn library(host: &Host) -> Host {
    Host { query: "?toolsets=library", ..host.clone() }
}

#[tokio::test]
async fn a_skill_is_written_changed_switched_and_deleted() {
    let world = World::new().await;
    let host = library(&world.agent_host("").await);
    let new = json!({
        "name": "weekly-report", "title": "Weekly report", "description": "How the weekly report is written.",
        "content": "Use ISO dates.", "tags": ["reports"],
    });
    assert_eq!(host.done("create_skill", new.clone()).await, json!({"name": "weekly-report", "version": 1}));
    assert_eq!(host.refused("create_skill", new).await, "name_taken");
    let update = async |arguments: Value| {
        let mut arguments = arguments;
        arguments["name"] = json!("weekly-report");
        host.done("update_skill", arguments).await["version"].clone()
    };
    assert_eq!(update(json!({"operation": "append", "content": "Sign it."})).await, 2);
    assert_eq!(update(json!({"operation": "prepend", "content": "# Report"})).await, 3);
    assert_eq!(update(json!({"operation": "find_replace", "find": "ISO", "replace": "short"})).await, 4);
    assert_eq!(update(json!({"operation": "delete", "content": "Sign it."})).await, 5);
    assert_eq!(update(json!({"title": "Report of the week", "tags": ["weekly"]})).await, 6);
    let read = host.done("read_skill", json!({"name": "weekly_report"})).await;
    assert_eq!(read["title"], "Report of the week");
    assert_eq!(read["tags"], json!(["weekly"]));
    assert_eq!(read["source"], "agent");
    let content = read["content"].as_str().unwrap();
    assert!(content.starts_with("# Report") && content.contains("short dates") && !content.contains("Sign"));
    assert_eq!(host.done("load_skill", json!({"name": "weekly-report"})).await["content"], content);

    let absent =
        json!({"name": "weekly-report", "operation": "find_replace", "find": "zebra", "replace": ""});
    assert_eq!(host.refused("update_skill", absent).await, "text_not_found");
    for bad in [
        json!({"name": "weekly-report", "operation": "append"}),
        json!({"name": "weekly-report", "operation": "turn"}),
        json!({"name": "weekly-report", "content": "What now?"}),
        json!({"name": 7}),
        json!({}),
    ] {
        assert_eq!(host.refused("update_skill", bad.clone()).await, "invalid_request", "{bad}");
    }
    let off = host.done("disable_skill", json!({"name": "weekly-report"})).await;
    assert_eq!(off, json!({"name": "weekly-report", "enabled": false}));
    assert_eq!(host.done("list_skills", json!({})).await["skills"], json!([]));
    let with_disabled = host.done("list_skills", json!({"include_disabled": true})).await;
    assert_eq!(with_disabled["skills"][0]["enabled"], json!(false));
    assert_eq!(host.refused("read_skill", json!({"name": "weekly-report"})).await, "skill_disabled");
    host.done("enable_skill", json!({"name": "weekly-report"})).await;
    let tagged = host.done("list_skills", json!({"tag": "weekly"})).await;
    assert_eq!(tagged["skills"][0]["version"], 6);
    assert_eq!(host.done("delete_skill", json!({"name": "weekly-report"})).await["deleted"], json!(true));
    assert_eq!(host.done("delete_skill", json!({"name": "weekly-report"})).await["deleted"], json!(false));
    assert_eq!(host.refused("read_skill", json!({"name": "weekly-report"})).await, "not_found");
}

#[tokio::test]
async fn a_proposal_waits_and_says_so() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=learning").await;
    let proposal = json!({
        "name": "triage", "description": "How bugs are sorted.", "instructions": "Look at the log first.",
        "exampleQueries": ["sort these bugs"], "suggestedTools": ["search"],
    });
    let told = host.done("propose_skill", proposal).await;
    assert_eq!(told["success"], json!(true));
    assert_eq!(told["message"], "Skill proposal created. Awaiting user confirmation.");
    assert_eq!(told["uiAction"]["type"], "skill_proposal");
    assert_eq!(told["uiAction"]["skillId"], told["skillId"]);
    assert_eq!(told["artifacts"][0]["type"], "skill_proposal");
    let library = library(&host);
    assert_eq!(library.done("list_skills", json!({})).await["skills"], json!([]));
}

#[tokio::test]
async fn a_plan_is_kept_in_the_conversation() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=memory").await;
    let todos =
        json!({"todos": [{"content": "read"}, {"id": "w", "content": "write", "status": "in_progress"}]});
    let kept = host.done("write_todos", todos).await;
    assert_eq!(kept["todos"][0], json!({"id": "1", "content": "read", "status": "pending"}));
    assert_eq!(
        host.refused("write_todos", json!({"todos": [{"content": "x", "status": "soon"}]})).await,
        "invalid_request"
    );
    let admin = world.app.admin().await;
    let sessions =
        app::sessions::list(&world.app.cx, &admin, app::sessions::ListSessions::default()).await.unwrap();
    assert_eq!(sessions.items.len(), 1);
    assert_eq!(sessions.items[0].todos.len(), 2);
    assert_eq!(sessions.items[0].source.as_deref(), Some("mcp"));
    let id = sessions.items[0].id;
    let entries =
        app::sessions::entries(&world.app.cx, &admin, id, app::PageRequest::default()).await.unwrap();
    let tools: Vec<_> = entries.items.iter().filter_map(|entry| entry.tool.as_deref()).collect();
    assert_eq!(tools, ["write_todos"; 4]);
    assert!(entries.items[3].failed);
}

#[tokio::test]
async fn a_policy_in_force_denies_a_tool_with_its_reason() {
    let world = World::new().await;
    let governor = world.app.user("gov", &[model::Role::Admin, model::Role::PolicyAdmin]).await;
    let host = world.agent_host("?toolsets=memory,library").await;
    host.done("list_skills", json!({})).await;
    let forbids = |draft: &mut app::Draft| {
        draft.policy = Some(model::Policy {
            activation: model::Activation { always: true, ..model::Activation::default() },
            forbidden_tools: vec!["list_skills".to_owned()],
            ..model::Policy::default()
        });
    };
    let mut guard = testkit::app::spec_with("guard", forbids);
    guard.scope = Some(model::Scope::Workspace);
    world.app.put(&governor, guard).await;
    let denied = host.call("list_skills", json!({})).await;
    assert_eq!(denied["structuredContent"]["error"]["code"], "policy_denied");
    assert!(denied["content"][0]["text"].as_str().unwrap().contains("guard"), "{denied}");
    host.done("search", json!({"query": "anything"})).await;
}

#[tokio::test]
async fn null_is_what_was_left_out() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=library,interpreter").await;
    assert_eq!(
        host.done("list_skills", json!({"tag": null, "include_disabled": null})).await["skills"],
        json!([])
    );
    let refused =
        host.call("code_interpreter", json!({"prompt": null, "file_names": null, "operation": null})).await;
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("there is no `code`"), "{refused}");
}

#[tokio::test]
async fn a_conversation_without_a_name_is_none() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=memory").await;
    let params = json!({"name": "write_todos", "arguments": {"todos": [{"content": "read"}]}});
    let mut request = host.request("tools/call", params);
    request.headers_mut().insert("repertoire-conversation", axum::http::HeaderValue::from_static(""));
    let answer = crate::world::read(host.send(request).await).await;
    assert_eq!(answer.body["result"]["isError"], json!(false), "{answer:?}");
}

#[tokio::test]
async fn a_proposal_is_shown_in_its_session() {
    let world = World::new().await;
    let host = world.agent_host("?toolsets=learning").await;
    let proposal =
        json!({"name": "triage", "description": "How bugs are sorted.", "instructions": "Look first."});
    host.done("propose_skill", proposal).await;
    let admin = world.app.admin().await;
    let sessions =
        app::sessions::list(&world.app.cx, &admin, app::sessions::ListSessions::default()).await.unwrap();
    let proposed = sessions.items[0].proposed_skills.iter().map(|skill| skill.name.as_str());
    assert_eq!(proposed.collect::<Vec<_>>(), ["triage"]);
}
