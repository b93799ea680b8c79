//! Signing in and out.

use app::Code;
use app::identity::{Secret, Standing, at, by_cookie};
use app::sign_in::{by_link, by_token, create_link, end};
use app::tokens::CreateToken;
use app::users::ChangeUser;
use model::{Caller, Credential, Reach, Role, TokenScope, UserId};
use testkit::app::name;
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

/// A token of somebody else, good for everything.
async fn token_for(app: &TestApp, maker: &Caller, user: UserId) -> Secret {
    let request = CreateToken {
        name: "t".into(),
        user: Some(user),
        agent: None,
        scopes: TokenScope::ALL.to_vec(),
        expires_at: None,
    };
    app::tokens::create(&app.cx, maker, request).await.unwrap().1
}

/// Everyone who can be had from a token and a link of one user, and from what can be made with them.
async fn bearers(app: &TestApp, token: &Secret, link: &Secret) -> Vec<Caller> {
    let cx = &app.cx;
    let browser =
        |signed_in: app::sign_in::SignedIn| async move { by_cookie(cx, &signed_in.secret).await.unwrap().0 };
    let mut bearers = vec![
        app::identity::by_token(cx, token).await.unwrap(),
        browser(by_token(cx, token).await.unwrap()).await,
        browser(by_link(cx, link).await.unwrap()).await,
    ];
    for bearer in bearers.clone() {
        let token = token_for(app, &bearer, bearer.user).await;
        bearers.push(app::identity::by_token(cx, &token).await.unwrap());
        bearers.push(browser(by_token(cx, &token).await.unwrap()).await);
        let link = create_link(cx, &bearer, bearer.user).await.unwrap();
        bearers.push(browser(by_link(cx, &link).await.unwrap()).await);
    }
    bearers
}

#[tokio::test]
async fn what_an_admin_made_for_someone_opens_their_workspace_alone_whatever_that_person_becomes() {
    let app = TestApp::new().await;
    let operator = app.admin().await;
    let (ann, mia) = (app.user("ann", &[Role::Admin]).await, app.user("mia", &[]).await);
    let token = token_for(&app, &ann, mia.user).await;
    let link = create_link(&app.cx, &ann, mia.user).await.unwrap();
    let other = app.workspace("other").await;
    app.user_in(&other, "mia", &[]).await;
    let promotion = ChangeUser { operator: Some(true), ..ChangeUser::default() };
    app::users::change(&app.cx, &operator, mia.user, promotion).await.unwrap();
    let elsewhere = Standing { workspace: Some(name("other")), agent: None };
    for bearer in bearers(&app, &token, &link).await {
        assert_eq!((bearer.workspace, bearer.reach), (mia.workspace, Reach::Member));
        assert_eq!(bearer.credential, Credential::Lent(ann.user));
        let renaming = ChangeUser { display_name: Some("M".to_owned()), ..ChangeUser::default() };
        app.refuses(Code::Forbidden, app::users::change(&app.cx, &bearer, mia.user, renaming)).await;
        app.refuses(Code::NotFound, at(&app.cx, bearer, &elsewhere)).await;
    }
}

#[tokio::test]
async fn what_an_operator_made_for_someone_is_as_good_as_their_own() {
    let app = TestApp::new().await;
    let (operator, mia) = (app.admin().await, app.user("mia", &[]).await);
    let other = app.workspace("other").await;
    let there = app.user_in(&other, "mia", &[]).await;
    let token = token_for(&app, &operator, mia.user).await;
    let link = create_link(&app.cx, &operator, mia.user).await.unwrap();
    let elsewhere = Standing { workspace: Some(name("other")), agent: None };
    for bearer in bearers(&app, &token, &link).await {
        if bearer.credential == Credential::Token {
            app.refuses(Code::NotFound, at(&app.cx, bearer, &elsewhere)).await;
        } else {
            assert_eq!(at(&app.cx, bearer, &elsewhere).await.unwrap(), there);
        }
    }
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
