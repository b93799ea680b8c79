//! An agent whose procedural memory is off, or was never set up: as if none of it existed.

use model::{ProceduralMemory, TokenScope};
use serde_json::{Value, json};

use crate::world::{Host, World};

async fn off(world: &World) -> Host {
    let agent = world.app.agent("plain").await;
    let admin = world.app.admin().await;
    world.app.skill(&admin, "greet").await;
    let token = world.token(&admin, Some(agent.id), &[TokenScope::Read, TokenScope::Write]).await;
    Host { mcp: world.mcp.clone(), token, query: "" }
}

#[tokio::test]
async fn nothing_it_is_offered_has_a_word_of_skills() {
    let world = World::new().await;
    let host = off(&world).await;
    let discovered = host.result("server/discover", json!({})).await;
    assert_eq!(
        discovered["capabilities"].as_object().unwrap().keys().collect::<Vec<_>>(),
        ["tools"],
        "{discovered}"
    );
    let tools = host.result("tools/list", json!({})).await;
    for told in [&discovered, &tools] {
        assert!(!told.to_string().to_lowercase().contains("skill"), "{told}");
    }
    let properties = tools["tools"][0]["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["prompt", "file_names", "session_id"]);
}

#[tokio::test]
async fn whatever_it_says_of_skills_is_not_even_looked_at() {
    let world = World::new().await;
    let host = off(&world).await;
    let odd = json!({"prompt": "", "operation": 5, "skill_name": ["x"], "skill_parameters": "none"});
    let plain = host.call("code_interpreter", json!({"prompt": ""})).await;
    assert_eq!(host.call("code_interpreter", odd).await["content"], plain["content"]);
}

#[tokio::test]
async fn what_shows_skills_is_not_there() {
    let world = World::new().await;
    let host = off(&world).await;
    let uri = json!({"uri": "skill://greet/SKILL.md"});
    for (method, params) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", uri.clone()),
        ("prompts/list", json!({})),
        ("prompts/get", json!({"name": "greet"})),
        ("skills/list", json!({})),
        ("skills/get", uri.clone()),
        ("resources/directory/read", uri),
        (
            "completion/complete",
            json!({
                "ref": {"type": "ref/resource", "uri": "skill://{name}/{+path}"},
                "argument": {"name": "name", "value": "g"},
            }),
        ),
    ] {
        assert_eq!(host.error(method, params).await["code"], json!(-32601), "{method}");
    }
    for tool in ["search", "register_skill", "load_functions", "read_skill", "propose_skill"] {
        let error = host.error("tools/call", json!({"name": tool, "arguments": {}})).await;
        assert_eq!(error["code"], json!(-32602), "{tool}");
    }
}

#[tokio::test]
async fn toolsets_of_memory_keep_only_what_has_nothing_to_do_with_skills() {
    let world = World::new().await;
    let host = Host { query: "?toolsets=memory,learning", ..off(&world).await };
    assert_eq!(host.tools().await, ["execute_code", "write_todos"]);
    let told = host.result("tools/list", json!({})).await.to_string();
    assert!(!told.contains("skill") && !told.contains("function"), "{told}");
}

#[tokio::test]
async fn settings_that_are_there_and_off_are_off_too() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let agent = world.app.agent_with("switched", ProceduralMemory::default()).await;
    let spec = app::agents::AgentSpec {
        procedural_memory: Some(ProceduralMemory { enabled: false, ..ProceduralMemory::default() }),
        ..app::agents::AgentSpec::new(agent.name.clone())
    };
    app::agents::update(&world.app.cx, &admin, agent.id, spec, None).await.unwrap();
    let token = world.token(&admin, Some(agent.id), &[TokenScope::Read, TokenScope::Write]).await;
    let host = Host { mcp: world.mcp.clone(), token, query: "" };
    let tools: Value = host.result("tools/list", json!({})).await;
    assert!(!tools.to_string().contains("skill"), "{tools}");
}

#[tokio::test]
async fn executing_is_spoken_of_only_where_a_tool_executes() {
    let world = World::new().await;
    let off = off(&world).await;
    for (query, executes) in
        [("", true), ("?toolsets=memory", true), ("?toolsets=library", false), ("?toolsets=learning", false)]
    {
        let discovered = Host { query, ..off.clone() }.result("server/discover", json!({})).await;
        let instructions = discovered["instructions"].as_str().unwrap();
        assert_eq!(instructions.contains("Executes Python"), executes, "{query}: {instructions}");
    }
}
