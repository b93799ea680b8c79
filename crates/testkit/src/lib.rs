//! Test support. Nothing here may be linked into the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "it is test code: what cannot be set up fails the test"
)]

#[cfg(feature = "app")]
pub mod app;
#[cfg(feature = "app")]
pub mod faults;
pub mod postgres;
#[cfg(feature = "app")]
pub mod runner;
pub mod statements;

#[cfg(feature = "app")]
pub use app::{CallerExt, Snapshot, TestApp};
#[cfg(feature = "app")]
pub use runner::FakeRunner;
