//! People and their roles.

use app::Code;
use app::identity::{by_cookie, by_token};
use app::tokens::CreateToken;
use app::users::{AddUser, ChangeUser, add, change, find, list, read, remove};
use model::{Caller, Handle, Role, TokenScope, UserId};
use testkit::{CallerExt as _, TestApp};

fn new(handle: &str, roles: &[Role]) -> AddUser {
    AddUser { handle: Handle::parse(handle).unwrap(), display_name: None, roles: roles.to_vec() }
}

fn roles(roles: &[Role]) -> ChangeUser {
    ChangeUser { roles: Some(roles.to_vec()), ..ChangeUser::default() }
}

async fn token(app: &TestApp, caller: &Caller) -> app::identity::Secret {
    let request = CreateToken {
        name: "t".into(),
        user: None,
        agent: None,
        scopes: TokenScope::ALL.to_vec(),
        expires_at: None,
    };
    app::tokens::create(&app.cx, caller, request).await.unwrap().1
}

#[tokio::test]
async fn everyone_in_a_workspace_is_a_member() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let added = add(&app.cx, &admin, new("Ann@Example.org", &[Role::Reviewer])).await.unwrap();
    assert_eq!(added.user.handle.as_str(), "ann@example.org");
    assert!(added.roles.has(Role::Member) && added.roles.has(Role::Reviewer));
    assert_eq!(added.user.display_name, "ann@example.org");
    assert_eq!(read(&app.cx, &admin, added.user.id).await.unwrap(), added);
    assert_eq!(find(&app.cx, &admin, &added.user.handle).await.unwrap(), added);
    let all = list(&app.cx, &admin).await.unwrap();
    assert_eq!(
        all.iter().map(|member| member.user.handle.as_str()).collect::<Vec<_>>(),
        ["admin", "ann@example.org"]
    );
    app.refuses(Code::HandleTaken, add(&app.cx, &admin, new("ann@example.org", &[]))).await;
}

#[tokio::test]
async fn someone_known_elsewhere_keeps_their_account() {
    let app = TestApp::new().await;
    let other = app.workspace("other").await;
    let alice = app.user("alice", &[]).await;
    let here = add(&app.cx, &other, new("alice", &[Role::Admin])).await.unwrap();
    assert_eq!(here.user.id, alice.user);
    assert!(!app.caller("alice").await.roles.has(Role::Admin));
    assert!(app.caller_in("alice", "other").await.roles.has(Role::Admin));
}

#[tokio::test]
async fn only_admins_manage_people() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[Role::Reviewer, Role::PolicyAdmin]).await;
    let admin = app.admin().await;
    app.refuses(Code::Forbidden, add(&app.cx, &alice, new("x", &[]))).await;
    app.refuses(Code::Forbidden, remove(&app.cx, &alice, admin.user)).await;
    app.refuses(Code::Forbidden, change(&app.cx, &alice, admin.user, ChangeUser::default())).await;
    app.refuses(Code::Forbidden, change(&app.cx, &alice, alice.user, roles(&[Role::Admin]))).await;
    app.refuses(Code::TokenScope, add(&app.cx, &admin.scoped(&[TokenScope::Write]), new("x", &[]))).await;
    assert_eq!(list(&app.cx, &alice).await.unwrap().len(), 2);
}

#[tokio::test]
async fn people_rename_themselves_but_not_with_a_token_for_reading() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let named = |text: &str| ChangeUser { display_name: Some(text.to_owned()), ..ChangeUser::default() };
    let renamed = change(&app.cx, &alice, alice.user, named(" Alice ")).await.unwrap();
    assert_eq!(renamed.user.display_name, "Alice");
    for bad in [" ", &"x".repeat(201)] {
        app.refuses(Code::InvalidRequest, change(&app.cx, &alice, alice.user, named(bad))).await;
    }
    let reader = alice.scoped(&[TokenScope::Read, TokenScope::Write]);
    app.refuses(Code::TokenScope, change(&app.cx, &reader, alice.user, named("Mallory"))).await;
}

#[tokio::test]
async fn a_workspace_admin_renames_nobody_who_reaches_further() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    let bob = app.user("bob", &[]).await;
    let named = || ChangeUser { display_name: Some("Mud".into()), ..ChangeUser::default() };
    change(&app.cx, &ann, bob.user, named()).await.unwrap();
    app.user_in(&app.workspace("other").await, "bob", &[]).await;
    for user in [bob.user, operator.user] {
        app.refuses(Code::Forbidden, change(&app.cx, &ann, user, named())).await;
        change(&app.cx, &ann, user, roles(&[Role::Admin])).await.unwrap();
    }
}

#[tokio::test]
async fn the_last_admin_stays() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    change(&app.cx, &ann, operator.user, roles(&[])).await.unwrap();
    app.refuses(Code::LastAdmin, change(&app.cx, &ann, ann.user, roles(&[Role::Reviewer]))).await;
    app.refuses(Code::LastAdmin, remove(&app.cx, &ann, ann.user)).await;
    let disabled = ChangeUser { disabled: Some(true), ..ChangeUser::default() };
    app.refuses(Code::LastAdmin, change(&app.cx, &operator, ann.user, disabled)).await;
    let bob = app.user_in(&ann, "bob", &[Role::Admin]).await;
    // An admin who is shut out is none.
    let disable = |disabled| ChangeUser { disabled: Some(disabled), ..ChangeUser::default() };
    change(&app.cx, &operator, bob.user, disable(true)).await.unwrap();
    app.refuses(Code::LastAdmin, remove(&app.cx, &ann, ann.user)).await;
    change(&app.cx, &operator, bob.user, disable(false)).await.unwrap();
    change(&app.cx, &ann, ann.user, roles(&[])).await.unwrap();
    app.refuses(Code::Forbidden, remove(&app.cx, &app.caller("ann").await, bob.user)).await;
}

