//! Puts the pieces together: the only place that names concrete back ends.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use app::code_sessions::SessionSettings;
use app::search::{Meaning, RemoteEmbedder, RemoteSettings};
use app::{Backup, Context, ExecutionSettings, OsRandom, QueueSettings, SandboxRunner, SystemClock};
use async_trait::async_trait;
use door_http::{Http, HttpConfig};
use door_mcp::{Mcp, McpConfig, SessionBounds};
use store::{Store, StoreError};
use store_postgres::{PostgresDriver, PostgresStore};
use store_sql::{Copied, Driver};
use store_sqlite::{SqliteDriver, SqliteStore};

use crate::config::{EmbedderKind, Search, Secret, Settings};
use crate::data_folder::DataFolder;
use crate::disk::scratch_folder;
use crate::exit::{Exit, Failure, Outcome};
use crate::python::Profiles;

/// The word on the command line that makes this program the first process of the sandbox's jail.
pub(crate) const JAIL_COMMAND: &str = "sandbox-jail";
/// How many connections a process has to PostgreSQL.
const CONNECTIONS: u32 = 16;

/// How long the process lives, and so what is worth getting ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// Until a signal ends it: processes for executions are kept ready.
    Server,
    /// For one command: what is needed is made when it is needed.
    Command,
    /// For one question to a library that is there already: an empty one is refused, not set up.
    Visit,
}

/// A library that is open.
pub(crate) struct Opened {
    pub(crate) cx: Context,
    /// Whether it was empty a moment ago; then the secret signs its admin in, once.
    pub(crate) first_link: Option<Secret>,
}

/// Opens the SQLite file of a data folder, whose lock the caller holds.
pub(crate) async fn open_folder(folder: &DataFolder, settings: &Settings, life: Life) -> Outcome<Opened> {
    let driver = SqliteDriver::open(&folder.database()).await.map_err(|error| failure(&error))?;
    let store = Arc::new(SqliteStore::new(driver));
    let backup = SqliteBackup(Arc::clone(&store));
    start(store, Arc::new(backup), settings, life).await
}

/// Opens a PostgreSQL database.
pub(crate) async fn open_postgres(url: &Secret, settings: &Settings, life: Life) -> Outcome<Opened> {
    let driver = PostgresDriver::open(url.reveal(), CONNECTIONS).await.map_err(|error| failure(&error))?;
    let store = Arc::new(PostgresStore::new(driver));
    let backup = PostgresBackup(Arc::clone(&store));
    start(store, Arc::new(backup), settings, life).await
}

async fn start(
    store: Arc<dyn Store>,
    backup: Arc<dyn Backup>,
    settings: &Settings,
    life: Life,
) -> Outcome<Opened> {
    let limits = settings.limits.bundles.clone();
    let cx = Context::new(store, Arc::new(SystemClock), Arc::new(OsRandom), backup, limits);
    let cx = with_sandbox(cx, settings, life)?.with_meaning(meaning(&settings.search)?);
    let cx = cx.with_governance(settings.governance.settings()).with_recording(settings.sessions.settings());
    let cx = cx.with_analytics(settings.analytics.settings());
    let failed = |error: app::Error| {
        Failure::new(Exit::Unavailable, error.code().as_str(), format!("cannot set the library up: {error}"))
    };
    let link = match life {
        Life::Visit if !app::workspaces::is_set_up(&cx).await.map_err(failed)? => {
            cx.store.close().await;
            return Err(Failure::unavailable("the library is empty")
                .hint("is it the right one? any other command sets it up"));
        }
        Life::Visit => None,
        Life::Server | Life::Command => app::workspaces::set_up(&cx).await.map_err(failed)?,
    };
    Ok(Opened { cx, first_link: link.map(|secret| Secret::new(secret.reveal())) })
}

/// The same context with the sandbox of this machine, unless it is switched off.
fn with_sandbox(cx: Context, settings: &Settings, life: Life) -> Outcome<Context> {
    let sandbox = &settings.sandbox;
    if !sandbox.enabled.value {
        return Ok(cx);
    }
    let execution = ExecutionSettings {
        limits: sandbox.limits.each.clone(),
        allowed_hosts: sandbox.allowed_hosts.value.clone(),
        history_days: sandbox.run_history_days.value,
    };
    let queue = QueueSettings {
        concurrency: sandbox.concurrency.value,
        waiting: sandbox.waiting.value,
        waiting_per_caller: sandbox.waiting_per_caller.value,
    };
    let sessions = SessionSettings {
        idle_minutes: sandbox.session_idle_minutes.value,
        per_caller: sandbox.sessions_per_caller.value,
        total: sandbox.sessions_total.value,
        folder_bytes: sandbox.session_disk_mb.value << 20,
    };
    let cx = cx.with_runner(Arc::new(runner(settings, life)?), execution);
    Ok(cx.with_queue(queue).with_code_sessions(sessions))
}

/// Where words get their meaning from.
fn meaning(search: &Search) -> Outcome<Meaning> {
    Ok(match search.embedder.value {
        EmbedderKind::BuiltIn => Meaning::BuiltIn,
        EmbedderKind::None => Meaning::None,
        EmbedderKind::OpenAi => {
            let embedder = embedder(search)?;
            Meaning::Other { requests: Arc::new(embedder.for_queries()), skills: Arc::new(embedder) }
        }
    })
}

