//! Search keeps in step with the store, whoever wrote, in whichever process.

use std::sync::{Arc, Mutex};

use app::search::{Meaning, SearchSkills, find, refresh_all, status};
use app::skills::{Edit, EditSkill, delete, edit, set_enabled};
use app::{Changes, Code, Context};
use async_trait::async_trait;
use model::{Caller, Role, TokenScope, WorkspaceId};
use store::{Store, StoreError, Tx};
use testkit::app::spec_with;
use testkit::{CallerExt as _, TestApp};

/// A database that others write to as well, so that it cannot count its commits. Another may take its place.
struct Shared(Mutex<Arc<dyn Store>>);

impl Shared {
    fn now(&self) -> Arc<dyn Store> {
        Arc::clone(&self.0.lock().unwrap())
    }
}

#[async_trait]
impl Store for Shared {
    async fn read(&self) -> Result<Box<dyn Tx>, StoreError> {
        self.now().read().await
    }

    async fn begin(&self, workspace: WorkspaceId) -> Result<Box<dyn Tx>, StoreError> {
        self.now().begin(workspace).await
    }

    async fn begin_installation(&self) -> Result<Box<dyn Tx>, StoreError> {
        self.now().begin_installation().await
    }

    fn generation(&self) -> Option<u64> {
        None
    }

    async fn check(&self) -> Result<(), StoreError> {
        self.now().check().await
    }

    async fn close(&self) {
        self.now().close().await;
    }
}

/// Another process on the same database.
pub(crate) fn replica(cx: &Context) -> Context {
    on(cx, Arc::new(Shared(Mutex::new(Arc::clone(&cx.store)))))
}

fn on(cx: &Context, store: Arc<Shared>) -> Context {
    let fresh = Context::new(
        store,
        Arc::clone(&cx.clock),
        Arc::clone(&cx.random),
        Arc::clone(&cx.backup),
        cx.limits.clone(),
    );
    fresh.with_meaning(Meaning::BuiltIn)
}

fn everything(query: &str) -> SearchSkills {
    SearchSkills {
        query: query.to_owned(),
        min_similarity: Some(0.0),
        limit: Some(100),
        ..SearchSkills::default()
    }
}

async fn found(cx: &Context, caller: &Caller, query: &str) -> Vec<String> {
    let found = find(cx, caller, everything(query)).await.unwrap();
    found.skills.into_iter().map(|hit| hit.record.skill.name.to_string()).collect()
}

#[tokio::test]
async fn what_one_process_writes_the_others_find_at_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let (here, there) = (replica(&app.cx), replica(&app.cx));
    assert!(found(&there, &admin, "bread").await.is_empty());
    let request = spec_with("baking", |draft| draft.description = "Bakes bread in an oven.".to_owned());
    let skill = app::skills::create(&here, &admin, request, None).await.unwrap().record.skill;
    for cx in [&there, &here, &app.cx] {
        assert_eq!(found(cx, &admin, "bread").await, ["baking"]);
    }
    let changes = Changes { description: Some("Counts zeppelins.".to_owned()), ..Changes::default() };
    edit(&there, &admin, skill.id, EditSkill::new(Edit::Changes(Box::new(changes)))).await.unwrap();
    for cx in [&here, &app.cx, &there] {
        let hit = find(cx, &admin, everything("zeppelin")).await.unwrap().skills.remove(0);
        assert_eq!(hit.why.words.len(), 1, "{}", hit.sentence);
    }
    set_enabled(&here, &admin, skill.id, false, None).await.unwrap();
    assert!(found(&there, &admin, "zeppelin").await.is_empty());
    set_enabled(&there, &admin, skill.id, true, None).await.unwrap();
    assert_eq!(found(&here, &admin, "zeppelin").await, ["baking"]);
    delete(&here, &admin, skill.id, None, None).await.unwrap();
    for cx in [&there, &here, &app.cx] {
        assert!(found(cx, &admin, "zeppelin").await.is_empty());
    }
}

#[tokio::test]
async fn a_process_that_starts_finds_what_was_there() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    for number in 0..5 {
        app.skill(&admin, &format!("skill-{number}")).await;
    }
    let before = found(&app.cx, &admin, "skill").await;
    assert_eq!(before.len(), 5);
    // Nothing of an index is stored, so there is nothing that a crash could leave behind.
    let fresh = app.cx.clone().with_meaning(Meaning::BuiltIn);
    assert_eq!(found(&fresh, &admin, "skill").await, before);
    let fresh = app.cx.clone().with_meaning(Meaning::BuiltIn);
    assert_eq!(refresh_all(&fresh).await.unwrap(), 5);
}

