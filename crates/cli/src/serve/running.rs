//! A server that is up: its library is open and announced, its jobs are done, its doors answer.

use std::net::SocketAddr;
use std::time::Duration;

use app::Context;
use door_http::{Http, HttpConfig};
use door_mcp::Mcp;
use model::Handle;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::Instant;

use super::{indexing, warm_up};
use crate::client::{Client, api};
use crate::config::{Secret, Serve, Settings};
use crate::data_folder::{Claim, DataFolder, Lock, RunningServer};
use crate::exit::{Exit, Failure, Outcome};
use crate::wiring::{self, Life, Opened};

/// How long requests that are under way may take when the server ends. With what follows it ends within ten seconds.
const LAST_REQUESTS: Duration = Duration::from_secs(7);
/// How long each of the last steps may take: revoking the local token, closing the database.
const LAST_STEP: Duration = Duration::from_secs(1);
/// How long code that runs may go on before it is ended.
const LAST_CODE: Duration = Duration::from_secs(3);
/// How often the house is kept.
const HOUSEKEEPING: Duration = Duration::from_mins(10);
/// What the token in the data folder is called.
const LOCAL_TOKEN: &str = "local";

/// Why a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Somebody started it.
    Server,
    /// An agent host needs it for as long as it runs.
    Bridge,
}

/// A library that this process may serve.
pub(crate) struct Claimed {
    pub(crate) opened: Opened,
    pub(crate) folder: Option<(DataFolder, Lock)>,
}

impl Claimed {
    /// Opens the library that the settings name; nobody else must be serving it from its data folder.
    pub(crate) async fn open(settings: &Settings) -> Outcome<Self> {
        if let Some(url) = &settings.library.database.value {
            return Ok(Self {
                opened: wiring::open_postgres(url, settings, Life::Server).await?,
                folder: None,
            });
        }
        let folder = DataFolder::open(&settings.library.data.value)?;
        match folder.claim().await? {
            Claim::Held(lock) => Self::in_folder(settings, folder, lock).await,
            Claim::Serving(server, _) => {
                let RunningServer { pid, url, bridge } = server;
                let (message, hint) = if bridge {
                    let message = format!(
                        "an agent host has this library open, through `repertoire mcp` (process {pid})"
                    );
                    (message, "end the hosts, start the server, then start them again: they will use it")
                } else {
                    let message = format!("a server (process {pid}) is running at {url}");
                    (message, "use another --data folder, or end it first")
                };
                Err(Failure::new(Exit::Conflict, "data_folder_in_use", message).hint(hint))
            }
        }
    }

    /// Opens the library of a data folder whose lock is held.
    pub(crate) async fn in_folder(settings: &Settings, folder: DataFolder, lock: Lock) -> Outcome<Self> {
        let opened = wiring::open_folder(&folder, settings, Life::Server).await?;
        Ok(Self { opened, folder: Some((folder, lock)) })
    }
}

/// A server that is up.
pub(crate) struct Running {
    library: Claimed,
    admin: Client,
    http: Http,
    mcp: Mcp,
    address: SocketAddr,
    public_url: String,
    /// The token that commands on this machine use.
    token: Option<String>,
    jobs: Vec<JoinHandle<()>>,
    serving: JoinHandle<()>,
    stop: Option<oneshot::Sender<()>>,
}

impl Running {
    /// Starts to answer on a socket.
    pub(crate) async fn begin(
        settings: &Settings,
        library: Claimed,
        listener: TcpListener,
        purpose: Purpose,
    ) -> Outcome<Self> {
        raise_open_files();
        let web_app = settings.serve.web_app()?;
        let address = listener.local_addr().map_err(|error| Failure::unavailable(error.to_string()))?;
        let own_url = format!("http://{}", reachable(address));
        let public_url = settings.serve.public_url.value.as_deref().unwrap_or(&own_url);
        let public_url = public_url.trim_end_matches('/').to_owned();
        let config = HttpConfig {
            allowed_hosts: allowed_hosts(&settings.serve, &public_url),
            public_url: public_url.clone(),
            max_body_bytes: settings.limits.max_body_bytes,
            sign_in_failures_per_minute: settings.connections.sign_in_failures_per_minute,
            serving: settings.connections.serving.clone(),
            web_app,
        };
        let opened = &library.opened;
        let mcp = opened.mcp(&public_url, &config);
        let http = opened.http(config).with_routes(mcp.router());
        let admin = admin_client(&http, opened)?;
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(http.clone().serve(listener, async move {
            // An error means that the sender is gone, which ends the server as well.
            let _: Result<(), _> = stopped.await;
        }));
        let token = match &library.folder {
            Some((folder, _)) => announce(folder, &admin, own_url, purpose).await.unwrap_or_else(|failure| {
                tracing::warn!(error = %failure, "commands on this machine will not find this server; use --server");
                None
            }),
            None => None,
        };
        let cx = &opened.cx;
        let mut jobs =
            vec![tokio::spawn(keep_house(cx.clone())), tokio::spawn(indexing::keep_in_step(cx.clone()))];
        if settings.sandbox.enabled.value {
            jobs.push(tokio::spawn(warm_up::sandbox(cx.clone(), settings.sandbox.warm.value)));
        }
        Ok(Self { library, admin, http, mcp, address, public_url, token, jobs, serving, stop: Some(stop) })
    }

