//! The door as hosts meet it: requests of both eras, with tokens.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // tests; clippy knows only the functions marked so

mod access;
mod changes;
mod memory_off;
mod sessions;
mod skills;
mod tools;
mod world;
