//! Two workspaces never see each other, in any use case.

use app::agents::AgentSpec;
use app::analytics::ReadAnalytics;
use app::audit::ListAudit;
use app::runs::{ListRuns, RunSkill};
use app::skills::{
    CreateSkill, Decision, Edit, EditSkill, Idempotency, ListSkills, OnConflict, Outcome, RevisionRef, create,
};
use app::tokens::{CreateToken, TokensOf};
use app::users::ChangeUser;
use app::{Changes, Code, PageRequest};
use model::{
    Agent, Assignment, Caller, Digest, Reach, RevisionNumber, Role, RunId, Scope, ScopeKind, SkillId, Token,
    TokenScope, Transition,
};
use testkit::TestApp;
use testkit::app::{name, spec};

use crate::runs;

/// A workspace with everything in it.
struct World {
    admin: Caller,
    skill: SkillId,
    agent: Agent,
    token: Token,
    run: RunId,
}

async fn world(app: &TestApp, workspace: &str) -> World {
    let operator = app.workspace(workspace).await;
    let admin =
        app.user_in(&operator, &format!("admin-{workspace}"), &[Role::Admin, Role::PolicyAdmin]).await;
    assert_eq!(admin.reach, Reach::Member);
    let request = CreateSkill { source: Some("/same".into()), ..runs::adder("same", "") };
    let skill = app.put(&admin, request).await.record.skill.id;
    let request = RunSkill { parameters: runs::numbers(1, 2), ..RunSkill::default() };
    let run = app::runs::execute(&app.cx, &admin, skill, request).await.unwrap().run.id;
    let spec = AgentSpec {
        assignments: vec![Assignment { skill, pin: None }],
        ..AgentSpec::new(name("same-agent"))
    };
    let agent = app::agents::create(&app.cx, &admin, spec).await.unwrap();
    let request = CreateToken {
        name: workspace.to_owned(),
        user: None,
        agent: Some(agent.id),
        scopes: vec![TokenScope::Read],
        expires_at: None,
    };
    let token = app::tokens::create(&app.cx, &admin, request).await.unwrap().0;
    app::skills::record_feedback(&app.cx, &admin, skill, true, Some(workspace.to_owned())).await.unwrap();
    World { admin, skill, agent, token, run }
}

