//! Lists, filters, and what a name means to whom.

use app::skills::{Decision, ListSkills, decide, groups, list, resolve, set_enabled, tags};
use app::{Code, Cursor, Facet, PageRequest, SkillOrder};
use model::{Caller, Origin, Role, Scope, ScopeKind, Skill, Status, TokenScope, Transition};
use testkit::app::{name, spec, spec_with};
use testkit::{CallerExt as _, TestApp};

/// The names of a page; the groups must count what the list counts.
async fn names(app: &TestApp, caller: &Caller, request: ListSkills) -> Vec<String> {
    let request = ListSkills { count: true, ..request };
    let counted: u64 =
        groups(&app.cx, caller, request.clone()).await.unwrap().iter().map(|group| group.count).sum();
    let (page, total) = list(&app.cx, caller, request).await.unwrap();
    assert_eq!(total, Some(counted));
    page.items.into_iter().map(|record| record.skill.name.to_string()).collect()
}

async fn put_at(app: &TestApp, caller: &Caller, skill: &str, scope: Scope) -> Skill {
    let mut request = spec_with(skill, |draft| draft.body = scope.key());
    request.scope = Some(scope);
    app.put(caller, request).await.record.skill
}

#[tokio::test]
async fn the_nearest_of_a_name_wins() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let ladder = [
        Scope::Workspace,
        Scope::Agent(one.id),
        Scope::User(alice.user),
        Scope::AgentUser(one.id, alice.user),
    ];
    let mut rungs = Vec::new();
    for scope in ladder {
        rungs.push(put_at(&app, &admin, "x", scope).await.id);
        let found = resolve(&app.cx, &alice.through(&one), "x").await.unwrap().skill;
        assert_eq!((found.id, found.scope), (*rungs.last().unwrap(), scope));
    }
    let meaning = async |caller: &Caller| resolve(&app.cx, caller, "x").await.unwrap().skill.id;
    assert_eq!(meaning(&alice.through(&two)).await, rungs[2]);
    assert_eq!(meaning(&admin.through(&one)).await, rungs[1]);
    assert_eq!(meaning(&admin.through(&two)).await, rungs[0]);
    // Without an agent, what belongs to agents is out of reach by name.
    assert_eq!(meaning(&alice).await, rungs[2]);
    assert_eq!(meaning(&admin).await, rungs[0]);
    let nearest = ListSkills { nearest: true, ..ListSkills::default() };
    for caller in [&alice, &alice.through(&one), &alice.through(&two), &admin] {
        assert_eq!(names(&app, caller, nearest.clone()).await, ["x"]);
    }
    assert_eq!(names(&app, &alice.through(&one), ListSkills::default()).await.len(), 4);
}

#[tokio::test]
async fn without_an_agent_an_agents_skill_is_not_found_by_name() {
    let app = TestApp::new().await;
    let (alice, one) = (app.user("alice", &[]).await, app.agent("one").await);
    app.skill(&alice.through(&one), "x").await;
    app.refuses(Code::NotFound, resolve(&app.cx, &alice, "x")).await;
    assert_eq!(names(&app, &alice, ListSkills::default()).await, ["x"]);
}

#[tokio::test]
async fn a_nearer_skill_that_cannot_be_used_does_not_hide_the_next() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let shared = app.skill(&admin, "x").await.skill.id;
    let mine = app.skill(&alice, "x").await.skill.id;
    let meaning = async || resolve(&app.cx, &alice, "x").await.unwrap().skill.id;
    assert_eq!(meaning().await, mine);
    set_enabled(&app.cx, &alice, mine, false, None).await.unwrap();
    assert_eq!(meaning().await, shared);
    set_enabled(&app.cx, &alice, mine, true, None).await.unwrap();
    decide(&app.cx, &alice, mine, Decision::new(Transition::Archive)).await.unwrap();
    assert_eq!(meaning().await, shared);
    set_enabled(&app.cx, &admin, shared, false, None).await.unwrap();
    app.refuses(Code::NotFound, resolve(&app.cx, &alice, "x")).await;
    app.refuses(Code::NotFound, resolve(&app.cx, &alice, "技能")).await;
}

