//! Carries statements, values and errors across.

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgRow, Postgres};
use sqlx::{Arguments as _, AssertSqlSafe, Column as _, Row as _, Transaction, TypeInfo as _};
use store::StoreError;
use store_sql::{Connection, Kind, Row, Sql, Value};
use time::OffsetDateTime;
use uuid::Uuid;

pub(crate) enum PostgresConnection {
    Reading(PoolConnection<Postgres>),
    Writing(Transaction<'static, Postgres>),
}

impl PostgresConnection {
    fn raw(&mut self) -> &mut sqlx::PgConnection {
        match self {
            Self::Reading(connection) => connection,
            Self::Writing(transaction) => transaction,
        }
    }
}

#[async_trait]
impl Connection for PostgresConnection {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        let query = sqlx::query_with(AssertSqlSafe(sql), bind(arguments)?);
        Ok(query.execute(self.raw()).await.map_err(store_error)?.rows_affected())
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        let query = sqlx::query_with(AssertSqlSafe(sql), bind(arguments)?);
        query.fetch_all(self.raw()).await.map_err(store_error)?.iter().map(read).collect()
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        match *self {
            Self::Reading(_) => Ok(()),
            Self::Writing(transaction) => transaction.commit().await.map_err(store_error),
        }
    }
}

fn bind(values: Vec<Value>) -> Result<PgArguments, StoreError> {
    let mut arguments = PgArguments::default();
    for value in values {
        match value {
            Value::Null(Kind::Text) => arguments.add(None::<String>),
            Value::Null(Kind::Int) => arguments.add(None::<i64>),
            Value::Null(Kind::Real) => arguments.add(None::<f64>),
            Value::Null(Kind::Bool) => arguments.add(None::<bool>),
            Value::Null(Kind::Bytes) => arguments.add(None::<Vec<u8>>),
            Value::Null(Kind::Id) => arguments.add(None::<Uuid>),
            Value::Null(Kind::Time) => arguments.add(None::<OffsetDateTime>),
            Value::Text(text) => arguments.add(text),
            Value::Int(number) => arguments.add(number),
            Value::Real(number) => arguments.add(number),
            Value::Bool(value) => arguments.add(value),
            Value::Bytes(bytes) => arguments.add(bytes),
            Value::Id(id) => arguments.add(id),
            Value::Time(moment) => arguments.add(moment),
        }
        .map_err(StoreError::Refused)?;
    }
    Ok(arguments)
}

fn read(row: &PgRow) -> Result<Row, StoreError> {
    let values =
        row.columns().iter().map(|column| read_value(row, column.ordinal(), column.type_info().name()));
    values.collect::<Result<_, _>>().map(Row::new).map_err(store_error)
}

fn read_value(row: &PgRow, index: usize, column: &str) -> Result<Value, sqlx::Error> {
    Ok(match column {
        "INT8" => row.try_get::<Option<i64>, _>(index)?.into(),
        "INT4" => row.try_get::<Option<i32>, _>(index)?.map(i64::from).into(),
        "FLOAT8" => row.try_get::<Option<f64>, _>(index)?.into(),
        "BOOL" => row.try_get::<Option<bool>, _>(index)?.into(),
        "UUID" => row.try_get::<Option<Uuid>, _>(index)?.map_or(Value::Null(Kind::Id), Value::Id),
        "TIMESTAMPTZ" => row.try_get::<Option<OffsetDateTime>, _>(index)?.into(),
        "BYTEA" => row.try_get::<Option<Vec<u8>>, _>(index)?.map_or(Value::Null(Kind::Bytes), Value::Bytes),
        _ => row.try_get::<Option<String>, _>(index)?.into(),
    })
}

pub(crate) fn store_error(error: sqlx::Error) -> StoreError {
    let boxed = |error| Box::new(error) as Box<dyn std::error::Error + Send + Sync>;
    match &error {
        sqlx::Error::Database(inner) if inner.is_unique_violation() || inner.is_foreign_key_violation() => {
            StoreError::Conflict(boxed(error))
        }
        sqlx::Error::Database(inner) => match inner.code().as_deref() {
            // Serialization failure, deadlock, lock not available.
            Some("40001" | "40P01" | "55P03") => StoreError::Busy(boxed(error)),
            // Shutting down, crashed, starting up, too many connections, read-only standby.
            Some("57P01" | "57P02" | "57P03" | "53300" | "25006") => StoreError::Unavailable(boxed(error)),
            _ => StoreError::Refused(boxed(error)),
        },
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => StoreError::Unavailable(boxed(error)),
        _ => StoreError::Refused(boxed(error)),
    }
}
