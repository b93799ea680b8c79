//! Watching: everybody is told of what they can see, and of nothing else.

use std::time::Duration;

use app::events::{Topic, Watch};
use app::governance::{self, Ask, RunRef, finish, read_run, resolve, start};
use app::identity::{Presence, Proof, Standing};
use app::sessions::{self, Start};
use app::skills::{CreateSkill, delete};
use app::tokens::{CreateToken, revoke};
use app::{Code, Context};
use model::{Caller, Handle, Role, Scope, Session, TokenScope};
use testkit::TestApp;
use testkit::app::{name, spec};

use crate::{runs, search};

const PATIENCE: Duration = Duration::from_secs(10);
/// Longer than a look and the breath after news take together.
const QUIET: Duration = Duration::from_millis(700);

fn at_the_machine(handle: &str) -> Presence {
    Presence { proof: Proof::Machine(Handle::parse(handle).unwrap()), standing: Standing::default() }
}

async fn watch(app: &TestApp, handle: &str) -> Watch {
    Watch::begin(&app.cx, at_the_machine(handle)).await.unwrap()
}

async fn told(watch: &mut Watch) -> Vec<&'static str> {
    let topics = tokio::time::timeout(PATIENCE, watch.next()).await.unwrap();
    topics.unwrap().into_iter().map(Topic::as_str).collect()
}

async fn is_quiet(watch: &mut Watch) {
    let news = tokio::time::timeout(QUIET, watch.next()).await;
    assert!(news.is_err(), "{news:?}");
}

async fn is_over(watch: &mut Watch) {
    let end = tokio::time::timeout(PATIENCE, watch.next()).await.unwrap();
    assert_eq!(end, None);
}

fn token(scopes: &[TokenScope]) -> CreateToken {
    CreateToken { name: "t".into(), user: None, agent: None, scopes: scopes.to_vec(), expires_at: None }
}

async fn watch_with_token(cx: &Context, caller: &Caller, scopes: &[TokenScope]) -> (Watch, model::TokenId) {
    let (token, secret) = app::tokens::create(cx, caller, token(scopes)).await.unwrap();
    let presence = Presence { proof: Proof::Token(secret), standing: Standing::default() };
    (Watch::begin(cx, presence).await.unwrap(), token.id)
}

#[tokio::test]
async fn each_change_is_told_by_its_topic() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let cx = &app.cx;
    let mut watch = watch(&app, "admin").await;
    assert_eq!(watch.topics(), Topic::ALL);
    let skill = app.put(&admin, runs::adder("adder", "")).await.record.skill.id;
    assert_eq!(told(&mut watch).await, ["skills", "audit"]);
    app.agent("helper").await;
    assert_eq!(told(&mut watch).await, ["agents", "audit"]);
    let request = app::runs::RunSkill { parameters: runs::numbers(1, 2), ..app::runs::RunSkill::default() };
    app::runs::execute(cx, &admin, skill, request).await.unwrap();
    assert_eq!(told(&mut watch).await, ["runs", "audit"]);
    resolve(cx, &admin, Ask::default()).await.unwrap();
    assert_eq!(told(&mut watch).await, ["decisions"]);
    app.user("alice", &[]).await;
    assert_eq!(told(&mut watch).await, ["audit", "users"]);
    app::tokens::create(cx, &admin, token(&[TokenScope::Read])).await.unwrap();
    assert_eq!(told(&mut watch).await, ["audit", "tokens"]);
    let change = app::workspaces::ChangeWorkspace { title: Some("T".into()), ..Default::default() };
    app::workspaces::change(cx, &admin, change).await.unwrap();
    assert_eq!(told(&mut watch).await, ["audit", "workspace"]);
    delete(cx, &admin, skill, None, None).await.unwrap();
    assert_eq!(told(&mut watch).await, ["skills", "audit"]);
    is_quiet(&mut watch).await;
}

#[tokio::test]
async fn whatever_changes_in_a_session_is_told() {
    let app = TestApp::new().await;
    let (alice, cx) = (app.user("alice", &[]).await, &app.cx);
    let mut watch = watch(&app, "alice").await;
    let Session { id, .. } = sessions::start(cx, &alice, Start::default()).await.unwrap().session;
    assert_eq!(told(&mut watch).await, ["sessions"]);
    sessions::write_todos(cx, &alice, id, Vec::new()).await.unwrap();
    assert_eq!(told(&mut watch).await, ["sessions"]);
    app.clock.advance(time::Duration::hours(1));
    sessions::change(cx, &alice, id, "Another".to_owned(), None).await.unwrap();
    assert_eq!(told(&mut watch).await, ["sessions"]);
    sessions::complete(cx, &alice, id, model::SessionOutcome::Failed, None).await.unwrap();
    assert_eq!(told(&mut watch).await, ["sessions"]);
    sessions::delete(cx, &alice, id).await.unwrap();
    assert_eq!(told(&mut watch).await, ["sessions"]);
    is_quiet(&mut watch).await;
}

