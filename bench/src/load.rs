//! The load generator: keep-alive connections that each ask again as soon as they were answered.
//!
//! It is as lean as it can be, because on a small machine it runs beside what it measures.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Where to, with which requests: they are sent in turn.
#[derive(Clone)]
pub(crate) struct Target {
    /// The address.
    pub address: String,
    /// Whole requests, ready to send.
    pub requests: Arc<Vec<Vec<u8>>>,
}

impl Target {
    /// Reads of these paths with this token.
    pub(crate) fn new(address: &str, paths: impl IntoIterator<Item = String>, token: &str) -> Self {
        Self::with_header(address, paths, token, "")
    }

    /// The same with one more header line.
    pub(crate) fn with_header(
        address: &str,
        paths: impl IntoIterator<Item = String>,
        token: &str,
        header: &str,
    ) -> Self {
        let request = |path: String| {
            format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n{header}\r\n")
                .into_bytes()
        };
        Self { address: address.to_owned(), requests: Arc::new(paths.into_iter().map(request).collect()) }
    }
}

/// How hard, and for how long.
pub(crate) struct Load {
    connections: usize,
    warm_up: Duration,
    time: Duration,
}

impl Default for Load {
    fn default() -> Self {
        Self { connections: 32, warm_up: Duration::from_millis(500), time: Duration::from_secs(4) }
    }
}

/// What was measured.
pub(crate) struct Measured {
    /// Answers with status 200 a second.
    pub per_second: f64,
}

impl Load {
    pub(crate) async fn run(&self, target: &Target) -> Result<Measured> {
        let answered = Arc::new(AtomicU64::new(0));
        let end = Instant::now() + self.warm_up + self.time;
        let workers: Vec<_> = (0..self.connections)
            .map(|n| {
                let (target, answered) = (target.clone(), Arc::clone(&answered));
                tokio::spawn(async move { work(&target, n, end, &answered).await })
            })
            .collect();
        tokio::time::sleep(self.warm_up).await;
        let (before, since) = (answered.load(Ordering::Relaxed), Instant::now());
        for worker in workers {
            worker.await??;
        }
        #[allow(clippy::cast_precision_loss)]
        let count = (answered.load(Ordering::Relaxed) - before) as f64;
        Ok(Measured { per_second: count / since.elapsed().as_secs_f64() })
    }
}

async fn work(target: &Target, start: usize, end: Instant, answered: &AtomicU64) -> Result<()> {
    let mut stream = TcpStream::connect(&target.address).await?;
    stream.set_nodelay(true)?;
    let mut buffer = vec![0; 256 * 1024];
    let mut next = start * 7919;
    while Instant::now() < end {
        let request =
            target.requests.get(next % target.requests.len()).context("a target needs a request")?;
        next += 1;
        stream.write_all(request).await?;
        read_answer(&mut stream, &mut buffer).await?;
        answered.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

async fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<()> {
    let mut filled = 0;
    let whole = loop {
        let read = stream.read(buffer.get_mut(filled..).context("the answer is too long")?).await?;
        if read == 0 {
            bail!("the server closed the connection");
        }
        filled += read;
        let seen = buffer.get(..filled).unwrap_or_default();
        if let Some(end) = find(seen, b"\r\n\r\n") {
            let head = String::from_utf8_lossy(seen.get(..end).unwrap_or_default()).to_ascii_lowercase();
            if !head.starts_with("http/1.1 200") {
                bail!("not an answer to count: {}", head.lines().next().unwrap_or_default());
            }
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.context("the answer has no length")?.trim().parse()?;
            break end + 4 + length;
        }
    };
    if whole > buffer.len() {
        buffer.resize(whole, 0);
    }
    while filled < whole {
        let read = stream.read(buffer.get_mut(filled..).context("the answer is too long")?).await?;
        if read == 0 {
            bail!("the server closed the connection");
        }
        filled += read;
    }
    Ok(())
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len()).position(|window| window == wanted)
}
