//! Kept answers are never wrong ones.

use model::TokenScope;
use serde_json::json;

use crate::api::{Api, delete, get, id, patch, post};

#[tokio::test]
async fn a_write_shows_in_the_next_read() {
    let api = Api::new().await;
    let skill = format!("/skills/{}", id(&api.skill("one").await));
    for round in 0..5 {
        let before = api.ok(200, get(&skill)).await.json();
        assert_eq!(before, api.ok(200, get(&skill)).await.json());
        let title = format!("Title {round}");
        api.ok(200, patch(&skill).json(json!({"title": title}))).await;
        assert_eq!(api.ok(200, get(&skill)).await.json()["title"], title);
        let listed = api.ok(200, get("/skills")).await.json();
        assert_eq!(listed["items"][0]["title"], title);
    }
    api.ok(200, delete(&skill)).await;
    api.ok(404, get(&skill)).await;
    assert_eq!(api.ok(200, get("/skills")).await.json()["items"], json!([]));
}

#[tokio::test]
async fn a_kept_answer_has_the_same_headers() {
    let api = Api::new().await;
    let skill = format!("/skills/{}", id(&api.skill("one").await));
    let (first, second) = (api.ok(200, get(&skill)).await, api.ok(200, get(&skill)).await);
    assert_eq!((first.headers, first.body), (second.headers, second.body));
    let tag = api.ok(200, get(&skill)).await.header("etag");
    assert_eq!(api.ok(304, get(&skill).header("if-none-match", &tag)).await.body.len(), 0);
    assert_ne!(api.ok(200, get(&skill)).await.body.len(), 0);
}

#[tokio::test]
async fn a_revoked_token_is_refused_at_once() {
    let api = Api::new().await;
    let made = api.ok(201, post("/tokens").json(json!({"name": "t", "scopes": ["read"]}))).await.json();
    let token = made["secret"].as_str().unwrap();
    for _ in 0..3 {
        api.ok_as(token, 200, get("/me")).await;
    }
    api.ok(204, delete(&format!("/tokens/{}", id(&made)))).await;
    api.refused(get("/me").bearer(token), 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_user_who_is_shut_out_is_refused_at_once() {
    let api = Api::new().await;
    let alice = api.user("alice", &[]).await;
    let me = api.ok_as(&alice, 200, get("/me")).await.json();
    let user = format!("/users/{}", id(&me["user"]));
    api.ok(200, patch(&user).json(json!({"disabled": true}))).await;
    api.refused(get("/me").bearer(&alice), 401, "unauthenticated").await;
    api.ok(200, patch(&user).json(json!({"disabled": false}))).await;
    api.ok_as(&alice, 200, get("/me")).await;
    api.ok(204, delete(&user)).await;
    api.refused(get("/me").bearer(&alice), 401, "unauthenticated").await;
}

#[tokio::test]
async fn two_callers_never_share_an_answer() {
    let api = Api::new().await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    api.agent(json!({"name": "helper"})).await;
    for (token, name) in [(&alice, "of-alice"), (&bob, "of-bob")] {
        api.ok_as(token, 201, post("/skills").json(json!({"name": name, "description": "d"}))).await;
    }
    for _ in 0..2 {
        for (token, handle, name) in [(&alice, "alice", "of-alice"), (&bob, "bob", "of-bob")] {
            assert_eq!(api.ok_as(token, 200, get("/me")).await.json()["user"]["handle"], handle);
            let listed = api.ok_as(token, 200, get("/skills")).await.json();
            assert_eq!(listed["items"].as_array().unwrap().len(), 1);
            assert_eq!(listed["items"][0]["name"], name);
        }
        // The same token through an agent is another caller.
        assert_eq!(api.ok_as(&alice, 200, get("/me")).await.json()["agent_id"], json!(null));
        let through = api.ok_as(&alice, 200, get("/me").header("repertoire-agent", "helper")).await.json();
        assert_ne!(through["agent_id"], json!(null));
    }
}

#[tokio::test]
async fn a_refusal_is_not_kept() {
    let api = Api::new().await;
    let reader = api.token(&api.app.admin().await, &[TokenScope::Read]).await;
    api.refused(get("/audit").bearer(&reader), 403, "token_scope").await;
    api.ok(200, get("/audit")).await;
    api.refused(get("/audit").bearer(&reader), 403, "token_scope").await;
}
