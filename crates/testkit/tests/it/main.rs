//! The walls of ARCHITECTURE.md, held by reading the sources.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod tidy;
