//! What an agent's prompt gets about skills, through the door.

use axum::http::header;
use serde_json::{Value, json};

use crate::api::{Api, get, id, post};

/// A library with a skill, a learned one and an agent.
async fn library() -> (Api, String) {
    let api = Api::new().await;
    let loan = json!({"name": "loan", "description": "Calculates <b>loans</b>.", "tags": ["finance"]});
    api.ok(201, post("/skills").json(loan)).await;
    let books = json!({"name": "month-end", "title": "Month end", "description": "Closes the books.",
        "origin": "learned", "scope": "workspace"});
    let books = id(&api.ok(201, post("/skills").json(books)).await.json()["skill"]);
    api.ok(200, post(&format!("/skills/{books}/approve"))).await;
    let agent = id(&api.agent(json!({"name": "clerk", "discovery_token_budget": 500})).await);
    (api, agent)
}

#[tokio::test]
async fn every_format_comes_in_one_envelope() {
    let (api, agent) = library().await;
    let learned = "<learned-skills hint=\"Use learned_skills_load to activate relevant skills\">\n\
        <learned-skill key=\"month-end\" name=\"Month end\">Closes the books.</learned-skill>\n\
        </learned-skills>";
    let markdown =
        format!("## Available Skills\n- loan: Calculates &lt;b>loans&lt;/b>. [finance]\n\n{learned}");
    let xml = format!(
        "<available_skills>\n<skill>\n<name>\nloan\n</name>\n<description>\n\
        Calculates &lt;b&gt;loans&lt;/b&gt;.\n</description>\n<location>\nskill://loan/SKILL.md\n</location>\n\
        </skill>\n</available_skills>\n{learned}"
    );
    let json = "{\"skills\":[\n{\"name\":\"loan\",\"description\":\"Calculates \\u003cb>loans\\u003c/b>.\",\
        \"tags\":[\"finance\"]}\n],\n\"learned_skills\":[\n{\"key\":\"month-end\",\"name\":\"Month end\",\
        \"description\":\"Closes the books.\"}\n]}";
    for (query, format, text) in [
        ("?learned=separate", "markdown", markdown.as_str()),
        ("?learned=separate&format=markdown", "markdown", &markdown),
        ("?learned=separate&format=xml", "xml", &xml),
        ("?learned=separate&format=json", "json", json),
    ] {
        let answer = api.ok(200, get(&format!("/agents/{agent}/context{query}"))).await;
        assert_eq!(answer.headers[header::CACHE_CONTROL], "no-store");
        let told = answer.json();
        assert_eq!((told["format"].as_str(), told["text"].as_str()), (Some(format), Some(text)));
        assert!((1..=500).contains(&told["tokens"].as_u64().unwrap()), "{told}");
        assert_eq!(
            (&told["budget"], &told["mode"], &told["used"]),
            (&json!(500), &json!("auto"), &json!("list"))
        );
        assert_eq!(
            (&told["left_out"], &told["more"], &told["needs_search"]),
            (&json!([]), &json!(false), &json!(false))
        );
        let items = told["items"].as_array().unwrap();
        let names: Vec<_> = items.iter().map(|item| item["skill"]["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["loan", "month-end"]);
        assert!(items.iter().all(|item| text.contains(item["line"].as_str().unwrap())));
    }
}

#[tokio::test]
async fn what_is_asked_for_is_what_is_told() {
    let (api, agent) = library().await;
    let told = async |query: &str| -> Value {
        api.ok(200, get(&format!("/agents/{agent}/context?{query}"))).await.json()
    };
    let searched = told("mode=hybrid&query=calculate%20loans&limit=1").await;
    assert_eq!(searched["items"][0]["skill"]["name"], "loan");
    assert!(searched["items"][0]["similarity"].is_f64() && searched["needs_search"] == true, "{searched}");
    let tight = told("mode=list&budget=25").await;
    assert_eq!((tight["items"].as_array().unwrap().len(), &tight["more"]), (1, &json!(true)), "{tight}");
    assert!(tight["tokens"].as_u64().unwrap() <= 25);
    let few = told("mode=hybrid&max_learned=0").await;
    assert!(!few["text"].as_str().unwrap().contains("learned"), "{few}");
    let shared = told("mode=list&counts=true").await;
    let line = "- month-end (learned, uses: 0, successes: 0): Closes the books.";
    assert_eq!(shared["text"].as_str().unwrap().lines().last(), Some(line));
    assert_eq!(told("learned=shared").await, told("").await);
    let small = api.agent(json!({"name": "small", "procedural_memory": {"enabled": true}})).await;
    let small = api.ok(200, get(&format!("/agents/{}/context?budget=30", id(&small)))).await.json();
    assert_eq!(small["left_out"], json!(["procedural_memory"]));
}

#[tokio::test]
async fn what_is_wrong_with_it_is_said() {
    let (api, agent) = library().await;
    let long = "x".repeat(4_001);
    let queries = [
        "budget=0",
        "budget=1000001",
        "budget=many",
        "limit=0",
        "limit=101",
        "max_learned=101",
        "mode=magic",
        "format=yaml",
        "learned=apart",
        "counts=some",
        "budgets=1",
        &format!("query={long}"),
    ];
    for query in queries {
        let ask = get(&format!("/agents/{agent}/context?{query}")).bearer(&api.admin);
        api.refused(ask, 400, "invalid_request").await;
    }
    for unknown in ["clerk", "00000000-0000-7000-8000-000000000000"] {
        let ask = get(&format!("/agents/{unknown}/context")).bearer(&api.admin);
        api.refused(ask, 404, "not_found").await;
    }
    let elsewhere = get(&format!("/agents/{agent}/context")).header("repertoire-agent", "other");
    api.agent(json!({"name": "other"})).await;
    api.refused(elsewhere.bearer(&api.admin), 403, "forbidden").await;
}
