//! The HTTP door on a fresh library a test, without a socket. Names are claims.

mod api;
mod bad_input;
mod browser;
mod cache;
mod conditional;
mod headers;
mod library;
mod openapi;
mod operations;
mod people;
mod unauthorised;
