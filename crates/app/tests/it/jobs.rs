//! Housekeeping: expire, purge, forget.

use app::jobs::{Housekeeping, keep_house};
use app::skills::{Decision, ListSkills, decide, delete, list, promote};
use app::workspaces::ChangeWorkspace;
use model::{Caller, ScopeKind, Status, Transition};
use testkit::TestApp;
use testkit::app::{spec, spec_with};
use time::Duration;

async fn draft(app: &TestApp, caller: &Caller, name: &str) -> app::SkillRecord {
    let mut request = spec(name);
    request.draft = true;
    app.put(caller, request).await.record
}

/// An installation in which nothing ends by itself.
async fn quiet() -> TestApp {
    let app = TestApp::new().await;
    app.tamper("DELETE FROM sign_in_links", &[]).await;
    app
}

async fn settings(app: &TestApp, change: ChangeWorkspace) {
    app::workspaces::change(&app.cx, &app.admin().await, change).await.unwrap();
}

#[tokio::test]
async fn an_unconfirmed_draft_is_archived_after_two_weeks() {
    let app = quiet().await;
    let alice = app.user("alice", &[]).await;
    let old = draft(&app, &alice, "old").await;
    let other = app.skill(&alice, "active").await;
    app.clock.advance(Duration::days(1));
    let young = draft(&app, &alice, "young").await;
    app.clock.advance(Duration::days(13));
    app.leaves_alone(keep_house(&app.cx)).await;
    app.clock.advance(Duration::seconds(1));
    let done = app.logs(alice.workspace, &["skill.archive"], keep_house(&app.cx)).await;
    assert_eq!(done, Housekeeping { drafts_archived: 1, ..Housekeeping::default() });
    let expired = app.stored(&old).await.skill;
    assert_eq!((expired.status, expired.status_reason.as_deref()), (Status::Archived, Some("expired")));
    assert_eq!(app.audit(alice.workspace).await.last().unwrap().actor.user, None);
    assert_eq!(app.stored(&young).await.skill.status, Status::Draft);
    assert_eq!(app.stored(&other).await, other);
    decide(&app.cx, &alice, old.skill.id, Decision::new(Transition::Reopen)).await.unwrap();
    app.leaves_alone(keep_house(&app.cx)).await;
}

#[tokio::test]
async fn a_touched_draft_lives_on_and_zero_days_mean_never() {
    let app = quiet().await;
    let alice = app.user("alice", &[]).await;
    let record = draft(&app, &alice, "a").await;
    app.clock.advance(Duration::days(10));
    app::skills::set_enabled(&app.cx, &alice, record.skill.id, false, None).await.unwrap();
    app.clock.advance(Duration::days(10));
    app.leaves_alone(keep_house(&app.cx)).await;
    settings(&app, ChangeWorkspace { draft_expiry_days: Some(0), ..Default::default() }).await;
    app.clock.advance(Duration::days(1_000));
    assert_eq!(keep_house(&app.cx).await.unwrap().drafts_archived, 0);
    assert_eq!(app.stored(&record).await.skill.status, Status::Draft);
}

#[tokio::test]
async fn an_expired_draft_no_longer_waits_for_a_promotion() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let record = draft(&app, &alice, "a").await;
    promote(&app.cx, &alice, record.skill.id, ScopeKind::Workspace, None).await.unwrap();
    app.clock.advance(Duration::days(15));
    keep_house(&app.cx).await.unwrap();
    assert_eq!(app.stored(&record).await.skill.promotion, None);
    let waiting = ListSkills { waiting: true, ..ListSkills::default() };
    assert!(list(&app.cx, &app.admin().await, waiting).await.unwrap().0.items.is_empty());
}

#[tokio::test]
async fn a_deleted_skill_is_purged_when_its_window_closes() {
    let app = quiet().await;
    let alice = app.user("alice", &[]).await;
    settings(&app, ChangeWorkspace { undelete_window_hours: Some(24), ..Default::default() }).await;
    let record = app.put(&alice, spec_with("a", |draft| draft.tags = vec!["t".into()])).await.record;
    delete(&app.cx, &alice, record.skill.id, None, None).await.unwrap();
    app.clock.advance(Duration::hours(24));
    app.leaves_alone(keep_house(&app.cx)).await;
    app.clock.advance(Duration::seconds(1));
    let done = app.logs(alice.workspace, &["skill.purge"], keep_house(&app.cx)).await;
    assert_eq!(done.skills_purged, 1);
    let now = app.snapshot().await;
    for table in ["skills", "revisions", "revision_files", "blobs", "skill_tags", "skill_statistics"] {
        assert_eq!(now.rows(table), 0, "{table}");
    }
}

#[tokio::test]
async fn a_window_that_was_closed_purges_what_lay_in_it() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    settings(&app, ChangeWorkspace { undelete_window_hours: Some(24), ..Default::default() }).await;
    let record = app.skill(&alice, "a").await;
    delete(&app.cx, &alice, record.skill.id, None, None).await.unwrap();
    settings(&app, ChangeWorkspace { undelete_window_hours: Some(0), ..Default::default() }).await;
    app.clock.advance(Duration::seconds(1));
    assert_eq!(keep_house(&app.cx).await.unwrap().skills_purged, 1);
}

