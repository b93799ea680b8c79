//! SQLite keeps the contract of a store, and what is its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod catalog;
mod files;
mod plans;
mod upgrades;

use std::path::Path;
use std::sync::Arc;

use repertoire_store_sqlite::{SqliteDriver, SqliteStore};
use store::Store;
use store_sql::SqlStore;
use tempfile::TempDir;
use testkit::statements::Watched;

mod contract {
    store::contract_tests!(crate::open);
}

/// An empty database in a file of its own.
async fn open() -> (Arc<dyn Store>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let driver = SqliteDriver::open(&folder.path().join("test.db")).await.unwrap();
    (Arc::new(SqlStore::new(Watched(driver))), folder)
}

/// The database in this file.
async fn open_at(file: &Path) -> Arc<SqliteStore> {
    Arc::new(SqlStore::new(SqliteDriver::open(file).await.unwrap()))
}
