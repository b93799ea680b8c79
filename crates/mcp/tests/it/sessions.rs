//! Sessions of the older protocol: whose they are, and when they end.

use axum::body::Body;
use axum::http::StatusCode;
use model::Role;

use crate::world::{LegacyHost, World};

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
