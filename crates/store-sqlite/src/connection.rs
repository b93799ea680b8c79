//! Carries statements, values and errors across.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::sqlite::{Sqlite, SqliteArguments, SqliteRow};
use sqlx::{Arguments as _, AssertSqlSafe, Row as _, Transaction, TypeInfo as _, ValueRef as _};
use store::StoreError;
use store_sql::{Connection, Kind, Row, Sql, Value};

pub(crate) enum SqliteConnection {
    Reading(PoolConnection<Sqlite>),
    Writing(Transaction<'static, Sqlite>, Arc<AtomicU64>),
}

impl SqliteConnection {
    fn raw(&mut self) -> &mut sqlx::SqliteConnection {
        match self {
            Self::Reading(connection) => connection,
            Self::Writing(transaction, _) => transaction,
        }
    }
}

#[async_trait]
impl Connection for SqliteConnection {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        let query = sqlx::query_with(AssertSqlSafe(sql), bind(arguments)?);
        Ok(query.execute(self.raw()).await.map_err(store_error)?.rows_affected())
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let query = sqlx::query_with(AssertSqlSafe(sql), bind(arguments)?);
        query.fetch_all(self.raw()).await.map_err(store_error)?.iter().map(read).collect()
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        let Self::Writing(transaction, generation) = *self else { return Ok(()) };
        // On a task of its own: a caller who goes away must not part the commit from the count of it.
        let committed = tokio::spawn(async move {
            let result = transaction.commit().await;
            generation.fetch_add(1, Ordering::AcqRel);
            result
        });
        committed.await.map_err(|error| StoreError::Unavailable(Box::new(error)))?.map_err(store_error)
    }
}

fn bind(values: Vec<Value>) -> Result<SqliteArguments, StoreError> {
    let mut arguments = SqliteArguments::default();
    for value in values {
        match value {
            Value::Null(_) => arguments.add(None::<i64>),
            Value::Text(text) => arguments.add(text),
            Value::Int(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Bool(value) => arguments.add(value),
            Value::Bytes(bytes) => arguments.add(bytes),
            Value::Id(id) => arguments.add(id.as_bytes().to_vec()),
            Value::Time(moment) => {
                arguments.add(i64::try_from(moment.unix_timestamp_nanos() / 1_000).unwrap_or(i64::MAX))
            }
        }
        .map_err(StoreError::Refused)?;
    }
    Ok(arguments)
}

fn read(row: &SqliteRow) -> Result<Row, StoreError> {
    (0..row.len())
        .map(|index| read_value(row, index).map_err(store_error))
        .collect::<Result<_, _>>()
        .map(Row::new)
}

fn read_value(row: &SqliteRow, index: usize) -> Result<Value, sqlx::Error> {
    let raw = row.try_get_raw(index)?;
    if raw.is_null() {
        return Ok(Value::Null(Kind::Text));
    }
    // What the value is, not what its column says: SQLite has five types.
    let stored = raw.type_info();
    Ok(match stored.name() {
        "INTEGER" | "BOOLEAN" => Value::Int(row.try_get_unchecked(index)?),
        "REAL" => Value::Real(row.try_get_unchecked(index)?),
        "BLOB" => Value::Bytes(row.try_get_unchecked(index)?),
        _ => Value::Text(row.try_get_unchecked(index)?),
    })
}

pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    let boxed = |error| Box::new(error) as Box<dyn std::error::Error + Send + Sync>;
    match &error {
        sqlx::Error::Database(inner) if inner.is_unique_violation() || inner.is_foreign_key_violation() => {
            StoreError::Conflict(boxed(error))
        }
        // 5 is SQLITE_BUSY, 6 SQLITE_LOCKED; extended codes keep them in the low byte.
        sqlx::Error::Database(inner)
            if inner
                .code()
                .and_then(|code| code.parse::<i64>().ok())
                .is_some_and(|code| matches!(code & 0xff, 5 | 6)) =>
        {
            StoreError::Busy(boxed(error))
        }
        sqlx::Error::Io(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => StoreError::Unavailable(boxed(error)),
        _ => StoreError::Refused(boxed(error)),
    }
}