#[tokio::test]
async fn what_others_do_for_themselves_is_told_only_to_who_sees_everything() {
    let app = TestApp::new().await;
    let (alice, cx) = (app.user("alice", &[]).await, &app.cx);
    app.user("bob", &[]).await;
    let (mut bob, mut admin) = (watch(&app, "bob").await, watch(&app, "admin").await);
    let followed: Vec<_> = bob.topics().into_iter().map(Topic::as_str).collect();
    assert_eq!(
        followed,
        ["skills", "agents", "sessions", "runs", "decisions", "users", "tokens", "workspace"]
    );
    let skill = app.put(&alice, runs::adder("adder", "")).await.record.skill.id;
    let draft = CreateSkill { draft: true, ..spec("not-yet") };
    let draft = app.put(&alice, draft).await.record.skill.id;
    let request = app::runs::RunSkill { parameters: runs::numbers(1, 2), ..app::runs::RunSkill::default() };
    app::runs::execute(cx, &alice, skill, request).await.unwrap();
    resolve(cx, &alice, Ask::default()).await.unwrap();
    let session = sessions::start(cx, &alice, Start::default()).await.unwrap().session;
    app::tokens::create(cx, &alice, token(&[TokenScope::Read])).await.unwrap();
    delete(cx, &alice, draft, None, None).await.unwrap();
    sessions::delete(cx, &alice, session.id).await.unwrap();
    is_quiet(&mut bob).await;
    assert_eq!(told(&mut admin).await, ["skills", "sessions", "runs", "decisions", "audit", "tokens"]);
    app.skill(&app.admin().await, "shared").await;
    assert_eq!(told(&mut bob).await, ["skills"]);
}

#[tokio::test]
async fn what_is_deleted_on_one_agent_is_not_told_through_another() {
    let app = TestApp::new().await;
    let (admin, alice, cx) = (app.admin().await, app.user("alice", &[]).await, &app.cx);
    let (one, two) = (app.agent("one").await.id, app.agent("two").await.id);
    let mut watches = Vec::new();
    for agent in [one, two] {
        let request = CreateToken { agent: Some(agent), ..token(&[TokenScope::Read]) };
        let (_, secret) = app::tokens::create(cx, &alice, request).await.unwrap();
        let presence = Presence { proof: Proof::Token(secret), standing: Standing::default() };
        watches.push((Scope::AgentUser(agent, alice.user), presence));
    }
    let [(_, through_one), (own, through_two)] = watches.try_into().ok().unwrap();
    for (caller, scope) in [(&admin, Scope::Agent(two)), (&alice, own)] {
        let skill = app.put(caller, CreateSkill { scope: Some(scope), ..spec("gone") }).await.record.skill.id;
        let mut one = Watch::begin(cx, through_one.clone()).await.unwrap();
        let mut two = Watch::begin(cx, through_two.clone()).await.unwrap();
        let mut in_person = watch(&app, "alice").await;
        delete(cx, caller, skill, None, None).await.unwrap();
        assert_eq!(told(&mut two).await, ["skills"], "{scope:?}");
        assert_eq!(told(&mut in_person).await, ["skills"], "{scope:?}");
        is_quiet(&mut one).await;
    }
}

#[tokio::test]
async fn the_end_of_a_governed_run_is_told_to_who_can_see_it() {
    let app = TestApp::new().await;
    let (alice, cx) = (app.user("alice", &[]).await, &app.cx);
    app.user("bob", &[]).await;
    let begin = || async { start(cx, &alice, governance::Start::default()).await.unwrap().run.id };
    let (ended, left) = (begin().await, begin().await);
    let (mut own, mut bob, mut admin) =
        (watch(&app, "alice").await, watch(&app, "bob").await, watch(&app, "admin").await);
    finish(cx, &alice, RunRef::Id(ended), None).await.unwrap();
    assert_eq!(told(&mut own).await, ["decisions"]);
    assert_eq!(told(&mut admin).await, ["decisions", "audit"]);
    finish(cx, &alice, RunRef::Id(ended), None).await.unwrap();
    is_quiet(&mut own).await;
    app.clock.advance(time::Duration::hours(25));
    app::jobs::keep_house(cx).await.unwrap();
    assert_eq!(told(&mut own).await, ["decisions"]);
    assert_eq!(read_run(cx, &alice, left).await.unwrap().run.outcome.as_deref(), Some("abandoned"));
    is_quiet(&mut bob).await;
}

