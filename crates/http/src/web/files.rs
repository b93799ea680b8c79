//! Files of the app, as they are or packed.

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::source::{FileName, WebApp};
use crate::accept::takes_gzip;
use crate::etag;

/// For files whose name says which bytes they hold.
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For all others: a client may keep them, and asks each time whether they are still the same.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// The answer to a request for a file of the app; nothing if there is no such file.
pub(super) async fn answer(app: &WebApp, name: FileName<'_>, headers: &HeaderMap) -> Option<Response> {
    // The document is different each time it is sent.
    if name == FileName::INDEX {
        return None;
    }
    let plain = app.read(name).await?;
    let packed = if takes_gzip(headers) { read_packed(app, name).await } else { None };
    let mut response = if name.is_hashed() {
        sent(name, plain, packed, FOR_EVER)
    } else {
        let tag = etag::of_bytes(packed.as_ref().unwrap_or(&plain));
        let response = if etag::is_known(headers, &tag) {
            (StatusCode::NOT_MODIFIED, [(header::CACHE_CONTROL, ASK_AGAIN)]).into_response()
        } else {
            sent(name, plain, packed, ASK_AGAIN)
        };
        etag::with_tag(&tag, response)
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    Some(response)
}

/// The file that the build packed beside this one.
async fn read_packed(app: &WebApp, name: FileName<'_>) -> Option<Bytes> {
    let packed = format!("/{}.gz", name.as_str());
    app.read(FileName::parse(&packed)?).await
}

fn sent(name: FileName<'_>, plain: Bytes, packed: Option<Bytes>, keep: HeaderValue) -> Response {
    let is_packed = packed.is_some();
    let mut response = packed.unwrap_or(plain).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type(name));
    headers.insert(header::CACHE_CONTROL, keep);
    if is_packed {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}

/// The media type of a file of the app; texts of ours are UTF-8.
fn media_type(name: FileName<'_>) -> HeaderValue {
    let known = model::media_type(name.as_str());
    let text =
        known.starts_with("text/").then(|| HeaderValue::try_from(format!("{known}; charset=utf-8")).ok());
    text.flatten().unwrap_or(HeaderValue::from_static(known))
}
