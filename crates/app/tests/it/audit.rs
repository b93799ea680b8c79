//! The audit log: every change is in it, and every change of it shows.

use app::agents::AgentSpec;
use app::audit::{ListAudit, export, list, verify};
use app::skills::{
    Decision, Edit, EditSkill, create, decide, delete, edit, label, promote, restore, set_enabled,
};
use app::tokens::CreateToken;
use app::users::{AddUser, ChangeUser};
use app::workspaces::ChangeWorkspace;
use app::{Changes, Code, Cursor, PageRequest};
use model::{Caller, Handle, Label, RevisionNumber, Role, ScopeKind, TokenScope, Transition};
use testkit::app::{name, spec};
use testkit::{CallerExt as _, TestApp};

fn body(text: &str) -> EditSkill {
    EditSkill::new(Edit::Changes(Box::new(Changes { body: Some(text.to_owned()), ..Changes::default() })))
}

#[tokio::test]
async fn every_change_of_a_skill_writes_one_entry() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let (cx, log) = (&app.cx, admin.workspace);
    let window = ChangeWorkspace { undelete_window_hours: Some(1), ..Default::default() };
    app.logs(log, &["workspace.change"], app::workspaces::change(cx, &admin, window)).await;
    let id = app.logs(log, &["skill.create"], create(cx, &alice, spec("a"), None)).await.record.skill.id;
    app.logs(log, &["skill.edit"], edit(cx, &alice, id, body("two"))).await;
    let revised = app::skills::CreateSkill {
        on_conflict: app::skills::OnConflict::NewRevision,
        ..testkit::app::spec_with("a", |draft| draft.body = "three".into())
    };
    app.logs(log, &["skill.revise"], create(cx, &alice, revised, None)).await;
    let first = app::skills::RevisionRef::Number(RevisionNumber::FIRST);
    app.logs(log, &["skill.restore"], restore(cx, &alice, id, first, None)).await;
    let one = Some(Label::parse("1.0.0").unwrap());
    app.logs(log, &["skill.label"], label(cx, &alice, id, RevisionNumber::FIRST, one)).await;
    app.logs(log, &["skill.disable"], set_enabled(cx, &alice, id, false, None)).await;
    app.logs(log, &["skill.enable"], set_enabled(cx, &alice, id, true, None)).await;
    app.logs(log, &["skill.use"], app::skills::record_use(cx, &alice, id, true)).await;
    app.logs(log, &["skill.feedback"], app::skills::record_feedback(cx, &alice, id, true, None)).await;
    app.logs(log, &["skill.ask_promotion"], promote(cx, &alice, id, ScopeKind::Workspace, None)).await;
    app.logs(log, &["skill.promote"], promote(cx, &admin, id, ScopeKind::Workspace, None)).await;
    for (transition, verb) in [
        (Transition::Reject, "skill.reject"),
        (Transition::Reopen, "skill.reopen"),
        (Transition::Submit, "skill.submit"),
        (Transition::Approve, "skill.approve"),
        (Transition::Archive, "skill.archive"),
    ] {
        app.logs(log, &[verb], decide(cx, &admin, id, Decision::new(transition))).await;
    }
    app.logs(log, &["skill.delete"], delete(cx, &admin, id, None, None)).await;
    app.logs(log, &["skill.undelete"], app::skills::undelete(cx, &admin, id)).await;
    assert_eq!(verify(cx, &admin).await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn every_change_of_people_agents_and_tokens_writes_one_entry() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (cx, log) = (&app.cx, admin.workspace);
    let bob = AddUser { handle: Handle::parse("bob").unwrap(), display_name: None, roles: vec![] };
    let bob = app.logs(log, &["user.add"], app::users::add(cx, &admin, bob)).await.user.id;
    let roles = ChangeUser { roles: Some(vec![Role::Reviewer]), ..ChangeUser::default() };
    app.logs(log, &["user.change"], app::users::change(cx, &admin, bob, roles)).await;
    let link = app.logs(log, &["sign_in.link"], app::sign_in::create_link(cx, &admin, bob)).await;
    let browser = app.logs(log, &["sign_in.create"], app::sign_in::by_link(cx, &link)).await;
    let (caller, sign_in) = app::identity::by_cookie(cx, &browser.secret).await.unwrap();
    app.logs(log, &["sign_in.end"], app::sign_in::end(cx, &caller, &sign_in)).await;
    let request = CreateToken {
        name: "t".into(),
        user: None,
        agent: None,
        scopes: TokenScope::ALL.to_vec(),
        expires_at: None,
    };
    let (token, secret) = app.logs(log, &["token.create"], app::tokens::create(cx, &admin, request)).await;
    app.logs(log, &["sign_in.create"], app::sign_in::by_token(cx, &secret)).await;
    app.logs(log, &["token.revoke"], app::tokens::revoke(cx, &admin, token.id)).await;
    let skill = app.skill(&admin, "a").await.skill.id;
    let spec = || AgentSpec::new(name("agent"));
    let agent = app.logs(log, &["agent.create"], app::agents::create(cx, &admin, spec())).await.id;
    app.logs(log, &["agent.update"], app::agents::update(cx, &admin, agent, spec(), None)).await;
    app.logs(log, &["agent.assign"], app::agents::assign(cx, &admin, agent, skill, None, None)).await;
    app.logs(log, &["agent.assign"], app::agents::unassign(cx, &admin, agent, skill)).await;
    app.logs(log, &["agent.delete"], app::agents::delete(cx, &admin, agent)).await;
    app.logs(log, &["user.remove"], app::users::remove(cx, &admin, bob)).await;
    let made = app.logs(log, &[], app::workspaces::create(cx, &admin, &name("other"), None)).await;
    let verbs: Vec<_> = app.audit(made.id).await.into_iter().map(|entry| entry.verb.0).collect();
    assert_eq!(verbs, ["workspace.create"]);
    assert_eq!(verify(cx, &admin).await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test]
async fn an_entry_tells_who_what_and_when_but_no_content() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent("one").await;
    app.clock.advance(time::Duration::minutes(5));
    let request = testkit::app::spec_with("a", |draft| draft.body = "very secret words".into());
    let skill = app.put(&alice.through(&agent), request).await.record.skill;
    let entry = app.audit(alice.workspace).await.pop().unwrap();
    assert_eq!((entry.actor.user, entry.actor.agent), (Some(alice.user), Some(agent.id)));
    assert_eq!((entry.subject.kind.as_str(), entry.subject.id), ("skill", skill.id.to_string()));
    assert_eq!((entry.at, entry.verb.0.as_str()), (app.now(), "skill.create"));
    assert!(
        entry.detail.contains(&skill.digest.to_string()) && !entry.detail.contains("secret"),
        "{}",
        entry.detail
    );
}

