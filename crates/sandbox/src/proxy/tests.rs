//! The proxy from both ends: a client on the code's side, an origin on the other.

use std::io::{Read as _, Write as _};
use std::sync::mpsc;

use super::*;

/// Starts the proxy with these rules; gives it with the address the code would use.
fn proxy(rules: &[String]) -> (Proxy, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let rules = rules.iter().map(|rule| HostRule::parse(rule).unwrap()).collect();
    (Proxy::start(OwnedFd::from(listener), rules).unwrap(), address)
}

/// An origin that hands each of its connections to a function.
fn origin(serve: impl Fn(TcpStream) + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || listener.incoming().flatten().for_each(serve));
    address
}

/// An origin that answers `ok` and tells what it was sent before `until`.
fn listening_origin(until: &'static str) -> (SocketAddr, mpsc::Receiver<String>) {
    let (sender, received) = mpsc::channel();
    let address = origin(move |mut stream| {
        let text = read_until(&mut stream, until);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").unwrap();
        // What else comes would be told too.
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut more = Vec::new();
        let _ = stream.read_to_end(&mut more);
        sender.send(text + &String::from_utf8_lossy(&more)).unwrap();
    });
    (address, received)
}

fn read_until(stream: &mut TcpStream, end: &str) -> String {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with(end) && stream.read(&mut byte).unwrap() == 1 {
        text.push(char::from(byte[0]));
    }
    text
}

fn ask(proxy: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(proxy).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn connect(proxy: SocketAddr, to: &str) -> TcpStream {
    let mut stream = TcpStream::connect(proxy).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(stream, "CONNECT {to} HTTP/1.1\r\nHost: {to}\r\n\r\n").unwrap();
    assert!(read_until(&mut stream, "\r\n\r\n").starts_with("HTTP/1.1 200 "));
    stream
}

fn echo(mut stream: TcpStream) {
    thread::spawn(move || {
        let mut reader = stream.try_clone().unwrap();
        let _ = io::copy(&mut reader, &mut stream);
        let _ = stream.shutdown(Shutdown::Write);
    });
}

fn visit(host: impl Into<String>, allowed: bool) -> Visit {
    Visit { host: host.into(), allowed }
}

#[test]
fn a_tunnel_carries_bytes_both_ways_and_ends_each_way_alone() {
    let origin = origin(echo);
    let (proxy, address) = proxy(&[origin.to_string()]);
    let stream = connect(address, &origin.to_string());
    let sent = vec![7; 1 << 20];
    let (mut writer, written) = (stream.try_clone().unwrap(), sent.clone());
    let writing = thread::spawn(move || {
        writer.write_all(&written).unwrap();
        writer.shutdown(Shutdown::Write).unwrap();
    });
    let mut received = Vec::new();
    (&stream).read_to_end(&mut received).unwrap();
    writing.join().unwrap();
    assert!(received == sent);
    assert_eq!(proxy.finish(), [visit(origin.to_string(), true)]);
}

#[test]
fn bytes_sent_along_with_connect_reach_the_origin() {
    let origin = origin(echo);
    let (_proxy, address) = proxy(&[origin.to_string()]);
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "CONNECT {origin} HTTP/1.1\r\n\r\nearly").unwrap();
    read_until(&mut stream, "\r\n\r\n");
    assert_eq!(read_until(&mut stream, "early"), "early");
}

#[test]
fn a_plain_request_reaches_the_origin_in_its_own_form() {
    let (origin, received) = listening_origin("\r\n\r\n");
    let (proxy, address) = proxy(&[origin.to_string()]);
    let answer = ask(
        address,
        &format!(
            "GET http://{origin}/a?b HTTP/1.1\r\nHost: {origin}\r\nProxy-Connection: keep-alive\r\n\r\n"
        ),
    );
    assert!(answer.ends_with("\r\n\r\nok"), "{answer}");
    let expected = format!("GET /a?b HTTP/1.1\r\nHost: {origin}\r\nConnection: close\r\n\r\n");
    assert_eq!(received.recv().unwrap(), expected);
    assert_eq!(proxy.finish(), [visit(origin.to_string(), true)]);
}

#[test]
fn a_chunked_upload_reaches_the_origin() {
    let (origin, received) = listening_origin("0\r\n\r\n");
    let (_proxy, address) = proxy(&[origin.to_string()]);
    let head = format!("POST http://{origin}/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    let answer = ask(address, &(head + "5\r\nhello\r\n0\r\n\r\n"));
    assert!(answer.ends_with("ok"), "{answer}");
    assert!(received.recv().unwrap().ends_with("\r\n\r\n5\r\nhello\r\n0\r\n\r\n"));
}

#[test]
fn a_request_smuggled_behind_the_first_never_reaches_the_origin() {
    let (origin, received) = listening_origin("\r\n\r\n");
    let (_proxy, address) = proxy(&[origin.to_string()]);
    let second = "GET /secret HTTP/1.1\r\nHost: other.example\r\n\r\n";
    let answer = ask(address, &format!("GET http://{origin}/ HTTP/1.1\r\n\r\n{second}"));
    assert!(answer.ends_with("ok"), "{answer}");
    assert!(!received.recv().unwrap().contains("secret"));
}

#[test]
fn a_host_that_is_not_allowed_is_named_in_the_refusal_and_noted_once() {
    let (proxy, address) = proxy(&["example.com".to_owned()]);
    for _ in 0..3 {
        let answer = ask(address, "CONNECT Evil.example.:443 HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 403 evil.example:443 is not"), "{answer}");
        assert!(answer.ends_with("\r\n\r\nevil.example:443 is not a host this code may reach\n"), "{answer}");
    }
    let answer = ask(address, "GET http://example.com:8080/ HTTP/1.1\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 403 example.com:8080 "), "{answer}");
    assert_eq!(proxy.finish(), [visit("evil.example:443", false), visit("example.com:8080", false)]);
}