#[tokio::test]
async fn a_list_shows_what_its_caller_may_see() {
    let app = TestApp::new().await;
    let (alice, bob, admin) = (app.user("alice", &[]).await, app.user("bob", &[]).await, app.admin().await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    put_at(&app, &admin, "everyones", Scope::Workspace).await;
    put_at(&app, &admin, "ones", Scope::Agent(one.id)).await;
    put_at(&app, &alice, "alices", Scope::User(alice.user)).await;
    put_at(&app, &alice, "alice-and-one", Scope::AgentUser(one.id, alice.user)).await;
    put_at(&app, &bob, "bobs", Scope::User(bob.user)).await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let all = ["alice-and-one", "alices", "bobs", "everyones", "ones"];
    let table: [(&Caller, &[&str]); 6] = [
        (&alice, &["alice-and-one", "alices", "everyones", "ones"]),
        (&alice.through(&two), &["alices", "everyones"]),
        (&bob.through(&one), &["bobs", "everyones", "ones"]),
        (&admin, &all),
        (&rita, &all),
        (&admin.through(&one), &["everyones", "ones"]),
    ];
    for (n, (caller, wanted)) in table.into_iter().enumerate() {
        let request = ListSkills { count: true, ..ListSkills::default() };
        assert_eq!(names(&app, caller, request.clone()).await, wanted, "{n}");
        let (_, total) = list(&app.cx, caller, request).await.unwrap();
        assert_eq!(total, Some(wanted.len() as u64), "{n}");
    }
}

#[tokio::test]
async fn groups_begin_with_the_workspace_and_go_on_by_agent_and_user() {
    let app = TestApp::new().await;
    let (zoe, bob, admin) = (app.user("zoe", &[]).await, app.user("bob", &[]).await, app.admin().await);
    let (two, one) = (app.agent("b-two").await, app.agent("a-one").await);
    put_at(&app, &zoe, "a", Scope::AgentUser(one.id, zoe.user)).await;
    put_at(&app, &bob, "b", Scope::AgentUser(one.id, bob.user)).await;
    put_at(&app, &admin, "c", Scope::Agent(two.id)).await;
    put_at(&app, &admin, "d", Scope::Agent(one.id)).await;
    put_at(&app, &zoe, "e", Scope::User(zoe.user)).await;
    put_at(&app, &bob, "f", Scope::User(bob.user)).await;
    put_at(&app, &admin, "g", Scope::Workspace).await;
    put_at(&app, &admin, "h", Scope::Workspace).await;
    let told = async |caller: &Caller, request: ListSkills| -> Vec<String> {
        let groups = app.leaves_alone(groups(&app.cx, caller, request)).await;
        let told = |group: &app::SkillGroup| {
            let agent = group.agent.as_ref().map_or("", model::SkillName::as_str);
            let user = group.user.as_ref().map_or("", model::Handle::as_str);
            format!("{} {agent} {user} {}", group.scope.kind(), group.count)
        };
        groups.iter().map(told).collect()
    };
    let all = [
        "workspace   2",
        "user  bob 1",
        "user  zoe 1",
        "agent a-one  1",
        "agent_user a-one bob 1",
        "agent_user a-one zoe 1",
        "agent b-two  1",
    ];
    assert_eq!(told(&admin, ListSkills::default()).await, all);
    let seen = ["workspace   2", "user  zoe 1", "agent a-one  1", "agent_user a-one zoe 1"];
    assert_eq!(told(&zoe.through(&one), ListSkills::default()).await, seen);
    let of_one = ListSkills { agent: Some(one.id), scope: Some(ScopeKind::Agent), ..ListSkills::default() };
    assert_eq!(told(&admin, of_one).await, ["agent a-one  1"]);
    let endless = ListSkills { words: "x ".repeat(17), ..ListSkills::default() };
    app.refuses(Code::InvalidRequest, groups(&app.cx, &admin, endless)).await;
    app.refuses(
        Code::TokenScope,
        groups(&app.cx, &admin.scoped(&[TokenScope::Write]), ListSkills::default()),
    )
    .await;
}

#[tokio::test]
async fn each_filter_narrows_the_list() {
    let app = TestApp::new().await;
    let (alice, admin, one) = (app.user("alice", &[]).await, app.admin().await, app.agent("one").await);
    app.put(&admin, spec_with("tagged", |draft| draft.tags = vec!["Finance".into()])).await;
    put_at(&app, &alice, "alices", Scope::User(alice.user)).await;
    put_at(&app, &alice, "waiting", Scope::Workspace).await;
    put_at(&app, &alice, "agents", Scope::AgentUser(one.id, alice.user)).await;
    let off = put_at(&app, &admin, "off", Scope::Workspace).await;
    set_enabled(&app.cx, &admin, off.id, false, None).await.unwrap();
    let mut learned = spec("learned");
    learned.origin = Some(Origin::Learned);
    learned.draft = true;
    app.put(&admin, learned).await;
    let all = ListSkills::default;
    let table: Vec<(ListSkills, &[&str])> = vec![
        (ListSkills { words: "TAG".into(), ..all() }, &["tagged"]),
        (ListSkills { words: "does waiting".into(), ..all() }, &["waiting"]),
        (ListSkills { words: "does nothing".into(), ..all() }, &[]),
        (ListSkills { words: "%".into(), ..all() }, &[]),
        (ListSkills { words: "finance".into(), ..all() }, &["tagged"]),
        (ListSkills { tag: Some("Finance".into()), ..all() }, &["tagged"]),
        (ListSkills { status: Some(Status::PendingApproval), ..all() }, &["waiting"]),
        (ListSkills { enabled: Some(false), ..all() }, &["off"]),
        (ListSkills { origin: Some(Origin::Learned), ..all() }, &["learned"]),
        (ListSkills { scope: Some(ScopeKind::User), ..all() }, &["alices"]),
        (ListSkills { agent: Some(one.id), ..all() }, &["agents"]),
        (ListSkills { user: Some(alice.user), ..all() }, &["agents", "alices"]),
        (ListSkills { facet: Some(Facet::Policy), ..all() }, &[]),
        (ListSkills { facet: Some(Facet::Procedure), ..all() }, &[]),
        (ListSkills { name: Some(name("off")), ..all() }, &["off"]),
        (ListSkills { waiting: true, ..all() }, &["learned", "waiting"]),
        (ListSkills { deleted: true, ..all() }, &[]),
    ];
    for (request, wanted) in table {
        assert_eq!(names(&app, &admin, request.clone()).await, wanted, "{request:?}");
    }
    assert_eq!(names(&app, &admin, ListSkills { facet: Some(Facet::Instructions), ..all() }).await.len(), 5);
}

#[tokio::test]
async fn pages_follow_each_other_in_every_order() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for n in [3, 1, 4, 2, 5] {
        app.skill(&alice, &format!("s-{n}")).await;
        if n != 4 {
            app.clock.advance(time::Duration::seconds(1));
        }
    }
    for order in [SkillOrder::Name, SkillOrder::Updated, SkillOrder::Created] {
        let whole = names(&app, &alice, ListSkills { order, ..ListSkills::default() }).await;
        assert_eq!(whole.len(), 5);
        let (mut seen, mut after) = (Vec::new(), None);
        loop {
            let page = PageRequest { limit: 2, after };
            let request = ListSkills { order, page, count: true, ..ListSkills::default() };
            let (page, total) = list(&app.cx, &alice, request).await.unwrap();
            assert_eq!(total, Some(5));
            seen.extend(page.items.iter().map(|record| record.skill.name.to_string()));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(seen, whole, "{order:?}");
    }
    let newest =
        names(&app, &alice, ListSkills { order: SkillOrder::Created, ..ListSkills::default() }).await;
    assert_eq!((newest[0].as_str(), newest[4].as_str()), ("s-5", "s-3"));
}

#[tokio::test]
async fn a_cursor_belongs_to_its_list_and_order() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for n in 0..3 {
        app.skill(&alice, &format!("s-{n}")).await;
    }
    let ask = |order, after| {
        let page = PageRequest { limit: 1, after };
        list(&app.cx, &alice, ListSkills { order, page, ..ListSkills::default() })
    };
    let by_name = ask(SkillOrder::Name, None).await.unwrap().0.next;
    app.refuses(Code::InvalidCursor, ask(SkillOrder::Updated, by_name.clone())).await;
    let by_time = ask(SkillOrder::Created, None).await.unwrap().0.next;
    app.refuses(Code::InvalidCursor, ask(SkillOrder::Name, by_time)).await;
    for nonsense in ["", "!", "AAAA", "bm9wZQ"] {
        app.refuses(Code::InvalidCursor, ask(SkillOrder::Name, Some(Cursor(nonsense.into())))).await;
    }
    let admin = app.admin().await;
    let agents = app::agents::list(&app.cx, &admin, PageRequest { limit: 1, after: by_name });
    app.refuses(Code::InvalidCursor, agents).await;
}

