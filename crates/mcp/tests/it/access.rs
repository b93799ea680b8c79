//! Who is let in, and that every tool asks whether the caller may.

use axum::body::Body;
use axum::http::{Request, StatusCode};
use model::{Role, TokenScope};
use serde_json::json;
use tower::ServiceExt as _;

use crate::world::{Host, World, read};

#[tokio::test]
async fn nobody_is_let_in_without_a_token_that_counts() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    let host = world.host(&admin).await;
    for (token, why) in [("rpt_wrong", "unknown"), ("", "empty")] {
        let stranger = Host { token: token.to_owned(), ..host.clone() };
        let answer = stranger.ask("tools/list", json!({})).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{why}");
        let challenge = answer.headers["www-authenticate"].to_str().unwrap();
        assert!(challenge.starts_with("Bearer resource_metadata=\"http://127.0.0.1:7400/"), "{challenge}");
    }
    let bare = Request::builder().method("POST").uri("/mcp").body(Body::from("{}")).unwrap();
    assert_eq!(world.mcp.router().oneshot(bare).await.unwrap().status(), StatusCode::UNAUTHORIZED);
    assert_eq!(host.ask("tools/list", json!({})).await.status, StatusCode::OK);
}

#[tokio::test]
async fn hosts_are_told_how_to_be_let_in() {
    let world = World::new().await;
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let request = Request::builder().uri(path).body(Body::empty()).unwrap();
        let answer = read(world.mcp.router().oneshot(request).await.unwrap()).await;
        assert_eq!(answer.body["resource"], "http://127.0.0.1:7400/mcp");
        assert_eq!(answer.body["bearer_methods_supported"], json!(["header"]));
    }
}

#[tokio::test]
async fn an_address_that_makes_no_sense_is_refused_with_words() {
    let world = World::new().await;
    let host = world.host(&world.app.admin().await).await;
    for (query, status) in [
        ("?toolsets=everything", StatusCode::BAD_REQUEST),
        ("?agent=%20", StatusCode::BAD_REQUEST),
        ("?agent=nobody", StatusCode::NOT_FOUND),
        ("?workspace=elsewhere", StatusCode::NOT_FOUND),
    ] {
        let answer = Host { query, ..host.clone() }.ask("tools/list", json!({})).await;
        assert_eq!(answer.status, status, "{query}: {answer:?}");
        assert!(answer.body["error_description"].as_str().is_some_and(|words| !words.is_empty()), "{query}");
    }
}

#[tokio::test]
async fn a_token_of_one_agent_does_not_speak_for_another() {
    let world = World::new().await;
    let host = world.agent_host("?agent=other").await;
    world.app.agent("other").await;
    assert_eq!(host.ask("tools/list", json!({})).await.status, StatusCode::NOT_FOUND);
}

/// What each tool does with a token that may only read.
const CASES: &[(&str, &str, bool)] = &[
    ("code_interpreter", r#"{"prompt": "print(1)"}"#, false),
    ("execute_code", r#"{"code": "print(1)"}"#, false),
    ("search", r#"{"query": "greet someone"}"#, true),
    ("load_functions", r#"{"names": ["greet"]}"#, true),
    ("register_skill", r#"{"name": "one", "description": "One.", "code": "print(1)"}"#, false),
    ("write_todos", r#"{"todos": [{"content": "one"}]}"#, true),
    ("list_skills", "{}", true),
    ("read_skill", r#"{"name": "greet"}"#, true),
    ("create_skill", r#"{"name": "new", "title": "New", "description": "New.", "content": "New."}"#, false),
    ("update_skill", r#"{"name": "greet", "title": "Other"}"#, false),
    ("delete_skill", r#"{"name": "greet"}"#, false),
    ("enable_skill", r#"{"name": "greet"}"#, false),
    ("disable_skill", r#"{"name": "greet"}"#, false),
    ("propose_skill", r#"{"name": "p", "description": "P.", "instructions": "P."}"#, false),
    ("record_feedback", r#"{"name": "greet", "helpful": true}"#, false),
];

#[tokio::test]
async fn every_tool_asks_whether_the_caller_may() {
    let world = World::new().await;
    let admin = world.app.admin().await;
    world.app.skill(&admin, "greet").await;
    let member = world.app.user("mia@example.com", &[Role::Member]).await;
    let token = world.token(&member, None, &[TokenScope::Read]).await;
    let query = "?toolsets=interpreter,memory,library,learning";
    let host = Host { mcp: world.mcp.clone(), token, query };
    let tools = host.tools().await;
    let known: Vec<_> = CASES.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(tools, known, "each tool has its case");
    for (tool, arguments, may) in CASES {
        let arguments = serde_json::from_str(arguments).unwrap();
        let result = host.call(tool, arguments).await;
        assert_eq!(result["isError"], json!(!may), "{tool}: {result}");
        if !may {
            assert_eq!(result["structuredContent"]["error"]["code"], "token_scope", "{tool}: {result}");
        }
    }
}

#[tokio::test]
async fn what_is_another_persons_is_not_there() {
    let world = World::new().await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let tom = world.app.user("tom@example.com", &[Role::Member]).await;
    let (mias, toms) = (world.host(&mia).await, world.host(&tom).await);
    let library = |host: &Host| Host { query: "?toolsets=library", ..host.clone() };
    let new = json!({"name": "secret", "title": "Secret", "description": "Of Mia.", "content": "Hush."});
    library(&mias).done("create_skill", new).await;
    let uri = json!({"uri": "skill://secret/SKILL.md"});
    assert!(mias.result("resources/read", uri.clone()).await["contents"][0]["text"].as_str().is_some());
    assert_eq!(toms.result("resources/list", json!({})).await["resources"], json!([]));
    assert_eq!(toms.result("prompts/list", json!({})).await["prompts"], json!([]));
    assert_eq!(toms.result("skills/list", json!({})).await["skills"], json!([]));
    assert_eq!(toms.error("resources/read", uri.clone()).await["code"], json!(-32602));
    assert_eq!(toms.error("skills/get", uri.clone()).await["code"], json!(-32602));
    let folder = json!({"uri": "skill://secret"});
    assert_eq!(toms.error("resources/directory/read", folder).await["code"], json!(-32602));
    assert_eq!(toms.error("prompts/get", json!({"name": "secret"})).await["code"], json!(-32602));
    let completing = json!({
        "ref": {"type": "ref/resource", "uri": "skill://{name}/{+path}"},
        "argument": {"name": "name", "value": "se"},
    });
    let values = |host: Host, asked| async move {
        host.result("completion/complete", asked).await["completion"]["values"].clone()
    };
    assert_eq!(values(toms.clone(), completing.clone()).await, json!([]));
    assert_eq!(values(mias, completing).await, json!(["secret"]));
    assert_eq!(library(&toms).refused("read_skill", json!({"name": "secret"})).await, "not_found");
    assert_eq!(library(&toms).done("list_skills", json!({})).await["skills"], json!([]));
}
