//! Finding skills by plain words, through the door.

use model::{Role, TokenScope};
use serde_json::{Value, json};

use crate::api::{Api, delete, get, id, patch, post};

/// The names that were found, best first.
fn names(found: &Value) -> Vec<&str> {
    let items = found["items"].as_array().unwrap();
    items.iter().map(|item| item["skill"]["name"].as_str().unwrap()).collect()
}

fn sorted(found: &Value) -> Vec<&str> {
    let mut names = names(found);
    names.sort_unstable();
    names
}

/// A search for something, without a gate, with more fields.
fn everything(more: Value) -> crate::api::Ask {
    let mut body = json!({"query": "compound interest of a loan", "min_similarity": 0});
    let Value::Object(more) = more else { panic!("fields are an object") };
    body.as_object_mut().unwrap().extend(more);
    post("/skills/search").json(body)
}

async fn put(api: &Api, token: &str, name: &str, more: Value) -> Value {
    let mut body = json!({"name": name, "description": format!("Does {name} for you.")});
    let Value::Object(more) = more else { panic!("fields are an object") };
    body.as_object_mut().unwrap().extend(more);
    api.ok_as(token, 201, post("/skills").json(body)).await.json()["skill"].clone()
}

fn interest() -> Value {
    json!({"description": "Calculates compound interest on a principal over years.", "tags": ["finance"],
        "example_prompts": ["How much interest do I get on 1000 euros after ten years?"],
        "instructions": "Apply the formula for interest calculation."})
}

#[tokio::test]
async fn interest_calculation_finds_it_and_image_processing_finds_none() {
    let api = Api::new().await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    put(&api, &alice, "compound-interest", interest()).await;
    let ask = |query: &str| post("/skills/search").json(json!({"query": query}));
    let found = api.ok_as(&alice, 200, ask("interest calculation")).await.json();
    assert_eq!(names(&found), ["compound-interest"], "{found}");
    let item = &found["items"][0];
    let similarity = item["similarity"].as_f64().unwrap();
    assert!((0.7..=1.0).contains(&similarity), "{found}");
    assert_eq!(item["reaches_threshold"], similarity >= 0.8);
    assert!(item["why"].as_str().unwrap().contains("interest"), "{found}");
    assert_eq!((&found["message"], &found["notice"]), (&Value::Null, &Value::Null));

    let none = api.ok_as(&alice, 200, ask("image processing")).await.json();
    assert_eq!(none["items"], json!([]), "{none}");
    assert_eq!(none["message"], "No skill reaches a similarity of 0.7.");
    let other = api.ok_as(&bob, 200, ask("interest calculation")).await.json();
    assert_eq!(other["items"], json!([]), "{other}");
}

#[tokio::test]
async fn what_speaks_for_a_skill_is_told_in_numbers_on_request() {
    let api = Api::new().await;
    put(&api, &api.admin, "compound-interest", interest()).await;
    let query = json!({"query": "interest for a zeppelin"});
    let found = api.ok(200, everything(query.clone())).await.json();
    let breakdown = &found["items"][0]["breakdown"];
    let words = breakdown["words"].as_array().unwrap();
    let fields = words.iter().find(|word| word["word"] == "interest").map(|word| &word["fields"]);
    let fields = fields.unwrap().as_array().unwrap();
    for field in ["name", "description", "example_prompts", "instructions"] {
        assert!(fields.contains(&json!(field)), "{found}");
    }
    assert!(breakdown["missing"].as_array().unwrap().contains(&json!("zeppelin")), "{found}");
    for number in ["lexical", "covered", "cosine"] {
        assert!(breakdown[number].as_f64().is_some_and(|number| (-1.0..=1.0).contains(&number)), "{found}");
    }
    assert_eq!(breakdown["example"]["prompt"], interest()["example_prompts"][0]);
    let mut brief = query;
    brief["explain"] = json!(false);
    let brief = api.ok(200, everything(brief)).await.json();
    assert_eq!(brief["items"][0].get("breakdown"), None);
    assert_eq!(brief["items"][0]["similarity"], found["items"][0]["similarity"]);
}

