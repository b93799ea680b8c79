//! The SQLite back end: connections, value types, errors. The statements are those of `store-sql`.
//!
//! One connection writes and a few read, all in WAL mode: readers never wait, and a writer never meets another one,
//! so there is no "database is locked". A commit is on the disk before it is acknowledged.

mod connection;
mod open;

pub use open::{SqliteDriver, SqliteStore};
