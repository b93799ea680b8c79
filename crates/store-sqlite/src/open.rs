//! Opens a database file and keeps its schema up to date.

use std::borrow::Cow;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{ConnectOptions as _, Connection as _, SqlSafeStr as _};
use store::StoreError;
use store_sql::{Connection, Driver, MIGRATIONS, SqlStore};

use crate::connection::{SqliteConnection, store_error};

/// The store on SQLite.
pub type SqliteStore = SqlStore<SqliteDriver>;

/// How many connections read at the same time.
const READERS: u32 = 4;

/// Connections to one database file.
pub struct SqliteDriver {
    options: SqliteConnectOptions,
    readers: SqlitePool,
    writer: SqlitePool,
    generation: Arc<AtomicU64>,
}

impl SqliteDriver {
    /// Opens the file, makes it if it is not there, and brings its schema up to date. A new file is its owner's alone.
    pub async fn open(file: &Path) -> Result<Self, StoreError> {
        make_private(file)?;
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(10))
            .optimize_on_close(true, 400)
            .pragma("cache_size", "-8192")
            .pragma("journal_size_limit", "67108864");
        let lasting = SqlitePoolOptions::new().idle_timeout(None).max_lifetime(None);
        let writer = connect(lasting.clone().max_connections(1), options.clone()).await?;
        migrate(&writer).await?;
        let options = options.optimize_on_close(false, None);
        let reading = options.clone().pragma("query_only", "on");
        let readers = connect(lasting.max_connections(READERS), reading).await?;
        Ok(Self { options, readers, writer, generation: Arc::new(AtomicU64::new(0)) })
    }

    /// Whether a library is in a file, of this version or an older one. Nothing is made or brought up to date.
    pub async fn is_library(file: &Path) -> bool {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(false);
        let Ok(mut connection) = options.connect().await else { return false };
        let first =
            sqlx::query("SELECT 1 FROM _sqlx_migrations AS step, workspaces WHERE step.version = 1 LIMIT 1");
        let found = first.fetch_optional(&mut connection).await;
        // What was only read needs no orderly end.
        let _ = connection.close().await;
        matches!(found, Ok(Some(_)))
    }

    /// Writes a consistent copy of the database to a new file, while others read and write.
    pub async fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        make_private(file)?;
        let mut connection = self.options.connect().await.map_err(store_error)?;
        sqlx::query("VACUUM INTO $1")
            .bind(file.to_string_lossy().into_owned())
            .execute(&mut connection)
            .await
            .map_err(store_error)?;
        connection.close().await.map_err(store_error)?;
        // SQLite leaves it to the system when the copy reaches the disk.
        let synced = async { tokio::fs::File::open(file).await?.sync_all().await };
        synced.await.map_err(|error| StoreError::Unavailable(Box::new(error)))
    }
}

/// Makes an empty file that only its owner can read, where there is none. SQLite takes it for a new database, and gives
/// the files beside it the same mode.
fn make_private(file: &Path) -> Result<(), StoreError> {
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::Unavailable(Box::new(error)))
        }
        _ => Ok(()),
    }
}

/// Connects. To turn a new file to WAL takes a lock that SQLite does not wait for, so several who do that at once have
/// to try again.
async fn connect(pool: SqlitePoolOptions, options: SqliteConnectOptions) -> Result<SqlitePool, StoreError> {
    for _ in 0..200 {
        match pool.clone().connect_with(options.clone()).await.map_err(store_error) {
            Err(StoreError::Busy(_)) => tokio::time::sleep(Duration::from_millis(25)).await,
            connected => return connected,
        }
    }
    pool.connect_with(options).await.map_err(store_error)
}

/// Brings the schema up to date, alone: of several who open a new file at once, the others find it done.
async fn migrate(writer: &SqlitePool) -> Result<(), StoreError> {
    let mut alone = writer.begin_with("BEGIN IMMEDIATE").await.map_err(store_error)?;
    migrator()
        .run_direct(None, &mut *alone, false)
        .await
        .map_err(|error| StoreError::Refused(Box::new(error)))?;
    alone.commit().await.map_err(store_error)
}

fn migrator() -> Migrator {
    Migrator::with_migrations(
        MIGRATIONS
            .iter()
            .map(|step| {
                let description = Cow::Borrowed(step.description);
                Migration::new(
                    step.version,
                    description,
                    MigrationType::Simple,
                    step.sql.into_sql_str(),
                    false,
                )
            })
            .collect(),
    )
}

#[async_trait]
impl Driver for SqliteDriver {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        let connection = self.readers.acquire().await.map_err(store_error)?;
        Ok(Box::new(SqliteConnection::Reading(connection)))
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        let transaction = self.writer.begin_with("BEGIN IMMEDIATE").await.map_err(store_error)?;
        Ok(Box::new(SqliteConnection::Writing(transaction, Arc::clone(&self.generation))))
    }

    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError> {
        let transaction = self.readers.begin().await.map_err(store_error)?;
        Ok(Box::new(SqliteConnection::Writing(transaction, Arc::clone(&self.generation))))
    }

    fn generation(&self) -> Option<u64> {
        Some(self.generation.load(Ordering::Acquire))
    }

    async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
