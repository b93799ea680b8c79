//! Pure decisions.
//!
//! [`access`] says whether a caller may do a thing. Nothing here reads a clock, a file or a database, and no other
//! crate decides who may do what.

pub mod access;
