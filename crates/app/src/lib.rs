//! Use cases and jobs.
//!
//! Every door (HTTP, MCP, CLI, hooks, jobs) calls the same functions here. A use case reads as a list: parse,
//! authorise, load, decide, write once in one transaction with its audit entry. It names no back end, no wire
//! format and no door, and takes time, ids and randomness from its [`Context`].

pub mod agents;
pub mod analytics;
pub mod artifacts;
pub mod audit;
pub mod backup;
mod bounds;
pub mod code_sessions;
mod context;
mod error;
pub mod events;
pub mod governance;
pub mod identity;
pub mod instances;
pub mod interpreter;
pub mod jobs;
pub mod live;
pub mod object_ids;
mod paging;
mod ports;
mod queue;
mod redact;
mod runner;
pub mod runs;
pub mod search;
pub mod sessions;
pub mod sign_in;
pub mod skills;
pub mod tokens;
pub mod users;
pub mod workspaces;

pub use context::{Context, ExecutionSettings};
pub use error::{Code, Error};
/// What doors need of other crates to speak to use cases.
pub use manifest::{
    Change, Changes, Client, ClientVerdict, Draft, Finding, Level, Limits, Outcome as ClientOutcome,
    body_template, frontmatter,
};
pub use paging::{Cursor, Page, PageRequest};
pub use policy::access::Denial;
pub use ports::{Backup, Clock, OsRandom, Random, SystemClock};
pub use queue::{Permit, Queue, QueueCounts, QueueSettings};
pub use runner::{Runner, SandboxRunner};
pub use store::{AgentUses, Facet, SkillGroup, SkillOrder, SkillRecord};
