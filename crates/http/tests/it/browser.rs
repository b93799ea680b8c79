//! Browsers: signing in and out, and what other sites' pages must not do.

use repertoire_http::HttpConfig;
use serde_json::json;

use crate::api::{Answer, Api, Ask, ask, get, id, post};

async fn fresh_link(api: &Api) -> String {
    let me = api.ok(200, get("/me")).await.json();
    let made = api.ok(201, post(&format!("/users/{}/sign-in-link", id(&me["user"])))).await.json();
    let url = made["url"].as_str().unwrap();
    assert!(url.starts_with("http"), "{url}");
    assert_eq!(made["expires_at"], "2026-01-06T09:00:00Z");
    url.split_once("/sign-in?link=").unwrap().1.to_owned()
}

/// The pair that a browser sends back.
fn cookie(answer: &Answer) -> String {
    answer.header("set-cookie").split(';').next().unwrap().to_owned()
}

async fn signed_in(api: &Api) -> String {
    let link = api.app.first_link.reveal().to_owned();
    let answer = api.send(post("/sign-in").json(json!({"link": link}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    cookie(&answer)
}

fn own_page(ask: Ask, cookie: &str) -> Ask {
    ask.header("cookie", cookie).header("sec-fetch-site", "same-origin")
}

#[tokio::test]
async fn a_link_signs_in_once() {
    let api = Api::new().await;
    let link = fresh_link(&api).await;
    let opened = api.send(get(&format!("//sign-in?link={link}"))).await;
    assert_eq!((opened.status, opened.header("location").as_str()), (303, "/"));
    let set = opened.header("set-cookie");
    for part in ["repertoire_session=rps_", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age="] {
        assert!(set.contains(part), "{set}");
    }
    assert!(!set.contains("Secure"), "{set}");
    let me = api.send(get("/me").header("cookie", &cookie(&opened))).await;
    assert_eq!((me.status, &me.json()["user"]["handle"]), (200, &json!("admin")));
    api.refused(get(&format!("//sign-in?link={link}")), 401, "unauthenticated").await;
    api.refused(post("/sign-in").json(json!({"link": link})), 401, "unauthenticated").await;
    // Without the app there is nothing else to show a browser.
    let browser = get(&format!("//sign-in?link={link}")).header("accept", "text/html");
    api.refused(browser, 401, "unauthenticated").await;
}

#[tokio::test]
async fn from_a_link_one_goes_where_one_was_going_on_this_server() {
    let api = Api::new().await;
    for (next, wanted) in [
        ("/skills/one?tab=files", "/skills/one?tab=files"),
        ("//evil.example", "/"),
        ("/%5Cevil.example", "/"),
        ("/%09/evil.example", "/"),
        ("https://evil.example/", "/"),
        ("", "/"),
    ] {
        let link = fresh_link(&api).await;
        let opened = api.send(get(&format!("//sign-in?link={link}&next={next}"))).await;
        assert_eq!((opened.status, opened.header("location").as_str()), (303, wanted), "{next}");
    }
}

#[tokio::test]
async fn looking_at_a_link_does_not_use_it_up() {
    let api = Api::new().await;
    let link = fresh_link(&api).await;
    let looked = api.send(ask("HEAD", &format!("//sign-in?link={link}"))).await;
    assert_eq!((looked.status, looked.header("set-cookie").as_str()), (200, ""));
    assert_eq!(api.send(get(&format!("//sign-in?link={link}"))).await.status, 303);
}

#[tokio::test]
async fn over_https_the_cookie_is_secure() {
    let config = HttpConfig { public_url: "https://skills.example".into(), ..HttpConfig::default() };
    let api = Api::with(config).await;
    let link = fresh_link(&api).await;
    let set = api.send(post("/sign-in").json(json!({"link": link}))).await.header("set-cookie");
    assert!(set.contains("Secure"), "{set}");
}

#[tokio::test]
async fn a_link_ends_after_a_day() {
    let api = Api::new().await;
    let link = fresh_link(&api).await;
    api.app.clock.advance(time::Duration::hours(24));
    let answer = api.send(get(&format!("//sign-in?link={link}"))).await;
    assert_eq!((answer.status, answer.code().as_str()), (401, "unauthenticated"));
}

#[tokio::test]
async fn signing_out_ends_the_session() {
    let api = Api::new().await;
    let cookie = signed_in(&api).await;
    let out = api.send(own_page(post("/sign-out"), &cookie)).await;
    assert_eq!(out.status, 204);
    assert!(out.header("set-cookie").starts_with("repertoire_session=;"), "{:?}", out.headers);
    api.refused(get("/me").header("cookie", &cookie), 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_session_ends_by_itself() {
    let api = Api::new().await;
    let cookie = signed_in(&api).await;
    api.app.clock.advance(time::Duration::days(14));
    api.refused(get("/me").header("cookie", &cookie), 401, "unauthenticated").await;
}

#[tokio::test]
async fn a_token_of_less_than_everything_opens_no_browser() {
    let api = Api::new().await;
    let admin = api.app.admin().await;
    let me = api.ok(200, get("/me")).await.json();
    let link = format!("/users/{}/sign-in-link", id(&me["user"]));
    for less in [&[model::TokenScope::Read][..], &[model::TokenScope::Admin], &model::TokenScope::ALL[..3]] {
        let token = api.token(&admin, less).await;
        api.refused(post("/sign-in").json(json!({"token": token})), 403, "token_scope").await;
        api.refused(post(&link).bearer(&token), 403, "token_scope").await;
    }
    let answer = api.send(post("/sign-in").json(json!({"token": api.admin}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[tokio::test]
async fn a_change_with_a_cookie_must_come_from_our_own_pages() {
    let api = Api::new().await;
    let cookie = signed_in(&api).await;
    let make = post("/skills").json(json!({"name": "one", "description": "d"}));
    let with = make.clone().header("cookie", &cookie);
    api.refused(with.clone(), 403, "cross_site").await;
    for site in ["cross-site", "same-site", "garbage"] {
        api.refused(with.clone().header("sec-fetch-site", site), 403, "cross_site").await;
    }
    // Another port of this machine is another site, even where both names are allowed.
    api.refused(with.clone().header("origin", "http://localhost:3000"), 403, "cross_site").await;
    api.refused(post("/sign-out").header("cookie", &cookie), 403, "cross_site").await;
    let answer = api.send(with.clone().header("sec-fetch-site", "same-origin")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    let other = post("/skills").json(json!({"name": "two", "description": "d"})).header("cookie", &cookie);
    let answer = api.send(other.header("origin", "http://localhost:7400")).await;
    assert_eq!(answer.status, 201, "{}", answer.text());
    // Reading needs no such proof, and a token needs none at all.
    assert_eq!(api.send(get("/skills").header("cookie", &cookie)).await.status, 200);
    api.ok(409, make.header("sec-fetch-site", "cross-site")).await;
}

#[tokio::test]
async fn pages_of_other_sites_are_turned_away() {
    let api = Api::new().await;
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1.nip.io"]
    {
        api.refused(get("/me").bearer(&api.admin).header("origin", origin), 403, "origin_not_allowed").await;
    }
}

#[tokio::test]
async fn only_told_hosts_are_served() {
    let api =
        Api::with(HttpConfig { allowed_hosts: vec!["skills.example".into()], ..HttpConfig::default() }).await;
    for host in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io:7400", ""] {
        api.refused(get("/me").bearer(&api.admin).header("host", host), 421, "host_not_allowed").await;
    }
    for host in ["skills.example", "SKILLS.example:443", "localhost", "127.0.0.1:7400", "[::1]:7400"] {
        api.ok(200, get("/me").header("host", host)).await;
    }
}

#[tokio::test]
async fn attempts_to_sign_in_are_counted() {
    let api = Api::with(HttpConfig { sign_in_failures_per_minute: 3, ..HttpConfig::default() }).await;
    for _ in 0..3 {
        api.refused(post("/sign-in").json(json!({"link": "rpl_guess"})), 401, "unauthenticated").await;
    }
    let answer = api.refused(post("/sign-in").json(json!({"link": "rpl_guess"})), 429, "rate_limited").await;
    assert_ne!(answer.header("retry-after"), "");
    api.refused(get("//sign-in?link=rpl_guess"), 429, "rate_limited").await;
    api.ok(200, get("/me")).await;
}

#[tokio::test]
async fn a_browser_turns_to_another_workspace_of_its_user() {
    let api = Api::new().await;
    let cookie = signed_in(&api).await;
    api.ok(201, post("/workspaces").json(json!({"name": "other"}))).await;
    let there = api.send(get("/me").header("cookie", &cookie).header("repertoire-workspace", "other")).await;
    assert_eq!(there.json()["workspace"]["name"], "other");
    api.refused(get("/me").bearer(&api.admin).header("repertoire-workspace", "other"), 404, "not_found")
        .await;
    let nowhere = get("/me").header("cookie", &cookie).header("repertoire-workspace", "nowhere");
    api.refused(nowhere, 404, "not_found").await;
}
