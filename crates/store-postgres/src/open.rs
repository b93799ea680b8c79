//! Connects to a database and keeps its schema up to date.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::time::Duration;

use async_trait::async_trait;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, SqlSafeStr as _};
use store::StoreError;
use store_sql::{BYTEWISE, Connection, Driver, MIGRATIONS, SqlStore};

use crate::connection::{PostgresConnection, store_error};

/// The store on PostgreSQL.
pub type PostgresStore = SqlStore<PostgresDriver>;

/// Connections to one database.
pub struct PostgresDriver {
    pool: PgPool,
}

impl PostgresDriver {
    /// Connects with at most so many connections and brings the schema up to date.
    pub async fn open(url: &str, connections: u32) -> Result<Self, StoreError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(store_error)?
            .application_name("repertoire")
            // Another replica that hangs in the middle of a write must not hang us too.
            .options([("lock_timeout", "20s")]);
        // One connection by hand first: a pool only says that it waited in vain, not why.
        let first = sqlx::PgConnection::connect_with(&options).await.map_err(store_error)?;
        first.close().await.map_err(store_error)?;
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(Duration::from_secs(10))
            .connect_with(options)
            .await
            .map_err(store_error)?;
        migrator().run(&pool).await.map_err(|error| StoreError::Refused(Box::new(error)))?;
        Ok(Self { pool })
    }
}

fn migrator() -> Migrator {
    Migrator::with_migrations(
        MIGRATIONS
            .iter()
            .map(|step| {
                let sql = AssertSqlSafe(step.sql.replace(BYTEWISE, "COLLATE \"C\"")).into_sql_str();
                Migration::new(
                    step.version,
                    Cow::Borrowed(step.description),
                    MigrationType::Simple,
                    sql,
                    false,
                )
            })
            .collect(),
    )
}

#[async_trait]
impl Driver for PostgresDriver {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        let connection = self.pool.acquire().await.map_err(store_error)?;
        Ok(Box::new(PostgresConnection::Reading(connection)))
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        let transaction = self.pool.begin().await.map_err(store_error)?;
        Ok(Box::new(PostgresConnection::Writing(transaction)))
    }

    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError> {
        let transaction = self
            .pool
            .begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await
            .map_err(store_error)?;
        Ok(Box::new(PostgresConnection::Writing(transaction)))
    }

    fn generation(&self) -> Option<u64> {
        None
    }

    async fn close(&self) {
        self.pool.close().await;
    }
}
