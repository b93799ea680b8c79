//! What an agent is told about, through the door.

use serde_json::{Value, json};

use crate::api::{Api, Ask, id, post, put};

fn discover(body: Value) -> Ask {
    post("/skills/discover").json(body)
}

fn names(told: &Value) -> Vec<&str> {
    told["items"].as_array().unwrap().iter().map(|item| item["skill"]["name"].as_str().unwrap()).collect()
}

/// A library with thirty skills, of which a few are about money.
async fn library() -> Api {
    let api = Api::new().await;
    for number in 0..27 {
        let about = ["bread", "gardens", "weather", "sailing", "poetry"][number % 5];
        let body = json!({"name": format!("skill-{number:02}"), "tags": ["plain"],
            "description": format!("Explains {about}, part {number}, at length and with many details.")});
        api.ok(201, post("/skills").json(body)).await;
    }
    for (name, what) in
        [("compound-interest", "compound interest"), ("loan-plan", "loan payments"), ("tax", "income tax")]
    {
        let body = json!({"name": name, "description": format!("Calculates {what} in euros.")});
        api.ok(201, post("/skills").json(body)).await;
    }
    api
}

#[tokio::test]
async fn each_mode_tells_what_it_promises() {
    let api = library().await;
    let list = api.ok(200, discover(json!({"mode": "list", "budget": 5_000}))).await.json();
    assert_eq!((&list["mode"], &list["used"]), (&json!("list"), &json!("list")));
    assert_eq!(
        (names(&list).len(), &list["more"], &list["needs_search"]),
        (30, &json!(false), &json!(false))
    );
    assert!(
        list["text"].as_str().unwrap().starts_with("## Available Skills\n- compound-interest: Calculates")
    );
    assert_eq!(list["items"][1]["line"], "- loan-plan: Calculates loan payments in euros.");
    assert!(list["text"].as_str().unwrap().contains(" [plain]"));

    let search = api.ok(200, discover(json!({"mode": "search"}))).await.json();
    assert_eq!((names(&search).len(), &search["text"], &search["tokens"]), (0, &json!(""), &json!(0)));
    assert_eq!((&search["more"], &search["needs_search"]), (&json!(true), &json!(true)));

    let body = json!({"mode": "hybrid", "query": "calculate compound interest", "limit": 3});
    let hybrid = api.ok(200, discover(body)).await.json();
    assert_eq!(names(&hybrid)[0], "compound-interest", "{hybrid}");
    assert!(names(&hybrid).len() <= 3);
    assert!(hybrid["items"][0]["similarity"].as_f64().is_some() && hybrid["items"][0]["why"].is_string());
    assert_eq!((&hybrid["more"], &hybrid["needs_search"]), (&json!(true), &json!(true)));

    let auto = api.ok(200, post("/skills/discover")).await.json();
    assert_eq!(
        (&auto["mode"], &auto["used"], &auto["budget"]),
        (&json!("auto"), &json!("list"), &json!(2_000))
    );
    let body = json!({"budget": 100, "query": "calculate compound interest"});
    let tight = api.ok(200, discover(body)).await.json();
    assert_eq!((&tight["mode"], &tight["used"]), (&json!("auto"), &json!("hybrid")));
    assert_eq!(names(&tight)[0], "compound-interest");
    // Without a query a hybrid list is the first of them all.
    let first = api.ok(200, discover(json!({"mode": "hybrid", "limit": 4}))).await.json();
    assert_eq!(names(&first), ["compound-interest", "loan-plan", "skill-00", "skill-01"]);
    assert_eq!(first["items"][0]["similarity"], Value::Null);
}

#[tokio::test]
async fn the_budget_is_never_exceeded() {
    let api = library().await;
    let mut before = 0;
    for budget in [1, 5, 10, 20, 40, 80, 160, 320, 640, 1_280] {
        for mode in ["list", "hybrid", "auto", "search"] {
            let body =
                json!({"mode": mode, "budget": budget, "query": "calculate compound interest", "limit": 30});
            let told = api.ok(200, discover(body)).await.json();
            let (text, tokens) = (told["text"].as_str().unwrap(), told["tokens"].as_u64().unwrap());
            assert!(tokens <= budget, "{mode} {budget}: {told}");
            assert_eq!(tokens == 0, text.is_empty());
            // A token is at least a byte, and in such text at most nine of them on average.
            assert!(
                tokens * 9 >= text.len() as u64,
                "{mode} {budget}: {tokens} tokens for {} bytes",
                text.len()
            );
            assert_eq!(text.lines().count(), names(&told).len() + usize::from(!text.is_empty()));
            if mode == "list" {
                assert!(names(&told).len() >= before);
                before = names(&told).len();
                assert_eq!(told["more"], json!(before < 30));
            }
        }
    }
    assert_eq!(before, 30);
}

