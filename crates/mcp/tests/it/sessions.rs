//! Sessions of the older protocol: whose they are, and when they end.

use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use model::Role;
use repertoire_mcp::SessionBounds;
use serde_json::json;

use crate::world::{LegacyHost, Stream, World};

const PATIENCE: Duration = Duration::from_secs(10);
/// Bounds that a test can wait for.
const SHORT: SessionBounds =
    SessionBounds { most: 2, idle: Duration::from_millis(300), spared: Duration::from_mins(1) };

#[tokio::test]
async fn a_session_that_is_not_known_to_be_the_callers_is_not_there() {
    let world = World::new().await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let tom = world.app.user("tom@example.com", &[Role::Member]).await;
    let mias = LegacyHost::introduced(&world.host(&mia).await).await;
    let toms = mias.stolen_by(&world.host(&tom).await);
    let unknown =
        LegacyHost { session: Some("01980000-0000-7000-8000-000000000000".to_owned()), ..mias.clone() };
    for stranger in [toms, unknown] {
        assert_eq!(stranger.ping().await, StatusCode::NOT_FOUND);
        for method in ["GET", "DELETE"] {
            assert_eq!(
                stranger.send(method, Body::empty()).await.status(),
                StatusCode::NOT_FOUND,
                "{method}"
            );
        }
    }
    assert_eq!(mias.ping().await, StatusCode::OK);
}

#[tokio::test]
async fn a_session_that_its_host_left_ends_although_it_is_told_of_changes() {
    let world = World::with_sessions(SHORT).await;
    let admin = world.app.admin().await;
    let host = LegacyHost::introduced(&world.host(&admin).await).await;
    let started = tokio::time::Instant::now();
    while started.elapsed() < 2 * SHORT.idle {
        world.app.skill(&admin, &format!("skill-{}", started.elapsed().as_micros())).await;
        tokio::time::sleep(SHORT.idle / 10).await;
    }
    assert_eq!(host.ping().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_session_with_an_open_stream_is_in_use() {
    let world = World::with_sessions(SHORT).await;
    let host = LegacyHost::introduced(&world.host(&world.app.admin().await).await).await;
    let stream = host.stream().await;
    tokio::time::sleep(3 * SHORT.idle).await;
    assert_eq!(host.ping().await, StatusCode::OK);
    drop(stream);
    tokio::time::sleep(3 * SHORT.idle).await;
    assert_eq!(host.ping().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_session_ends_with_its_token() {
    let world = World::new().await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let host = LegacyHost::introduced(&world.host(&mia).await).await;
    let stream = host.stream().await;
    world.revoke_tokens(&mia).await;
    tokio::time::timeout(PATIENCE, stream.end()).await.expect("ended in time");
    let again = host.stolen_by(&world.host(&mia).await);
    assert_eq!(again.ping().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_user_has_only_so_many_sessions_and_subscriptions() {
    let bounds = SessionBounds { idle: Duration::from_hours(1), ..SHORT };
    let world = World::with_sessions(bounds).await;
    let mia = world.app.user("mia@example.com", &[Role::Member]).await;
    let tom = world.app.user("tom@example.com", &[Role::Member]).await;
    let (mias, toms) = (world.host(&mia).await, world.host(&tom).await);
    let listening = || async {
        let request = mias.request("subscriptions/listen", json!({ "notifications": {} }));
        let mut stream = Stream::new(mias.send(request).await);
        stream.next().await;
        stream
    };
    let session = LegacyHost::introduced(&mias).await;
    let first = listening().await;
    let mut second = listening().await;
    assert_eq!(second.next().await["error"]["data"]["code"], "busy");
    let answer = LegacyHost::new(&mias).introduce().await;
    assert_eq!((answer.status, &answer.body["error"]), (StatusCode::TOO_MANY_REQUESTS, &json!("busy")));
    assert_eq!(answer.headers["retry-after"], "10");
    LegacyHost::introduced(&toms).await;
    // A place is free again when a session is deleted or a stream ends.
    assert!(session.send("DELETE", Body::empty()).await.status().is_success());
    LegacyHost::introduced(&mias).await;
    drop(first);
    let freed = async {
        while LegacyHost::new(&mias).introduce().await.status != StatusCode::OK {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, freed).await.expect("freed in time");
}

#[tokio::test]
async fn one_session_too_many_ends_the_one_that_was_left_alone_for_longest() {
    let bounds = SessionBounds { spared: Duration::ZERO, idle: Duration::from_hours(1), ..SHORT };
    let world = World::with_sessions(bounds).await;
    let host = world.host(&world.app.admin().await).await;
    let oldest = LegacyHost::introduced(&host).await;
    let older = LegacyHost::introduced(&host).await;
    assert_eq!(oldest.ping().await, StatusCode::OK);
    let newest = LegacyHost::introduced(&host).await;
    let found = [oldest.ping().await, older.ping().await, newest.ping().await];
    assert_eq!(found, [StatusCode::OK, StatusCode::NOT_FOUND, StatusCode::OK]);
}
