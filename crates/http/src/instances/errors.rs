//! Errors in the dialect's own shape. Handlers fail as they do in the native API; what they say is put into other words here.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

const PROBLEM: &str = "application/problem+json";
/// Our own problems are small.
const LARGEST: usize = 1024 * 1024;

/// What went wrong.
#[derive(Serialize, ToSchema)]
pub(super) struct ErrorView {
    error: ErrorDetail,
    /// The status of the answer.
    status: u16,
}

/// What went wrong, for programs and for people.
#[derive(Serialize, ToSchema)]
struct ErrorDetail {
    /// The stable code, as in the native API.
    code: String,
    message: String,
}

/// What is taken of a problem.
#[derive(Deserialize)]
struct Told {
    status: u16,
    code: String,
    detail: String,
}

/// Puts a problem of the native API into the dialect's shape; status and headers stay.
pub(super) async fn translate(request: Request, next: Next) -> Response {
    let response = next.run(request).await;
    if response.headers().get(header::CONTENT_TYPE).is_none_or(|kind| kind != PROBLEM) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let body = axum::body::to_bytes(body, LARGEST).await.unwrap_or_default();
    let Ok(told) = serde_json::from_slice::<Told>(&body) else {
        return Response::from_parts(parts, Body::from(body));
    };
    let error = ErrorDetail { code: told.code, message: told.detail };
    let view = serde_json::to_vec(&ErrorView { error, status: told.status }).unwrap_or_default();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(view))
}

/// The errors any operation may answer with, for the document.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code)] // described, never built
pub(super) enum Errors {
    /// The request cannot be understood.
    #[response(status = 400)]
    BadRequest(ErrorView),
    /// No credential, or one that no longer counts.
    #[response(status = 401)]
    Unauthorized(ErrorView),
    /// Someone else's, or for admins.
    #[response(status = 403)]
    Forbidden(ErrorView),
    /// There is no such instance or thing.
    #[response(status = 404)]
    NotFound(ErrorView),
    /// The request clashes with the state of things.
    #[response(status = 409)]
    Conflict(ErrorView),
    /// Larger than allowed.
    #[response(status = 413)]
    TooLarge(ErrorView),
    /// Not JSON.
    #[response(status = 415)]
    UnsupportedMediaType(ErrorView),
    /// Understood, but it breaks a rule.
    #[response(status = 422)]
    Unprocessable(ErrorView),
    /// The database or the sandbox does not answer.
    #[response(status = 503)]
    Unavailable(ErrorView),
}
