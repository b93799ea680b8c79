//! What a back end has to provide.

use std::borrow::Cow;

use ::store::StoreError;
use async_trait::async_trait;

use crate::{Row, Value};

/// A statement. Owned ones are put together from fixed parts only; user input travels in [`Value`]s.
pub type Sql = Cow<'static, str>;

/// Opens connections to one database.
#[async_trait]
pub trait Driver: Send + Sync {
    /// A connection outside any transaction.
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError>;
    /// A transaction that may write.
    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError>;
    /// A transaction in which every statement sees the same state.
    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError>;
    /// Counts commits where no one else can write to the database.
    fn generation(&self) -> Option<u64>;
    /// Closes all connections.
    async fn close(&self);
}

/// An open connection. Dropped before [`Connection::commit`], its transaction is rolled back.
#[async_trait]
pub trait Connection: Send {
    /// Runs a statement and says how many rows it touched.
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError>;
    /// Runs a statement and gives its rows.
    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError>;
    /// Commits; outside a transaction it does nothing.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
