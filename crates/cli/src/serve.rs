//! `repertoire serve`: starts, announces itself, works, and ends in order.

mod indexing;
mod running;
mod warm_up;

pub(crate) use running::{Claimed, Purpose, Running};
pub(crate) use warm_up::trial;

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::client::{Client, api};
use crate::config::{Log, LogFormat, Secret, Serve, Settings, without_password};
use crate::disk::{Overwrite, write_file};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;

/// The steps in which durations are counted, in seconds.
const DURATION_BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// How often histograms are drained.
const METRICS_UPKEEP: Duration = Duration::from_secs(5);

/// Serves until a signal ends it.
pub(crate) async fn serve(settings: &Settings, output: Output, ready_file: Option<&Path>) -> Outcome<Exit> {
    start_logging(&settings.log)?;
    let mut signals = Signals::listen()?;
    let library = Claimed::open(settings).await?;
    let listener = bind(&settings.serve).await?;
    let metrics = start_metrics(&settings.serve).await?;
    let mut server = Running::begin(settings, library, listener, Purpose::Server).await?;
    let link = sign_in_link(server.admin(), server.first_link(), server.public_url()).await;
    greet(output, settings, server.public_url(), metrics, link.as_deref());
    if let Some(path) = ready_file {
        write_file(path, server.address().to_string().as_bytes(), Overwrite::Yes)?;
    }
    tracing::info!(http.address = %server.address(), "listening");
    let done = tokio::select! {
        ended = server.ended() => ended,
        name = signals.next() => {
            tracing::info!(signal = name, "stopping; requests under way may finish");
            tokio::select! {
                stopped = server.stop() => stopped,
                _ = signals.next() => {
                    tracing::warn!("a second signal: requests under way were cut off");
                    Ok(())
                }
            }
        }
    };
    server.end().await;
    tracing::info!("stopped");
    done.map(|()| Exit::Ok)
}

fn start_logging(log: &Log) -> Outcome {
    let builder = tracing_subscriber::fmt()
        .with_env_filter(log.filter()?)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(true);
    let started = match log.format.value {
        LogFormat::Text => builder.finish().try_init(),
        LogFormat::Json => builder.json().flatten_event(true).finish().try_init(),
    };
    started.map_err(|error| Failure::internal(format!("logging does not start: {error}")))
}

async fn bind(serve: &Serve) -> Outcome<TcpListener> {
    let listen = &serve.listen.value;
    TcpListener::bind(listen).await.map_err(|error| {
        Failure::unavailable(format!("cannot listen on {listen}: {error}"))
            .hint("choose another address with --listen, for example --listen 127.0.0.1:7500")
    })
}

async fn start_metrics(serve: &Serve) -> Outcome<Option<SocketAddr>> {
    let Some(address) = serve.metrics_address()? else { return Ok(None) };
    let listener = TcpListener::bind(address).await.map_err(|error| {
        Failure::unavailable(format!("cannot serve metrics on {address}: {error}"))
            .hint("choose another address with --metrics-listen, or turn them off with --metrics-listen off")
    })?;
    let failed = |error| Failure::internal(format!("the metrics cannot be set up: {error}"));
    let durations = Matcher::Suffix("duration_seconds".to_owned());
    let builder =
        PrometheusBuilder::new().set_buckets_for_metric(durations, DURATION_BUCKETS).map_err(failed)?;
    let recorder = builder.install_recorder().map_err(failed)?;
    let upkeep = recorder.clone();
    tokio::spawn(async move {
        let mut rounds = tokio::time::interval(METRICS_UPKEEP);
        loop {
            rounds.tick().await;
            upkeep.run_upkeep();
        }
    });
    // They are served until the process ends.
    tokio::spawn(door_http::serve_text(
        listener,
        "/metrics",
        move || recorder.render(),
        std::future::pending(),
    ));
    Ok(Some(address))
}

/// The link for someone who has never signed in.
async fn sign_in_link(admin: &Client, first: Option<&Secret>, public_url: &str) -> Option<String> {
    if let Some(secret) = first {
        return Some(format!("{public_url}/sign-in?link={}", secret.reveal()));
    }
    // A library that was made by a command has an admin who never had a link.
    let asked = api("GET", &["audit"]).query("verb", Some("sign_in.create")).query("limit", Some("1"));
    let entries: Value = admin.json(asked).await.ok()?;
    if entries.pointer("/items/0").is_some() {
        return None;
    }
    let me: Value = admin.json(api("GET", &["me"])).await.ok()?;
    let id = me.pointer("/user/id")?.as_str()?.to_owned();
    let link: Value = admin.json(api("POST", &["users", &id, "sign-in-link"])).await.ok()?;
    link.get("url")?.as_str().map(str::to_owned)
}

fn greet(output: Output, settings: &Settings, url: &str, metrics: Option<SocketAddr>, link: Option<&str>) {
    let place = match &settings.library.database.value {
        Some(database) => without_password(database.reveal()),
        None => settings.library.data.value.display().to_string(),
    };
    let metrics = metrics.map_or_else(|| "off".to_owned(), |address| format!("http://{address}/metrics"));
    let sign_in = match link {
        Some(link) => format!(
            "  Sign in as `{}` with this link. It works once, within 24 hours:\n\n    {link}",
            app::workspaces::FIRST_USER
        ),
        None => "  Sign in: `repertoire user link` makes a one-time link.".to_owned(),
    };
    let web_app = if settings.serve.web_app().is_ok_and(|app| app.is_there()) {
        url
    } else {
        "not in this build: run `make ui` and build again, or name its folder with --ui-dir"
    };
    let sandbox = &settings.sandbox;
    let python = match (sandbox.enabled.value, sandbox.python()) {
        (false, _) => "off: skills are kept, not run".to_owned(),
        (true, Some(python)) => python.display().to_string(),
        (true, None) => format!("{}; skills in Python do not run", sandbox.no_python()),
    };
    let lines = [
        String::new(),
        format!("  Repertoire {} is ready", env!("CARGO_PKG_VERSION")),
        String::new(),
        format!("  web app        {web_app}"),
        format!("  API            {url}/api/v1"),
        format!("  API reference  {url}/docs"),
        format!("  MCP            {url}/mcp"),
        format!("  library        {place}"),
        format!("  python         {python}"),
        format!("  metrics        {metrics}"),
        String::new(),
        sign_in,
        String::new(),
        "  Stop with Ctrl-C.".to_owned(),
        String::new(),
    ];
    output.note(&lines.join("\n"));
}

/// The signals that end a server; from now on they no longer end the process by themselves.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(crate) fn listen() -> Outcome<Self> {
        let failed = |error: std::io::Error| Failure::internal(format!("cannot listen for signals: {error}"));
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    pub(crate) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}
