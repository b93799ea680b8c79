//! The HTTP door on a fresh library a test, without a socket. Names are claims.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what is not as it should be fails the test"
)]

mod agent_context;
mod analytics;
mod api;
mod bad_governance;
mod bad_input;
mod bad_runs;
mod browser;
mod cache;
mod code;
mod conditional;
mod discover;
mod events;
mod governance;
mod headers;
mod instances;
mod interpreter;
mod library;
mod live;
mod openapi;
mod operations;
mod people;
mod runs;
mod search;
mod sessions;
mod unauthorised;
mod web;
