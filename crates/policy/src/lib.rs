//! Pure decisions.
//!
//! [`access`] says whether a caller may do a thing, [`constraints`] what an agent may do while policies are active,
//! [`secrets`] which parts of a text are secrets. Nothing here reads a clock, a file or a database, and no other crate
//! decides who may do what.

pub mod access;
pub mod constraints;
pub mod secrets;
