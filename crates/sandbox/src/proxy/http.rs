//! As much of HTTP as a proxy needs: the head of one request, rewritten for the origin, and exactly its body.
//!
//! Nothing after that request may pass: it could ask the same address for another name.

use std::io::{self, BufRead, Read as _, Write};

use super::rules::Host;

/// Most bytes of a request's head, and of a line within a chunked body.
const HEAD_LIMIT: usize = 16 << 10;

/// Headers that are meant for the proxy, not for the origin.
const HOP_BY_HOP: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "upgrade",
    "host",
];

/// Why a request is not passed on, as the code that sent it will read it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn new(status: u16, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    fn bad(text: impl Into<String>) -> Self {
        Self::new(400, text)
    }

    /// The whole answer. The text stands in the status line too: many clients show nothing else.
    pub(super) fn answer(&self) -> Vec<u8> {
        let Self { status, text } = self;
        let length = text.len() + 1;
        format!(
            "HTTP/1.1 {status} {text}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}\n"
        )
        .into_bytes()
    }
}

/// What follows the head.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// Anything, both ways: the request was `CONNECT`.
    Tunnel,
    /// So many bytes.
    Length(u64),
    /// Chunks.
    Chunked,
}

/// One request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) host: Host,
    pub(super) port: u16,
    /// What the origin is sent instead of the head that came; nothing for a tunnel.
    pub(super) head: Vec<u8>,
    pub(super) body: Body,
}

/// Where the head ends in what was read so far; an error when it is too long.
pub(super) fn end_of_head(read: &[u8]) -> Result<Option<usize>, Refusal> {
    let end = read.windows(4).position(|window| window == b"\r\n\r\n").map(|at| at + 4);
    match end {
        None if read.len() >= HEAD_LIMIT => Err(too_long()),
        Some(end) if end > HEAD_LIMIT => Err(too_long()),
        end => Ok(end),
    }
}

fn too_long() -> Refusal {
    Refusal::new(431, "the head of the request is longer than 16 KiB")
}

impl Request {
    /// Reads a head that ends with an empty line.
    pub(super) fn parse(head: &[u8]) -> Result<Self, Refusal> {
        let text =
            std::str::from_utf8(head).map_err(|_| Refusal::bad("the head of the request is not text"))?;
        let mut lines = text.split("\r\n").take_while(|line| !line.is_empty());
        let first = lines.next().unwrap_or_default();
        let mut parts = first.split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(Refusal::bad("the first line is not `METHOD URL HTTP/1.1`"));
        };
        if !is_token(method) || !matches!(version, "HTTP/1.1" | "HTTP/1.0") {
            return Err(Refusal::bad("the first line is not `METHOD URL HTTP/1.1`"));
        }
        let headers = lines.map(header).collect::<Result<Vec<_>, _>>()?;
        if method == "CONNECT" {
            return connect(target);
        }
        forward(method, target, version, &headers)
    }
}

fn connect(target: &str) -> Result<Request, Refusal> {
    match Host::parse_with_port(target).map_err(Refusal::bad)? {
        (host, Some(port)) => Ok(Request { host, port, head: Vec::new(), body: Body::Tunnel }),
        (_, None) => Err(Refusal::bad("CONNECT needs a host with its port")),
    }
}

fn forward(method: &str, target: &str, version: &str, headers: &[(&str, &str)]) -> Result<Request, Refusal> {
    let (host, port, path) = split_url(target)?;
    let named: Vec<&str> = values(headers, "host").collect();
    let agrees = match named.as_slice() {
        [] => true,
        [one] => {
            Host::parse_with_port(one).is_ok_and(|(named, at)| named == host && at.unwrap_or(80) == port)
        }
        _ => false,
    };
    if !agrees {
        return Err(Refusal::bad("the Host header does not name the host of the URL"));
    }
    let authority = if port == 80 { host.to_string() } else { format!("{host}:{port}") };
    let mut head = format!("{method} {path} {version}\r\nHost: {authority}\r\nConnection: close\r\n");
    let dropped: Vec<&str> =
        values(headers, "connection").flat_map(|value| value.split(',')).map(str::trim).collect();
    for (name, value) in headers {
        let is = |other: &&str| name.eq_ignore_ascii_case(other);
        // How the body is framed is never the sender's to hide: the body is read by it here.
        let frames = is(&"content-length") || is(&"transfer-encoding");
        if frames || !(HOP_BY_HOP.iter().any(is) || dropped.iter().any(is)) {
            head.extend([name, ": ", value, "\r\n"]);
        }
    }
    head.push_str("\r\n");
    Ok(Request { host, port, head: head.into_bytes(), body: body(headers)? })
}

