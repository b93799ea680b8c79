//! Every query, written once, over a small driver.
//!
//! SQLite and PostgreSQL read the same statements here; a back end is a [`Driver`] that opens connections, carries
//! [`Value`]s across and sorts errors. What they do not share belongs in their own crates. Nothing here names a
//! database library.

mod agents;
mod analytics;
mod audit;
mod blobs;
mod conditions;
mod copy;
mod driver;
mod governance;
mod idempotency;
mod revisions;
mod runs;
mod schema;
mod search;
mod sessions;
mod sign_ins;
mod skill_list;
mod skills;
mod statistics;
mod store;
mod tokens;
mod turns;
mod users;
mod value;
mod workspaces;

pub use copy::{Copied, copy};
pub use driver::{Connection, Driver, Sql};
pub use schema::{BYTEWISE, MIGRATIONS, Migration, TABLES, TENANT_TABLES, Table};
pub use store::SqlStore;
pub use value::{Kind, Row, Value};
