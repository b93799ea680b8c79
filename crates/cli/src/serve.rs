//! `repertoire serve`: starts, announces itself, works, and ends in order.

mod indexing;
mod warm_up;

pub(crate) use warm_up::trial;

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use app::{Context, Runner};
use door_http::{Http, HttpConfig};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::client::{Client, api};
use crate::config::{Log, LogFormat, Secret, Serve, Settings, without_password};
use crate::data_folder::{Claim, DataFolder, Lock, RunningServer};
use crate::disk::{Overwrite, write_file};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::Output;
use crate::wiring::{self, Life, Opened};

/// How long requests that are under way may take when the server ends.
const LAST_REQUESTS: Duration = Duration::from_secs(30);
/// How long code that runs may go on before it is ended.
const LAST_CODE: Duration = Duration::from_secs(3);
/// How often the house is kept.
const HOUSEKEEPING: Duration = Duration::from_mins(10);
/// The steps in which durations are counted, in seconds.
const DURATION_BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// What the token in the data folder is called.
const LOCAL_TOKEN: &str = "local";

/// Serves until a signal ends it.
pub(crate) async fn serve(settings: &Settings, output: Output, ready_file: Option<&Path>) -> Outcome<Exit> {
    start_logging(&settings.log)?;
    let signals = Signals::listen()?;
    let (opened, folder) = open(settings).await?;
    let listener = bind(&settings.serve).await?;
    let address = listener.local_addr().map_err(|error| Failure::unavailable(error.to_string()))?;
    let metrics = start_metrics(&settings.serve)?;
    let own_url = format!("http://{}", reachable(address));
    let public_url =
        settings.serve.public_url.value.as_deref().unwrap_or(&own_url).trim_end_matches('/').to_owned();
    let config = HttpConfig {
        allowed_hosts: allowed_hosts(&settings.serve, &public_url),
        public_url: public_url.clone(),
        max_body_bytes: settings.limits.max_body_bytes,
        ..HttpConfig::default()
    };
    let http = opened.http(config);
    let admin = admin_client(&http, &opened)?;
    let link = sign_in_link(&admin, opened.first_link.as_ref(), &public_url).await;
    let announced = match &folder {
        Some((folder, _)) => announce(folder, &admin, own_url.clone()).await.unwrap_or_else(|failure| {
            tracing::warn!(error = %failure, "commands on this machine will not find this server; use --server");
            None
        }),
        None => None,
    };
    greet(output, settings, &public_url, metrics, link.as_deref());
    if let Some(path) = ready_file {
        write_file(path, address.to_string().as_bytes(), Overwrite::Yes)?;
    }
    tracing::info!(http.address = %address, "listening");
    let house = tokio::spawn(keep_house(opened.cx.clone()));
    let indexing = tokio::spawn(indexing::keep_in_step(opened.cx.clone()));
    let sandbox = &settings.sandbox;
    let warming =
        sandbox.enabled.value.then(|| tokio::spawn(warm_up::sandbox(opened.cx.clone(), sandbox.warm.value)));
    let served = run(http, listener, signals, &*opened.cx.runner).await;
    house.abort();
    indexing.abort();
    if let Some(warming) = warming {
        warming.abort();
    }
    if let (Some((folder, _)), Some(token)) = (&folder, announced) {
        folder.forget_server();
        if let Err(failure) = admin.send(api("DELETE", &["tokens", &token])).await {
            tracing::warn!(error = %failure, "the local token could not be revoked");
        }
    }
    opened.close().await;
    tracing::info!("stopped");
    served.map(|()| Exit::Ok)
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

async fn open(settings: &Settings) -> Outcome<(Opened, Option<(DataFolder, Lock)>)> {
    if let Some(url) = &settings.library.database.value {
        return Ok((wiring::open_postgres(url, settings, Life::Server).await?, None));
    }
    let folder = DataFolder::open(&settings.library.data.value)?;
    let lock = match folder.claim().await? {
        Claim::Held(lock) => lock,
        Claim::Serving(server, _) => {
            let message = format!("a server (process {}) is running at {}", server.pid, server.url);
            return Err(Failure::new(Exit::Conflict, "data_folder_in_use", message)
                .hint("use another --data folder, or end it first"));
        }
    };
    let opened = wiring::open_folder(&folder, settings, Life::Server).await?;
    Ok((opened, Some((folder, lock))))
}

async fn bind(serve: &Serve) -> Outcome<TcpListener> {
    let listen = &serve.listen.value;
    TcpListener::bind(listen).await.map_err(|error| {
        Failure::unavailable(format!("cannot listen on {listen}: {error}"))
            .hint("choose another address with --listen, for example --listen 127.0.0.1:7500")
    })
}

/// The address at which this machine reaches a socket.
fn reachable(address: SocketAddr) -> SocketAddr {
    match address {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => SocketAddr::from(([127, 0, 0, 1], v4.port())),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => {
            SocketAddr::from(([0, 0, 0, 0, 0, 0, 0, 1], v6.port()))
        }
        address => address,
    }
}

/// The names the server answers to: those it was told of, and the one in its public URL.
fn allowed_hosts(serve: &Serve, public_url: &str) -> Vec<String> {
    let public = reqwest::Url::parse(public_url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let without_port = |host: &String| match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) && !name.ends_with(':') => {
            name.to_owned()
        }
        _ => host.clone(),
    };
    serve.allow_hosts.value.iter().map(without_port).chain(public).collect()
}

