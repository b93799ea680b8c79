//! From a request to a caller.

use app::identity::{self, Presence, Proof, Secret, Standing};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum_extra::extract::CookieJar;
use model::{Caller, SignIn, slugify};

use crate::edge::own_origin;
use crate::local::LocalUser;
use crate::problem::Problem;
use crate::server::HttpState;

/// The cookie of a signed-in browser.
pub(crate) const COOKIE: &str = "repertoire_session";
/// Names the workspace a browser speaks of.
pub(crate) const WORKSPACE_HEADER: &str = "repertoire-workspace";
/// Names the agent a caller acts through.
pub(crate) const AGENT_HEADER: &str = "repertoire-agent";

/// Who asks. A handler without this serves anyone.
pub(crate) struct Auth(pub Caller);

/// Who asks, when they are signed in with a cookie.
pub(crate) struct BrowserAuth(pub Caller, pub SignIn);

impl FromRequestParts<HttpState> for Auth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        caller_at(parts, state, &standing(&parts.headers)?).await.map(Self)
    }
}

/// Somebody who stays, and is looked at again meanwhile.
pub(crate) struct LastingAuth(pub Presence);

impl FromRequestParts<HttpState> for LastingAuth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &HttpState) -> Result<Self, Problem> {
        Ok(Self(Presence { proof: proof(parts)?, standing: standing(&parts.headers)? }))
    }
}

/// Who asks, heard where they stand.
pub(crate) async fn caller_at(
    parts: &Parts,
    state: &HttpState,
    standing: &Standing,
) -> Result<Caller, Problem> {
    let presence = Presence { proof: proof(parts)?, standing: standing.clone() };
    Ok(presence.caller(&state.cx).await?)
}

/// What a request shows to say who asks.
fn proof(parts: &Parts) -> Result<Proof, Problem> {
    if let Some(LocalUser(handle)) = parts.extensions.get::<LocalUser>() {
        return Ok(Proof::Machine(handle.clone()));
    }
    let Some(value) = parts.headers.get(header::AUTHORIZATION) else {
        return cookie(parts).map(Proof::Cookie);
    };
    let malformed = || unauthenticated("the header must read `Authorization: Bearer <token>`");
    bearer(value).map(Proof::Token).ok_or_else(malformed)
}

impl FromRequestParts<HttpState> for BrowserAuth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        let (caller, sign_in) = identity::by_cookie(&state.cx, &cookie(parts)?).await?;
        Ok(Self(caller, sign_in))
    }
}

/// The cookie of a browser whose request may be followed.
fn cookie(parts: &Parts) -> Result<Secret, Problem> {
    let jar = CookieJar::from_headers(&parts.headers);
    let Some(cookie) = jar.get(COOKIE) else {
        return Err(unauthenticated("send `Authorization: Bearer <token>`, or sign in"));
    };
    if !parts.method.is_safe() && !is_same_site(parts) {
        return Err(Problem::new(
            StatusCode::FORBIDDEN,
            "cross_site",
            "a change with a cookie must come from this server's own pages; use a token instead",
        ));
    }
    Ok(Secret::from_client(cookie.value()))
}

/// Whether a browser says that the request comes from our own pages. Browsers always say; others use tokens.
fn is_same_site(parts: &Parts) -> bool {
    match parts.headers.get("sec-fetch-site") {
        Some(site) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        None => own_origin(&parts.headers) == Some(true),
    }
}

/// The secret in an `Authorization` header.
pub(crate) fn bearer(value: &HeaderValue) -> Option<Secret> {
    Secret::from_bearer(value.to_str().ok()?)
}

fn unauthenticated(detail: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "unauthenticated", detail)
}

/// Where the headers of a request ask to be heard.
pub(crate) fn standing(headers: &HeaderMap) -> Result<Standing, Problem> {
    let name = |header: &str| match headers.get(header) {
        None => Ok(None),
        Some(value) => {
            let name = value.to_str().ok().and_then(slugify);
            name.map(Some)
                .ok_or_else(|| Problem::bad_request(format!("the header `{header}` must hold a name")))
        }
    };
    Ok(Standing { workspace: name(WORKSPACE_HEADER)?, agent: name(AGENT_HEADER)? })
}
