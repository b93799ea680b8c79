//! Personal access tokens.

use app::Code;
use app::identity::{Secret, by_token};
use app::tokens::{CreateToken, TokensOf, create, list, revoke};
use model::{AgentId, Role, TokenScope, TokenScopes, UserId};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

fn request(scopes: &[TokenScope]) -> CreateToken {
    CreateToken { name: "laptop".into(), user: None, agent: None, scopes: scopes.to_vec(), expires_at: None }
}

#[tokio::test]
async fn a_token_speaks_for_its_user_within_its_scopes() {
    let app = TestApp::new().await;
    let rita = app.user("rita", &[Role::Reviewer]).await;
    let (token, secret) =
        create(&app.cx, &rita, request(&[TokenScope::Read, TokenScope::Write])).await.unwrap();
    assert!(secret.reveal().starts_with("rpt_"));
    let caller = by_token(&app.cx, &secret).await.unwrap();
    assert_eq!((caller.user, caller.workspace, caller.roles), (rita.user, rita.workspace, rita.roles));
    assert_eq!(caller.token_scopes, token.scopes);
    app.skill(&caller, "a").await;
    app.refuses(Code::TokenScope, create(&app.cx, &caller, request(&[TokenScope::Read]))).await;
    app.refuses(Code::TokenScope, list(&app.cx, &caller, TokensOf::Caller)).await;
}

#[tokio::test]
async fn the_secret_is_stored_nowhere() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (_, secret) = create(&app.cx, &alice, request(&[TokenScope::Read])).await.unwrap();
    assert_eq!(format!("{secret:?}"), "Secret(…)");
    app.cx.backup.write(&app.folder().join("copy.sqlite")).await.unwrap();
    let bytes = std::fs::read(app.folder().join("copy.sqlite")).unwrap();
    let secret = secret.reveal().as_bytes();
    assert!(!bytes.windows(secret.len()).any(|window| window == secret));
}

#[tokio::test]
async fn an_unknown_token_opens_nothing() {
    let app = TestApp::new().await;
    for guess in ["", "rpt_", "rpt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", app.first_link.reveal()] {
        app.refuses(Code::Unauthenticated, by_token(&app.cx, &Secret::from_client(guess))).await;
    }
}

#[tokio::test]
async fn a_token_ends_on_time_even_when_its_caller_is_remembered() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let expires_at = Some(app.now() + Duration::hours(1));
    let (_, secret) =
        create(&app.cx, &alice, CreateToken { expires_at, ..request(&[TokenScope::Read]) }).await.unwrap();
    by_token(&app.cx, &secret).await.unwrap();
    app.clock.advance(Duration::hours(1) - Duration::seconds(1));
    by_token(&app.cx, &secret).await.unwrap();
    app.clock.advance(Duration::seconds(1));
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
}

#[tokio::test]
async fn a_revoked_token_ends_at_once_even_when_its_caller_is_remembered() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (token, secret) = create(&app.cx, &alice, request(&[TokenScope::Read])).await.unwrap();
    for _ in 0..3 {
        by_token(&app.cx, &secret).await.unwrap();
    }
    app.logs(alice.workspace, &["token.revoke"], revoke(&app.cx, &alice, token.id)).await;
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &secret)).await;
    app.leaves_alone(revoke(&app.cx, &alice, token.id)).await;
    assert_eq!(list(&app.cx, &alice, TokensOf::Caller).await.unwrap()[0].revoked_at, Some(app.now()));
}

#[tokio::test]
async fn a_bound_token_acts_through_its_agent_and_no_other() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, two) = (app.agent("one").await, app.agent("two").await);
    let bound = CreateToken { agent: Some(one.id), ..request(TokenScope::ALL) };
    let (_, secret) = create(&app.cx, &alice, bound.clone()).await.unwrap();
    let caller = by_token(&app.cx, &secret).await.unwrap();
    assert_eq!(caller.agent, Some(one.id));
    for agent in [None, Some(two.id)] {
        let other = CreateToken { agent, ..bound.clone() };
        app.refuses(Code::InvalidRequest, create(&app.cx, &caller, other)).await;
    }
    create(&app.cx, &caller, bound).await.unwrap();
    let nobody = CreateToken { agent: Some(AgentId::new(alice.user.uuid())), ..request(TokenScope::ALL) };
    app.refuses(Code::NotFound, create(&app.cx, &alice, nobody)).await;
}

