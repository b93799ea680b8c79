//! The binary, driven as people drive it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // tests; clippy knows only the functions marked so

mod access;
mod backup;
mod help;
mod import;
mod no_lost_write;
mod offline;
mod python;
mod runs;
mod serving;
mod tour;
mod world;