#[tokio::test]
async fn each_filter_narrows() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    api.agent(json!({"name": "bot"})).await;
    put(&api, &api.admin, "tagged", json!({"tags": ["a", "b"]})).await;
    put(&api, &api.admin, "half-tagged", json!({"tags": ["a"]})).await;
    put(&api, &api.admin, "connected", json!({"origin": "connector"})).await;
    put(&api, &api.admin, "of-bot", json!({"scope": "agent", "agent": "bot"})).await;
    put(&api, &alice, "of-alice", json!({})).await;
    put(&api, &alice, "of-both", json!({"scope": "agent_user", "agent": "bot"})).await;
    put(&api, &api.admin, "draft", json!({"draft": true})).await;
    put(&api, &api.admin, "off", json!({"enabled": false})).await;
    api.adder(json!({})).await;
    let table = [
        (json!({"tags": ["a"]}), vec!["half-tagged", "tagged"]),
        (json!({"tags": ["b", "a"]}), vec!["tagged"]),
        (json!({"tags": ["c"]}), vec![]),
        (json!({"origin": "connector"}), vec!["connected"]),
        (json!({"scope": "user"}), vec!["of-alice"]),
        (json!({"scope": "agent_user"}), vec!["of-both"]),
        (json!({"agent": "bot"}), vec!["of-bot", "of-both"]),
        (json!({"agent": "bot", "scope": "agent"}), vec!["of-bot"]),
        (json!({"user": "alice"}), vec!["of-alice", "of-both"]),
        (json!({"status": "draft"}), vec!["draft"]),
        (json!({"enabled": false}), vec!["off"]),
        (json!({"facets": ["procedure"]}), vec!["adder"]),
        (json!({"facets": ["procedure", "policy"]}), vec![]),
        (json!({"tags": ["a"], "origin": "connector"}), vec![]),
    ];
    for (filter, wanted) in table {
        let found = api.ok(200, everything(filter.clone())).await.json();
        assert_eq!(sorted(&found), wanted, "{filter}");
    }
    // Without a filter it is what one would get by name; `nearest: false` is all there is.
    let usual = api.ok(200, everything(json!({}))).await.json();
    assert_eq!(sorted(&usual), ["adder", "connected", "half-tagged", "tagged"]);
    let all = api.ok(200, everything(json!({"nearest": false}))).await.json();
    assert_eq!(all["items"].as_array().unwrap().len(), 9);
    let placed = api.ok(200, everything(json!({"as_agent": "bot"}))).await.json();
    assert_eq!(sorted(&placed), ["adder", "connected", "half-tagged", "of-bot", "tagged"]);
    let two = api.ok(200, everything(json!({"nearest": false, "limit": 2}))).await.json();
    assert_eq!(names(&two), names(&all)[..2]);
}

