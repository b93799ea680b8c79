//! How the library is used, through the door.

use model::Role;
use serde_json::{Value, json};
use time::Duration;

use crate::api::{Api, get, id, post};

async fn use_it(api: &Api, token: &str, skill: &Value, success: bool) {
    let ask = post(&format!("/skills/{}/uses", id(skill))).json(json!({"success": success}));
    api.ok_as(token, 200, ask).await;
}

#[tokio::test]
async fn numbers_are_told_day_by_day() {
    let api = Api::new().await;
    let (one, two) = (api.skill("one").await, api.skill("two").await);
    let adder = api.adder(json!({"icon": "plus", "title": "Adder"})).await;
    for success in [true, true, false, false, false] {
        use_it(&api, &api.admin, &one, success).await;
    }
    let run = post(&format!("/skills/{}/runs", id(&adder))).json(json!({"parameters": {"a": 1}}));
    let ran = api.ok(201, run).await.json();
    let answer = api.ok(200, get("/analytics?since=2026-01-04&until=2026-01-05")).await;
    assert_eq!(answer.header("cache-control"), "no-store");
    let seen = answer.json();
    assert_eq!((&seen["since"], &seen["until"]), (&json!("2026-01-04"), &json!("2026-01-05")));
    let millis = ran["duration_ms"].as_f64().unwrap().trunc();
    assert!((seen["totals"]["run_ms_total"].as_f64().unwrap() - millis).abs() < 1.0, "{ran}");
    let mut totals = seen["totals"].clone();
    totals.as_object_mut().unwrap().remove("run_ms_total");
    let wanted = json!({"skills": 3, "active": 3, "draft": 0, "pending": 0, "used_skills": 2, "uses": 6,
        "successes": 3, "failures": 3, "runs": 1});
    assert_eq!(totals, wanted);
    let days = json!([{"day": "2026-01-04", "uses": 0, "successes": 0, "failures": 0},
        {"day": "2026-01-05", "uses": 6, "successes": 3, "failures": 3}]);
    assert_eq!(seen["days"], days);
    let used_at = "2026-01-05T09:00:00Z";
    let first = json!({"skill_id": one["id"], "name": "one", "title": "one", "icon": null, "uses": 5, "successes": 2,
        "success_rate": 0.4, "last_used_at": used_at});
    let second = json!({"skill_id": adder["id"], "name": "adder", "title": "Adder", "icon": "plus", "uses": 1,
        "successes": 1, "success_rate": 1.0, "last_used_at": used_at});
    assert_eq!(seen["top"], json!([first, second]));
    assert_eq!(seen["failing"], json!([first]));
    let unused = json!([{"skill_id": two["id"], "name": "two", "title": "two", "icon": null, "created_at": used_at,
        "last_used_at": null}]);
    assert_eq!(seen["unused"], unused);
    assert_eq!(seen["agents"], json!([{"agent_id": null, "name": null, "uses": 6, "successes": 3}]));
}

#[tokio::test]
async fn an_answer_of_yesterday_is_not_given_again() {
    let api = Api::new().await;
    let until = async || api.ok(200, get("/analytics")).await.json()["until"].clone();
    assert_eq!(until().await, "2026-01-05");
    api.app.clock.advance(Duration::days(1));
    assert_eq!(until().await, "2026-01-06");
}

#[tokio::test]
async fn a_member_is_told_of_their_own_part() {
    let api = Api::new().await;
    let (alice, rita) = (api.user("alice", &[]).await, api.user("rita", &[Role::Reviewer]).await);
    let helper = api.agent(json!({"name": "helper"})).await;
    let shared = api.skill("shared").await;
    use_it(&api, &alice, &shared, true).await;
    let through = post(&format!("/skills/{}/uses", id(&shared))).json(json!({"success": true}));
    api.ok_as(&rita, 200, through.header("repertoire-agent", "helper")).await;
    let agents = async |token: &str, query: &str| {
        api.ok_as(token, 200, get(&format!("/analytics{query}"))).await.json()["agents"].clone()
    };
    let told = json!({"agent_id": helper["id"], "name": "helper", "uses": 1, "successes": 1});
    let alone = json!({"agent_id": null, "name": null, "uses": 1, "successes": 1});
    let all = agents(&rita, "").await;
    assert_eq!(all.as_array().unwrap().len(), 2, "{all}");
    assert_eq!(agents(&rita, "?agent=helper").await, json!([told]));
    assert_eq!(agents(&rita, "?user=alice").await, json!([alone]));
    assert_eq!(agents(&alice, "").await, json!([alone]));
    assert_eq!(agents(&alice, "?agent=helper").await, json!([]));
    api.refused(get("/analytics?user=rita").bearer(&alice), 403, "forbidden").await;
}

#[tokio::test]
async fn skills_are_counted_by_owner() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let helper = api.agent(json!({"name": "helper"})).await;
    api.skill("shared").await;
    let mine = json!({"name": "mine", "description": "d", "scope": "user", "draft": true});
    let mine = api.ok_as(&alice, 201, post("/skills").json(mine)).await.json()["skill"].clone();
    let both = json!({"name": "both", "description": "d", "scope": "agent_user", "agent": "helper"});
    api.ok_as(&alice, 201, post("/skills").json(both)).await;
    let user = &mine["scope"]["user_id"];
    let workspace = json!({"scope": "workspace", "agent_id": null, "agent_name": null, "user_id": null,
        "user_handle": null, "count": 1});
    let own = json!({"scope": "user", "agent_id": null, "agent_name": null, "user_id": user, "user_handle": "alice",
        "count": 1});
    let through_agent = json!({"scope": "agent_user", "agent_id": helper["id"], "agent_name": "helper", "user_id": user,
        "user_handle": "alice", "count": 1});
    let groups = async |query: &str| {
        api.ok_as(&alice, 200, get(&format!("/skills/groups{query}"))).await.json()["items"].clone()
    };
    assert_eq!(groups("").await, json!([workspace, own, through_agent]));
    assert_eq!(groups("?status=draft").await, json!([own]));
    assert_eq!(groups("?name=!!!").await, json!([]));
    let bob = api.user("bob", &[]).await;
    let seen = api.ok_as(&bob, 200, get("/skills/groups")).await.json();
    assert_eq!(seen["items"], json!([workspace]));
}