#[tokio::test]
async fn a_list_refuses_what_it_cannot_serve() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let limit = |limit| ListSkills { page: PageRequest { limit, after: None }, ..ListSkills::default() };
    app.refuses(Code::InvalidRequest, list(&app.cx, &alice, limit(0))).await;
    app.refuses(Code::InvalidRequest, list(&app.cx, &alice, limit(201))).await;
    for words in ["w ".repeat(17), "x".repeat(1_001)] {
        let request = ListSkills { words, ..ListSkills::default() };
        app.refuses(Code::InvalidRequest, list(&app.cx, &alice, request)).await;
    }
    let writer = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, list(&app.cx, &writer, ListSkills::default())).await;
    app.refuses(Code::TokenScope, tags(&app.cx, &writer)).await;
}

#[tokio::test]
async fn tags_are_counted_over_what_the_caller_sees() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let tagged = |skill: &str, tags: &[&str]| {
        let tags = tags.iter().map(|&tag| tag.to_owned()).collect();
        spec_with(skill, |draft| draft.tags = tags)
    };
    app.put(&alice, tagged("a", &["x", "y"])).await;
    app.put(&alice, tagged("b", &["x"])).await;
    app.put(&bob, tagged("c", &["x", "z"])).await;
    assert_eq!(tags(&app.cx, &alice).await.unwrap(), [("x".to_owned(), 2), ("y".to_owned(), 1)]);
    assert_eq!(tags(&app.cx, &app.admin().await).await.unwrap()[0], ("x".to_owned(), 3));
}