#[tokio::test]
async fn a_token_makes_no_token_that_may_do_more() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (_, secret) = create(&app.cx, &alice, request(&[TokenScope::Read, TokenScope::Admin])).await.unwrap();
    let caller = by_token(&app.cx, &secret).await.unwrap();
    app.refuses(Code::TokenScope, create(&app.cx, &caller, request(TokenScope::ALL))).await;
    create(&app.cx, &caller, request(&[TokenScope::Read])).await.unwrap();
}

#[tokio::test]
async fn tokens_of_others_are_for_admins() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    let ann = app.user("ann", &[Role::Admin]).await;
    let (token, _) = create(&app.cx, &alice, request(&[TokenScope::Read])).await.unwrap();
    let for_alice = || CreateToken { user: Some(alice.user), ..request(&[TokenScope::Read]) };
    app.refuses(Code::Forbidden, create(&app.cx, &bob, for_alice())).await;
    app.refuses(Code::Forbidden, list(&app.cx, &bob, TokensOf::User(alice.user))).await;
    app.refuses(Code::Forbidden, list(&app.cx, &bob, TokensOf::Everyone)).await;
    app.refuses(Code::Forbidden, revoke(&app.cx, &bob, token.id)).await;
    let (made, secret) = create(&app.cx, &ann, for_alice()).await.unwrap();
    assert_eq!(made.user, alice.user);
    assert_eq!(by_token(&app.cx, &secret).await.unwrap().user, alice.user);
    assert_eq!(list(&app.cx, &ann, TokensOf::Everyone).await.unwrap().len(), 2);
    assert_eq!(list(&app.cx, &ann, TokensOf::User(alice.user)).await.unwrap().len(), 2);
    assert!(list(&app.cx, &ann, TokensOf::Caller).await.unwrap().is_empty());
    revoke(&app.cx, &ann, token.id).await.unwrap();
    let stranger =
        CreateToken { user: Some(UserId::new(ann.workspace.uuid())), ..request(&[TokenScope::Read]) };
    app.refuses(Code::NotFound, create(&app.cx, &ann, stranger)).await;
    app.refuses(Code::NotFound, revoke(&app.cx, &ann, model::TokenId::new(ann.user.uuid()))).await;
}

#[tokio::test]
async fn a_workspace_admin_makes_no_token_that_reaches_beyond_the_workspace() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    let (other, bob) = (app.workspace("other").await, app.user("bob", &[]).await);
    app.user_in(&other, "bob", &[Role::Admin]).await;
    for user in [operator.user, bob.user] {
        let request = CreateToken { user: Some(user), ..request(TokenScope::ALL) };
        app.refuses(Code::Forbidden, create(&app.cx, &ann, request.clone())).await;
        create(&app.cx, &operator, request).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_needs_a_name_a_scope_and_an_end_in_the_future() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let read = || request(&[TokenScope::Read]);
    let bad = [
        CreateToken { name: "  ".into(), ..read() },
        CreateToken { name: "x".repeat(101), ..read() },
        request(&[]),
        CreateToken { expires_at: Some(app.now()), ..read() },
        CreateToken { expires_at: Some(app.now() + Duration::days(4_000)), ..read() },
    ];
    for request in bad {
        app.refuses(Code::InvalidRequest, create(&app.cx, &alice, request)).await;
    }
}

#[tokio::test]
async fn all_scopes_are_what_a_browser_has() {
    assert_eq!(TokenScope::ALL.iter().copied().collect::<TokenScopes>(), TokenScopes::ALL);
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    assert_eq!(alice.scoped(TokenScope::ALL).token_scopes, TokenScopes::ALL);
}
