//! Clients that are slow, silent, many or large: the server goes on, and ends in time.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::world::{Server, World};

/// How long anything may take before a test fails.
const DEADLINE: Duration = Duration::from_mins(1);

fn connect(server: &Server) -> TcpStream {
    let socket = TcpStream::connect(server.address()).unwrap();
    socket.set_read_timeout(Some(DEADLINE)).unwrap();
    socket
}

/// A socket on which this was sent.
fn sending(server: &Server, text: &str) -> TcpStream {
    let mut socket = connect(server);
    socket.write_all(text.replace("HOST", server.address()).as_bytes()).unwrap();
    socket
}

/// All that comes until the server closes the connection; fails if it stays open.
fn until_closed(socket: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    match socket.read_to_end(&mut heard) {
        Ok(_) => {}
        Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "it stays open: {error}"),
    }
    String::from_utf8_lossy(&heard).into_owned()
}

/// Reads until this was heard.
fn until_heard(socket: &mut TcpStream, word: &str) {
    let mut heard = String::new();
    let mut buffer = [0; 4096];
    while !heard.contains(word) {
        let count = socket.read(&mut buffer).unwrap();
        assert_ne!(count, 0, "closed before `{word}`: {heard}");
        heard.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
}

fn is_healthy(server: &Server) -> bool {
    let mut socket = sending(server, "GET /healthz HTTP/1.1\r\nhost: HOST\r\nconnection: close\r\n\r\n");
    until_closed(&mut socket).starts_with("HTTP/1.1 200")
}

/// A number of kilobytes from `/proc/PID/status`.
fn kilobytes(server: &Server, field: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn token(world: &World) -> String {
    let scopes = ["read", "write", "review", "admin"].iter().flat_map(|scope| ["--scope", scope]);
    let args: Vec<_> = ["token", "create", "t"].into_iter().chain(scopes).collect();
    world.ok(&args).trim().to_owned()
}

#[test]
fn slow_headers_and_silent_sockets_are_closed_and_event_streams_are_not() {
    let world = World::new();
    let short = [
        ("REPERTOIRE_SERVE_HEADER_TIMEOUT_SECONDS", "1"),
        ("REPERTOIRE_SERVE_IDLE_TIMEOUT_SECONDS", "1"),
        ("REPERTOIRE_SERVE_WRITE_TIMEOUT_SECONDS", "1"),
    ];
    let server = Server::start_in(&world, &[], &short);
    let token = token(&world);
    let watch = format!("GET /api/v1/events HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {token}\r\n\r\n");
    let mut stream = sending(&server, &watch);
    until_heard(&mut stream, "event: hello");
    let mut silent = connect(&server);
    let mut slow = sending(&server, "GET /healthz HTTP/1.1\r\nhost: ");
    let mut kept = sending(&server, "GET /healthz HTTP/1.1\r\nhost: HOST\r\n\r\n");
    assert_eq!(until_closed(&mut silent), "");
    assert_eq!(until_closed(&mut slow), "");
    assert!(until_closed(&mut kept).starts_with("HTTP/1.1 200"));
    // The stream is silent for longer than any of the limits, and still there.
    world.skill("one", "The first. Use when one is asked for.");
    world.ok(&["import", "one"]);
    until_heard(&mut stream, "event: change");
    server.stop();
}

#[test]
fn idle_sockets_beyond_the_limit_make_way_for_honest_requests() {
    let world = World::new();
    let server = Server::start_in(&world, &[], &[("REPERTOIRE_SERVE_MAX_CONNECTIONS", "20")]);
    let mut sockets: Vec<_> = (0..60).map(|_| connect(&server)).collect();
    for _ in 0..10 {
        assert!(is_healthy(&server));
    }
    for socket in sockets.iter_mut().take(40) {
        assert_eq!(until_closed(socket), "");
    }
    server.stop();
}

#[test]
fn idle_sockets_do_not_use_up_the_open_files() {
    let world = World::new();
    let server = Server::start_with_open_files(&world, 256);
    let sockets: Vec<_> = (0..400).map(|_| connect(&server)).collect();
    for _ in 0..10 {
        assert!(is_healthy(&server));
    }
    assert!(world.ok(&["list", "--json"]).contains("items"), "the server works beside them");
    drop(sockets);
    server.stop();
}

#[test]
fn large_bodies_of_strangers_take_no_memory() {
    const BODY: usize = 32 * 1024 * 1024;
    let world = World::new();
    let server = world.serve();
    assert!(is_healthy(&server));
    let before = kilobytes(&server, "VmRSS:");
    let heads =
        ["/api/v1/sign-in", "/api/v1/skills", "/api/v1/skills/import", "/mcp", "/files/upload"].map(|path| {
            let kind = "content-type: application/json\r\n";
            let length =
                format!("POST {path} HTTP/1.1\r\nhost: HOST\r\n{kind}content-length: {BODY}\r\n\r\n");
            let chunked = format!(
                "POST {path} HTTP/1.1\r\nhost: HOST\r\n{kind}transfer-encoding: chunked\r\n\r\n2000000\r\n"
            );
            [length, chunked]
        });
    let piece = vec![b' '; 64 * 1024];
    std::thread::scope(|scope| {
        for head in heads.iter().flatten().cycle().take(40) {
            let (mut socket, piece) = (sending(&server, head), &piece);
            scope.spawn(move || {
                // The server closes the connection when it has read enough.
                socket.set_write_timeout(Some(DEADLINE)).unwrap();
                for _ in 0..BODY / piece.len() {
                    if socket.write_all(piece).is_err() {
                        break;
                    }
                }
            });
        }
    });
    let most = kilobytes(&server, "VmHWM:");
    assert!(most < before + 64 * 1024, "{before} kB before, {most} kB at most");
    assert!(is_healthy(&server));
    server.stop();
}

#[test]
fn a_body_that_stalls_is_ended() {
    let world = World::new();
    let server = Server::start_in(&world, &[], &[("REPERTOIRE_SERVE_BODY_STALL_SECONDS", "1")]);
    let head = format!(
        "POST /api/v1/skills HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\n\r\n{{\"name\"",
        token(&world)
    );
    let answer = until_closed(&mut sending(&server, &head));
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("request_timeout"), "{answer}");
    server.stop();
}

#[test]
fn a_server_ends_in_time_whatever_clients_do() {
    let world = World::new();
    let mut server = world.serve();
    let token = token(&world);
    let watch = format!("GET /api/v1/events HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {token}\r\n\r\n");
    let mut stream = sending(&server, &watch);
    until_heard(&mut stream, "event: hello");
    let body = format!(
        "POST /api/v1/skills HTTP/1.1\r\nhost: HOST\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\ncontent-length: 100\r\nexpect: 100-continue\r\n\r\n"
    );
    let mut slow_body = sending(&server, &body);
    until_heard(&mut slow_body, "100 Continue");
    let silent = connect(&server);
    let slow = sending(&server, "GET /healthz HTTP/1.1\r\nhost: ");
    let unread: Vec<_> = (0..5)
        .map(|_| sending(&server, &"GET /api/v1/openapi.json HTTP/1.1\r\nhost: HOST\r\n\r\n".repeat(20)))
        .collect();
    let started = Instant::now();
    server.signal("-TERM");
    assert_eq!(server.wait(), 0);
    // It ends within ten seconds; a machine with much else to do may need more.
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    drop((stream, slow_body, silent, slow, unread));
}

/// Tries to sign in with a token, as a proxy would forward it.
async fn sign_in(server: &Server, token: &str, forwarded: Option<&str>) -> (u16, Value) {
    let mut request = reqwest::Client::new().post(format!("{}/api/v1/sign-in", server.url));
    if let Some(client) = forwarded {
        request = request.header("x-forwarded-for", client);
    }
    let response = request.json(&json!({"token": token})).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_slice(&response.bytes().await.unwrap()).unwrap_or_default())
}

