//! A create that is sent twice happens once.

use app::Code;
use app::skills::{CreateSkill, Idempotency, OnConflict, Outcome, create, delete};
use model::Digest;
use testkit::TestApp;
use testkit::app::{spec, spec_with};
use time::Duration;

#[allow(clippy::unnecessary_wraps, reason = "what `create` takes")]
fn key(key: &str, body: &str) -> Option<Idempotency> {
    Some(Idempotency { key: key.to_owned(), fingerprint: Digest::of(body.as_bytes()) })
}

#[tokio::test]
async fn the_same_request_again_gives_the_first_ones_skill() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let first = create(&app.cx, &alice, spec("a"), key("k", "body")).await.unwrap();
    assert!(!first.replayed);
    let again = app.leaves_alone(create(&app.cx, &alice, spec("a"), key("k", "body"))).await;
    assert!(again.replayed);
    assert_eq!((again.outcome, again.record), (Outcome::Created, first.record));
}

#[tokio::test]
async fn another_request_under_the_same_key_is_refused() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    create(&app.cx, &alice, spec("a"), key("k", "body")).await.unwrap();
    let other = create(&app.cx, &alice, spec("b"), key("k", "other body"));
    app.refuses(Code::IdempotencyKeyReused, other).await;
    let clash = create(&app.cx, &alice, spec("a"), key("k", "other body"));
    app.refuses(Code::IdempotencyKeyReused, clash).await;
}

#[tokio::test]
async fn a_request_that_made_a_revision_is_replayed_too() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let revise = || CreateSkill {
        on_conflict: OnConflict::NewRevision,
        ..spec_with("a", |draft| draft.body = "two".into())
    };
    let first = create(&app.cx, &alice, revise(), key("k", "body")).await.unwrap();
    assert_eq!((first.outcome, first.record.skill.id), (Outcome::Revised, id));
    let again = app.leaves_alone(create(&app.cx, &alice, revise(), key("k", "body"))).await;
    assert!(again.replayed);
    assert_eq!((again.record.skill.id, again.record.skill.revision.get()), (id, 2));
}

#[tokio::test]
async fn a_key_is_used_up_by_a_request_that_changed_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let skip = || CreateSkill { on_conflict: OnConflict::Skip, ..spec("a") };
    let first = create(&app.cx, &alice, skip(), key("k", "body")).await.unwrap();
    assert_eq!((first.outcome, first.record.skill.id), (Outcome::Skipped, id));
    app.refuses(Code::IdempotencyKeyReused, create(&app.cx, &alice, spec("b"), key("k", "x"))).await;
}

#[tokio::test]
async fn a_request_that_failed_leaves_its_key_free() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let taken = app.skill(&alice, "a").await.skill.id;
    app.refuses(Code::NameTaken, create(&app.cx, &alice, spec("a"), key("k", "body"))).await;
    delete(&app.cx, &alice, taken, None, None).await.unwrap();
    create(&app.cx, &alice, spec("a"), key("k", "body")).await.unwrap();
}

#[tokio::test]
async fn keys_belong_to_their_user() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let mine = create(&app.cx, &alice, spec("a"), key("k", "body")).await.unwrap();
    let theirs = create(&app.cx, &bob, spec("a"), key("k", "body")).await.unwrap();
    assert_ne!(mine.record.skill.id, theirs.record.skill.id);
}

#[tokio::test]
async fn a_key_is_forgotten_after_a_day() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    create(&app.cx, &alice, spec("a"), key("k", "body")).await.unwrap();
    app.clock.advance(Duration::hours(23));
    assert_eq!(app::jobs::keep_house(&app.cx).await.unwrap().keys_forgotten, 0);
    app.clock.advance(Duration::hours(2));
    assert_eq!(app::jobs::keep_house(&app.cx).await.unwrap().keys_forgotten, 1);
    create(&app.cx, &alice, spec("b"), key("k", "other")).await.unwrap();
}

#[tokio::test]
async fn of_two_requests_at_once_under_one_key_one_skill_is_made() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, two) = tokio::join!(
        create(&app.cx, &alice, spec("a"), key("k", "body")),
        create(&app.cx, &alice, spec("a"), key("k", "body")),
    );
    let (one, two) = (one.unwrap(), two.unwrap());
    assert_eq!(one.record.skill.id, two.record.skill.id);
    assert!(one.replayed != two.replayed);
}

#[tokio::test]
async fn a_key_has_1_to_255_characters() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for bad in ["", &"k".repeat(256)] {
        app.refuses(Code::InvalidRequest, create(&app.cx, &alice, spec("a"), key(bad, "body"))).await;
    }
}
