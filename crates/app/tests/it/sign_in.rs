//! Signing in and out.

use app::Code;
use app::identity::{Secret, by_cookie};
use app::sign_in::{by_link, by_token, create_link, end};
use app::tokens::CreateToken;
use model::{Role, TokenScope};
use testkit::{CallerExt as _, TestApp};
use time::Duration;

async fn token(app: &TestApp, caller: &model::Caller, scopes: &[TokenScope]) -> Secret {
    let request = CreateToken {
        name: "t".into(),
        user: None,
        agent: caller.agent,
        scopes: scopes.to_vec(),
        expires_at: None,
    };
    app::tokens::create(&app.cx, caller, request).await.unwrap().1
}

#[tokio::test]
async fn the_first_link_signs_the_operator_in_once() {
    let app = TestApp::new().await;
    let admin = app.admin().await;
    let signed_in = app.logs(admin.workspace, &["sign_in.create"], by_link(&app.cx, &app.first_link)).await;
    let (caller, sign_in) = by_cookie(&app.cx, &signed_in.secret).await.unwrap();
    assert_eq!((caller, sign_in), (admin, signed_in.sign_in));
    app.refuses(Code::Unauthenticated, by_link(&app.cx, &app.first_link)).await;
}

#[tokio::test]
async fn a_link_waits_a_day() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let link = create_link(&app.cx, &admin, alice.user).await.unwrap();
    app.clock.advance(Duration::hours(24));
    app.refuses(Code::Unauthenticated, by_link(&app.cx, &link)).await;
    let link = create_link(&app.cx, &admin, alice.user).await.unwrap();
    app.clock.advance(Duration::hours(23));
    by_link(&app.cx, &link).await.unwrap();
}

#[tokio::test]
async fn a_browser_stays_signed_in_for_two_weeks() {
    let app = TestApp::new().await;
    let cookie = by_link(&app.cx, &app.first_link).await.unwrap().secret;
    app.clock.advance(Duration::days(14) - Duration::seconds(1));
    by_cookie(&app.cx, &cookie).await.unwrap();
    app.clock.advance(Duration::seconds(1));
    app.refuses(Code::Unauthenticated, by_cookie(&app.cx, &cookie)).await;
    app.refuses(Code::Unauthenticated, by_cookie(&app.cx, &Secret::from_client("rps_guess"))).await;
}

#[tokio::test]
async fn signing_out_ends_that_browser_only() {
    let app = TestApp::new().await;
    let (admin, alice) = (app.admin().await, app.user("alice", &[]).await);
    let mut cookies = Vec::new();
    for _ in 0..2 {
        let link = create_link(&app.cx, &admin, alice.user).await.unwrap();
        cookies.push(by_link(&app.cx, &link).await.unwrap().secret);
    }
    let (caller, sign_in) = by_cookie(&app.cx, &cookies[0]).await.unwrap();
    app.logs(caller.workspace, &["sign_in.end"], end(&app.cx, &caller, &sign_in)).await;
    app.refuses(Code::Unauthenticated, by_cookie(&app.cx, &cookies[0])).await;
    by_cookie(&app.cx, &cookies[1]).await.unwrap();
}

#[tokio::test]
async fn links_for_others_are_made_by_admins() {
    let app = TestApp::new().await;
    let (alice, bob) = (app.user("alice", &[]).await, app.user("bob", &[]).await);
    app.refuses(Code::Forbidden, create_link(&app.cx, &bob, alice.user)).await;
    let ann = app.user("ann", &[Role::Admin]).await;
    let link = create_link(&app.cx, &ann, alice.user).await.unwrap();
    let cookie = by_link(&app.cx, &link).await.unwrap().secret;
    assert_eq!(by_cookie(&app.cx, &cookie).await.unwrap().0.user, alice.user);
    let outsider = app.workspace("other").await;
    let carol = app.user_in(&outsider, "carol", &[]).await;
    app.refuses(Code::NotFound, create_link(&app.cx, &ann, carol.user)).await;
    let mine = create_link(&app.cx, &bob, bob.user).await.unwrap();
    by_link(&app.cx, &mine).await.unwrap();
}

#[tokio::test]
async fn a_workspace_admin_cannot_sign_in_as_someone_who_reaches_further() {
    let app = TestApp::new().await;
    let (operator, ann) = (app.admin().await, app.user("ann", &[Role::Admin]).await);
    app.refuses(Code::Forbidden, create_link(&app.cx, &ann, operator.user)).await;
    let (other, bob) = (app.workspace("other").await, app.user("bob", &[]).await);
    create_link(&app.cx, &ann, bob.user).await.unwrap();
    app.user_in(&other, "bob", &[Role::Admin]).await;
    app.refuses(Code::Forbidden, create_link(&app.cx, &ann, bob.user)).await;
    create_link(&app.cx, &operator, bob.user).await.unwrap();
}

#[tokio::test]
async fn a_narrow_credential_makes_no_link_to_a_wide_one() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent("one").await;
    let narrow = [
        &[TokenScope::Read][..],
        &[TokenScope::Admin],
        &[TokenScope::Read, TokenScope::Write, TokenScope::Admin],
    ];
    for scopes in narrow {
        app.refuses(Code::TokenScope, create_link(&app.cx, &alice.scoped(scopes), alice.user)).await;
    }
    app.refuses(Code::InvalidRequest, create_link(&app.cx, &alice.through(&agent), alice.user)).await;
}

#[tokio::test]
async fn a_token_signs_in_only_if_it_may_do_everything() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let agent = app.agent("one").await;
    let full = token(&app, &alice, TokenScope::ALL).await;
    let signed_in = app.logs(alice.workspace, &["sign_in.create"], by_token(&app.cx, &full)).await;
    assert_eq!(by_cookie(&app.cx, &signed_in.secret).await.unwrap().0, alice);
    for scopes in [&[TokenScope::Admin][..], &[TokenScope::Read, TokenScope::Write]] {
        let narrow = token(&app, &alice, scopes).await;
        app.refuses(Code::TokenScope, by_token(&app.cx, &narrow)).await;
    }
    let bound = token(&app, &alice.through(&agent), TokenScope::ALL).await;
    app.refuses(Code::InvalidRequest, by_token(&app.cx, &bound)).await;
    app.refuses(Code::Unauthenticated, by_token(&app.cx, &Secret::from_client("rpt_x"))).await;
}
