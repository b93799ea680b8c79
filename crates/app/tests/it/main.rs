//! The use cases, on SQLite in a file of its own for every test. Names are claims.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::large_futures,
    reason = "these are tests: what goes wrong fails them, and their stacks are large enough"
)]

extern crate repertoire_app as app;

mod agent_context;
mod agents;
mod analytics;
mod archives;
mod audit;
mod bulk;
mod code_sessions;
mod codes;
mod events;
mod governance;
mod governance_decisions;
mod governance_runs;
mod idempotency;
mod identity;
mod interpreter;
mod interpreter_python;
mod interpreter_skills;
mod isolation;
mod jobs;
mod live;
mod object_ids;
mod policy_facet;
mod properties;
mod runs;
mod runs_history;
mod search;
mod search_embedder;
mod search_properties;
mod sessions;
mod sign_in;
mod skills_by_name;
mod skills_create;
mod skills_delete;
mod skills_edit;
mod skills_import;
mod skills_list;
mod skills_propose;
mod skills_rate;
mod skills_read;
mod skills_review;
mod skills_rewrite;
mod tokens;
mod users;
mod workspaces;
