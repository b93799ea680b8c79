//! The sandbox against hostile code, in every mode it supports, and its contract with honest code.
//!
//! Each attack is a test named after it, in each mode. An attack says what it tried and how that was refused, so that a
//! snippet that breaks for another reason is noticed; after it, normal code works and no process of it is left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)] // tests; clippy knows only the functions marked so
#![allow(clippy::needless_raw_string_hashes)] // snippets of foreign code look alike whatever quotes they hold

mod attacks;
mod contract;
mod driver;
mod endurance;
mod host;
mod leavings;
mod limits;
mod listening;
mod trial;