#[tokio::test]
async fn a_database_that_went_back_is_read_anew() {
    let (app, older) = (TestApp::new().await, TestApp::new().await);
    let admin = app.admin().await;
    assert_eq!(older.admin().await.workspace, admin.workspace, "a copy has the same ids");
    for number in 0..5 {
        app.skill(&admin, &format!("skill-{number}")).await;
    }
    older.skill(&older.admin().await, "old").await;
    let store = Arc::new(Shared(Mutex::new(Arc::clone(&app.cx.store))));
    let cx = on(&app.cx, Arc::clone(&store));
    assert_eq!(found(&cx, &admin, "skill").await.len(), 5);
    *store.0.lock().unwrap() = Arc::clone(&older.cx.store);
    assert_eq!(found(&cx, &admin, "old").await, ["old"]);
    assert_eq!(status(&cx, &admin).await.unwrap().skills, 1);
}

#[tokio::test]
async fn a_workspace_that_cannot_be_read_holds_up_no_other() {
    let app = TestApp::new().await;
    let (admin, there) = (app.admin().await, app.workspace("other").await);
    app.skill(&admin, "broken").await;
    app.skill(&there, "whole").await;
    assert_eq!(app.tamper("UPDATE skills SET status = 'bogus' WHERE name = 'broken'", &[]).await, 1);
    let fresh = replica(&app.cx);
    assert_eq!(refresh_all(&fresh).await.unwrap(), 1);
    assert!(find(&fresh, &admin, everything("broken")).await.is_err());
    assert_eq!(found(&fresh, &there, "whole").await, ["whole"]);
}

#[tokio::test]
async fn many_at_once_are_found_at_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let there = replica(&app.cx);
    assert!(found(&there, &admin, "x").await.is_empty());
    // Several pages of changes.
    let items = (0..1_000).map(|number| Ok(testkit::app::spec(&format!("skill-{number}")))).collect();
    let bulk = app::skills::bulk(&app.cx, &admin, app::skills::BulkMode::Atomic, items).await.unwrap();
    assert!(bulk.committed);
    for cx in [&there, &app.cx] {
        assert_eq!(status(cx, &admin).await.unwrap().skills, 1_000);
    }
    assert_eq!(refresh_all(&there).await.unwrap(), 1_000);
    assert_eq!(found(&there, &admin, "skill 7").await.len(), 100);
}

#[tokio::test]
async fn searching_needs_the_right_to_read_and_changes_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    app.skill(&alice, "one").await;
    let blind = alice.scoped(&[TokenScope::Write]);
    app.refuses(Code::TokenScope, find(&app.cx, &blind, everything("one"))).await;
    app.refuses(Code::TokenScope, status(&app.cx, &blind)).await;
    app.refuses(Code::TokenScope, app::search::discover(&app.cx, &blind, app::search::Discover::default()))
        .await;
    app.leaves_alone(find(&app.cx, &alice, everything("one"))).await;
    app.leaves_alone(app::search::discover(&app.cx, &alice, app::search::Discover::default())).await;
    let too_long = everything(&"x".repeat(4_001));
    app.refuses(Code::InvalidRequest, find(&app.cx, &alice, too_long)).await;
}

#[tokio::test]
async fn a_member_is_not_told_how_much_there_is() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[Role::PolicyAdmin]).await);
    for number in 0..4 {
        app.skill(&alice, &format!("skill-{number}")).await;
    }
    let seen = status(&app.cx, &bob).await.unwrap();
    assert_eq!((seen.skills, seen.waiting, seen.bytes), (0, None, None));
    assert_eq!(status(&app.cx, &alice).await.unwrap().skills, 4);
    let all = status(&app.cx, &app.admin().await).await.unwrap();
    assert_eq!((all.skills, all.waiting), (4, Some(0)));
    assert!(all.bytes.unwrap() > 0);
}

#[tokio::test]
async fn words_alone_work_without_any_embedder() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let cx = app.cx.clone().with_meaning(Meaning::None);
    for name in ["revenue-growth", "bread"] {
        app.skill(&admin, name).await;
    }
    let result = find(&cx, &admin, everything("growth of revenues")).await.unwrap();
    assert_eq!(result.skills[0].record.skill.name.as_str(), "revenue-growth");
    assert_eq!(result.skills[0].why.signals.cosine, None);
    assert_eq!(status(&cx, &admin).await.unwrap().embedder, "none");
}