    /// A client of the admin, without a socket.
    pub(crate) fn admin(&self) -> &Client {
        &self.admin
    }

    /// A client of a user, without a socket.
    pub(crate) fn client(&self, user: Handle) -> Client {
        client(&self.http, &self.library.opened, user)
    }

    /// Whether the library was empty a moment ago; then the secret signs its admin in, once.
    pub(crate) fn first_link(&self) -> Option<&Secret> {
        self.library.opened.first_link.as_ref()
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where people reach it.
    pub(crate) fn public_url(&self) -> &str {
        &self.public_url
    }

    /// Where this machine reaches it.
    pub(crate) fn own_url(&self) -> String {
        format!("http://{}", reachable(self.address))
    }

    /// Waits until it ends by itself, which it should not.
    pub(crate) async fn ended(&mut self) -> Outcome {
        finished((&mut self.serving).await)
    }

    /// Takes no more requests, and lets those under way finish for a while.
    pub(crate) async fn stop(&mut self) -> Outcome {
        if let Some(stop) = self.stop.take() {
            // What is over need not be stopped.
            let _ = stop.send(());
        }
        let deadline = Instant::now() + LAST_REQUESTS;
        // Event streams would never finish by themselves.
        self.mcp.stop().await;
        tokio::select! {
            ended = &mut self.serving => return finished(ended),
            () = tokio::time::sleep(LAST_CODE) => self.library.opened.cx.runner.stop_all(),
        }
        tokio::select! {
            ended = &mut self.serving => return finished(ended),
            () = tokio::time::sleep_until(deadline) => {
                tracing::warn!("some requests took too long and were cut off");
            }
        }
        Ok(())
    }

    /// Ends the jobs, takes the announcement back and closes the library.
    pub(crate) async fn end(self) {
        self.serving.abort();
        for job in &self.jobs {
            job.abort();
        }
        if let (Some((folder, _)), Some(token)) = (&self.library.folder, &self.token) {
            folder.forget_server();
            // The next server revokes it when this one cannot.
            let revoked = self.admin.send(api("DELETE", &["tokens", token]));
            match tokio::time::timeout(LAST_STEP, revoked).await {
                Ok(Ok(_)) => folder.forget_token(),
                Ok(Err(failure)) => tracing::warn!(error = %failure, "the local token could not be revoked"),
                Err(_) => tracing::warn!("the local token could not be revoked in time"),
            }
        }
        if tokio::time::timeout(LAST_STEP, self.library.opened.close()).await.is_err() {
            tracing::warn!("the database could not be closed in time");
        }
    }
}

/// Allows this process as many open files as it may have; each connection takes one.
fn raise_open_files() {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(error = %error, "cannot raise the limit on open files");
    }
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

fn admin_client(http: &Http, opened: &Opened) -> Outcome<Client> {
    let handle =
        Handle::parse(app::workspaces::FIRST_USER).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(client(http, opened, handle))
}

fn client(http: &Http, opened: &Opened, user: Handle) -> Client {
    let again = Opened { cx: opened.cx.clone(), first_link: None };
    Client::in_process(http.in_process(user), again, None)
}

/// Leaves a token for commands on this machine; gives back its id.
async fn announce(
    folder: &DataFolder,
    admin: &Client,
    url: String,
    purpose: Purpose,
) -> Outcome<Option<String>> {
    if let Some(id) = folder.token_left() {
        match admin.send(api("DELETE", &["tokens", &id])).await {
            // In a database that was restored since it may be unknown.
            Err(failure) if failure.exit != Exit::NotFound => return Err(failure),
            _ => folder.forget_token(),
        }
    }
    let body = json!({"name": LOCAL_TOKEN, "scopes": ["read", "write", "review", "admin"]});
    let made = admin.json(api("POST", &["tokens"]).json(body)).await?;
    let part = |key: &str| made.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    folder.note_token(&part("id"))?;
    let bridge = purpose == Purpose::Bridge;
    folder.announce(&RunningServer { url, pid: std::process::id(), bridge }, &Secret::new(part("secret")))?;
    Ok(Some(part("id")))
}

fn finished(ended: Result<(), JoinError>) -> Outcome {
    ended.map_err(|error| Failure::internal(format!("the server ended: {error}")))
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
                tokens_forgotten = done.tokens_forgotten,
                runs_pruned = done.runs_pruned,
                governed_runs_ended = done.governed_runs_ended,
                decisions_pruned = done.decisions_pruned,
                sessions_pruned = done.sessions_pruned,
                days_pruned = done.days_pruned,
                code_sessions_ended = done.code_sessions_ended,
                failed = done.failed,
                "kept house"
            ),
            Err(error) => tracing::error!(error = &error as &dyn std::error::Error, "housekeeping failed"),
        }
    }
}
