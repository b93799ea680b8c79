//! Changes as they happen, over the wire.

use repertoire_http::{Http, HttpConfig};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::api::{Api, delete, get, id, post};

#[tokio::test]
async fn a_write_shows_up_by_its_topic_and_another_persons_does_not() {
    let api = Api::new().await;
    let (alice, bob) = (api.user("alice", &[]).await, api.user("bob", &[]).await);
    let mut events = api.events(get("/events").bearer(&bob)).await;
    let (name, hello) = events.next().await.unwrap();
    assert_eq!(name, "hello");
    let followed = ["skills", "agents", "sessions", "runs", "decisions", "users", "tokens", "workspace"];
    assert_eq!(hello, json!({ "topics": followed }));
    let own = post("/skills").json(json!({"name": "own", "description": "Of alice."}));
    api.ok_as(&alice, 201, own).await;
    api.agent(json!({"name": "helper"})).await;
    assert_eq!(events.next().await.unwrap(), ("change".to_owned(), json!({"topics": ["agents"]})));
    api.skill("shared").await;
    assert_eq!(events.next().await.unwrap(), ("change".to_owned(), json!({"topics": ["skills"]})));
}

#[tokio::test]
async fn a_revoked_token_ends_its_stream_and_so_does_signing_out() {
    let api = Api::new().await;
    let made = api.ok(201, post("/tokens").json(json!({"name": "t", "scopes": ["read"]}))).await.json();
    let mut by_token = api.events(get("/events").bearer(made["secret"].as_str().unwrap())).await;
    let link = api.app.first_link.reveal().to_owned();
    let signed_in = api.send(post("/sign-in").json(json!({ "link": link }))).await;
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let mut by_cookie = api.events(get("/events").header("cookie", &cookie)).await;
    for events in [&mut by_token, &mut by_cookie] {
        assert_eq!(events.next().await.unwrap().0, "hello");
    }
    api.ok(204, delete(&format!("/tokens/{}", id(&made)))).await;
    assert_eq!(by_token.next().await, None);
    let out = post("/sign-out").header("cookie", &cookie).header("sec-fetch-site", "same-origin");
    assert_eq!(api.send(out).await.status, 204);
    assert!(by_cookie.rest().await.iter().all(|(name, _)| name == "change"));
}

#[tokio::test]
async fn too_many_streams_of_a_user_are_refused_with_when_to_come_back() {
    let api = Api::new().await;
    let mut open = Vec::new();
    for _ in 0..16 {
        open.push(api.events(get("/events").bearer(&api.admin)).await);
    }
    let refused = api.refused(get("/events").bearer(&api.admin), 429, "busy").await;
    assert_eq!(refused.header("retry-after"), "10");
    open.pop();
    open.push(api.events(get("/events").bearer(&api.admin)).await);
}

#[tokio::test]
async fn a_server_that_ends_does_not_wait_for_who_watches() {
    let api = Api::new().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let http = Http::new(api.app.cx.clone(), HttpConfig::default());
    let serving = tokio::spawn(http.serve(listener, async move { stopped.await.unwrap() }));
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "GET /api/v1/events HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\n\r\n",
        api.admin
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut heard = String::new();
    let mut buffer = [0; 4096];
    while !heard.contains("event: hello") {
        let count = stream.read(&mut buffer).await.unwrap();
        assert_ne!(count, 0, "{heard}");
        heard.push_str(std::str::from_utf8(&buffer[..count]).unwrap());
    }
    for header in ["content-type: text/event-stream", "cache-control: no-cache", "x-accel-buffering: no"] {
        assert!(heard.contains(header), "{heard}");
    }
    stop.send(()).unwrap();
    let ended = tokio::time::timeout(std::time::Duration::from_secs(5), serving).await;
    ended.expect("ended in time").unwrap();
}
