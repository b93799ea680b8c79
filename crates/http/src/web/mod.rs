//! The web app: its files, and the one document that stands for each of its pages.
//!
//! What the app shows it asks the API for, as every other client does; nothing here knows a skill or a caller.

mod document;
mod files;
mod source;

use axum::extract::State;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::{IntoResponse, Response};

pub use source::{NoWebApp, WebApp};

use crate::accept::asks_for;
use crate::server::HttpState;
use crate::{pages, problem};
use source::FileName;

/// The first words of paths that are for programs. There is never a page of the app below them.
const FOR_PROGRAMS: &[&str] =
    &[".well-known", "api", "code", "docs", "files", "healthz", "instances", "mcp", "metrics", "readyz"];

/// What stands at the root.
pub(crate) async fn home(State(state): State<HttpState>) -> Response {
    page(&state).await.unwrap_or_else(|| pages::no_app().into_response())
}

/// What stands where no operation is: a file of the app, or one of its pages. Programs are told that there is nothing.
pub(crate) async fn elsewhere(
    State(state): State<HttpState>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    if !matches!(method, Method::GET | Method::HEAD) || is_for_programs(uri.path()) {
        return problem::no_such_path().into_response();
    }
    let name = FileName::parse(uri.path());
    if let Some(name) = name
        && let Some(file) = files::answer(&state.config.web_app, name, &headers).await
    {
        return file;
    }
    // A file of another build is no page.
    if name.is_some_and(FileName::is_hashed) || !wants_page(&headers) {
        return problem::no_such_path().into_response();
    }
    home(State(state)).await
}

/// A page of the app, if there is an app.
pub(crate) async fn page(state: &HttpState) -> Option<Response> {
    let index = state.config.web_app.read(FileName::INDEX).await?;
    Some(document::answer(&state.cx, &index))
}

/// Whether it is a browser that asks for something to show.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    asks_for(headers, "text/html")
}

fn is_for_programs(path: &str) -> bool {
    let first = path.split('/').nth(1).unwrap_or_default();
    FOR_PROGRAMS.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_for_programs_by_its_whole_first_word() {
        for path in ["/api", "/api/v2/x", "/mcp", "/mcp/", "/docs/x", "/.well-known/x"] {
            assert!(is_for_programs(path), "{path}");
        }
        for path in ["/", "/apiary", "/skills/api", "/review", "/sign-in", "/mcp-servers", "//api"] {
            assert!(!is_for_programs(path), "{path}");
        }
    }

    #[test]
    fn every_operation_stands_below_a_word_for_programs() {
        for document in [crate::openapi_json(), crate::instances_openapi_json()] {
            let document: serde_json::Value = serde_json::from_str(&document).unwrap();
            for path in document["paths"].as_object().unwrap().keys() {
                assert!(is_for_programs(path), "say in FOR_PROGRAMS what `{path}` stands below");
            }
        }
    }
}