#[tokio::test]
async fn sign_ins_and_links_that_ended_are_removed() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    app::sign_in::create_link(&app.cx, &admin, alice.user).await.unwrap();
    app::sign_in::by_link(&app.cx, &app.first_link).await.unwrap();
    app.clock.advance(Duration::days(1));
    assert_eq!(keep_house(&app.cx).await.unwrap().sign_ins_ended, 1);
    app.clock.advance(Duration::days(13));
    assert_eq!(keep_house(&app.cx).await.unwrap().sign_ins_ended, 1);
    assert_eq!(app.snapshot().await.rows("sign_ins"), 0);
}

#[tokio::test]
async fn tokens_that_ended_a_month_ago_are_removed() {
    let app = quiet().await;
    let alice = app.user("alice", &[]).await;
    let token = async |name: &str, days: Option<i64>| {
        let request = app::tokens::CreateToken {
            name: name.to_owned(),
            user: None,
            agent: None,
            scopes: vec![model::TokenScope::Read],
            expires_at: days.map(|days| app.cx.now() + Duration::days(days)),
        };
        app::tokens::create(&app.cx, &alice, request).await.unwrap().0
    };
    let (revoked, _, _) =
        (token("revoked", None).await, token("over", Some(1)).await, token("open", None).await);
    app::tokens::revoke(&app.cx, &alice, revoked.id).await.unwrap();
    app.clock.advance(Duration::days(30));
    app.leaves_alone(keep_house(&app.cx)).await;
    app.clock.advance(Duration::seconds(1));
    let done = keep_house(&app.cx).await.unwrap();
    assert_eq!(done, Housekeeping { tokens_forgotten: 1, ..Housekeeping::default() });
    app.clock.advance(Duration::days(1));
    assert_eq!(keep_house(&app.cx).await.unwrap().tokens_forgotten, 1);
    let left = app::tokens::list(&app.cx, &alice, app::tokens::TokensOf::Caller).await.unwrap();
    assert!(
        left.iter().any(|token| token.name == "open") && left.iter().all(|token| token.revoked_at.is_none())
    );
}

#[tokio::test]
async fn each_workspace_keeps_house_by_its_own_settings() {
    let app = TestApp::new().await;
    let (here, there) = (app.admin().await, app.workspace("other").await);
    let change = ChangeWorkspace { draft_expiry_days: Some(1), ..Default::default() };
    app::workspaces::change(&app.cx, &there, change).await.unwrap();
    let (slow, quick) = (draft(&app, &here, "a").await, draft(&app, &there, "a").await);
    app.clock.advance(Duration::days(2));
    assert_eq!(keep_house(&app.cx).await.unwrap().drafts_archived, 1);
    assert_eq!(app.stored(&slow).await.skill.status, Status::Draft);
    assert_eq!(app.stored(&quick).await.skill.status, Status::Archived);
}

#[tokio::test]
async fn what_fails_in_one_workspace_keeps_nothing_else_from_its_end() {
    let app = quiet().await;
    let here = app.admin().await;
    let all = [app.workspace("a-first").await, here.clone(), app.workspace("z-last").await];
    let mut drafts = Vec::new();
    for caller in &all {
        let change = ChangeWorkspace { undelete_window_hours: Some(24), ..Default::default() };
        app::workspaces::change(&app.cx, caller, change).await.unwrap();
        let gone = app.skill(caller, if caller.workspace == here.workspace { "stuck" } else { "gone" }).await;
        delete(&app.cx, caller, gone.skill.id, None, None).await.unwrap();
        drafts.push(draft(&app, caller, "draft").await);
    }
    let damage = "CREATE TRIGGER damage BEFORE DELETE ON skills WHEN OLD.name = 'stuck'
                  BEGIN SELECT RAISE(ABORT, 'damaged'); END";
    app.tamper(damage, &[]).await;
    app.clock.advance(Duration::days(15));
    let done = keep_house(&app.cx).await.unwrap();
    assert_eq!((done.drafts_archived, done.skills_purged, done.failed), (3, 2, 1));
    app.tamper("DROP TRIGGER damage", &[]).await;
    assert_eq!(
        keep_house(&app.cx).await.unwrap(),
        Housekeeping { skills_purged: 1, ..Housekeeping::default() }
    );
}

#[tokio::test]
async fn a_round_with_nothing_to_do_commits_nothing() {
    let app = quiet().await;
    app.workspace("other").await;
    draft(&app, &app.admin().await, "young").await;
    let before = app.cx.store.generation();
    assert!(before.is_some());
    assert_eq!(keep_house(&app.cx).await.unwrap(), Housekeeping::default());
    assert_eq!(app.cx.store.generation(), before);
}
