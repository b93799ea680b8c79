//! Measures Repertoire beside its peers, all in one run, and writes what it measured as ratios.
//!
//! Every pair is loaded by the same generator, in turns, so that a busy machine slows both. The numbers of one run
//! are only good for comparison with each other.

mod execution;
mod governance;
mod load;
mod peers;
mod report;
mod rss;
mod search;
mod server;
mod skills;
mod times;

use anyhow::{Context as _, Result};

use crate::execution::Tools;
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

/// What to measure, and with what.
struct Plan {
    /// The program under test.
    binary: String,
    /// A Python with FastAPI.
    python: Option<String>,
    /// A Python with pandas and Jupyter.
    data_python: Option<String>,
    /// A Python with `MiniLM` and vector databases.
    search_python: Option<String>,
    /// Which parts; none is all.
    parts: Vec<String>,
}

impl Plan {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let usage = "usage: repertoire-bench REPERTOIRE_BINARY [--python PATH] [--data-python PATH] \
                     [--search-python PATH] [service] [sandbox] [search] [search-order] \
                     [search-speed] [governance]";
        let mut plan = Self {
            binary: arguments.next().context(usage)?,
            python: None,
            data_python: None,
            search_python: None,
            parts: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--python" => plan.python = Some(arguments.next().context(usage)?),
                "--data-python" => plan.data_python = Some(arguments.next().context(usage)?),
                "--search-python" => plan.search_python = Some(arguments.next().context(usage)?),
                "service" | "sandbox" | "search" | "search-order" | "search-speed" | "governance" => {
                    plan.parts.push(argument);
                }
                _ => anyhow::bail!(usage),
            }
        }
        Ok(plan)
    }

    fn has(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|wanted| wanted == part)
    }
}

fn main() -> Result<()> {
    // The jail's first process must be single-threaded and alone: nothing else may come before this.
    if std::env::args_os().nth(1).is_some_and(|word| word == execution::JAIL_COMMAND) {
        sandbox::jail_main();
    }
    tokio::runtime::Runtime::new()?.block_on(measure())
}

async fn measure() -> Result<()> {
    let mut arguments = std::env::args().skip(1).peekable();
    // The peer runs as a process of its own, as ours does.
    if arguments.next_if(|word| word == "axum-peer").is_some() {
        return peers::serve_axum(&arguments.next().context("which file to serve")?).await;
    }
    let plan = Plan::read(arguments)?;
    let mut report = Report::default();
    if plan.has("service") {
        service(&mut report, &plan).await?;
    }
    if plan.has("sandbox") {
        report = executions(report, &plan).await?;
    }
    if plan.has("governance") {
        governance::measure(&mut report)?;
    }
    let whole = plan.has("search");
    let parts =
        search::Parts { order: whole || plan.has("search-order"), speed: whole || plan.has("search-speed") };
    if parts.order || parts.speed {
        let python = plan.search_python;
        report = tokio::task::spawn_blocking(move || {
            search::measure(&mut report, parts, python.as_deref())?;
            anyhow::Ok(report)
        })
        .await??;
    }
    report.finish()
}

async fn service(report: &mut Report, plan: &Plan) -> Result<()> {
    let binary = plan.binary.as_str();
    let folder = tempfile::tempdir()?;
    let server = Server::start(binary, folder.path(), None).await?;
    report.goal("memory_idle_mb", server.resident_megabytes()?, 60.0, "MB");
    let ids = server.put_skills(SPREAD, "small", &mut None).await?;
    http(report, &server, &ids, plan.python.as_deref()).await?;
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
    server.stop().await
}

/// Code that is executed, on a thread that waits for nothing else.
async fn executions(mut report: Report, plan: &Plan) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(&plan.binary, folder.path(), None).await?;
    let id = server.put_skill(&skills::procedure()).await?;
    let over_http = server.post(&format!("/api/v1/skills/{id}/runs"), r#"{"parameters":{"a":2,"b":3}}"#)?;
    let tools = Tools::find(plan.data_python.as_deref())?;
    let report = tokio::task::spawn_blocking(move || {
        execution::measure(&mut report, &tools, over_http)?;
        anyhow::Ok(report)
    })
    .await??;
    server.stop().await?;
    Ok(report)
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
