//! Entity tags, for `If-Match` and `If-None-Match`.
//!
//! The tag of an answer to a write is the version of the record. A read adds a digest of what it shows, because some
//! of that changes without the version: counters, and the agents a skill is assigned to. `If-Match` looks at the
//! version only.

use app::Code;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::Digest;
use serde::Serialize;

use crate::problem::Problem;

/// The version a client wants to change, from `If-Match`; `*` and nothing are any.
pub(crate) fn wanted_version(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .map(|tag| tag.split_once('-').map_or(tag, |(version, _)| version))
        .and_then(|version| version.parse().ok());
    // A tag that we never gave out is no version of ours, and so not the stored one.
    version
        .map(Some)
        .ok_or_else(|| Problem::with_code(Code::Precondition, "`If-Match` names no version of this"))
}

/// The answer to a write, with the new version as its tag.
pub(crate) fn written(version: u64, response: impl IntoResponse) -> Response {
    with_tag(&format!("\"{version}\""), response.into_response())
}

/// The answer to a read with its tag, or 304 when the client has this very answer already.
pub(crate) fn shown(headers: &HeaderMap, version: u64, view: &impl Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(view).map_err(|error| {
        tracing::error!(error = %error, "an answer cannot be written");
        Problem::with_code(Code::Internal, "the answer cannot be written")
    })?;
    let tag = format!("\"{version}-{}\"", digest(&body));
    let response = if is_known(headers, &tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        ([(header::CONTENT_TYPE, "application/json")], body).into_response()
    };
    Ok(with_tag(&tag, response))
}

/// The tag of bytes that have no version.
pub(crate) fn of_bytes(bytes: &[u8]) -> String {
    format!("\"{}\"", digest(bytes))
}

fn digest(bytes: &[u8]) -> String {
    Digest::of(bytes).hex().chars().take(16).collect()
}

/// Whether the client has what this tag stands for.
pub(crate) fn is_known(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}

/// The same answer with a tag.
pub(crate) fn with_tag(tag: &str, mut response: Response) -> Response {
    if let Ok(value) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}
