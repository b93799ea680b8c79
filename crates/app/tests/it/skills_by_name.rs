//! Skills by name: what a model's library tools create, list, read, change, switch and delete.

use app::analytics::{self, ReadAnalytics};
use app::skills::by_name::{self, NewSkill, create, delete, find, read, rewrite, set_enabled, source};
use app::skills::{CreateSkill, Decision, ListSkills, OnConflict, Rewrite, RewriteSkill, decide, list};
use app::{Code, PageRequest};
use model::{Caller, Origin, ProceduralMemory, Role, Scope, Status, TokenScope, Transition};
use testkit::app::{spec, spec_with};
use testkit::{CallerExt as _, TestApp};

use crate::runs;

fn notes() -> NewSkill {
    NewSkill {
        name: "notes".into(),
        title: "Notes".into(),
        description: "Takes notes.".into(),
        content: "Write it down.".into(),
        tags: vec!["office".into()],
    }
}

async fn names(app: &TestApp, caller: &Caller, tag: Option<&str>, or_disabled: bool) -> Vec<String> {
    let tag = tag.map(str::to_owned);
    let page = PageRequest { limit: 100, after: None };
    let request = ListSkills { nearest: true, tag, or_disabled, page, ..ListSkills::default() };
    let (page, _) = list(&app.cx, caller, request).await.unwrap();
    page.items.iter().map(|record| format!("{}/{}", record.skill.name, record.skill.scope.kind())).collect()
}

#[tokio::test]
async fn a_model_creates_a_skill_where_it_may() {
    let app = TestApp::new().await;
    let (alice, rita) = (app.user("alice", &[]).await, app.user("rita", &[Role::Reviewer]).await);
    let (agent, ruth) = (app.agent("helper").await, app.user("ruth", &[Role::Reviewer]).await);
    let table = [
        (alice.clone(), Scope::User(alice.user), Origin::User),
        (alice.through(&agent), Scope::AgentUser(agent.id, alice.user), Origin::Agent),
        (rita.clone(), Scope::User(rita.user), Origin::User),
        (ruth.through(&agent), Scope::Agent(agent.id), Origin::Agent),
    ];
    for (caller, scope, origin) in table {
        let skill = create(&app.cx, &caller, notes()).await.unwrap().record.skill;
        assert_eq!((skill.scope, skill.origin, skill.status), (scope, origin, Status::Active));
        assert_eq!((skill.name.as_str(), skill.title.as_str(), skill.revision.get()), ("notes", "Notes", 1));
        let detail = read(&app.cx, &caller, "notes").await.unwrap();
        assert_eq!((detail.record.skill.id, detail.manifest.body.as_str()), (skill.id, "Write it down."));
        assert_eq!(detail.record.skill.tags, ["office"]);
    }
}

