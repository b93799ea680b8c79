//! PostgreSQL keeps the contract of a store, and what is its own.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "these are tests")]

mod catalog;
mod copying;
mod crashes;
mod replicas;
mod upgrades;

use std::sync::Arc;

use repertoire_store_postgres::{PostgresDriver, PostgresStore};
use store::Store;
use store_sql::SqlStore;
use testkit::postgres::Database;
use testkit::statements::Watched;

mod contract {
    store::contract_tests!(crate::open);
}

/// An empty database of its own.
async fn open() -> (Arc<dyn Store>, Database) {
    let database = Database::fresh();
    let driver = PostgresDriver::open(&database.url(), 10).await.unwrap();
    (Arc::new(SqlStore::new(Watched(driver))), database)
}

/// The database at this address, with so many connections.
async fn open_at(url: &str, connections: u32) -> Arc<PostgresStore> {
    Arc::new(SqlStore::new(PostgresDriver::open(url, connections).await.unwrap()))
}
