//! Workspaces, the first one of all, and copies of the database.

use app::skills::Decision;
use app::workspaces::{ChangeWorkspace, change, create, current, list, set_up, whoami};
use app::{Code, Limits};
use model::{Caller, Reach, Role, TokenScope, Transition};
use testkit::app::name;
use testkit::{CallerExt as _, TestApp};

#[tokio::test]
async fn an_empty_database_gets_a_workspace_and_an_operator_once() {
    let (cx, _clock, _store, _folder) = testkit::app::empty(Limits::default()).await;
    assert!(set_up(&cx).await.unwrap().is_some());
    assert!(set_up(&cx).await.unwrap().is_none());
    let app = TestApp::new().await;
    let admin = app.admin().await;
    assert_eq!(admin.reach, Reach::Operator);
    assert!(Role::ALL.iter().all(|&role| admin.roles.has(role)));
    let log = app.audit(admin.workspace).await;
    assert_eq!(log.len(), 1);
    assert_eq!((log[0].verb.0.as_str(), log[0].actor.user), ("workspace.create", None));
}

#[tokio::test]
async fn two_servers_that_start_at_once_make_one_workspace() {
    let (cx, _clock, _store, _folder) = testkit::app::empty(Limits::default()).await;
    let (one, two) = tokio::join!(set_up(&cx), set_up(&cx));
    assert!(one.unwrap().is_some() != two.unwrap().is_some());
}

#[tokio::test]
async fn operators_make_workspaces_and_have_every_role_there() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    app.refuses(Code::Forbidden, create(&app.cx, &ann, &name("x"), None)).await;
    let narrow = operator.scoped(&[TokenScope::Read]);
    app.refuses(Code::TokenScope, create(&app.cx, &narrow, &name("x"), None)).await;
    let made = create(&app.cx, &operator, &name("x"), Some(" The X ")).await.unwrap();
    assert_eq!((made.name.as_str(), made.title.as_str()), ("x", "The X"));
    let there = app.caller_in("admin", "x").await;
    assert!(Role::ALL.iter().all(|&role| there.roles.has(role)));
    assert_eq!(app.audit(made.id).await.len(), 1);
    app.refuses(Code::NameTaken, create(&app.cx, &operator, &name("x"), None)).await;
    app.refuses(Code::InvalidRequest, create(&app.cx, &operator, &name("y"), Some(" "))).await;
}

#[tokio::test]
async fn a_list_shows_operators_all_and_others_their_own() {
    let app = TestApp::new().await;
    let (operator, alice) = (app.admin().await, app.user("alice", &[]).await);
    app.workspace("zoo").await;
    let names = async |caller: &Caller| {
        let all = list(&app.cx, caller).await.unwrap();
        all.iter().map(|workspace| workspace.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&operator).await, ["default", "zoo"]);
    assert_eq!(names(&alice).await, ["default"]);
    assert_eq!(current(&app.cx, &alice).await.unwrap().name.as_str(), "default");
    let (user, workspace) = whoami(&app.cx, &alice).await.unwrap();
    assert_eq!((user.id, workspace.id), (alice.user, alice.workspace));
}

#[tokio::test]
async fn a_token_lists_the_workspace_that_it_opens() {
    let app = TestApp::new().await;
    let (operator, alice) = (app.admin().await, app.user("alice", &[]).await);
    let zoo = app.workspace("zoo").await;
    app.user_in(&zoo, "alice", &[]).await;
    let count = async |caller: Caller| list(&app.cx, &caller).await.unwrap().len();
    let bearer = async |caller: &Caller, scopes: &[TokenScope]| {
        let request = app::tokens::CreateToken {
            name: "t".into(),
            user: None,
            agent: None,
            scopes: scopes.to_vec(),
            expires_at: None,
        };
        let (_, secret) = app::tokens::create(&app.cx, caller, request).await.unwrap();
        app::identity::by_token(&app.cx, &secret).await.unwrap()
    };
    assert_eq!(count(alice.clone()).await, 2);
    assert_eq!(count(bearer(&alice, TokenScope::ALL).await).await, 1);
    assert_eq!(count(bearer(&operator, &[TokenScope::Read, TokenScope::Write]).await).await, 1);
    assert_eq!(count(bearer(&operator, TokenScope::ALL).await).await, 2);
}