#[tokio::test]
async fn nobody_finds_or_counts_what_is_another_s() {
    let api = Api::new().await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    for agent in ["one", "two"] {
        api.agent(json!({"name": agent})).await;
    }
    put(&api, &api.admin, "everybodys", json!({})).await;
    put(&api, &alice, "alices", json!({})).await;
    put(&api, &bob, "bobs", json!({})).await;
    let before = api.ok_as(&bob, 200, everything(json!({}))).await.json();
    assert_eq!(sorted(&before), ["bobs", "everybodys"]);
    put(&api, &alice, "compound-interest", interest()).await;
    put(&api, &alice, "alices-on-one", json!({"scope": "agent_user", "agent": "one"})).await;
    put(&api, &api.admin, "ones", json!({"scope": "agent", "agent": "one"})).await;
    let there = api.app.workspace("other").await;
    let olga = api.app.user_in(&there, "olga", Role::ALL).await;
    let olga = api.token(&olga, TokenScope::ALL).await;
    put(&api, &olga, "olgas", interest()).await;

    let alone = api.ok_as(&bob, 200, everything(json!({"nearest": false}))).await.json();
    assert_eq!(sorted(&alone), ["bobs", "everybodys", "ones"]);
    let seen = api.ok_as(&alice, 200, everything(json!({"nearest": false}))).await.json();
    assert_eq!(sorted(&seen), ["alices", "alices-on-one", "compound-interest", "everybodys", "ones"]);
    let placed = |agent: &str| everything(json!({})).header("repertoire-agent", agent);
    let one = api.ok_as(&alice, 200, placed("one")).await.json();
    assert_eq!(sorted(&one), ["alices", "alices-on-one", "compound-interest", "everybodys", "ones"]);
    let two = api.ok_as(&alice, 200, placed("two")).await.json();
    assert_eq!(sorted(&two), ["alices", "compound-interest", "everybodys"]);
    assert_eq!(sorted(&api.ok_as(&olga, 200, everything(json!({"nearest": false}))).await.json()), ["olgas"]);

    // What others have moves no number.
    assert_eq!(api.ok_as(&bob, 200, everything(json!({}))).await.json(), before);
    let status = async |token: &str| api.ok_as(token, 200, get("/search/status")).await.json();
    let of_bob = status(&bob).await;
    assert_eq!(
        (&of_bob["skills"], &of_bob["waiting"], &of_bob["bytes"]),
        (&json!(3), &Value::Null, &Value::Null)
    );
    let of_admin = status(&api.admin).await;
    assert_eq!((&of_admin["skills"], &of_admin["waiting"]), (&json!(6), &json!(0)));
    assert_eq!((&of_admin["embedder"], &of_admin["refused"]), (&json!("built-in"), &json!(0)));
    assert_eq!((&of_bob["refused"], &of_bob["failure"]), (&Value::Null, &Value::Null));
    assert_eq!(status(&olga).await["skills"], 1);
}

#[tokio::test]
async fn the_nearest_of_a_name_hides_the_others_even_if_it_fits_worse() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let far = put(&api, &api.admin, "calculator", interest()).await;
    let near =
        put(&api, &alice, "calculator", json!({"description": "Bakes bread.", "tags": ["bread"]})).await;
    let found = api.ok_as(&alice, 200, everything(json!({}))).await.json();
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    assert_eq!(found["items"][0]["skill"]["id"], near["id"]);
    let gated = api.ok_as(&alice, 200, everything(json!({"min_similarity": 0.7}))).await.json();
    assert_eq!(gated["items"], json!([]), "the farther one is not what the name means to her: {gated}");
    let filtered = api.ok_as(&alice, 200, everything(json!({"tags": ["finance"]}))).await.json();
    assert_eq!(filtered["items"], json!([]));
    let both = api.ok_as(&alice, 200, everything(json!({"nearest": false}))).await.json();
    assert_eq!(both["items"][0]["skill"]["id"], far["id"], "{both}");
    assert_eq!(both["items"][1]["skill"]["id"], near["id"]);
    let off = format!("/skills/{}/disable", id(&near));
    api.ok_as(&alice, 200, post(&off)).await;
    let found = api.ok_as(&alice, 200, everything(json!({}))).await.json();
    assert_eq!(found["items"][0]["skill"]["id"], far["id"], "what is off hides nothing");
}

