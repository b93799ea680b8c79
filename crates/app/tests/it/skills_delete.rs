//! Deleting, and bringing back while that is allowed.

use app::Code;
use app::skills::{ListSkills, RevisionRef, create, delete, list, read, undelete};
use app::workspaces::ChangeWorkspace;
use model::{Role, Scope, TokenScope};
use testkit::app::{files_spec, skill_md, spec};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

async fn open_window(app: &TestApp, hours: u32) {
    let change = ChangeWorkspace { undelete_window_hours: Some(hours), ..Default::default() };
    app::workspaces::change(&app.cx, &app.admin().await, change).await.unwrap();
}

#[tokio::test]
async fn deleting_purges_content_and_leaves_a_tombstone() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let empty = app.snapshot().await;
    let text = skill_md("a", "secret words");
    let skill = app.put(&alice, files_spec(&[("SKILL.md", text.as_bytes()), ("x", b"y")])).await.record.skill;
    app::skills::record_use(&app.cx, &alice, skill.id, true).await.unwrap();
    app::skills::record_feedback(&app.cx, &alice, skill.id, true, None).await.unwrap();
    delete(&app.cx, &alice, skill.id, Some("no longer true"), None).await.unwrap();
    let after = app.snapshot().await;
    let changed = empty.changes(&after);
    let is_told = |table: &String| table.starts_with("audit_") || table.starts_with("purged_skills");
    assert!(changed.iter().all(is_told), "{changed:?}");
    let log = app.audit(alice.workspace).await;
    let tombstone = log.last().unwrap();
    assert_eq!(tombstone.verb.0, "skill.delete");
    assert_eq!(
        (tombstone.actor.user, tombstone.subject.id.clone()),
        (Some(alice.user), skill.id.to_string())
    );
    for told in ["\"name\":\"a\"", &skill.digest.to_string(), "no longer true", "\"purged\":true"] {
        assert!(tombstone.detail.contains(told), "{}", tombstone.detail);
    }
    assert!(log.iter().all(|entry| !entry.detail.contains("secret words")));
    app.refuses(Code::NotFound, read(&app.cx, &alice, skill.id)).await;
    app.refuses(Code::NotFound, delete(&app.cx, &alice, skill.id, None, None)).await;
    app.refuses(Code::NotFound, undelete(&app.cx, &alice, skill.id)).await;
}

#[tokio::test]
async fn bytes_that_another_skill_needs_stay() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, two) = (skill_md("one", "x"), skill_md("two", "x"));
    let first =
        app.put(&alice, files_spec(&[("SKILL.md", one.as_bytes()), ("data", b"both")])).await.record.skill;
    let second =
        app.put(&alice, files_spec(&[("SKILL.md", two.as_bytes()), ("data", b"both")])).await.record.skill;
    assert_eq!(app.snapshot().await.rows("blobs"), 3);
    delete(&app.cx, &alice, first.id, None, None).await.unwrap();
    assert_eq!(app.snapshot().await.rows("blobs"), 2);
    let (_, bytes) =
        app::skills::file(&app.cx, &alice, second.id, RevisionRef::Current, "data").await.unwrap();
    assert_eq!(bytes, b"both");
}

#[tokio::test]
async fn owners_delete_their_own_and_admins_the_rest() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let admin = app.admin().await;
    let shared = app.skill(&admin, "shared").await.skill.id;
    let mine = app.skill(&alice, "mine").await.skill.id;
    app.refuses(Code::Forbidden, delete(&app.cx, &alice, shared, None, None)).await;
    app.refuses(Code::Forbidden, delete(&app.cx, &rita, shared, None, None)).await;
    app.refuses(Code::Forbidden, delete(&app.cx, &rita, mine, None, None)).await;
    app.refuses(Code::TokenScope, delete(&app.cx, &alice.scoped(&[TokenScope::Read]), mine, None, None))
        .await;
    delete(&app.cx, &alice, mine, None, None).await.unwrap();
    delete(&app.cx, &admin, shared, None, None).await.unwrap();
    let mut offered = spec("offered");
    offered.scope = Some(Scope::Workspace);
    let offered = app.put(&alice, offered).await.record.skill.id;
    delete(&app.cx, &alice, offered, None, None).await.unwrap();
}

#[tokio::test]
async fn inside_the_window_a_skill_comes_back_whole() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    open_window(&app, 24).await;
    let record = app.skill(&alice, "a").await;
    let id = record.skill.id;
    delete(&app.cx, &alice, id, None, None).await.unwrap();
    app.refuses(Code::NotFound, read(&app.cx, &alice, id)).await;
    app.refuses(Code::NotFound, app::skills::resolve(&app.cx, &alice, "a")).await;
    app.refuses(Code::NotFound, delete(&app.cx, &alice, id, None, None)).await;
    assert!(list(&app.cx, &alice, ListSkills::default()).await.unwrap().0.items.is_empty());
    let bin = ListSkills { deleted: true, ..ListSkills::default() };
    assert_eq!(list(&app.cx, &alice, bin).await.unwrap().0.items[0].skill.id, id);
    let bob = app.user("bob", &[]).await;
    app.refuses(Code::Forbidden, undelete(&app.cx, &bob, id)).await;
    app.clock.advance(Duration::hours(23));
    let back = undelete(&app.cx, &alice, id).await.unwrap();
    assert_eq!((back.skill.deleted_at, back.skill.digest), (None, record.skill.digest));
    assert_eq!(app.stored(&back).await, back);
    assert!(read(&app.cx, &alice, id).await.unwrap().manifest.body.contains("step by step"));
    app.refuses(Code::NotFound, undelete(&app.cx, &alice, id)).await;
}

#[tokio::test]
async fn when_the_window_has_closed_a_skill_stays_gone() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    open_window(&app, 24).await;
    let id = app.skill(&alice, "a").await.skill.id;
    delete(&app.cx, &alice, id, None, None).await.unwrap();
    app.clock.advance(Duration::hours(24));
    app.refuses(Code::NotFound, undelete(&app.cx, &alice, id)).await;
}

#[tokio::test]
async fn a_deleted_skill_frees_its_name_and_cannot_take_it_back() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    open_window(&app, 24).await;
    let id = app.skill(&alice, "a").await.skill.id;
    delete(&app.cx, &alice, id, None, None).await.unwrap();
    app.skill(&alice, "a").await;
    app.refuses(Code::NameTaken, undelete(&app.cx, &alice, id)).await;
}

#[tokio::test]
async fn a_deleted_skill_whose_source_was_imported_again_stays_deleted() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    open_window(&app, 24).await;
    let import = |skill| app::skills::CreateSkill { source: Some("/skills/x".into()), ..spec(skill) };
    let id = app.put(&alice, import("a")).await.record.skill.id;
    delete(&app.cx, &alice, id, None, None).await.unwrap();
    let again = app.put(&alice, import("b")).await;
    assert_eq!(again.outcome, app::skills::Outcome::Created);
    let error = app.refuses(Code::NameTaken, undelete(&app.cx, &alice, id)).await;
    assert!(error.to_string().contains("`b`"), "{error}");
}

#[tokio::test]
async fn deleted_content_can_be_put_in_anew() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let id = app.skill(&alice, "a").await.skill.id;
    delete(&app.cx, &alice, id, None, None).await.unwrap();
    let again = create(&app.cx, &alice, spec("a"), None).await.unwrap().record.skill;
    assert_ne!(again.id, id);
    assert_eq!(again.revision.get(), 1);
}