#[tokio::test]
async fn settings_are_changed_by_admins_within_bounds() {
    let app = TestApp::new().await;
    let (ann, alice) = (app.user("ann", &[Role::Admin]).await, app.user("alice", &[]).await);
    let full = ChangeWorkspace {
        title: Some("Ours".into()),
        hide_existence: Some(true),
        undelete_window_hours: Some(24),
        draft_expiry_days: Some(0),
    };
    app.refuses(Code::Forbidden, change(&app.cx, &alice, full.clone())).await;
    let changed = change(&app.cx, &ann, full).await.unwrap();
    assert_eq!(current(&app.cx, &alice).await.unwrap(), changed);
    assert_eq!((changed.title.as_str(), changed.settings.undelete_window_hours), ("Ours", 24));
    let kept = change(&app.cx, &ann, ChangeWorkspace::default()).await.unwrap();
    assert_eq!(kept, changed);
    let bad = [
        (
            Code::InvalidSettings,
            ChangeWorkspace { undelete_window_hours: Some(24 * 365 + 1), ..Default::default() },
        ),
        (Code::InvalidSettings, ChangeWorkspace { draft_expiry_days: Some(3_651), ..Default::default() }),
        (Code::InvalidRequest, ChangeWorkspace { title: Some(" ".into()), ..Default::default() }),
    ];
    for (code, bad) in bad {
        app.refuses(code, change(&app.cx, &ann, bad)).await;
    }
}

#[tokio::test]
async fn a_workspace_that_does_not_exist_is_not_found() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let lost = Caller { workspace: model::WorkspaceId::new(admin.user.uuid()), ..admin };
    app.refuses(Code::NotFound, current(&app.cx, &lost)).await;
    app.refuses(Code::NotFound, change(&app.cx, &lost, ChangeWorkspace::default())).await;
    app.refuses(Code::NotFound, app::skills::create(&app.cx, &lost, testkit::app::spec("a"), None)).await;
}

#[tokio::test]
async fn someone_without_a_role_may_do_nothing() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let skill = app.skill(&app.admin().await, "a").await.skill.id;
    let outsider = Caller { roles: model::Roles::NONE, ..alice };
    app.refuses(Code::Forbidden, current(&app.cx, &outsider)).await;
    app.refuses(Code::Forbidden, app::skills::read(&app.cx, &outsider, skill)).await;
    app.refuses(Code::Forbidden, app::skills::list(&app.cx, &outsider, app::skills::ListSkills::default()))
        .await;
    let decision = Decision::new(Transition::Archive);
    app.refuses(Code::Forbidden, app::skills::decide(&app.cx, &outsider, skill, decision)).await;
}

#[tokio::test]
async fn only_an_operator_copies_the_database() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    let file = app.folder().join("copy.sqlite");
    app.refuses(Code::Forbidden, app::backup::take(&app.cx, &ann, &file)).await;
    let narrow = operator.scoped(&[TokenScope::Read]);
    app.refuses(Code::TokenScope, app::backup::take(&app.cx, &narrow, &file)).await;
    assert!(!file.exists());
}

#[tokio::test]
async fn a_backup_is_the_database_as_it_was() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let kept = app.skill(&admin, "kept").await.skill;
    let copy = app.folder().join("copy.sqlite");
    app.logs(admin.workspace, &["backup.take"], app::backup::take(&app.cx, &admin, &copy)).await;
    app.skill(&admin, "later").await;
    let store = testkit::app::open(&copy).await;
    let mut tx = store.read().await.unwrap();
    assert!(tx.skill(admin.workspace, kept.id).await.unwrap().is_some());
    assert!(tx.skill_named(admin.workspace, kept.scope, &name("later")).await.unwrap().is_none());
    drop(tx);
    store.close().await;
}