/// Splits `http://host:port/path?query` into its host, its port and the rest.
fn split_url(url: &str) -> Result<(Host, u16, String), Refusal> {
    let scheme = url.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("http://"));
    let Some(rest) = scheme.and_then(|_| url.get(7..)) else {
        return Err(Refusal::bad("the proxy takes CONNECT and whole http:// URLs"));
    };
    if !rest.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#') {
        return Err(Refusal::bad("the URL has characters that must be escaped"));
    }
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let (host, port) = Host::parse_with_port(authority).map_err(Refusal::bad)?;
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((host, port.unwrap_or(80), path))
}

fn header(line: &str) -> Result<(&str, &str), Refusal> {
    let split = line.split_once(':').filter(|(name, _)| is_token(name));
    let Some((name, value)) = split else {
        return Err(Refusal::bad("a header line is not `Name: value`"));
    };
    if value.chars().any(|character| character.is_control() && character != '\t') {
        return Err(Refusal::bad("a header has a control character"));
    }
    Ok((name, value.trim_matches([' ', '\t'])))
}

fn values<'a>(headers: &[(&'a str, &'a str)], wanted: &str) -> impl Iterator<Item = &'a str> {
    headers.iter().filter(move |(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| *value)
}

fn body(headers: &[(&str, &str)]) -> Result<Body, Refusal> {
    let lengths: Vec<&str> = values(headers, "content-length").collect();
    let codings: Vec<&str> = values(headers, "transfer-encoding").collect();
    match (lengths.as_slice(), codings.as_slice()) {
        ([], []) => Ok(Body::Length(0)),
        ([], [coding]) if coding.eq_ignore_ascii_case("chunked") => Ok(Body::Chunked),
        ([length], []) if length.bytes().all(|byte| byte.is_ascii_digit()) => {
            length.parse().map(Body::Length).map_err(|_| unframed())
        }
        _ => Err(unframed()),
    }
}

fn unframed() -> Refusal {
    Refusal::bad("the length of the body is not clear: give one Content-Length or Transfer-Encoding: chunked")
}

fn is_token(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(good)
}

impl Body {
    /// Passes the body on, and nothing after it.
    pub(super) fn pass(&self, from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
        match self {
            Self::Tunnel => io::copy(from, to).map(drop),
            Self::Length(length) => pass_bytes(from, to, *length),
            Self::Chunked => pass_chunks(from, to),
        }
    }
}

fn pass_bytes(from: &mut impl BufRead, to: &mut impl Write, count: u64) -> io::Result<()> {
    if io::copy(&mut from.take(count), to)? == count { Ok(()) } else { Err(broken()) }
}

/// Chunks are framed anew: extensions and trailers are dropped.
fn pass_chunks(from: &mut impl BufRead, to: &mut impl Write) -> io::Result<()> {
    loop {
        let line = line(from)?;
        let size = line.split(';').next().unwrap_or_default().trim_matches([' ', '\t']);
        let hex = (1..=15).contains(&size.len()) && size.bytes().all(|byte| byte.is_ascii_hexdigit());
        let size = u64::from_str_radix(size, 16).ok().filter(|_| hex).ok_or_else(broken)?;
        if size == 0 {
            break;
        }
        write!(to, "{size:x}\r\n")?;
        pass_bytes(from, to, size)?;
        if !self::line(from)?.is_empty() {
            return Err(broken());
        }
        to.write_all(b"\r\n")?;
    }
    while !line(from)?.is_empty() {}
    to.write_all(b"0\r\n\r\n")
}

/// A line that ends with CR LF, without them.
fn line(from: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    from.take(HEAD_LIMIT as u64).read_until(b'\n', &mut line)?;
    let text = line.strip_suffix(b"\r\n").and_then(|line| std::str::from_utf8(line).ok());
    text.map(str::to_owned).ok_or_else(broken)
}

fn broken() -> io::Error {
    io::Error::from(io::ErrorKind::InvalidData)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(head: &str) -> Result<Request, Refusal> {
        Request::parse(head.as_bytes())
    }

    #[test]
    fn a_request_is_rewritten_for_the_origin() {
        let request = parse(concat!(
            "POST http://Example.com:8080/a?b=c HTTP/1.1\r\n",
            "host: example.com:8080\r\n",
            "Proxy-Authorization: Basic x\r\n",
            "Connection: X-Mine, content-length\r\n",
            "X-Mine: 1\r\n",
            "Accept:  text/plain \r\n",
            "Content-Length: 3\r\n\r\n"
        ))
        .unwrap();
        let expected = concat!(
            "POST /a?b=c HTTP/1.1\r\nHost: example.com:8080\r\nConnection: close\r\n",
            "Accept: text/plain\r\nContent-Length: 3\r\n\r\n"
        );
        assert_eq!(String::from_utf8(request.head).unwrap(), expected);
        assert_eq!((request.port, request.body), (8080, Body::Length(3)));
    }

    #[test]
    fn a_url_without_a_path_asks_for_the_root() {
        for (url, line) in [("http://a.com", "GET / HTTP/1.1"), ("HTTP://a.com?x", "GET /?x HTTP/1.1")] {
            let request = parse(&format!("GET {url} HTTP/1.1\r\n\r\n")).unwrap();
            assert!(String::from_utf8(request.head).unwrap().starts_with(line), "{url}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_refused() {
        for head in [
            "GET /path HTTP/1.1\r\nHost: a.com\r\n\r\n",
            "GET https://a.com/ HTTP/1.1\r\n\r\n",
            "GET http://a.com/ HTTP/2\r\n\r\n",
            "GET  http://a.com/ HTTP/1.1\r\n\r\n",
            "GET http://a.com/ HTTP/1.1 x\r\n\r\n",
            "GET http://user@a.com/ HTTP/1.1\r\n\r\n",
            "GET http://a.com\\@b.com/ HTTP/1.1\r\n\r\n",
            "GET http://a.com/#x HTTP/1.1\r\n\r\n",
            "GET http://a.com/ü HTTP/1.1\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nHost: b.com\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nHost: a.com:81\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nHost: a.com\r\nHost: a.com\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nX: a\nHost: b.com\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nX: a\r\n folded\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nX : a\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nX: a\rb\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nContent-Length: +1\r\n\r\n",
            "GET http://a.com/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "CONNECT a.com HTTP/1.1\r\n\r\n",
            "CONNECT http://a.com:443 HTTP/1.1\r\n\r\n",
            "CONNECT bücher.example:443 HTTP/1.1\r\n\r\n",
            "\r\n\r\n",
        ] {
            assert_eq!(parse(head).unwrap_err().status, 400, "{head:?}");
        }
    }

    #[test]
    fn a_refusal_is_one_line_whatever_was_asked() {
        for target in ["a\u{1}b\u{7f}:443", "a.com:\u{1}", "a\rb:443", "a.com:\n"] {
            let refusal = parse(&format!("CONNECT {target} HTTP/1.1\r\n\r\n")).unwrap_err();
            assert!(!refusal.text.chars().any(char::is_control), "{}", refusal.text);
        }
    }

    fn pass(body: &Body, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut passed = Vec::new();
        body.pass(&mut io::Cursor::new(bytes), &mut passed).map(|()| passed)
    }

    #[test]
    fn nothing_after_the_body_is_passed_on() {
        let next = "GET / HTTP/1.1\r\nHost: other\r\n\r\n";
        assert_eq!(pass(&Body::Length(3), format!("abc{next}").as_bytes()).unwrap(), b"abc");
        let chunked = format!("3;x=y\r\nabc\r\n0\r\nTrailer: x\r\n\r\n{next}");
        assert_eq!(pass(&Body::Chunked, chunked.as_bytes()).unwrap(), b"3\r\nabc\r\n0\r\n\r\n");
    }

    #[test]
    fn broken_chunks_end_the_request() {
        for text in [
            "3\r\nabcd\r\n",
            "3\nabc",
            "-1\r\n",
            "+3\r\nabc\r\n0\r\n\r\n",
            "",
            "ffffffffffffffffff\r\n",
            "3\r\nab",
        ] {
            assert!(pass(&Body::Chunked, text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_head_that_is_too_long_is_refused() {
        assert_eq!(end_of_head(b"GET"), Ok(None));
        assert_eq!(end_of_head(b"G\r\n\r\nrest"), Ok(Some(5)));
        assert_eq!(end_of_head(&vec![b'x'; HEAD_LIMIT]).unwrap_err().status, 431);
    }
}
