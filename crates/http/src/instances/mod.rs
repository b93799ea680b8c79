//! The instance dialect: procedural memory's first design, as its clients speak it.
//!
//! An instance is a workspace. The paths, fields and words are that design's own; who asks, the rules and the limits
//! are those of the native API. Fields that a client sends and we do not keep are read over, because its resources
//! have many more than ours. Nothing is decided here.

mod agents;
mod errors;
mod provider;
mod requests;
mod router;
mod search;
mod skills;
mod standing;
mod views;

pub use router::instances_openapi_json;
pub(crate) use router::{document, router};
