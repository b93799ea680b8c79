//! A database whose commits fail while a test wants them to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use store::StoreError;
use store_sql::{Connection, Driver, Row, Sql, Value};

/// A driver that fails on demand.
pub struct Faulty<D> {
    /// The driver behind it.
    pub driver: D,
    fails: Arc<AtomicBool>,
}

struct FaultyConnection(Box<dyn Connection>, Arc<AtomicBool>);

impl<D> Faulty<D> {
    /// A driver that does not fail yet.
    pub fn new(driver: D) -> Self {
        Self { driver, fails: Arc::default() }
    }

    /// From now on every commit fails, or none any more.
    pub fn fail_commits(&self, fail: bool) {
        self.fails.store(fail, Ordering::SeqCst);
    }
}

#[async_trait]
impl<D: Driver> Driver for Faulty<D> {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        self.driver.read().await
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(FaultyConnection(self.driver.begin().await?, Arc::clone(&self.fails))))
    }

    async fn snapshot(&self) -> Result<Box<dyn Connection>, StoreError> {
        self.driver.snapshot().await
    }

    fn generation(&self) -> Option<u64> {
        self.driver.generation()
    }

    async fn close(&self) {
        self.driver.close().await;
    }
}

#[async_trait]
impl Connection for FaultyConnection {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        self.0.execute(sql, arguments).await
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        self.0.query(sql, arguments).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        if self.1.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("the disk is full".into()));
        }
        self.0.commit().await
    }
}