#[tokio::test]
async fn an_agent_s_own_settings_and_skills_come_first() {
    let api = library().await;
    let settings = json!({"name": "clerk", "discovery": "list", "discovery_token_budget": 60});
    let agent = id(&api.agent(settings).await);
    let body = json!({"name": "zebra", "description": "Counts zebras.", "scope": "agent", "agent": "clerk"});
    let zebra = id(&api.ok(201, post("/skills").json(body)).await.json()["skill"]);
    let hidden = json!({"name": "hidden", "description": "Not for agents.", "enabled": false});
    let hidden = id(&api.ok(201, post("/skills").json(hidden)).await.json()["skill"]);
    for skill in [&zebra, &hidden] {
        api.ok(200, put(&format!("/agents/{agent}/skills/{skill}")).json(json!({}))).await;
    }
    let told = api.ok(200, discover(json!({"agent": "clerk"}))).await.json();
    assert_eq!((&told["mode"], &told["budget"]), (&json!("list"), &json!(60)));
    assert_eq!(names(&told)[..2], ["zebra", "compound-interest"], "{told}");
    assert_eq!((&told["items"][0]["assigned"], &told["items"][1]["assigned"]), (&json!(true), &json!(false)));
    assert!(!told["text"].as_str().unwrap().contains("hidden"));
    let acting = post("/skills/discover").header("repertoire-agent", "clerk");
    assert_eq!(api.ok(200, acting).await.json(), told);
    let elsewhere = api.ok(200, discover(json!({"mode": "list", "budget": 5_000}))).await.json();
    assert!(!names(&elsewhere).contains(&"zebra"), "an agent's own skill is not told to others");
}

#[tokio::test]
async fn a_line_that_does_not_fit_is_skipped() {
    let api = Api::new().await;
    let long = "very long ".repeat(90);
    for (name, what) in [("a", "Short."), ("b", long.as_str()), ("c", "Short as well.")] {
        let body = json!({"name": name, "description": what});
        api.ok(201, post("/skills").json(body)).await;
    }
    let told = api.ok(200, discover(json!({"mode": "list", "budget": 60}))).await.json();
    assert_eq!((names(&told), &told["more"]), (vec!["a", "c"], &json!(true)), "{told}");
    // Not without end.
    for number in 0..20 {
        let body = json!({"name": format!("b-{number}"), "description": long});
        api.ok(201, post("/skills").json(body)).await;
    }
    let told = api.ok(200, discover(json!({"mode": "list", "budget": 60}))).await.json();
    assert_eq!(names(&told), ["a"]);
    let auto = api.ok(200, discover(json!({"budget": 60}))).await.json();
    assert_eq!((names(&auto), &auto["used"]), (vec!["a"], &json!("hybrid")));
}

#[tokio::test]
async fn an_assigned_skill_goes_before_a_nearer_one_of_its_name() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let agent = id(&api.agent(json!({"name": "clerk"})).await);
    let body = json!({"name": "loan", "description": "Calculates loan payments in euros."});
    let far = id(&api.ok(201, post("/skills").json(body)).await.json()["skill"]);
    let body = json!({"name": "loan", "description": "Calculates payments of a loan in pounds."});
    let near = id(&api.ok_as(&alice, 201, post("/skills").json(body)).await.json()["skill"]);
    let other = json!({"name": "tax", "description": "Calculates income tax and its payments."});
    api.ok(201, post("/skills").json(other)).await;
    let told = async |mode: &str| {
        let body = json!({"agent": "clerk", "mode": mode, "query": "calculate loan payments"});
        let told = api.ok_as(&alice, 200, discover(body)).await.json();
        let items = told["items"].as_array().unwrap().clone();
        let loans = items.iter().filter(|item| item["skill"]["name"] == "loan");
        loans.map(|item| (id(&item["skill"]), item["assigned"].as_bool().unwrap())).collect::<Vec<_>>()
    };
    for mode in ["list", "hybrid", "auto"] {
        assert_eq!(told(mode).await, [(near.clone(), false)], "{mode}");
    }
    api.ok(200, put(&format!("/agents/{agent}/skills/{far}")).json(json!({}))).await;
    for mode in ["list", "hybrid", "auto"] {
        assert_eq!(told(mode).await, [(far.clone(), true)], "{mode}");
    }
}

#[tokio::test]
async fn what_is_wrong_with_it_is_said() {
    let api = Api::new().await;
    let long = "x".repeat(4_001);
    let table = [
        (json!({"budget": 0}), 400, "invalid_request"),
        (json!({"budget": 1_000_001}), 400, "invalid_request"),
        (json!({"limit": 0}), 400, "invalid_request"),
        (json!({"limit": 101}), 400, "invalid_request"),
        (json!({"mode": "magic"}), 400, "invalid_request"),
        (json!({"query": long}), 400, "invalid_request"),
        (json!({"budgets": 1}), 400, "invalid_request"),
        (json!({"agent": "nobody"}), 404, "not_found"),
    ];
    for (body, status, code) in table {
        api.refused(discover(body).bearer(&api.admin), status, code).await;
    }
    let none = api.ok(200, post("/skills/discover")).await.json();
    assert_eq!((&none["items"], &none["more"], &none["used"]), (&json!([]), &json!(false), &json!("list")));
}