#[tokio::test]
async fn what_is_elsewhere_is_not_found_by_id() {
    let app = TestApp::new().await;
    let (here, there) = (world(&app, "here").await, world(&app, "there").await);
    let (cx, me, id) = (&app.cx, &here.admin, there.skill);
    let current = || RevisionRef::Current;
    let first = RevisionNumber::FIRST;
    let changes =
        || EditSkill::new(Edit::Changes(Box::new(Changes { body: Some("x".into()), ..Changes::default() })));
    app.refuses(Code::NotFound, app::skills::read(cx, me, id)).await;
    app.refuses(Code::NotFound, app::skills::revision(cx, me, id, current())).await;
    app.refuses(Code::NotFound, app::skills::revisions(cx, me, id, PageRequest::default())).await;
    app.refuses(Code::NotFound, app::skills::files(cx, me, id, current())).await;
    app.refuses(Code::NotFound, app::skills::file(cx, me, id, current(), "SKILL.md")).await;
    app.refuses(Code::NotFound, app::skills::diff(cx, me, id, current(), current())).await;
    app.refuses(Code::NotFound, app::skills::export(cx, me, id, current())).await;
    app.refuses(Code::NotFound, app::skills::export_archive(cx, me, id, current())).await;
    app.refuses(Code::NotFound, app::skills::feedback(cx, me, id)).await;
    app.refuses(Code::NotFound, app::skills::edit(cx, me, id, changes())).await;
    app.refuses(Code::NotFound, app::skills::restore(cx, me, id, current(), None)).await;
    app.refuses(Code::NotFound, app::skills::label(cx, me, id, first, None)).await;
    app.refuses(Code::NotFound, app::skills::delete(cx, me, id, None, None)).await;
    app.refuses(Code::NotFound, app::skills::undelete(cx, me, id)).await;
    app.refuses(Code::NotFound, app::skills::set_enabled(cx, me, id, false, None)).await;
    app.refuses(Code::NotFound, app::skills::promote(cx, me, id, ScopeKind::Workspace, None)).await;
    app.refuses(Code::NotFound, app::skills::record_use(cx, me, id, true)).await;
    app.refuses(Code::NotFound, app::skills::record_feedback(cx, me, id, true, None)).await;
    let run = || RunSkill { parameters: runs::numbers(1, 2), ..RunSkill::default() };
    app.refuses(Code::NotFound, app::runs::execute(cx, me, id, run())).await;
    app.refuses(Code::NotFound, app::runs::check(cx, me, id, run(), 2)).await;
    app.refuses(Code::NotFound, app::runs::of_skill(cx, me, id, ListRuns::default())).await;
    app.refuses(Code::NotFound, app::runs::statistics(cx, me, id)).await;
    app.refuses(Code::NotFound, app::runs::read(cx, me, there.run)).await;
    for &transition in Transition::ALL {
        app.refuses(Code::NotFound, app::skills::decide(cx, me, id, Decision::new(transition))).await;
    }
    let agent = there.agent.id;
    let spec = || AgentSpec::new(name("same-agent"));
    app.refuses(Code::NotFound, app::agents::read(cx, me, agent)).await;
    app.refuses(Code::NotFound, app::agents::update(cx, me, agent, spec(), None)).await;
    app.refuses(Code::NotFound, app::agents::delete(cx, me, agent)).await;
    app.refuses(Code::NotFound, app::agents::assign(cx, me, agent, here.skill, None, None)).await;
    app.refuses(Code::NotFound, app::agents::assign(cx, me, here.agent.id, id, None, None)).await;
    app.refuses(Code::NotFound, app::agents::unassign(cx, me, agent, id)).await;
    let user = there.admin.user;
    app.refuses(Code::NotFound, app::users::read(cx, me, user)).await;
    app.refuses(Code::NotFound, app::users::change(cx, me, user, ChangeUser::default())).await;
    app.refuses(Code::NotFound, app::users::remove(cx, me, user)).await;
    app.refuses(Code::NotFound, app::sign_in::create_link(cx, me, user)).await;
    app.refuses(Code::NotFound, app::tokens::revoke(cx, me, there.token.id)).await;
    let request = |user, agent| CreateToken {
        name: "t".into(),
        user,
        agent,
        scopes: vec![TokenScope::Read],
        expires_at: None,
    };
    app.refuses(Code::NotFound, app::tokens::create(cx, me, request(Some(user), None))).await;
    app.refuses(Code::NotFound, app::tokens::create(cx, me, request(None, Some(agent)))).await;
    for scope in [Scope::Agent(agent), Scope::User(user), Scope::AgentUser(agent, me.user)] {
        let request = CreateSkill { scope: Some(scope), ..testkit::app::spec("new") };
        app.refuses(Code::NotFound, create(cx, me, request, None)).await;
    }
}

#[tokio::test]
async fn a_list_holds_nothing_from_elsewhere() {
    let app = TestApp::new().await;
    let (here, there) = (world(&app, "here").await, world(&app, "there").await);
    let (cx, me) = (&app.cx, &here.admin);
    for nearest in [false, true] {
        let request = ListSkills { nearest, count: true, ..ListSkills::default() };
        let (page, total) = app::skills::list(cx, me, request).await.unwrap();
        assert_eq!((page.items.len(), total), (1, Some(1)));
        assert_eq!(page.items[0].skill.id, here.skill);
    }
    assert_eq!(app::skills::resolve(cx, me, "same").await.unwrap().skill.id, here.skill);
    assert_eq!(app::skills::feedback(cx, me, here.skill).await.unwrap().len(), 1);
    let agents = app::agents::list(cx, me, PageRequest::default()).await.unwrap();
    assert_eq!(agents.items, std::slice::from_ref(&here.agent));
    assert_eq!(app::agents::find(cx, me, &name("same-agent")).await.unwrap(), here.agent);
    let people = app::users::list(cx, me).await.unwrap();
    assert!(people.iter().all(|member| member.user.id != there.admin.user));
    let handle = model::Handle::parse("admin-there").unwrap();
    app.refuses(Code::NotFound, app::users::find(cx, me, &handle)).await;
    let groups = app::skills::groups(cx, me, ListSkills::default()).await.unwrap();
    assert_eq!(groups.iter().map(|group| group.count).collect::<Vec<_>>(), [1]);
    let numbers = app::analytics::read(cx, me, ReadAnalytics::default()).await.unwrap();
    assert_eq!((numbers.skills, numbers.total.count, numbers.top.len()), (1, 1, 1));
    let tokens = app::tokens::list(cx, me, TokensOf::Everyone).await.unwrap();
    assert_eq!(tokens, std::slice::from_ref(&here.token));
    assert!(app::tokens::list(cx, me, TokensOf::User(there.admin.user)).await.unwrap().is_empty());
    let workspaces = app::workspaces::list(cx, me).await.unwrap();
    assert_eq!(workspaces.iter().map(|one| one.id).collect::<Vec<_>>(), [me.workspace]);
    let log = app::audit::list(cx, me, ListAudit::default()).await.unwrap();
    assert!(log.items.iter().all(|entry| entry.workspace == me.workspace && !entry.detail.contains("there")));
    let log = app::audit::export(cx, me, 0, 1_000).await.unwrap();
    assert!(!log.is_empty() && log.iter().all(|entry| entry.workspace == me.workspace));
    assert_eq!(app::audit::verify(cx, me).await.unwrap().entries, log.len() as u64);
    assert_eq!(app::skills::tags(cx, me).await.unwrap(), []);
    for skill in [None, Some(there.skill)] {
        let runs = app::runs::list(cx, me, ListRuns { skill, ..ListRuns::default() }).await.unwrap();
        let expected: &[RunId] = if skill.is_none() { &[here.run] } else { &[] };
        assert_eq!(runs.items.iter().map(|run| run.id).collect::<Vec<_>>(), expected);
    }
}

