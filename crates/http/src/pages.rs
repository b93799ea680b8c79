//! The few pages there are without the web app.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{Html, IntoResponse};

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;\
    color:#1c2024;background:#fcfcfd}a{color:#0b68cb}code{background:#eef0f3;padding:.1em .35em;border-radius:4px}\
    @media(prefers-color-scheme:dark){body{color:#edeef0;background:#111113}a{color:#70b8ff}code{background:#272a2d}}";

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

fn page(title: &str, body: &str) -> ([(HeaderName, HeaderValue); 1], Html<String>) {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>{STYLE}</style>\
         <main><h1>{title}</h1>{body}</main></html>"
    );
    ([(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY))], Html(html))
}

/// What stands at the root.
pub(crate) async fn home() -> impl IntoResponse {
    page(
        "Repertoire",
        "<p>This is a Repertoire server: a skill library for AI agents.</p>\
         <ul><li><a href=\"/docs\">Browse the API</a></li>\
         <li><a href=\"/api/v1/openapi.json\">OpenAPI document</a></li></ul>\
         <p>On the command line, <code>repertoire skill list</code> shows the library, and \
         <code>repertoire token create</code> makes a token for programs.</p>",
    )
}

/// What stands at the sign-in page without a link.
pub(crate) fn sign_in_help() -> impl IntoResponse {
    page(
        "Sign in",
        "<p>Ask an admin for a one-time link, or make one where the server runs:</p>\
         <p><code>repertoire user link admin</code></p>",
    )
}
