//! Measures Repertoire beside its peers, all in one run, and writes what it measured as ratios.
//!
//! Every pair is loaded by the same generator, in turns, so that a busy machine slows both. The numbers of one run
//! are only good for comparison with each other.

mod load;
mod peers;
mod report;
mod rss;
mod server;
mod skills;

use anyhow::{Context as _, Result};

use crate::load::{Load, Target};
use crate::peers::{AxumPeer, FastApiPeer};
use crate::report::Report;
use crate::server::Server;

/// How many skills the large library has.
const LARGE: usize = 100_000;
/// How many skills the reads go round.
const SPREAD: usize = 1_000;
/// How often each pair is measured; the median counts.
const ROUNDS: usize = 3;

#[tokio::main]
async fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        // The peer runs as a process of its own, as ours does.
        Some("axum-peer") => peers::serve_axum(&arguments.next().context("which file to serve")?).await,
        Some(binary) => run(binary, arguments.next().as_deref()).await,
        None => anyhow::bail!("usage: repertoire-bench REPERTOIRE_BINARY [PYTHON]"),
    }
}

async fn run(binary: &str, python: Option<&str>) -> Result<()> {
    let mut report = Report::default();
    let folder = tempfile::tempdir()?;
    let server = Server::start(binary, folder.path(), None).await?;
    report.goal("memory_idle_mb", server.resident_megabytes()?, 60.0, "MB");
    let ids = server.put_skills(SPREAD, "small", &mut None).await?;
    http(&mut report, &server, &ids, python).await?;
    server.stop().await?;

    let folder = tempfile::tempdir()?;
    let server = Server::start(binary, folder.path(), None).await?;
    let mut throughput = Some(0.0);
    server.put_skills(LARGE, "large", &mut throughput).await?;
    report.fact("import_per_second", throughput.unwrap_or_default(), "skills/s");
    report.fact("memory_100k_after_import_mb", server.resident_megabytes()?, "MB");
    server.stop().await?;
    let started = std::time::Instant::now();
    let server = Server::start(binary, folder.path(), Some(server.token())).await?;
    report.goal("start_100k_ms", started.elapsed().as_secs_f64() * 1_000.0, 1_000.0, "ms");
    let list = server.target("/api/v1/skills?limit=50");
    let measured = Load::default().run(&list).await?;
    report.fact("list_100k_per_second", measured.per_second, "requests/s");
    report.fact("memory_100k_serving_mb", server.resident_megabytes()?, "MB");
    server.stop().await?;
    report.finish()
}

/// Reads and lists over HTTP, ours and the peers' in turns.
async fn http(report: &mut Report, server: &Server, ids: &[String], python: Option<&str>) -> Result<()> {
    let read = server.targets(ids.iter().map(|id| format!("/api/v1/skills/{id}")));
    let list = server.target("/api/v1/skills?limit=50");
    let cold = server.uncached(ids.iter().map(|id| format!("/api/v1/skills/{id}")));
    let read_peer = AxumPeer::start(&server.body(&read).await?).await?;
    let list_peer = AxumPeer::start(&server.body(&list).await?).await?;
    compare(report, "read_vs_axum", &read, &read_peer.target(), "bare axum, same bytes").await?;
    compare(report, "list_vs_axum", &list, &list_peer.target(), "bare axum, same bytes").await?;
    compare(report, "read_uncached_vs_axum", &cold, &read_peer.target(), "bare axum, same bytes").await?;
    drop((read_peer, list_peer));
    match python {
        Some(python) => {
            let peer =
                FastApiPeer::start(python, &server.body(&list).await?, &server.body(&read).await?).await?;
            let theirs = peer.targets("/api/v1/skills/");
            compare(report, "read_vs_fastapi", &read, &theirs, "FastAPI + SQLAlchemy + SQLite").await?;
            let theirs = peer.target("/api/v1/skills?limit=50");
            compare(report, "list_vs_fastapi", &list, &theirs, "FastAPI + SQLAlchemy + SQLite").await?;
        }
        None => report.missing("read_vs_fastapi", "no Python with fastapi, uvicorn and sqlalchemy was given"),
    }
    Ok(())
}

async fn compare(
    report: &mut Report,
    id: &'static str,
    ours: &Target,
    theirs: &Target,
    peer: &'static str,
) -> Result<()> {
    let (mut our_rates, mut their_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        our_rates.push(Load::default().run(ours).await?.per_second);
        their_rates.push(Load::default().run(theirs).await?.per_second);
    }
    report.pair(id, median(our_rates), median(their_rates), peer, "requests/s");
    Ok(())
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}
