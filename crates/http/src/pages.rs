//! The few pages there are without the web app, and the headers that every page has.

use axum::http::{HeaderName, header};
use axum::response::{Html, IntoResponse};

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1rem;\
    color:#1c2024;background:#fcfcfd}a{color:#0b68cb}code{background:#eef0f3;padding:.1em .35em;border-radius:4px}\
    @media(prefers-color-scheme:dark){body{color:#edeef0;background:#111113}a{color:#70b8ff}code{background:#272a2d}}";

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/// A page with its content security policy, and apart from every other site that is open in the browser.
pub(crate) fn guarded(policy: String, html: Html<String>) -> impl IntoResponse {
    const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
    const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
    let headers = [
        (header::CONTENT_SECURITY_POLICY, policy),
        (OPENER_POLICY, "same-origin".to_owned()),
        (PERMISSIONS_POLICY, "camera=(), microphone=(), geolocation=()".to_owned()),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, html)
}

fn page(title: &str, body: &str) -> impl IntoResponse + use<> {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>{title}</title><style>{STYLE}</style>\
         <main><h1>{title}</h1>{body}</main></html>"
    );
    guarded(POLICY.to_owned(), Html(html))
}

/// What stands where the app would.
pub(crate) fn no_app() -> impl IntoResponse {
    page(
        "Repertoire",
        "<p>This is a Repertoire server: a skill library for AI agents. Its API works; the web app is not in this \
         build.</p>\
         <p>To get it, run <code>make ui</code> where the program is built (it needs Node), then build again; or start \
         the server with <code>repertoire serve --ui-dir ui/dist</code>.</p>\
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
