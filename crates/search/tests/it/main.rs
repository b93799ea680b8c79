//! What search promises, on random libraries and callers.

mod library;
mod properties;
mod ranking;
