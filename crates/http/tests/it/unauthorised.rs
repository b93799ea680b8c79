//! Nobody does what they may not do, whatever they come with.

use app::tokens::CreateToken;
use model::{Role, TokenScope};
use time::Duration;

use crate::api::{Api, get, post};
use crate::operations::{Operation, Who, World};

#[tokio::test]
async fn without_a_credential_that_counts_nothing_is_done() {
    let api = Api::new().await;
    let world = World::new(&api).await;
    let admin = api.app.admin().await;
    let request = |expires_at| CreateToken {
        name: "ends".to_owned(),
        user: None,
        agent: None,
        scopes: TokenScope::ALL.to_vec(),
        expires_at,
    };
    let end = Some(api.app.now() + Duration::hours(1));
    let (_, expired) = app::tokens::create(&api.app.cx, &admin, request(end)).await.unwrap();
    let (token, revoked) = app::tokens::create(&api.app.cx, &admin, request(None)).await.unwrap();
    app::tokens::revoke(&api.app.cx, &admin, token.id).await.unwrap();
    api.app.clock.advance(Duration::hours(1));
    for Operation { ask, .. } in world.operations() {
        let answer = api.refused(ask.clone(), 401, "unauthenticated").await;
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"repertoire\"");
        for bad in
            ["garbage", "rpt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", expired.reveal(), revoked.reveal()]
        {
            api.refused(ask.clone().bearer(bad), 401, "unauthenticated").await;
        }
        for header in ["Basic YWRtaW46YWRtaW4=", "Bearer", "Bearer ", "rpt_x"] {
            api.refused(ask.clone().header("authorization", header), 401, "unauthenticated").await;
        }
        api.refused(
            ask.header("cookie", "repertoire_session=rps_made_up").header("sec-fetch-site", "same-origin"),
            401,
            "unauthenticated",
        )
        .await;
    }
}

#[tokio::test]
async fn public_paths_are_these() {
    let api = Api::new().await;
    for path in ["//healthz", "//readyz", "//", "//sign-in", "//docs/", "/openapi.json"] {
        let answer = api.send(get(path)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
    }
    api.refused(post("/sign-in").json(serde_json::json!({"link": "rpl_x"})), 401, "unauthenticated").await;
    api.refused(post("/sign-out"), 401, "unauthenticated").await;
}

#[tokio::test]
async fn another_workspace_never_reaches_in() {
    let api = Api::new().await;
    let world = World::new(&api).await;
    let there = api.app.workspace("other").await;
    let olga = api.app.user_in(&there, "olga", Role::ALL).await;
    let olga = api.token(&olga, TokenScope::ALL).await;
    for operation in world.operations() {
        let (id, before) = (operation.id, api.app.snapshot().await);
        let ask = operation.ask.bearer(&olga);
        if operation.names {
            let answer = api.send(ask.clone()).await;
            assert!(matches!(answer.status, 403 | 404), "{id}: {} {}", answer.status, answer.text());
            assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new(), "{id}");
        } else if ask.clone().is_read() {
            let answer = api.send(ask.clone()).await;
            assert!(!answer.text().contains(&world.skill), "{id} shows another workspace's skill");
        }
        // The name of the workspace is no way in either.
        let named = api.send(ask.header("repertoire-workspace", "default")).await;
        assert_eq!((named.status, named.code().as_str()), (404, "not_found"), "{id}");
    }
}

#[tokio::test]
async fn a_token_does_only_what_it_was_made_for() {
    let api = Api::new().await;
    let world = World::new(&api).await;
    let admin = api.app.admin().await;
    for operation in world.operations() {
        let others: Vec<_> =
            TokenScope::ALL.iter().copied().filter(|&scope| scope != operation.scope).collect();
        let token = api.token(&admin, &others).await;
        let answer = api.refused(operation.ask.bearer(&token), 403, "token_scope").await;
        let needed = format!("`{}`", operation.scope);
        assert!(
            answer.json()["detail"].as_str().unwrap().contains(&needed),
            "{}: {}",
            operation.id,
            answer.text()
        );
    }
}

#[tokio::test]
async fn a_member_does_only_what_members_may() {
    let api = Api::new().await;
    let world = World::new(&api).await;
    let alice = api.user("alice", &[]).await;
    let (open, closed): (Vec<_>, Vec<_>) =
        world.operations().into_iter().partition(|operation| operation.who == Who::Member);
    for operation in closed {
        let (status, code) =
            if operation.who == Who::Owner { (404, "not_found") } else { (403, "forbidden") };
        api.refused(operation.ask.bearer(&alice), status, code).await;
    }
    for operation in open {
        let answer = api.send(operation.ask.bearer(&alice)).await;
        assert!(matches!(answer.status, 200 | 201), "{}: {} {}", operation.id, answer.status, answer.text());
    }
}

#[tokio::test]
async fn a_reading_token_writes_nothing_in_bulk() {
    let api = Api::new().await;
    let token = api.token(&api.app.admin().await, &[TokenScope::Read]).await;
    for mode in ["atomic", "each"] {
        let body = serde_json::json!({"mode": mode, "items": [{"name": "n", "description": "d"}]});
        let before = api.app.snapshot().await;
        let answer = api.send(post("/skills/bulk").json(body).bearer(&token)).await;
        assert_eq!(answer.json()["results"][0]["problem"]["code"], "token_scope", "{}", answer.text());
        assert_eq!(before.changes(&api.app.snapshot().await), Vec::<String>::new());
    }
}
