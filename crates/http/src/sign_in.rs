//! Signing a browser in and out.

use app::identity::Secret;
use app::sign_in::{self, SignedIn};
use axum::extract::State;
use axum::http::{Extensions, HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::{Cookie, SameSite};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::auth::{BrowserAuth, COOKIE};
use crate::bounds::within;
use crate::extract::{Query, SmallJson};
use crate::problem::{Problem, Problems};
use crate::rate_limit::SignInAttempt;
use crate::server::HttpState;
use crate::{pages, web};

/// What to sign in with: exactly one of the two.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInRequest {
    /// The secret of a one-time link.
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_length = 200)]
    link: Option<String>,
    /// A personal access token.
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_length = 200)]
    token: Option<String>,
}

/// A signed-in browser.
#[derive(Serialize, ToSchema)]
pub(crate) struct SignInView {
    /// Who is signed in.
    user_id: String,
    /// The workspace they look at.
    workspace_id: String,
    /// When that ends.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Signs a browser in: sets a session cookie.
#[utoipa::path(post, path = "/api/v1/sign-in", operation_id = "sign_in", tag = "identity", security(()),
    request_body = SignInRequest,
    responses((status = 200, body = SignInView), (status = 429, body = Problem, content_type = "application/problem+json"), Problems))]
pub(crate) async fn create(
    State(state): State<HttpState>,
    attempt: SignInAttempt,
    jar: CookieJar,
    SmallJson(request): SmallJson<SignInRequest>,
) -> Result<Response, Problem> {
    let signed_in = attempt.settle(match (request.link, request.token) {
        (Some(link), None) => sign_in::by_link(&state.cx, &Secret::from_client(&link)).await,
        (None, Some(token)) => sign_in::by_token(&state.cx, &Secret::from_client(&token)).await,
        _ => return Err(Problem::bad_request("give either `link` or `token`")),
    })?;
    let view = SignInView {
        user_id: signed_in.sign_in.user.to_string(),
        workspace_id: signed_in.sign_in.workspace.to_string(),
        expires_at: crate::v1::time(signed_in.sign_in.expires_at),
    };
    Ok((jar.add(cookie(&state, &signed_in)), axum::Json(view)).into_response())
}

/// Signs a browser out: ends its session and takes the cookie away.
#[utoipa::path(post, path = "/api/v1/sign-out", operation_id = "sign_out", tag = "identity",
    responses((status = 204), Problems))]
pub(crate) async fn end(
    State(state): State<HttpState>,
    BrowserAuth(caller, sign_in): BrowserAuth,
    jar: CookieJar,
) -> Result<Response, Problem> {
    sign_in::end(&state.cx, &caller, &sign_in).await?;
    let gone = Cookie::build((COOKIE, "")).path("/").build();
    Ok((jar.remove(gone), StatusCode::NO_CONTENT).into_response())
}

/// What the page is asked with.
#[derive(Deserialize)]
pub(crate) struct PageQuery {
    link: Option<String>,
    /// Where to go from there.
    next: Option<String>,
}

/// The page behind a one-time link. To look at it (`HEAD`) does not use the link up.
pub(crate) async fn page(
    State(state): State<HttpState>,
    method: Method,
    extensions: Extensions,
    headers: HeaderMap,
    jar: CookieJar,
    Query(query): Query<PageQuery>,
) -> Result<Response, Problem> {
    let Some(link) = query.link.filter(|_| method == Method::GET) else {
        let page = web::page(&state).await;
        return Ok(page.unwrap_or_else(|| pages::sign_in_help().into_response()));
    };
    match open_link(&state, &extensions, &link).await {
        Ok(signed_in) => {
            let next = query.next.as_deref().filter(|next| is_local(next)).unwrap_or("/");
            Ok((jar.add(cookie(&state, &signed_in)), Redirect::to(next)).into_response())
        }
        Err(problem) if web::wants_page(&headers) && state.config.web_app.is_there() => {
            Ok(Redirect::to(&format!("/sign-in?problem={}", problem.code())).into_response())
        }
        Err(problem) => Err(problem),
    }
}

async fn open_link(state: &HttpState, extensions: &Extensions, link: &str) -> Result<SignedIn, Problem> {
    let attempt = SignInAttempt::begin(state, extensions)?;
    Ok(attempt.settle(sign_in::by_link(&state.cx, &Secret::from_client(link)).await)?)
}

/// Whether it is a path of this server, to a browser as well: those take `//` and `/\` for another server's name, and
/// drop control characters before they look.
fn is_local(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\')
}

fn cookie(state: &HttpState, signed_in: &SignedIn) -> Cookie<'static> {
    let age = signed_in.sign_in.expires_at - signed_in.sign_in.created_at;
    Cookie::build((COOKIE, signed_in.secret.reveal().to_owned()))
        .path("/")
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(state.config.public_url.starts_with("https://"))
        .max_age(age)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_a_link_one_goes_nowhere_but_to_this_server() {
        for good in ["/", "/skills/a-b", "/review?status=pending#first", "/skills/%C3%A4", "/a//b"] {
            assert!(is_local(good), "{good}");
        }
        for bad in [
            "",
            "skills",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "https://evil.example",
            "javascript:alert(1)",
            "\\\\evil.example",
            " /a",
            "/a b",
            "/ä",
            "/a\r\nset-cookie: a=b",
        ] {
            assert!(!is_local(bad), "{bad}");
        }
    }
}
