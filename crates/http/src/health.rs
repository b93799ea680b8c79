//! Is the process alive, and does its database answer?

use axum::extract::State;
use axum::http::StatusCode;

use crate::server::HttpState;

pub(crate) async fn alive() -> &'static str {
    "ok\n"
}

pub(crate) async fn ready(State(state): State<HttpState>) -> (StatusCode, &'static str) {
    match state.cx.store.check().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the database does not answer");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n")
        }
    }
}