fn start_metrics(serve: &Serve) -> Outcome<Option<SocketAddr>> {
    let Some(address) = serve.metrics_address()? else { return Ok(None) };
    let durations = Matcher::Suffix("duration_seconds".to_owned());
    let builder = PrometheusBuilder::new()
        .with_http_listener(address)
        .set_buckets_for_metric(durations, DURATION_BUCKETS)
        .map_err(|error| Failure::internal(format!("the metrics cannot be set up: {error}")))?;
    builder.install().map_err(|error| {
        Failure::unavailable(format!("cannot serve metrics on {address}: {error}"))
            .hint("choose another address with --metrics-listen, or turn them off with --metrics-listen off")
    })?;
    Ok(Some(address))
}

fn admin_client(http: &Http, opened: &Opened) -> Outcome<Client> {
    let handle = model::Handle::parse(app::workspaces::FIRST_USER)
        .map_err(|error| Failure::internal(error.to_string()))?;
    let again = Opened { cx: opened.cx.clone(), first_link: None };
    Ok(Client::in_process(http.in_process(handle), again, None))
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

/// Leaves a token for commands on this machine; gives back its id.
async fn announce(folder: &DataFolder, admin: &Client, url: String) -> Outcome<Option<String>> {
    for token in admin.all(api("GET", &["tokens"]), None).await? {
        let text = |key: &str| token.get(key).and_then(Value::as_str);
        if let (Some(LOCAL_TOKEN), None, Some(id)) = (text("name"), text("revoked_at"), text("id")) {
            admin.send(api("DELETE", &["tokens", id])).await?;
        }
    }
    let body = json!({"name": LOCAL_TOKEN, "scopes": ["read", "write", "review", "admin"]});
    let made = admin.json(api("POST", &["tokens"]).json(body)).await?;
    let part = |key: &str| made.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    folder.announce(&RunningServer { url, pid: std::process::id() }, &Secret::new(part("secret")))?;
    Ok(Some(part("id")))
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
        format!("  web and API    {url}"),
        format!("  API reference  {url}/docs"),
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

/// Serves until a signal, then lets requests finish for a while.
async fn run(http: Http, listener: TcpListener, mut signals: Signals, runner: &dyn Runner) -> Outcome {
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let mut serving = tokio::spawn(http.serve(listener, async move {
        // An error means that the sender is gone, which ends the server as well.
        let _ = stopped.await;
    }));
    tokio::select! {
        ended = &mut serving => return finished(ended),
        name = signals.next() => tracing::info!(signal = name, "stopping; requests under way may finish"),
    }
    let _ = stop.send(());
    tokio::select! {
        ended = &mut serving => return finished(ended),
        () = tokio::time::sleep(LAST_CODE) => runner.stop_all(),
    }
    tokio::select! {
        ended = &mut serving => return finished(ended),
        () = tokio::time::sleep(LAST_REQUESTS) => tracing::warn!("some requests took too long and were cut off"),
        _ = signals.next() => tracing::warn!("a second signal: requests under way were cut off"),
    }
    serving.abort();
    Ok(())
}

fn finished(ended: Result<std::io::Result<()>, tokio::task::JoinError>) -> Outcome {
    match ended {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(Failure::unavailable(format!("the server ended: {error}"))),
        Err(error) => Err(Failure::internal(format!("the server ended: {error}"))),
    }
}

/// The signals that end a server; from now on they no longer end the process by themselves.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Outcome<Self> {
        let failed = |error: std::io::Error| Failure::internal(format!("cannot listen for signals: {error}"));
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(failed)?,
            interrupt: signal(SignalKind::interrupt()).map_err(failed)?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }
}

async fn keep_house(cx: Context) {
    let mut rounds = tokio::time::interval(HOUSEKEEPING);
    loop {
        rounds.tick().await;
        match app::jobs::keep_house(&cx).await {
            Ok(done) if done == app::jobs::Housekeeping::default() => {}
            Ok(done) => tracing::info!(
                drafts_archived = done.drafts_archived,
                skills_purged = done.skills_purged,
                sign_ins_ended = done.sign_ins_ended,
                keys_forgotten = done.keys_forgotten,
                runs_pruned = done.runs_pruned,
                sessions_pruned = done.sessions_pruned,
                code_sessions_ended = done.code_sessions_ended,
                "kept house"
            ),
            Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "housekeeping failed"),
        }
    }
}