#[tokio::test]
async fn a_whole_chain_verifies_and_its_head_moves() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let before = verify(&app.cx, &admin).await.unwrap();
    app.skill(&admin, "a").await;
    let after = verify(&app.cx, &admin).await.unwrap();
    assert_eq!((after.entries, after.problems.len()), (before.entries + 1, 0));
    assert_ne!(after.head, before.head);
    assert_eq!(app.audit(admin.workspace).await.last().unwrap().hash, after.head);
}

/// An installation with a chain of six entries.
async fn chain() -> (TestApp, Caller) {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for skill in ["a", "b", "c", "d", "e"] {
        app.skill(&admin, skill).await;
    }
    assert_eq!(app.audit(admin.workspace).await.len(), 6);
    (app, admin)
}

async fn problems(app: &TestApp, admin: &Caller) -> String {
    verify(&app.cx, admin).await.unwrap().problems.join("; ")
}

#[tokio::test]
async fn an_edited_entry_shows_whatever_the_column() {
    let edits = [
        "UPDATE audit_entries SET detail = '{}' WHERE sequence = 3",
        "UPDATE audit_entries SET verb = 'skill.read' WHERE sequence = 3",
        "UPDATE audit_entries SET at = at + 1 WHERE sequence = 3",
        "UPDATE audit_entries SET user_id = NULL WHERE sequence = 3",
        "UPDATE audit_entries SET agent_id = user_id WHERE sequence = 3",
        "UPDATE audit_entries SET subject_id = 'x' WHERE sequence = 3",
        "UPDATE audit_entries SET subject_kind = 'agent' WHERE sequence = 3",
        "UPDATE audit_entries SET previous = zeroblob(32) WHERE sequence = 3",
        "UPDATE audit_entries SET hash = zeroblob(32) WHERE sequence = 3",
        "UPDATE audit_entries SET verb = 'x' WHERE sequence = 6",
    ];
    for sql in edits {
        let (app, admin) = chain().await;
        assert_eq!(app.tamper(sql, &[]).await, 1, "{sql}");
        let found = problems(&app, &admin).await;
        assert!(found.contains("was changed after it was written"), "{sql}: {found}");
    }
}

#[tokio::test]
async fn a_removed_entry_shows() {
    let (app, admin) = chain().await;
    app.tamper("DELETE FROM audit_entries WHERE sequence = 3", &[]).await;
    assert!(problems(&app, &admin).await.contains("entries 3 to 3 are missing"));
    let (app, admin) = chain().await;
    app.tamper("DELETE FROM audit_entries WHERE sequence = 3", &[]).await;
    app.tamper("UPDATE audit_entries SET sequence = sequence - 1 WHERE sequence > 3", &[]).await;
    let found = problems(&app, &admin).await;
    assert!(found.contains("entry 3 does not follow the entry before it"), "{found}");
    assert!(found.contains("the log ends at entry 5"), "{found}");
}

#[tokio::test]
async fn a_truncated_log_shows() {
    let (app, admin) = chain().await;
    app.tamper("DELETE FROM audit_entries WHERE sequence > 4", &[]).await;
    assert_eq!(problems(&app, &admin).await, "the log ends at entry 4, but entry 6 was written");
    let (app, admin) = chain().await;
    app.tamper("DELETE FROM audit_entries", &[]).await;
    assert_eq!(problems(&app, &admin).await, "the log ends at entry 0, but entry 6 was written");
}