#[test]
fn an_address_is_refused_when_only_names_are_allowed() {
    let origin = origin(|_| panic!("nothing may come here"));
    let port = origin.port();
    let (proxy, address) = proxy(&[format!("localhost:{port}"), format!("*.localhost:{port}")]);
    for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]"] {
        let answer = ask(address, &format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    }
    for host in ["127.1", "2130706433", "0x7f000001"] {
        let answer = ask(address, &format!("CONNECT {host}:{port} HTTP/1.1\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    }
    assert!(proxy.finish().iter().all(|visit| !visit.allowed));
}

#[test]
fn a_name_that_leads_to_this_machine_is_refused() {
    let origin = origin(|_| panic!("nothing may come here"));
    let (proxy, address) = proxy(&[format!("localhost:{}", origin.port())]);
    let asked = format!("localhost:{}", origin.port());
    let answer = ask(address, &format!("CONNECT {asked} HTTP/1.1\r\n\r\n"));
    assert!(answer.contains("leads to an address that is not public"), "{answer}");
    assert_eq!(proxy.finish(), [visit(asked, false)]);
}

#[test]
fn a_name_reaches_an_address_that_is_itself_on_the_list() {
    let origin = origin(echo);
    let (proxy, address) = proxy(&[format!("localhost:{}", origin.port()), origin.to_string()]);
    let mut stream = connect(address, &format!("localhost:{}", origin.port()));
    stream.write_all(b"hi").unwrap();
    assert_eq!(read_until(&mut stream, "hi"), "hi");
    drop(proxy);
}

#[test]
fn an_origin_that_takes_no_connection_is_said_to_be_so() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (proxy, address) = proxy(&[closed.to_string()]);
    let answer = ask(address, &format!("CONNECT {closed} HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert_eq!(proxy.finish(), [visit(closed.to_string(), true)]);
}

#[test]
fn a_head_without_end_is_refused() {
    let (_proxy, address) = proxy(&[]);
    let answer = ask(address, &format!("GET http://a.com/{} HTTP/1.1\r\n", "x".repeat(20_000)));
    assert!(answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

#[test]
fn a_head_that_comes_drop_by_drop_is_cut_off() {
    let (_proxy, address) = proxy(&[]);
    let stream = TcpStream::connect(address).unwrap();
    let mut writer = stream.try_clone().unwrap();
    let started = Instant::now();
    thread::spawn(move || {
        while writer.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(200));
        }
    });
    let mut answer = String::new();
    let _ = (&stream).read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(started.elapsed() < HEAD_TIME + Duration::from_secs(5));
}

#[test]
fn a_connection_too_many_waits_until_another_has_ended() {
    let origin = origin(echo);
    let (_proxy, address) = proxy(&[origin.to_string()]);
    let mut open: Vec<TcpStream> = (0..CONNECTIONS).map(|_| connect(address, &origin.to_string())).collect();
    let mut waiting = TcpStream::connect(address).unwrap();
    write!(waiting, "CONNECT {origin} HTTP/1.1\r\n\r\n").unwrap();
    waiting.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(timed_out(&waiting.read(&mut [0; 1]).unwrap_err()));
    open.pop();
    waiting.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert!(read_until(&mut waiting, "\r\n\r\n").starts_with("HTTP/1.1 200 "));
}

#[test]
fn finishing_ends_connections_in_every_state() {
    let origin = origin(echo);
    let (proxy, address) = proxy(&[origin.to_string()]);
    let silent = TcpStream::connect(address).unwrap();
    let tunnel = connect(address, &origin.to_string());
    let started = Instant::now();
    assert_eq!(proxy.finish(), [visit(origin.to_string(), true)]);
    assert!(started.elapsed() < Duration::from_secs(1));
    for mut stream in [silent, tunnel] {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        assert!(!stream.read(&mut [0; 1]).is_err_and(|error| timed_out(&error)));
    }
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn many_hosts_do_not_fill_the_memory_of_the_server() {
    let (proxy, address) = proxy(&[]);
    for number in 0..VISITS + 10 {
        ask(address, &format!("CONNECT h{number}.example:443 HTTP/1.1\r\n\r\n"));
    }
    assert_eq!(proxy.finish().len(), VISITS);
}
