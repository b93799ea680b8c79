//! Statistics and feedback.

use app::Code;
use app::skills::{feedback, record_feedback, record_use};
use model::TokenScope;
use testkit::{CallerExt as _, TestApp};

#[tokio::test]
async fn every_execution_counts_and_the_rate_is_exact() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let record = app.skill(&alice, "a").await;
    assert!((record.statistics.success_rate() - 1.0).abs() < f64::EPSILON);
    assert_eq!(record.statistics.recent_success_rate, None);
    for success in [true, false, true, true] {
        app.clock.advance(time::Duration::seconds(1));
        record_use(&app.cx, &alice, record.skill.id, success).await.unwrap();
    }
    let now = app.stored(&record).await;
    let counted = &now.statistics;
    assert_eq!((counted.use_count, counted.success_count, counted.failure_count), (4, 3, 1));
    assert_eq!(counted.execution_count(), 4);
    assert!((counted.success_rate() - 0.75).abs() < 1e-12);
    assert!((counted.recent_success_rate.unwrap() - 0.919).abs() < 1e-12);
    assert_eq!(counted.last_used_at, Some(app.now()));
    assert_eq!(now.skill, record.skill, "using a skill changes nothing about it");
}

#[tokio::test]
async fn a_later_word_replaces_an_earlier_one() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let record = app.skill(&admin, "a").await;
    let id = record.skill.id;
    record_use(&app.cx, &alice, id, true).await.unwrap();
    record_feedback(&app.cx, &alice, id, false, Some("no".into())).await.unwrap();
    app.clock.advance(time::Duration::seconds(1));
    record_feedback(&app.cx, &admin, id, true, None).await.unwrap();
    app.clock.advance(time::Duration::seconds(1));
    let counted = record_feedback(&app.cx, &alice, id, true, Some("now yes".into())).await.unwrap();
    assert_eq!((counted.helpful_count, counted.unhelpful_count, counted.use_count), (2, 0, 1));
    assert_eq!(counted.feedback_score(), Some(1.0));
    let said = feedback(&app.cx, &alice, id).await.unwrap();
    let said: Vec<_> = said.iter().map(|word| (word.user, word.helpful, word.comment.as_deref())).collect();
    assert_eq!(said, [(alice.user, true, Some("now yes")), (admin.user, true, None)]);
    record_use(&app.cx, &alice, id, true).await.unwrap();
    assert_eq!(app.stored(&record).await.statistics.helpful_count, 2);
}

#[tokio::test]
async fn rating_needs_the_write_scope_and_a_short_comment() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    let reader = alice.scoped(&[TokenScope::Read]);
    app.refuses(Code::TokenScope, record_use(&app.cx, &reader, id, true)).await;
    app.refuses(Code::TokenScope, record_feedback(&app.cx, &reader, id, true, None)).await;
    let endless = Some("x".repeat(2_001));
    app.refuses(Code::InvalidRequest, record_feedback(&app.cx, &alice, id, true, endless)).await;
}

#[tokio::test]
async fn statistics_of_one_skill_are_not_anothers() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (a, b) = (app.skill(&alice, "a").await, app.skill(&alice, "b").await);
    record_use(&app.cx, &alice, a.skill.id, false).await.unwrap();
    assert_eq!(app.stored(&b).await.statistics, b.statistics);
}