#[tokio::test]
async fn a_name_that_is_no_slug_is_refused_with_one_that_is() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    for bad in ["", "Meeting_Notes", "a b", "-a", "a--b", "../x"] {
        let new = NewSkill { name: bad.into(), ..notes() };
        let error = app.refuses(Code::InvalidName, create(&app.cx, &alice, new)).await;
        if bad == "Meeting_Notes" {
            assert!(error.to_string().contains("`meeting-notes`"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_skill_needs_a_title_a_description_and_content() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let table = [
        (Code::InvalidRequest, NewSkill { title: " ".into(), ..notes() }),
        (Code::InvalidManifest, NewSkill { description: String::new(), ..notes() }),
        (Code::InvalidRequest, NewSkill { content: "\n".into(), ..notes() }),
    ];
    for (code, new) in table {
        app.refuses(code, create(&app.cx, &alice, new)).await;
    }
}

#[tokio::test]
async fn a_second_skill_of_the_name_is_told_to_update_the_first() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    create(&app.cx, &alice, notes()).await.unwrap();
    let again = NewSkill { content: "Other.".into(), ..notes() };
    let error = app.refuses(Code::NameTaken, create(&app.cx, &alice, again)).await;
    assert_eq!(error.to_string(), "the skill `notes` already exists; use update_skill to change it");
    set_enabled(&app.cx, &alice, "notes", false).await.unwrap();
    app.refuses(Code::NameTaken, create(&app.cx, &alice, notes())).await;
    // So is one that a nearer skill of the name would hide.
    let rita = app.user("rita", &[Role::Reviewer]).await;
    create(&app.cx, &rita, notes()).await.unwrap();
    let through = rita.through(&app.agent("helper").await);
    app.refuses(Code::NameTaken, create(&app.cx, &through, notes())).await;
}

#[tokio::test]
async fn a_list_is_narrowed_by_tag_and_hides_what_is_disabled() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    create(&app.cx, &alice, notes()).await.unwrap();
    create(&app.cx, &alice, NewSkill { name: "other".into(), tags: vec![], ..notes() }).await.unwrap();
    assert_eq!(names(&app, &alice, None, false).await, ["notes/user", "other/user"]);
    assert_eq!(names(&app, &alice, Some("office"), false).await, ["notes/user"]);
    set_enabled(&app.cx, &alice, "notes", false).await.unwrap();
    assert_eq!(names(&app, &alice, None, false).await, ["other/user"]);
    assert_eq!(names(&app, &alice, None, true).await, ["notes/user", "other/user"]);
    assert_eq!(names(&app, &alice, Some("office"), true).await, ["notes/user"]);
    set_enabled(&app.cx, &alice, "notes", true).await.unwrap();
    assert_eq!(names(&app, &alice, None, false).await, ["notes/user", "other/user"]);
}

#[tokio::test]
async fn the_list_shows_what_a_name_means() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    app.put(&admin, CreateSkill { scope: Some(Scope::Workspace), ..spec("notes") }).await;
    create(&app.cx, &alice, notes()).await.unwrap();
    assert_eq!(names(&app, &alice, None, true).await, ["notes/user"]);
    // What is off hides nothing, and shows only where nothing else has its name.
    set_enabled(&app.cx, &alice, "notes", false).await.unwrap();
    assert_eq!(names(&app, &alice, None, true).await, ["notes/workspace"]);
    assert_eq!(find(&app.cx, &alice, "notes").await.unwrap().skill.scope, Scope::Workspace);
    // Yet it can be turned on again by its name.
    let on = set_enabled(&app.cx, &alice, "notes", true).await.unwrap();
    assert_eq!((on.record.skill.scope, on.changed), (Scope::User(alice.user), true));
    assert!(!set_enabled(&app.cx, &alice, "notes", true).await.unwrap().changed);
    set_enabled(&app.cx, &alice, "notes", false).await.unwrap();
    app.refuses(Code::Forbidden, set_enabled(&app.cx, &alice, "notes", false)).await;
    set_enabled(&app.cx, &admin, "notes", false).await.unwrap();
    assert_eq!(names(&app, &alice, None, true).await, ["notes/user"]);
    assert_eq!(names(&app, &alice, None, false).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_cannot_read_what_is_disabled_and_its_user_can() {
    let app = TestApp::new().await;
    let (alice, agent) = (app.user("alice", &[]).await, app.agent("helper").await);
    create(&app.cx, &alice, notes()).await.unwrap();
    let through = alice.through(&agent);
    assert!(read(&app.cx, &through, "Notes").await.is_ok());
    let off = set_enabled(&app.cx, &through, "notes", false).await.unwrap();
    assert_eq!((off.record.skill.revision.get(), off.record.skill.enabled), (1, false));
    let error = app.refuses(Code::SkillDisabled, read(&app.cx, &through, "notes")).await;
    assert!(error.to_string().contains("disabled"), "{error}");
    assert_eq!(read(&app.cx, &alice, "notes").await.unwrap().manifest.body, "Write it down.");
    app.refuses(Code::NotFound, read(&app.cx, &through, "nothing")).await;
    app.refuses(Code::NotFound, read(&app.cx, &through, "技能")).await;
}

#[tokio::test]
async fn an_agent_is_told_that_a_skill_waits() {
    let app = TestApp::new().await;
    let settings = ProceduralMemory { require_skill_approval: true, ..ProceduralMemory::default() };
    let agent = app.agent_with("strict", settings).await;
    let alice = app.user("alice", &[]).await;
    let through = alice.through(&agent);
    let skill = create(&app.cx, &through, notes()).await.unwrap().record.skill;
    assert_eq!(skill.status, Status::PendingApproval);
    let error = app.refuses(Code::SkillNotActive, read(&app.cx, &through, "notes")).await;
    assert!(error.to_string().contains("pending_approval"), "{error}");
    assert_eq!(names(&app, &through, None, true).await, Vec::<String>::new());
    // It can still be mended and taken back.
    let more = RewriteSkill { rewrite: Some(Rewrite::Append("Twice.".into())), ..RewriteSkill::default() };
    assert_eq!(rewrite(&app.cx, &through, "notes", more).await.unwrap().record.skill.revision.get(), 2);
    assert!(delete(&app.cx, &through, "notes", None).await.unwrap());
}

#[tokio::test]
async fn a_skill_is_changed_and_deleted_by_its_name() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    create(&app.cx, &alice, notes()).await.unwrap();
    let title = || RewriteSkill { title: Some("More notes".into()), ..RewriteSkill::default() };
    let done = rewrite(&app.cx, &alice, "Notes", title()).await.unwrap();
    assert_eq!((done.record.skill.title.as_str(), done.record.skill.revision.get()), ("More notes", 2));
    app.refuses(Code::NotFound, rewrite(&app.cx, &alice, "nothing", title())).await;
    assert!(delete(&app.cx, &alice, "notes", Some("no longer wanted")).await.unwrap());
    assert!(!app.leaves_alone(delete(&app.cx, &alice, "notes", None)).await);
    assert!(!app.leaves_alone(delete(&app.cx, &alice, "!?", None)).await);
    app.refuses(Code::NotFound, set_enabled(&app.cx, &alice, "notes", true)).await;
}

#[tokio::test]
async fn what_others_have_is_neither_found_nor_touched() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    create(&app.cx, &alice.through(&one), notes()).await.unwrap();
    for caller in [bob.through(&one), alice.through(&two), alice.clone(), app.admin().await] {
        app.refuses(Code::NotFound, read(&app.cx, &caller, "notes")).await;
        assert!(!app.leaves_alone(delete(&app.cx, &caller, "notes", None)).await);
    }
    let reader = alice.through(&one).scoped(&[model::TokenScope::Read]);
    app.refuses(Code::TokenScope, create(&app.cx, &reader, NewSkill { name: "b".into(), ..notes() })).await;
    app.refuses(Code::TokenScope, delete(&app.cx, &reader, "notes", None)).await;
    app.refuses(Code::TokenScope, set_enabled(&app.cx, &reader, "notes", false)).await;
}

