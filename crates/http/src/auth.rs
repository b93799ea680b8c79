//! From a request to a caller.

use app::identity::{self, Credential, Secret, Standing};
use app::workspaces::DEFAULT_WORKSPACE;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum_extra::extract::CookieJar;
use model::{Caller, SignIn, SkillName, slugify};

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

/// Who asks, heard where they stand.
pub(crate) async fn caller_at(
    parts: &Parts,
    state: &HttpState,
    standing: &Standing,
) -> Result<Caller, Problem> {
    if let Some(LocalUser(handle)) = parts.extensions.get::<LocalUser>() {
        let default =
            SkillName::parse(DEFAULT_WORKSPACE).map_err(|error| Problem::bad_request(error.to_string()))?;
        let workspace = standing.workspace.as_ref().unwrap_or(&default);
        return Ok(identity::by_handle(&state.cx, handle, workspace, standing.agent.as_ref()).await?);
    }
    if let Some(value) = parts.headers.get(header::AUTHORIZATION) {
        let malformed = || unauthenticated("the header must read `Authorization: Bearer <token>`");
        let secret = bearer(value).ok_or_else(malformed)?;
        let caller = identity::by_token(&state.cx, &secret).await?;
        return Ok(identity::at(&state.cx, caller, Credential::Token, standing).await?);
    }
    let (caller, _) = cookie_caller(parts, state).await?;
    Ok(identity::at(&state.cx, caller, Credential::Cookie, standing).await?)
}

impl FromRequestParts<HttpState> for BrowserAuth {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        let (caller, sign_in) = cookie_caller(parts, state).await?;
        Ok(Self(caller, sign_in))
    }
}

async fn cookie_caller(parts: &Parts, state: &HttpState) -> Result<(Caller, SignIn), Problem> {
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
    Ok(identity::by_cookie(&state.cx, &Secret::from_client(cookie.value())).await?)
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
