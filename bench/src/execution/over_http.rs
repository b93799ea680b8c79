//! A run of a skill from end to end: one connection that stays open, one request after the other.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

/// A skill that is run over HTTP.
pub(crate) struct OverHttp {
    stream: BufReader<TcpStream>,
    request: Vec<u8>,
}

impl OverHttp {
    /// Connects; each call posts this body to this path.
    pub(crate) fn new(address: &str, token: &str, path: &str, body: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        Ok(Self { stream: BufReader::new(stream), request: request.into_bytes() })
    }

    /// Runs the skill and says how long that took.
    pub(crate) fn time(&mut self) -> Result<Duration> {
        let started = Instant::now();
        self.stream.get_mut().write_all(&self.request)?;
        let (mut first, mut length) = (String::new(), None);
        self.stream.read_line(&mut first)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length: ") {
                length = Some(value.parse::<usize>()?);
            }
        }
        let mut body = vec![0; length.context("the answer has no length")?];
        self.stream.read_exact(&mut body)?;
        let took = started.elapsed();
        let body = String::from_utf8_lossy(&body);
        if first.starts_with("HTTP/1.1 201 ") && body.contains("\"succeeded\"") {
            return Ok(took);
        }
        bail!("the run did not succeed: {} {body}", first.trim_end());
    }
}