#[tokio::test]
async fn every_write_is_found_by_the_next_search() {
    let api = Api::new().await;
    api.ok(200, patch("/workspace").json(json!({"undelete_window_hours": 24}))).await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    let found = async |token: &str, more: Value| {
        let found = api.ok_as(token, 200, everything(more)).await.json();
        names(&found).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(found(&alice, json!({})).await.is_empty());
    let skill = put(&api, &alice, "loan", interest()).await;
    let path = format!("/skills/{}", id(&skill));
    assert_eq!(found(&alice, json!({})).await, ["loan"]);
    let marked = json!({"description": "Counts zeppelins.", "tags": ["air"]});
    api.ok_as(&alice, 200, patch(&path).json(marked)).await;
    assert_eq!(found(&alice, json!({"tags": ["air"]})).await, ["loan"]);
    assert!(found(&alice, json!({"tags": ["finance"]})).await.is_empty());
    let zeppelins = api.ok_as(&alice, 200, everything(json!({"query": "zeppelin"}))).await.json();
    assert_eq!(zeppelins["items"][0]["breakdown"]["words"][0]["word"], "zeppelin");
    api.ok_as(&alice, 200, patch(&path).json(json!({"name": "renamed"}))).await;
    assert_eq!(found(&alice, json!({})).await, ["renamed"]);
    api.ok_as(&alice, 200, post(&format!("{path}/disable"))).await;
    assert!(found(&alice, json!({})).await.is_empty());
    api.ok_as(&alice, 200, post(&format!("{path}/enable"))).await;
    assert_eq!(found(&alice, json!({})).await, ["renamed"]);
    api.ok_as(&alice, 200, post(&format!("{path}/promote")).json(json!({"to": "workspace"}))).await;
    assert!(found(&bob, json!({})).await.is_empty(), "it waits");
    api.ok(200, post(&format!("{path}/approve"))).await;
    assert_eq!(found(&bob, json!({})).await, ["renamed"]);
    api.ok(200, post(&format!("{path}/archive"))).await;
    assert!(found(&bob, json!({})).await.is_empty());
    assert_eq!(found(&bob, json!({"status": "archived"})).await, ["renamed"]);
    api.ok(200, post(&format!("{path}/reopen"))).await;
    api.ok(200, post(&format!("{path}/approve"))).await;
    assert_eq!(found(&bob, json!({})).await, ["renamed"]);
    api.ok(200, delete(&path)).await;
    assert!(found(&bob, json!({"nearest": false})).await.is_empty());
    assert!(found(&api.admin, json!({"nearest": false})).await.is_empty());
    api.ok(200, post(&format!("{path}/undelete"))).await;
    assert_eq!(found(&bob, json!({})).await, ["renamed"]);
    api.ok(200, post(&format!("{path}/restore")).json(json!({"revision": "1"}))).await;
    assert_eq!(found(&bob, json!({"tags": ["finance"]})).await.len(), 1);
    let pending = put(&api, &alice, "pending", json!({"scope": "workspace"})).await;
    assert_eq!(pending["status"], "pending_approval");
    assert!(!found(&alice, json!({})).await.contains(&"pending".to_owned()));
    assert_eq!(found(&alice, json!({"status": "pending_approval"})).await, ["pending"]);
}

#[tokio::test]
async fn the_gate_is_the_request_s_then_the_agent_s_then_0_7() {
    let api = Api::new().await;
    let memory = json!({"enabled": true, "skill_search_threshold": 0.9});
    api.agent(json!({"name": "careful", "procedural_memory": memory})).await;
    let memory = json!({"enabled": false, "skill_search_threshold": 0.9});
    api.agent(json!({"name": "without", "procedural_memory": memory})).await;
    put(&api, &api.admin, "compound-interest", interest()).await;
    let table = [
        (json!({}), 0.7, 0.8),
        (json!({"min_similarity": 0.25}), 0.25, 0.8),
        (json!({"as_agent": "careful"}), 0.9, 0.9),
        (json!({"as_agent": "careful", "min_similarity": 0.1}), 0.1, 0.9),
        (json!({"as_agent": "without"}), 0.7, 0.8),
    ];
    for (more, gate, threshold) in table {
        let mut body = json!({"query": "interest"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let found = api.ok(200, post("/skills/search").json(&body)).await.json();
        assert_eq!(
            (&found["min_similarity"], &found["threshold"]),
            (&json!(gate), &json!(threshold)),
            "{body}"
        );
    }
    // The bound itself is included.
    let found = api.ok(200, everything(json!({}))).await.json();
    let exact = found["items"][0]["similarity"].as_f64().unwrap();
    let same = api.ok(200, everything(json!({"min_similarity": exact}))).await.json();
    assert_eq!(names(&same), ["compound-interest"]);
    let above = api.ok(200, everything(json!({"min_similarity": (exact + 0.0001).min(1.0)}))).await.json();
    assert_eq!(above["items"], json!([]));
}

#[tokio::test]
async fn twins_are_shown_once_on_request() {
    let api = Api::new().await;
    let first = put(&api, &api.admin, "compound-interest", interest()).await;
    let second = put(&api, &api.admin, "compound-interest-2", interest()).await;
    put(&api, &api.admin, "bread", json!({"description": "Bakes sourdough bread in an oven."})).await;
    let all = api.ok(200, everything(json!({}))).await.json();
    assert_eq!(all["items"].as_array().unwrap().len(), 3);
    let once = api.ok(200, everything(json!({"collapse_duplicates": true}))).await.json();
    assert_eq!(once["items"].as_array().unwrap().len(), 2, "{once}");
    let mut shown = vec![once["items"][0]["skill"]["id"].clone(), once["items"][0]["alike"][0].clone()];
    shown.sort_by_key(ToString::to_string);
    let mut both = vec![first["id"].clone(), second["id"].clone()];
    both.sort_by_key(ToString::to_string);
    assert_eq!(shown, both);
}

#[tokio::test]
async fn what_is_wrong_with_a_search_is_said() {
    let api = Api::new().await;
    api.agent(json!({"name": "one"})).await;
    let long = "x".repeat(4_001);
    let table = [
        (json!({}), 400, "invalid_request"),
        (json!({"query": ""}), 400, "invalid_request"),
        (json!({"query": "  "}), 400, "invalid_request"),
        (json!({"query": long}), 400, "invalid_request"),
        (json!({"query": "x", "quarry": "y"}), 400, "invalid_request"),
        (json!({"query": "x", "limit": 0}), 400, "invalid_request"),
        (json!({"query": "x", "limit": 101}), 400, "invalid_request"),
        (json!({"query": "x", "min_similarity": 1.5}), 400, "invalid_request"),
        (json!({"query": "x", "min_similarity": -0.1}), 400, "invalid_request"),
        (json!({"query": "x", "min_similarity": "high"}), 400, "invalid_request"),
        (json!({"query": "x", "status": "maybe"}), 400, "invalid_request"),
        (json!({"query": "x", "scope": "world"}), 400, "invalid_request"),
        (json!({"query": "x", "origin": "mars"}), 400, "invalid_request"),
        (json!({"query": "x", "facets": ["wings"]}), 400, "invalid_request"),
        (json!({"query": "x", "tags": vec!["t"; 21]}), 400, "invalid_request"),
        (json!({"query": "x", "as_agent": "nobody"}), 404, "not_found"),
        (json!({"query": "x", "as_agent": "018f0000-0000-7000-8000-000000000000"}), 404, "not_found"),
        (json!({"query": "x", "agent": "nobody"}), 404, "not_found"),
        (json!({"query": "x", "user": "nobody"}), 404, "not_found"),
        (json!(["x"]), 400, "invalid_request"),
    ];
    for (body, status, code) in table {
        let ask = post("/skills/search").json(&body).bearer(&api.admin);
        api.refused(ask, status, code).await;
    }
    // Who acts through an agent stays there.
    let two = api.agent(json!({"name": "two"})).await;
    let ask = everything(json!({"as_agent": id(&two)})).header("repertoire-agent", "one").bearer(&api.admin);
    api.refused(ask, 403, "forbidden").await;
    // A request without a word that could match finds nothing, which is no error.
    let found = api.ok(200, post("/skills/search").json(json!({"query": "!?"}))).await.json();
    assert_eq!(found["items"], json!([]));
}