/// The embedder elsewhere that the settings name. Nothing is asked of it yet.
pub(crate) fn embedder(search: &Search) -> Outcome<RemoteEmbedder> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let settings = RemoteSettings {
        key: search.key.value.as_ref().map(|key| key.reveal().to_owned()),
        dimensions: search.dimensions.value,
        ..RemoteSettings::new(text(&search.url.value), text(&search.model.value))
    };
    RemoteEmbedder::new(settings)
        .map_err(|error| Failure::usage(error.to_string()).hint("look at `[search]` in the configuration"))
}

/// The sandbox of this machine. Nothing is started yet.
pub(crate) fn runner(settings: &Settings, life: Life) -> Outcome<SandboxRunner> {
    let program = std::env::current_exe()
        .ok()
        .filter(|path| path.exists())
        // The kernel finds the program even when its file was replaced.
        .unwrap_or_else(|| PathBuf::from("/proc/self/exe"));
    let places = &settings.places;
    let own = [&settings.library.data.value, &places.credentials].into_iter().chain(&places.file);
    Ok(SandboxRunner::new(sandbox::Settings {
        jail_command: vec![program, PathBuf::from(JAIL_COMMAND)],
        profiles: Profiles::of(settings).for_sandbox(settings)?,
        hidden: own.cloned().collect(),
        allow_weaker: settings.sandbox.allow_weaker.value,
        cgroups: settings.sandbox.cgroups.value,
        usual: settings.sandbox.limits.each.clone(),
        spares: match life {
            Life::Server => settings.sandbox.concurrency.value,
            Life::Command | Life::Visit => 0,
        },
    }))
}

impl Opened {
    /// The HTTP door on this library.
    pub(crate) fn http(&self, config: HttpConfig) -> Http {
        Http::new(self.cx.clone(), config)
    }

    /// The MCP door on this library.
    pub(crate) fn mcp(&self, public_url: &str, config: &HttpConfig) -> Mcp {
        let (public_url, max_body_bytes) = (public_url.to_owned(), config.max_body_bytes);
        Mcp::new(
            self.cx.clone(),
            McpConfig { public_url, max_body_bytes, sessions: SessionBounds::default() },
        )
    }

    /// Closes the database, so that nothing is left to do when it is opened again.
    pub(crate) async fn close(&self) {
        self.cx.store.close().await;
    }
}

struct SqliteBackup(Arc<SqliteStore>);

#[async_trait]
impl Backup for SqliteBackup {
    async fn write(&self, file: &Path) -> Result<(), StoreError> {
        self.0.driver().copy_to(file).await
    }
}

struct PostgresBackup(Arc<PostgresStore>);

#[async_trait]
impl Backup for PostgresBackup {
    async fn write(&self, file: &Path) -> Result<(), StoreError> {
        let target = SqliteDriver::open(file).await?;
        let copied = store_sql::copy(self.0.driver(), &target).await;
        target.close().await;
        copied.map(drop)
    }
}

/// Where a backup goes.
pub(crate) enum Target<'a> {
    Folder(&'a DataFolder),
    Postgres(&'a Secret),
}

/// Copies a backup into an empty library. The backup itself is left as it is.
pub(crate) async fn restore(backup: &Path, target: Target<'_>) -> Outcome<Copied> {
    let scratch = scratch_folder()?;
    let copy = scratch.path().join("backup.db");
    // Opening brings an older schema up to date; that must not happen to someone's backup.
    std::fs::copy(backup, &copy).map_err(|error| Failure::file("read", backup, &error))?;
    let invalid = |why: &str| {
        let message = format!("`{}` is not a backup of a library: {why}", backup.display());
        Failure::new(Exit::Invalid, "invalid_backup", message)
    };
    // Opening also makes the schema where there is none, and what is empty then copies without a fault.
    if !SqliteDriver::is_library(&copy).await {
        return Err(invalid("there is no workspace in it"));
    }
    let source = SqliteDriver::open(&copy).await.map_err(|error| invalid(&chain(&error)))?;
    let copied = match target {
        Target::Folder(folder) => {
            let driver = SqliteDriver::open(&folder.database()).await.map_err(|error| failure(&error))?;
            copy_into(&source, &driver).await
        }
        Target::Postgres(url) => {
            let driver =
                PostgresDriver::open(url.reveal(), CONNECTIONS).await.map_err(|error| failure(&error))?;
            copy_into(&source, &driver).await
        }
    };
    source.close().await;
    copied
}

async fn copy_into(source: &SqliteDriver, target: &dyn Driver) -> Outcome<Copied> {
    let copied = store_sql::copy(source, target).await;
    target.close().await;
    copied.map_err(|error| match error {
        StoreError::Conflict(message) => Failure::new(Exit::Conflict, "not_empty", message.to_string())
            .hint("restore into a new data folder (--data DIR) or an empty database"),
        error => failure(&error),
    })
}

fn failure(error: &StoreError) -> Failure {
    let message = format!("the database does not open: {}", chain(error));
    match error {
        StoreError::Unavailable(_) | StoreError::Busy(_) => Failure::unavailable(message),
        _ => Failure::internal(message),
    }
}

/// An error with everything below it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        source = inner.source();
    }
    text
}