#[tokio::test]
async fn moved_entries_show() {
    let (app, admin) = chain().await;
    for (from, to) in [(3, 99), (4, 3), (99, 4)] {
        app.tamper("UPDATE audit_entries SET sequence = $1 WHERE sequence = $2", &[to, from]).await;
    }
    let found = problems(&app, &admin).await;
    assert!(found.contains("entry 3 does not follow"), "{found}");
}

#[tokio::test]
async fn an_added_entry_shows() {
    let insert = "INSERT INTO audit_entries SELECT workspace_id, $1, at, user_id, agent_id, verb, subject_kind, \
                  subject_id, detail, previous, hash FROM audit_entries WHERE sequence = 6";
    let (app, admin) = chain().await;
    app.tamper(insert, &[7]).await;
    assert!(problems(&app, &admin).await.contains("entry 7"));
    // With the true end gone the walk must still come to one.
    let (app, admin) = chain().await;
    app.tamper(insert, &[7]).await;
    app.tamper("DELETE FROM audit_entries WHERE sequence = 6", &[]).await;
    assert!(problems(&app, &admin).await.contains("the log ends at entry 5"));
}

#[tokio::test]
async fn a_last_entry_that_is_not_the_one_that_was_written_shows() {
    let (app, admin) = chain().await;
    app.tamper("UPDATE audit_heads SET hash = zeroblob(32)", &[]).await;
    assert_eq!(problems(&app, &admin).await, "the last entry, 6, is not the one that was written last");
}

#[tokio::test]
async fn a_head_that_was_turned_back_shows() {
    let (app, admin) = chain().await;
    app.tamper(
        "UPDATE audit_heads SET sequence = 5, hash = (SELECT hash FROM audit_entries WHERE sequence = 5)",
        &[],
    )
    .await;
    assert!(problems(&app, &admin).await.contains("entry 6"));
}

#[tokio::test]
async fn the_log_is_read_by_admins_and_policy_admins() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let admin = app.admin().await.scoped(&[TokenScope::Read]);
    for (caller, code) in [(&alice, Code::Forbidden), (&rita, Code::Forbidden), (&admin, Code::TokenScope)] {
        app.refuses(code, list(&app.cx, caller, ListAudit::default())).await;
        app.refuses(code, export(&app.cx, caller, 0, 10)).await;
        app.refuses(code, verify(&app.cx, caller)).await;
    }
    let paul = app.user("paul", &[Role::PolicyAdmin]).await;
    verify(&app.cx, &paul).await.unwrap();
    assert_eq!(export(&app.cx, &paul, 1, 2).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_list_of_entries_is_filtered_and_paged_newest_first() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let mut ids = Vec::new();
    for skill in ["a", "b", "c"] {
        ids.push(app.skill(&alice, skill).await.skill.id);
    }
    set_enabled(&app.cx, &admin, ids[0], false, None).await.unwrap();
    let count = async |request: ListAudit| list(&app.cx, &admin, request).await.unwrap().items.len();
    let all = ListAudit::default;
    assert_eq!(count(all()).await, 6);
    assert_eq!(count(ListAudit { verb: Some("skill.create".into()), ..all() }).await, 3);
    assert_eq!(count(ListAudit { verb: Some("skill.".into()), ..all() }).await, 4);
    assert_eq!(count(ListAudit { subject_kind: Some("user".into()), ..all() }).await, 1);
    assert_eq!(count(ListAudit { subject_id: Some(ids[0].to_string()), ..all() }).await, 2);
    assert_eq!(count(ListAudit { user: Some(alice.user), ..all() }).await, 3);
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { limit: 4, after };
        let page = list(&app.cx, &admin, ListAudit { page, ..all() }).await.unwrap();
        seen.extend(page.items.iter().map(|entry| entry.sequence));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [6, 5, 4, 3, 2, 1]);
    let page = PageRequest { limit: 4, after: Some(Cursor("x".into())) };
    app.refuses(Code::InvalidCursor, list(&app.cx, &admin, ListAudit { page, ..all() })).await;
}

#[tokio::test]
async fn a_change_that_cannot_be_logged_does_not_happen() {
    let (app, admin) = chain().await;
    // The next entry's place is taken, so that writing it fails after the skill was written.
    let insert = "INSERT INTO audit_entries SELECT workspace_id, 7, at, user_id, agent_id, verb, subject_kind, \
                  subject_id, detail, previous, hash FROM audit_entries WHERE sequence = 6";
    app.tamper(insert, &[]).await;
    let before = app.snapshot().await;
    create(&app.cx, &admin, spec("new"), None).await.unwrap_err();
    set_enabled(
        &app.cx,
        &admin,
        app::skills::resolve(&app.cx, &admin, "a").await.unwrap().skill.id,
        false,
        None,
    )
    .await
    .unwrap_err();
    assert_eq!(before.changes(&app.snapshot().await), Vec::<String>::new());
}
