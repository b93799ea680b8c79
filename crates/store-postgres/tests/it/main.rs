//! PostgreSQL keeps the contract of a store.

use std::sync::Arc;

use repertoire_store_postgres::PostgresDriver;
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
    let driver = PostgresDriver::open(&database.url(), 10).await.expect("a database");
    (Arc::new(SqlStore::new(Watched(driver))), database)
}