#[tokio::test]
async fn what_was_logged_is_told_without_reading_what_it_is_about() {
    let app = TestApp::new().await;
    let (alice, cx) = (app.user("alice", &[]).await, &app.cx);
    let skill = app.put(&alice, runs::adder("adder", "")).await.record.skill.id;
    let (token, _) = app::tokens::create(cx, &alice, token(&[TokenScope::Read])).await.unwrap();
    let mut watch = watch(&app, "alice").await;
    let request = app::runs::RunSkill { parameters: runs::numbers(1, 2), ..app::runs::RunSkill::default() };
    app::runs::execute(cx, &alice, skill, request).await.unwrap();
    resolve(cx, &alice, Ask::default()).await.unwrap();
    revoke(cx, &alice, token.id).await.unwrap();
    for rows in ["DELETE FROM runs", "DELETE FROM decisions", "DELETE FROM tokens"] {
        assert_eq!(app.tamper(rows, &[]).await, 1, "{rows}");
    }
    assert_eq!(told(&mut watch).await, ["runs", "decisions", "tokens"]);
}

#[tokio::test]
async fn other_workspaces_are_no_news() {
    let app = TestApp::new().await;
    let mut watch = watch(&app, "admin").await;
    let there = app.workspace("other").await;
    app.skill(&there, "there").await;
    is_quiet(&mut watch).await;
}

#[tokio::test]
async fn a_change_right_after_the_beginning_is_never_missed() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for round in 0..20 {
        let mut watch = watch(&app, "admin").await;
        app.skill(&admin, &format!("skill-{round}")).await;
        assert_eq!(told(&mut watch).await, ["skills", "audit"], "round {round}");
    }
}

#[tokio::test]
async fn many_changes_are_few_events() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let mut watch = watch(&app, "admin").await;
    let begun = std::time::Instant::now();
    let writing = async {
        for n in 0..60 {
            app.skill(&admin, &format!("skill-{n}")).await;
        }
        app.agent("last").await;
    };
    let hearing = async {
        let mut events = 1;
        while !told(&mut watch).await.contains(&"agents") {
            events += 1;
        }
        events
    };
    let ((), events) = tokio::join!(writing, hearing);
    let most = begun.elapsed().as_millis() / 250 + 2;
    assert!(events <= most, "{events} events, at most {most}");
}

#[tokio::test]
async fn who_loses_access_is_told_nothing_more() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (alice, cx) = (app.user("alice", &[]).await, &app.cx);
    let (mut by_token, id) = watch_with_token(cx, &alice, TokenScope::ALL).await;
    let mut in_person = watch(&app, "alice").await;
    revoke(cx, &alice, id).await.unwrap();
    is_over(&mut by_token).await;
    assert_eq!(told(&mut in_person).await, ["tokens"]);
    app::users::remove(cx, &admin, alice.user).await.unwrap();
    is_over(&mut in_person).await;
}

#[tokio::test]
async fn another_role_is_news_of_everything() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let alice = app.user("alice", &[]).await;
    let mut watch = watch(&app, "alice").await;
    assert!(!watch.topics().contains(&Topic::Audit));
    let change = app::users::ChangeUser { roles: Some(vec![Role::Admin]), ..Default::default() };
    app::users::change(&app.cx, &admin, alice.user, change).await.unwrap();
    assert_eq!(told(&mut watch).await.len(), Topic::ALL.len());
    assert_eq!(watch.topics(), Topic::ALL);
}

#[tokio::test]
async fn a_token_follows_what_it_may_list() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (mut watch, _) = watch_with_token(&app.cx, &admin, &[TokenScope::Read]).await;
    assert!(!watch.topics().contains(&Topic::Audit) && !watch.topics().contains(&Topic::Tokens));
    app.skill(&admin, "one").await;
    assert_eq!(told(&mut watch).await, ["skills"]);
    let (_, secret) = app::tokens::create(&app.cx, &admin, token(&[TokenScope::Write])).await.unwrap();
    let presence = Presence { proof: Proof::Token(secret), standing: Standing::default() };
    app.refuses(Code::TokenScope, Watch::begin(&app.cx, presence)).await;
}

#[tokio::test]
async fn a_user_has_so_many_watches_and_no_more() {
    let app = TestApp::new().await;
    app.user("alice", &[]).await;
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(watch(&app, "alice").await);
    }
    app.refuses(Code::Busy, Watch::begin(&app.cx, at_the_machine("alice"))).await;
    watch(&app, "admin").await;
    open.pop();
    watch(&app, "alice").await;
}

#[tokio::test]
async fn what_another_process_writes_is_told_here() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (here, there) = (search::replica(&app.cx), search::replica(&app.cx));
    let mut watch = Watch::begin(&here, at_the_machine("admin")).await.unwrap();
    app::skills::create(&there, &admin, spec("one"), None).await.unwrap();
    assert_eq!(told(&mut watch).await, ["skills", "audit"]);
    app::agents::create(&there, &admin, app::agents::AgentSpec::new(name("helper"))).await.unwrap();
    assert_eq!(told(&mut watch).await, ["agents", "audit"]);
}
