//! Entity tags: the version of a record, for `If-Match` and `If-None-Match`.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::problem::Problem;

/// The tag of a version.
pub(crate) fn tag(version: u64) -> String {
    format!("\"{version}\"")
}

/// The version a client wants to change, from `If-Match`; `*` and nothing are any.
pub(crate) fn wanted_version(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let version =
        text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).and_then(|text| text.parse().ok());
    // A tag that we never gave out is no version of ours, and so not the stored one.
    version.map(Some).ok_or_else(|| {
        Problem::new(
            StatusCode::PRECONDITION_FAILED,
            "precondition_failed",
            "`If-Match` names no version of this",
        )
    })
}

/// An answer with its tag, or 304 when the client has this version already.
pub(crate) fn tagged(headers: &HeaderMap, version: u64, response: impl IntoResponse) -> Response {
    let tag = tag(version);
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim().trim_start_matches("W/") == tag);
    let mut response =
        if known { StatusCode::NOT_MODIFIED.into_response() } else { response.into_response() };
    if let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, value);
    }
    response
}
