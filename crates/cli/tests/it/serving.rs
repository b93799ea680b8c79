//! The server: its link, its lock, its end.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::world::{Server, World};

#[tokio::test]
async fn the_link_on_the_terminal_signs_in_once() {
    let world = World::new();
    let server = world.serve();
    let link = server.link();
    assert!(link.starts_with(&server.url), "{link}");
    let browser = reqwest::Client::builder().cookie_store(true).build().unwrap();
    assert!(browser.get(&link).send().await.unwrap().status().is_success());
    let me = browser.get(format!("{}/api/v1/me", server.url)).send().await.unwrap();
    let me: Value = serde_json::from_slice(&me.bytes().await.unwrap()).unwrap();
    assert_eq!(me["user"]["handle"], "admin");
    let other = reqwest::Client::builder().cookie_store(true).build().unwrap();
    assert_eq!(other.get(&link).send().await.unwrap().status(), 401, "the link is used up");
    server.stop();
    let again = world.serve();
    assert!(!again.greeting.iter().any(|line| line.contains("link=")), "{:?}", again.greeting);
}

#[test]
fn a_library_that_a_command_made_still_has_a_first_link() {
    let world = World::new();
    world.ok(&["list"]);
    assert!(world.serve().link().contains("rpl_"));
}

#[test]
fn a_command_beside_a_server_goes_through_it() {
    let world = World::new();
    world.skill("one", "The first. Use when one is asked for.");
    let data = world.path(".local/share/repertoire");
    let server = world.serve();
    assert!(data.join("server.json").is_file() && data.join("local.token").is_file());
    assert!(world.ok(&["import", "one"]).contains("1 created"));
    assert!(world.ok(&["whoami"]).contains(&server.url));
    let second = world.run(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off"]);
    assert_eq!(second.code, 5, "{}", second.err);
    assert!(second.err.contains(&server.url), "it says who is there: {}", second.err);
    server.stop();
    assert!(!data.join("server.json").exists() && !data.join("local.token").exists());
    assert!(world.ok(&["list"]).contains("one"));
    assert!(world.ok(&["whoami"]).contains("this machine"));
    let tokens = world.json(&["token", "list"]);
    let live = tokens["items"].as_array().unwrap().iter().filter(|token| token["revoked_at"].is_null());
    assert_eq!(live.count(), 0, "the local token ended with the server");
}

#[test]
fn a_killed_server_leaves_nothing_in_the_way() {
    let world = World::new();
    let mut server = world.serve();
    server.signal("-KILL");
    server.wait();
    assert!(world.path(".local/share/repertoire/server.json").exists());
    assert!(world.ok(&["whoami"]).contains("this machine"));
    let next = world.serve();
    let tokens = world.json(&["token", "list"]);
    let live = tokens["items"].as_array().unwrap().iter().filter(|token| token["revoked_at"].is_null());
    assert_eq!(live.count(), 1, "the token of the killed one is revoked: {tokens}");
    next.stop();
}

#[test]
fn a_token_that_happens_to_have_the_servers_name_for_its_own_stays() {
    let world = World::new();
    world.ok(&["token", "create", "local", "--scope", "read"]);
    let live = || {
        let tokens = world.json(&["token", "list"]);
        tokens["items"].as_array().unwrap().iter().filter(|token| token["revoked_at"].is_null()).count()
    };
    let server = world.serve();
    assert_eq!(live(), 2);
    server.stop();
    assert_eq!(live(), 1);
}

#[test]
fn a_request_under_way_is_finished() {
    let world = World::new();
    let mut server = world.serve();
    let token = world.ok(&["token", "create", "t", "--scope", "read", "--scope", "write"]);
    let body = r#"{"name":"late","description":"Came in while the server ended"}"#;
    let (first, rest) = body.split_at(10);
    let mut socket = TcpStream::connect(server.address()).unwrap();
    write!(
        socket,
        "POST /api/v1/skills HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\nexpect: 100-continue\r\n\r\n",
        server.address(),
        token.trim(),
        body.len()
    )
    .unwrap();
    // The answer says that the request has reached its handler, which now waits for the body.
    let mut buffer = [0; 25];
    socket.read_exact(&mut buffer).unwrap();
    assert_eq!(&buffer, b"HTTP/1.1 100 Continue\r\n\r\n");
    socket.write_all(first.as_bytes()).unwrap();
    server.signal("-TERM");
    server.until("stopping");
    socket.write_all(rest.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    assert_eq!(server.wait(), 0);
    assert!(world.ok(&["list"]).contains("late"), "what was acknowledged is there");
}

#[tokio::test]
async fn metrics_have_their_own_door() {
    let world = World::new();
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let mut server = Server::start(&world, &["--metrics-listen", &address, "--log-format", "json"]);
    world.ok(&["list"]);
    server.until("the sandbox is ready");
    let metrics = reqwest::get(format!("http://{address}/metrics")).await.unwrap().text().await.unwrap();
    assert!(metrics.contains("repertoire_http_requests_total{"), "{metrics}");
    assert!(metrics.contains("repertoire_http_request_duration_seconds_bucket{"), "{metrics}");
    assert!(metrics.contains("repertoire_sandbox_protection{name=\"seccomp\"} 1"), "{metrics}");
    let outside = reqwest::get(format!("{}/metrics", server.url)).await.unwrap();
    assert_eq!(outside.status(), 404, "metrics are not for everyone");
    let last = server.greeting.last().unwrap();
    let line: Value = serde_json::from_str(last).unwrap();
    assert_eq!(line["message"], "listening");
}

#[test]
fn an_open_editor_keeps_nobody_waiting_and_a_refused_text_is_kept() {
    let world = World::new();
    world.ok(&["skill", "create", "one", "--description", "The first"]);
    // The editor itself uses the library, and then breaks the file.
    let binary = env!("CARGO_BIN_EXE_repertoire");
    let editor = world.write("editor.sh", format!("'{binary}' list > seen.txt && printf '\\377' > \"$1\"\n"));
    let mut command = world.command(&["skill", "edit", "one"]);
    command.env("EDITOR", format!("sh {}", editor.display()));
    let done = crate::world::finish(&mut command);
    assert_eq!(done.code, 6, "{}", done.err);
    assert!(std::fs::read_to_string(world.path("seen.txt")).unwrap().contains("one"));
    let kept = done.err.split("your text is in ").nth(1).and_then(|rest| rest.split(';').next()).unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), [255]);
    std::fs::remove_file(kept).unwrap();
}

#[tokio::test]
async fn the_web_app_comes_from_the_folder_that_is_named() {
    let world = World::new();
    std::fs::create_dir(world.path("dist")).unwrap();
    let dist = world.path("dist").display().to_string();
    let refused =
        world.run(&["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--ui-dir", &dist]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("index.html") && refused.err.contains("make ui"), "{}", refused.err);
    std::fs::write(world.path("dist/index.html"), "<p nonce=\"__CSP_NONCE__\">the app</p>").unwrap();
    let server = Server::start(&world, &["--ui-dir", &dist]);
    let page = reqwest::get(&server.url).await.unwrap().text().await.unwrap();
    assert!(page.contains("the app") && !page.contains("__CSP_NONCE__"), "{page}");
    server.stop();
}