#[tokio::test]
async fn junk_sign_ins_behind_a_proxy_lock_out_only_their_own_address() {
    let world = World::new();
    let server = Server::start(&world, &["--trusted-proxy", "127.0.0.0/8"]);
    let token = token(&world);
    for _ in 0..10 {
        assert_eq!(sign_in(&server, "rpt_junk", Some("198.51.100.1")).await.0, 401);
    }
    let (status, problem) = sign_in(&server, &token, Some("198.51.100.1")).await;
    assert_eq!((status, &problem["code"]), (429, &json!("rate_limited")));
    // What the client itself put before the proxy's part does not help it.
    assert_eq!(sign_in(&server, &token, Some("192.0.2.1, 198.51.100.1")).await.0, 429);
    for _ in 0..30 {
        assert_eq!(sign_in(&server, &token, Some("198.51.100.2")).await.0, 200, "successes do not count");
    }
    server.stop();
}

#[tokio::test]
async fn forwarded_addresses_of_strangers_are_ignored() {
    let world = World::new();
    let server = world.serve();
    for client in 1..=10 {
        assert_eq!(sign_in(&server, "rpt_junk", Some(&format!("198.51.100.{client}"))).await.0, 401);
    }
    assert_eq!(sign_in(&server, "rpt_junk", Some("198.51.100.11")).await.0, 429);
    server.stop();
}