#[tokio::test]
async fn the_same_bytes_names_sources_and_keys_live_twice() {
    let app = TestApp::new().await;
    let (here, there) = (world(&app, "here").await, world(&app, "there").await);
    let before = app.snapshot().await.rows("blobs");
    let key = || Some(Idempotency { key: "k".into(), fingerprint: Digest::of(b"x") });
    let mut made = Vec::new();
    for world in [&here, &there] {
        let put = create(&app.cx, &world.admin, spec("twin"), key()).await.unwrap();
        assert_eq!(put.outcome, Outcome::Created);
        made.push(put.record.skill);
    }
    assert_ne!(made[0].id, made[1].id);
    assert_eq!(app.snapshot().await.rows("blobs"), before + 2);
    app::skills::delete(&app.cx, &here.admin, made[0].id, None, None).await.unwrap();
    app::skills::export(&app.cx, &there.admin, made[1].id, RevisionRef::Current).await.unwrap();
}

#[tokio::test]
async fn what_was_rejected_elsewhere_is_not_rejected_here() {
    let app = TestApp::new().await;
    let (here, there) = (app.workspace("here").await, app.workspace("there").await);
    let bad = app.skill(&there, "bad").await.skill.id;
    app::skills::decide(&app.cx, &there, bad, Decision::new(Transition::Reject)).await.unwrap();
    let alice = app.user_in(&here, "alice", &[]).await;
    let put = app.put(&alice, CreateSkill { on_conflict: OnConflict::Error, ..spec("bad") }).await;
    assert_eq!(put.outcome, Outcome::Created);
}

#[tokio::test]
async fn writing_in_one_workspace_changes_no_row_of_the_other() {
    let app = TestApp::new().await;
    let (here, there) = (world(&app, "here").await, world(&app, "there").await);
    let rows = async |world: &World| {
        let log = app.audit(world.admin.workspace).await;
        let skill = app::skills::read(&app.cx, &world.admin, world.skill).await.unwrap();
        let agent = app::agents::read(&app.cx, &world.admin, world.agent.id).await.unwrap();
        let runs = app::runs::list(&app.cx, &world.admin, ListRuns::default()).await.unwrap().items;
        let statistics = app::runs::statistics(&app.cx, &world.admin, world.skill).await.unwrap();
        assert_eq!((runs.len(), statistics.revisions.len()), (1, 1));
        (
            log,
            skill.record,
            agent,
            runs,
            statistics,
            app::workspaces::current(&app.cx, &world.admin).await.unwrap(),
        )
    };
    let before = rows(&there).await;
    let change = app::workspaces::ChangeWorkspace { title: Some("x".into()), ..Default::default() };
    app::workspaces::change(&app.cx, &here.admin, change).await.unwrap();
    app::skills::record_use(&app.cx, &here.admin, here.skill, false).await.unwrap();
    let run = RunSkill { parameters: runs::numbers(1, 2), ..RunSkill::default() };
    app::runs::execute(&app.cx, &here.admin, here.skill, run).await.unwrap();
    app::runs::prune(&app.cx, &here.admin, app.now() + time::Duration::days(1)).await.unwrap();
    app::agents::unassign(&app.cx, &here.admin, here.agent.id, here.skill).await.unwrap();
    app::skills::delete(&app.cx, &here.admin, here.skill, None, None).await.unwrap();
    app::agents::delete(&app.cx, &here.admin, here.agent.id).await.unwrap();
    assert_eq!(rows(&there).await, before);
}
