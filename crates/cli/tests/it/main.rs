//! The binary, driven as people drive it.
#![allow(clippy::unwrap_used, clippy::panic)] // tests; clippy knows only the functions marked so

mod access;
mod backup;
mod help;
mod import;
mod offline;
mod serving;
mod tour;
mod world;
