//! The HTTP door: the native API, the dialects of other designs, sign-in, health, the OpenAPI
//! document, and the web app.
//!
//! A handler reads the request into types, calls one use case of `app`, and renders. No rule lives here, and
//! nothing here knows which database there is.

mod accept;
mod auth;
mod body;
mod bounds;
mod cache;
mod client_address;
mod code;
mod edge;
mod etag;
mod event_stream;
mod extract;
mod health;
mod hooks;
mod instances;
mod local;
mod objects;
mod pages;
mod problem;
mod rate_limit;
mod server;
mod serving;
mod sign_in;
mod v1;
mod web;

pub use client_address::{InvalidNetwork, TrustedProxies};
pub use instances::instances_openapi_json;
pub use local::{InProcess, LocalRequest, LocalResponse};
pub use server::{Http, HttpConfig, serve_text};
pub use serving::ServingSettings;
pub use v1::openapi_json;
pub use web::{NoWebApp, WebApp};
