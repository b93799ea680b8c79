//! What happens to every request from a socket before and after its handler: host and origin checks, the client's
//! address, bounds on its body, the answer cache, security headers, measurements.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::cache::AnswerCache;
use crate::client_address::ClientAddress;
use crate::problem::Problem;
use crate::server::{HttpConfig, HttpState};

/// Takes a request through.
pub(crate) async fn pass(State(state): State<HttpState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let checked = check(&state.config, request.headers(), request.uri());
    let response = match checked.and_then(|()| check_length(&state.config, request.headers())) {
        Err(problem) => problem.into_response(),
        Ok(()) => bounded(&state, request, next).await,
    };
    measure(&method, route.as_deref().unwrap_or("none"), response.status(), started);
    with_security_headers(response)
}

/// Passes a request on with its client's address and a bounded body. What the body holds in memory is counted until
/// the response is there.
async fn bounded(state: &HttpState, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let client = ClientAddress::of(&state.config.serving.trusted_proxies, &parts.extensions, &parts.headers);
    parts.extensions.insert(client);
    let (body, lease) = state.bodies.bound(body);
    let response = answer(state, Request::from_parts(parts, body), next).await;
    match lease.problem() {
        Some(problem) => problem.into_response(),
        None => response,
    }
}

/// Refuses a body that says it is too large before anything of it is read.
fn check_length(config: &HttpConfig, headers: &HeaderMap) -> Result<(), Problem> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: u64| length > config.max_body_bytes as u64) {
        return Err(Problem::body_too_large(config.max_body_bytes));
    }
    Ok(())
}

async fn answer(state: &HttpState, request: Request, next: Next) -> Response {
    let Some(question) = AnswerCache::question(&request, state.cx.store.generation()) else {
        return next.run(request).await;
    };
    if let Some(known) = state.answers.find(&state.cx, &question) {
        return known;
    }
    let response = next.run(request).await;
    state.answers.keep(&state.cx, question, response).await
}

fn check(config: &HttpConfig, headers: &HeaderMap, uri: &axum::http::Uri) -> Result<(), Problem> {
    // Probes come under any name, and are told nothing that matters.
    if matches!(uri.path(), "/healthz" | "/readyz") {
        return Ok(());
    }
    let host = uri
        .authority()
        .map(axum::http::uri::Authority::as_str)
        .or_else(|| headers.get(header::HOST).and_then(|host| host.to_str().ok()));
    if !host.is_some_and(|host| is_allowed(config, host)) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "host_not_allowed",
            "this server does not answer to that host name; start it with --allow-host NAME",
        ));
    }
    let foreign = headers.get(header::ORIGIN).is_some_and(|origin| {
        let host = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, host)| host);
        !host.is_some_and(|host| is_allowed(config, host))
    });
    if foreign {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "origin_not_allowed",
            "pages of other sites may not call this server",
        ));
    }
    Ok(())
}

fn is_allowed(config: &HttpConfig, host: &str) -> bool {
    let name = without_port(host);
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
        || config.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    }
}

/// Whether the request's `Origin` is the very host it was sent to; `None` without an `Origin`.
pub(crate) fn own_origin(headers: &HeaderMap) -> Option<bool> {
    let origin = headers.get(header::ORIGIN)?.to_str().ok()?;
    let host = headers.get(header::HOST)?.to_str().ok()?;
    Some(origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host)))
}

fn measure(method: &Method, route: &str, status: StatusCode, started: Instant) {
    let elapsed = started.elapsed();
    let labels = [
        ("method", known(method).to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_str().to_owned()),
    ];
    metrics::counter!("repertoire_http_requests_total", &labels).increment(1);
    metrics::histogram!("repertoire_http_request_duration_seconds", "route" => route.to_owned())
        .record(elapsed.as_secs_f64());
    let duration_ms = elapsed.as_secs_f64() * 1_000.0;
    if status.is_server_error() {
        tracing::error!(http.method = %method, http.route = route, http.status = status.as_u16(), duration_ms, "request failed");
    } else if !method.is_safe() {
        tracing::info!(http.method = %method, http.route = route, http.status = status.as_u16(), duration_ms, "request");
    } else {
        tracing::debug!(http.method = %method, http.route = route, http.status = status.as_u16(), duration_ms, "request");
    }
}

/// The method as a label: a stranger may invent methods, and each would be a series of its own.
fn known(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        _ => "other",
    }
}

fn with_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_told_hosts_are_served() {
        let config = HttpConfig { allowed_hosts: vec!["skills.example".into()], ..HttpConfig::default() };
        for good in
            ["localhost", "127.0.0.1:7400", "[::1]:80", "[::1]", "skills.example", "Skills.Example:443"]
        {
            assert!(is_allowed(&config, good), "{good}");
        }
        for bad in ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "", ":80", "[::2]"] {
            assert!(!is_allowed(&config, bad), "{bad}");
        }
    }
}
