//! The PostgreSQL back end: connections, value types, errors. The statements are those of `store-sql`.
//!
//! Any number of servers may share one database; this crate keeps nothing in memory between requests.

mod connection;
mod open;

pub use open::{PostgresDriver, PostgresStore};
