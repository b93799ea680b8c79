//! A database whose commits or reads fail while a test wants them to.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use store::StoreError;
use store_sql::{Connection, Driver, Row, Sql, Value};

/// A driver that fails on demand.
pub struct Faulty<D> {
    /// The driver behind it.
    pub driver: D,
    faults: Arc<Faults>,
}

/// What fails.
#[derive(Default)]
struct Faults {
    commits: AtomicBool,
    /// Queries outside of transactions that contain this.
    reads: Mutex<Option<&'static str>>,
    /// How many of those failed.
    failed_reads: AtomicUsize,
}

struct FaultyConnection(Box<dyn Connection>, Arc<Faults>);
struct FaultyReader(Box<dyn Connection>, Arc<Faults>);

impl<D> Faulty<D> {
    /// A driver that does not fail yet.
    pub fn new(driver: D) -> Self {
        Self { driver, faults: Arc::default() }
    }

    /// From now on every commit fails, or none any more.
    pub fn fail_commits(&self, fail: bool) {
        self.faults.commits.store(fail, Ordering::SeqCst);
    }

    /// From now on reads whose statement contains this fail, or none any more.
    pub fn fail_reads(&self, of: Option<&'static str>) {
        *self.faults.reads.lock().unwrap() = of;
    }

    /// How many reads failed so far.
    pub fn failed_reads(&self) -> usize {
        self.faults.failed_reads.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl<D: Driver> Driver for Faulty<D> {
    async fn read(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(FaultyReader(self.driver.read().await?, Arc::clone(&self.faults))))
    }

    async fn begin(&self) -> Result<Box<dyn Connection>, StoreError> {
        Ok(Box::new(FaultyConnection(self.driver.begin().await?, Arc::clone(&self.faults))))
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
        if self.1.commits.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("the disk is full".into()));
        }
        self.0.commit().await
    }
}

#[async_trait]
impl Connection for FaultyReader {
    async fn execute(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<u64, StoreError> {
        self.0.execute(sql, arguments).await
    }

    async fn query(&mut self, sql: Sql, arguments: Vec<Value>) -> Result<Vec<Row>, StoreError> {
        if self.1.reads.lock().unwrap().is_some_and(|of| sql.contains(of)) {
            self.1.failed_reads.fetch_add(1, Ordering::SeqCst);
            return Err(StoreError::Unavailable("the disk cannot be read".into()));
        }
        self.0.query(sql, arguments).await
    }

    async fn commit(self: Box<Self>) -> Result<(), StoreError> {
        self.0.commit().await
    }
}
