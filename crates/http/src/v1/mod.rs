//! The native API. Each file is a resource; `router.rs` lists every URL.

mod agents;
mod analytics;
mod audit;
mod backup;
mod events;
mod governance;
mod interpreter;
mod names;
mod router;
mod runs;
mod search;
mod sessions;
mod skills;
mod tokens;
mod users;
mod views;
mod workspaces;

pub(crate) use names::{agent as named_agent, missing, user as named_user};
pub(crate) use router::Credentials;
pub use router::openapi_json;
pub(crate) use router::router;
pub(crate) use views::{Bytes, ListView, time};