#[tokio::test]
async fn standing_in_the_installation_is_for_operators() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    let bob = app.user("bob", &[]).await;
    let disable = |disabled| ChangeUser { disabled: Some(disabled), ..ChangeUser::default() };
    let promote = |operator| ChangeUser { operator: Some(operator), ..ChangeUser::default() };
    app.refuses(Code::Forbidden, change(&app.cx, &ann, bob.user, disable(true))).await;
    app.refuses(Code::Forbidden, change(&app.cx, &ann, ann.user, promote(true))).await;
    app.refuses(Code::LastAdmin, change(&app.cx, &operator, operator.user, promote(false))).await;
    app.refuses(Code::LastAdmin, change(&app.cx, &operator, operator.user, disable(true))).await;
    change(&app.cx, &operator, bob.user, promote(true)).await.unwrap();
    assert_eq!(app.caller("bob").await.reach, model::Reach::Operator);
}

#[tokio::test]
async fn a_disabled_user_is_out_at_once_everywhere() {
    let app = TestApp::new().await;
    let (operator, alice) = (app.admin().await, app.user("alice", &[]).await);
    let secret = token(&app, &alice).await;
    let link = app::sign_in::create_link(&app.cx, &operator, alice.user).await.unwrap();
    let spare = app::sign_in::create_link(&app.cx, &operator, alice.user).await.unwrap();
    let cookie = app::sign_in::by_link(&app.cx, &link).await.unwrap().secret;
    by_token(&app.cx, &secret).await.unwrap();
    by_cookie(&app.cx, &cookie).await.unwrap();
    let disable = |disabled| ChangeUser { disabled: Some(disabled), ..ChangeUser::default() };
    change(&app.cx, &operator, alice.user, disable(true)).await.unwrap();
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
    app.refuses(Code::Unauthenticated, by_cookie(&app.cx, &cookie)).await;
    app.refuses(Code::Unauthenticated, app::sign_in::by_link(&app.cx, &spare)).await;
    change(&app.cx, &operator, alice.user, disable(false)).await.unwrap();
    by_token(&app.cx, &secret).await.unwrap();
    app.refuses(Code::Unauthenticated, by_cookie(&app.cx, &cookie)).await;
}

#[tokio::test]
async fn who_was_removed_is_out_at_once_and_their_work_stays() {
    let app = TestApp::new().await;
    let (operator, alice) = (app.admin().await, app.user("alice", &[]).await);
    let secret = token(&app, &alice).await;
    let link = app::sign_in::create_link(&app.cx, &operator, alice.user).await.unwrap();
    let cookie = app::sign_in::by_link(&app.cx, &link).await.unwrap().secret;
    let skill = app.skill(&alice, "a").await.skill.id;
    by_token(&app.cx, &secret).await.unwrap();
    remove(&app.cx, &operator, alice.user).await.unwrap();
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
    app.refuses(Code::Forbidden, by_cookie(&app.cx, &cookie)).await;
    app.refuses(Code::NotFound, read(&app.cx, &operator, alice.user)).await;
    app.refuses(Code::NotFound, find(&app.cx, &operator, &Handle::parse("alice").unwrap())).await;
    app.refuses(Code::NotFound, remove(&app.cx, &operator, alice.user)).await;
    app::skills::read(&app.cx, &operator, skill).await.unwrap();
    let again = add(&app.cx, &operator, new("alice", &[])).await.unwrap();
    assert_eq!(again.user.id, alice.user);
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
}

#[tokio::test]
async fn a_role_that_was_taken_away_is_gone_from_a_token_at_once() {
    let app = TestApp::new().await;
    let (operator, rita) = (app.admin().await, app.user("rita", &[Role::Reviewer]).await);
    let secret = token(&app, &rita).await;
    assert!(by_token(&app.cx, &secret).await.unwrap().roles.has(Role::Reviewer));
    change(&app.cx, &operator, rita.user, roles(&[])).await.unwrap();
    assert!(!by_token(&app.cx, &secret).await.unwrap().roles.has(Role::Reviewer));
}

#[tokio::test]
async fn a_new_role_does_not_change_when_someone_joined() {
    let app = TestApp::new().await;
    let (operator, alice) = (app.admin().await, app.user("alice", &[]).await);
    app.clock.advance(time::Duration::days(1));
    change(&app.cx, &operator, alice.user, roles(&[Role::Reviewer])).await.unwrap();
    let mut tx = app.cx.store.read().await.unwrap();
    let joined = tx.membership(alice.workspace, alice.user).await.unwrap().unwrap().created_at;
    assert_eq!(joined, testkit::app::START);
}

#[tokio::test]
async fn nobody_is_changed_who_is_not_there() {
    let app = TestApp::new().await;
    let operator = app.admin().await;
    let nobody = UserId::new(operator.workspace.uuid());
    app.refuses(Code::NotFound, change(&app.cx, &operator, nobody, ChangeUser::default())).await;
    app.refuses(Code::NotFound, remove(&app.cx, &operator, nobody)).await;
    app.refuses(Code::NotFound, read(&app.cx, &operator, nobody)).await;
}
