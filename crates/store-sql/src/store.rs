//! The store over any driver.

use std::time::Duration;

use ::store::{Store, StoreError, Tx};
use async_trait::async_trait;
use model::WorkspaceId;

use crate::turns::{Turn, Turns};
use crate::value::arguments;
use crate::{Connection, Driver, Row, Sql, Value};

/// How long a writer waits for its turn and a connection.
const PATIENCE: Duration = Duration::from_secs(20);

/// A store whose statements run on a driver.
pub struct SqlStore<D> {
    driver: D,
    turns: Turns,
}

impl<D: Driver> SqlStore<D> {
    /// A store on this driver, whose schema is up to date.
    pub fn new(driver: D) -> Self {
        Self { driver, turns: Turns::default() }
    }

    /// The driver, for copying a whole database.
    pub fn driver(&self) -> &D {
        &self.driver
    }
}

#[async_trait]
impl<D: Driver> Store for SqlStore<D> {
    async fn read(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(SqlTx::new(self.driver.read().await?)))
    }

    async fn begin(&self, workspace: WorkspaceId) -> Result<Box<dyn Tx>, StoreError> {
        let opening = async {
            let turn = self.turns.wait(workspace).await;
            Ok(SqlTx { turn: Some(turn), ..SqlTx::new(self.driver.begin().await?) })
        };
        // One limit for both: while the database is down, writers must not wait for each other's failures in turn.
        let mut tx = tokio::time::timeout(PATIENCE, opening)
            .await
            .map_err(|error| StoreError::Unavailable(Box::new(error)))??;
        // Writing the row of the chain's end locks it until the commit: one writer a workspace, on every back end, and
        // the numbers of transactions become visible in their order.
        let lock = "UPDATE audit_heads SET transactions = transactions + 1 WHERE workspace_id = $1
                    RETURNING transactions";
        let number = tx.one(lock, arguments![workspace], |mut row| row.count()).await?;
        tx.change = Some((workspace, number.ok_or(StoreError::NoWorkspace)?));
        Ok(Box::new(tx))
    }

    async fn begin_installation(&self) -> Result<Box<dyn Tx>, StoreError> {
        Ok(Box::new(SqlTx::new(self.driver.begin().await?)))
    }

    fn generation(&self) -> Option<u64> {
        self.driver.generation()
    }

    async fn check(&self) -> Result<(), StoreError> {
        let mut tx = SqlTx::new(self.driver.read().await?);
        tx.all("SELECT 1", vec![]).await.map(drop)
    }

    async fn close(&self) {
        self.driver.close().await;
    }
}

/// One connection, inside or outside a transaction.
///
/// The first statement that fails ends it: PostgreSQL would turn a later commit into a silent rollback, SQLite would
/// commit the half that went well. Here both refuse.
pub(crate) struct SqlTx {
    connection: Box<dyn Connection>,
    is_over: bool,
    /// The workspace it is a transaction in, and its number there.
    change: Option<(WorkspaceId, u64)>,
    /// Below the connection, so that it is given up after the connection is.
    turn: Option<Turn>,
}

impl SqlTx {
    fn new(connection: Box<dyn Connection>) -> Self {
        Self { connection, is_over: false, change: None, turn: None }
    }

    fn ensure_open(&self) -> Result<(), StoreError> {
        if self.is_over {
            return Err(StoreError::Refused("an earlier statement failed; the transaction is over".into()));
        }
        Ok(())
    }

    /// The number that a skill of this workspace carries when it is written now.
    pub(crate) fn change_in(&mut self, workspace: WorkspaceId) -> Result<u64, StoreError> {
        match self.change {
            Some((ours, number)) if ours == workspace => Ok(number),
            _ => {
                self.is_over = true;
                Err(StoreError::Refused("a skill is only written in a transaction of its workspace".into()))
            }
        }
    }

    pub(crate) async fn execute(
        &mut self,
        sql: impl Into<Sql>,
        arguments: Vec<Value>,
    ) -> Result<u64, StoreError> {
        self.ensure_open()?;
        let result = self.connection.execute(sql.into(), arguments).await;
        self.is_over = result.is_err();
        result
    }

    pub(crate) async fn all(
        &mut self,
        sql: impl Into<Sql>,
        arguments: Vec<Value>,
    ) -> Result<Vec<Row>, StoreError> {
        self.ensure_open()?;
        let result = self.connection.query(sql.into(), arguments).await;
        self.is_over = result.is_err();
        result
    }

    /// The first row, read into a type.
    pub(crate) async fn one<T>(
        &mut self,
        sql: impl Into<Sql>,
        arguments: Vec<Value>,
        read: impl FnOnce(Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.all(sql, arguments).await?.into_iter().next().map(read).transpose()
    }

    /// Every row, read into a type.
    pub(crate) async fn many<T>(
        &mut self,
        sql: impl Into<Sql>,
        arguments: Vec<Value>,
        read: impl FnMut(Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.all(sql, arguments).await?.into_iter().map(read).collect()
    }

    /// A single number.
    pub(crate) async fn number(
        &mut self,
        sql: impl Into<Sql>,
        arguments: Vec<Value>,
    ) -> Result<u64, StoreError> {
        Ok(self.one(sql, arguments, |mut row| row.count()).await?.unwrap_or(0))
    }
}

#[async_trait]
impl Tx for SqlTx {
    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.ensure_open()?;
        let Self { connection, turn, .. } = *self;
        let result = connection.commit().await;
        drop(turn);
        result
    }
}
