//! The binary, driven as people drive it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // tests; clippy knows only the functions marked so

mod acceptance;
mod access;
mod api;
mod backup;
mod bridge;
mod code_sessions;
mod connect;
mod help;
mod hook;
mod hostile_clients;
mod import;
mod no_lost_write;
mod offline;
mod policy;
mod processes;
mod python;
mod runs;
mod search;
mod secrets;
mod served_runs;
mod serving;
mod sessions;
mod tour;
mod world;
