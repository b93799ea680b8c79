//! The document of the app, and what it may load and do.
//!
//! Only what carries the nonce of this very answer runs or styles; nothing comes from elsewhere, and no other site may
//! show it in a frame.

use app::Context;
use axum::response::{Html, IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::pages;

/// What the build leaves where the nonce belongs.
const PLACEHOLDER: &str = "__CSP_NONCE__";

/// The document with a nonce that was never used before.
pub(super) fn answer(cx: &Context, index: &[u8]) -> Response {
    let mut bytes = [0; 16];
    cx.random.fill(&mut bytes);
    let nonce = URL_SAFE_NO_PAD.encode(bytes);
    let html = String::from_utf8_lossy(index).replace(PLACEHOLDER, &nonce);
    pages::guarded(policy(&nonce), Html(html)).into_response()
}

fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}
