//! What policies decide together: tables for every rule, the two fixtures in both forms, the known defects of the one
//! public implementation, and properties over random sets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "helpers of tests")]

mod analysis;
mod cases;
mod defects;
mod fixtures;
mod properties;
mod rules;
mod support;