#[tokio::test]
async fn a_person_reads_an_archived_skill_by_name_and_an_active_one_goes_before_it() {
    let app = TestApp::new().await;
    let (alice, admin) = (app.user("alice", &[]).await, app.admin().await);
    let own = create(&app.cx, &alice, notes()).await.unwrap().record.skill.id;
    decide(&app.cx, &alice, own, Decision::new(Transition::Archive)).await.unwrap();
    assert_eq!(read(&app.cx, &alice, "notes").await.unwrap().record.skill.id, own);
    let shared = CreateSkill { on_conflict: OnConflict::Error, ..spec_with("notes", |_| {}) };
    app.put(&admin, shared).await;
    assert_eq!(by_name::find(&app.cx, &alice, "notes").await.unwrap().skill.scope, Scope::Workspace);
}

#[test]
fn every_origin_has_a_word_of_the_library_tools() {
    let table: Vec<_> = Origin::ALL.iter().map(|&origin| format!("{origin} {}", source(origin))).collect();
    let wanted = [
        "user user",
        "agent agent",
        "learned agent",
        "admin user",
        "connector user",
        "static user",
        "provider user",
        "imported user",
    ];
    assert_eq!(table, wanted);
}

#[tokio::test]
async fn instructions_that_a_model_reads_are_used() {
    let app = TestApp::new().await;
    let (alice, agent) = (app.user("alice", &[]).await, app.agent("helper").await);
    let through = alice.through(&agent).scoped(&[TokenScope::Read]);
    let notes = create(&app.cx, &alice, notes()).await.unwrap().record;
    let adder = app.put(&alice, runs::adder("adder", "")).await.record;
    for caller in [&alice, &through] {
        app.logs(alice.workspace, &["skill.use"], read(&app.cx, caller, "notes")).await;
        app.leaves_alone(read(&app.cx, caller, "adder")).await;
    }
    app.fail_commits(true);
    read(&app.cx, &through, "notes").await.unwrap();
    app.fail_commits(false);
    assert_eq!(app.stored(&notes).await.statistics.use_count, 2);
    let seen = analytics::read(&app.cx, &alice, ReadAnalytics::default()).await.unwrap();
    let unused: Vec<_> = seen.unused.iter().map(|record| record.skill.id).collect();
    assert_eq!((unused, seen.total.count), (vec![adder.skill.id], 2));
    set_enabled(&app.cx, &alice, "notes", false).await.unwrap();
    app.leaves_alone(read(&app.cx, &alice, "notes")).await;
}
