//! From a credential to a caller, and where a request asks to be heard.

use app::Code;
use app::identity::{Standing, at, by_handle};
use model::{Caller, Credential, Handle, Reach, Role, TokenScopes};
use testkit::app::name;
use testkit::{CallerExt as _, TestApp};

fn workspace(text: &str) -> Standing {
    Standing { workspace: Some(name(text)), agent: None }
}

fn agent(text: &str) -> Standing {
    Standing { workspace: None, agent: Some(name(text)) }
}

#[tokio::test]
async fn a_cookie_opens_every_workspace_of_its_user_and_a_token_one() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let one = app.workspace("one").await;
    app.workspace("two").await;
    app.user_in(&one, "alice", &[Role::Reviewer]).await;
    let token = Caller { credential: Credential::Token, ..alice.clone() };
    let there = at(&app.cx, alice.clone(), &workspace("one")).await.unwrap();
    assert_eq!(there, app.caller_in("alice", "one").await);
    assert!(there.roles.has(Role::Reviewer));
    for (caller, standing) in
        [(&token, workspace("one")), (&alice, workspace("two")), (&alice, workspace("nowhere"))]
    {
        app.refuses(Code::NotFound, at(&app.cx, caller.clone(), &standing)).await;
    }
    for standing in [workspace("default"), Standing::default()] {
        assert_eq!(at(&app.cx, token.clone(), &standing).await.unwrap(), token);
    }
}

#[tokio::test]
async fn a_request_names_the_agent_it_comes_through_unless_it_is_bound() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let (one, _) = (app.agent("one").await, app.agent("two").await);
    let through = at(&app.cx, alice.clone(), &agent("one")).await.unwrap();
    assert_eq!(through, alice.through(&one));
    let bound = alice.through(&one);
    assert_eq!(at(&app.cx, bound.clone(), &agent("one")).await.unwrap(), bound);
    app.refuses(Code::NotFound, at(&app.cx, bound, &agent("two"))).await;
    app.refuses(Code::NotFound, at(&app.cx, alice, &agent("none"))).await;
}

#[tokio::test]
async fn an_agent_of_another_workspace_is_not_found() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let other = app.workspace("other").await;
    app::agents::create(&app.cx, &other, app::agents::AgentSpec::new(name("theirs"))).await.unwrap();
    app.refuses(Code::NotFound, at(&app.cx, alice, &agent("theirs"))).await;
}

#[tokio::test]
async fn whoever_holds_the_data_folder_acts_as_anyone_who_is_there() {
    let app = TestApp::new().await;
    let alice = app.user("alice", &[]).await;
    let one = app.agent("one").await;
    app.workspace("other").await;
    let handle = |text: &str| Handle::parse(text).unwrap();
    let ask = async |who: &str, place: &str, through: Option<&str>| {
        let through = through.map(name);
        by_handle(&app.cx, &handle(who), &name(place), through.as_ref()).await
    };
    assert_eq!(ask("alice", "default", Some("one")).await.unwrap(), alice.through(&one));
    assert_eq!(ask("admin", "other", None).await.unwrap().reach, Reach::Operator);
    app.refuses(Code::NotFound, ask("nobody", "default", None)).await;
    app.refuses(Code::NotFound, ask("alice", "nowhere", None)).await;
    app.refuses(Code::NotFound, ask("alice", "default", Some("none"))).await;
    app.refuses(Code::Forbidden, ask("alice", "other", None)).await;
    assert_eq!(alice.token_scopes, TokenScopes::ALL);
}
