//! Personal access tokens.

use app::tokens::{CreateToken, TokensOf};
use axum::extract::State;
use axum::http::StatusCode;
use model::{TokenId, TokenScope};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::names;
use super::views::{CreatedTokenView, ListView, TokenView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Whose tokens.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListTokensQuery {
    /// A user's id or handle, or `all`; the caller's own when left out.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
}

/// Lists tokens; their secrets are never shown.
#[utoipa::path(get, path = "/api/v1/tokens", operation_id = "list_tokens", tag = "identity",
    params(ListTokensQuery), responses((status = 200, body = ListView<TokenView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListTokensQuery>,
) -> Result<axum::Json<ListView<TokenView>>, Problem> {
    let of = match query.user.as_deref() {
        None => TokensOf::Caller,
        Some("all") => TokensOf::Everyone,
        Some(text) => TokensOf::User(names::user(&state.cx, &caller, text).await?),
    };
    let tokens = app::tokens::list(&state.cx, &caller, of).await?;
    Ok(axum::Json(ListView { items: tokens.into_iter().map(TokenView::from).collect() }))
}

/// What a token may be used for.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScopeWord {
    Read,
    Write,
    Review,
    Admin,
}

impl From<ScopeWord> for TokenScope {
    fn from(word: ScopeWord) -> Self {
        match word {
            ScopeWord::Read => Self::Read,
            ScopeWord::Write => Self::Write,
            ScopeWord::Review => Self::Review,
            ScopeWord::Admin => Self::Admin,
        }
    }
}

/// A token to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "ci", "scopes": ["read", "write"]}))]
pub(crate) struct CreateTokenRequest {
    /// What it is called.
    #[serde(deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = "\\S")]
    name: String,
    /// Whose it is, by id or handle; the caller's own when left out.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// The agent its bearer acts through, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// What it may be used for.
    #[serde(deserialize_with = "within::<1, 4, _, _>")]
    #[schema(min_items = 1, max_items = 4)]
    scopes: Vec<ScopeWord>,
    /// When it ends.
    #[schema(format = DateTime)]
    expires_at: Option<String>,
}

/// Makes a token and shows its secret, once.
#[utoipa::path(post, path = "/api/v1/tokens", operation_id = "create_token", tag = "identity",
    request_body = CreateTokenRequest, responses((status = 201, body = CreatedTokenView), Problems))]
pub(crate) async fn create(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<CreateTokenRequest>,
) -> Result<(StatusCode, axum::Json<CreatedTokenView>), Problem> {
    let user = names::optional_user(&state.cx, &caller, request.user.as_deref()).await?;
    let agent = match request.agent.as_deref() {
        Some(text) => Some(names::agent(&state.cx, &caller, text).await?),
        None => caller.agent,
    };
    let expires_at = request.expires_at.as_deref().map(names::moment).transpose()?;
    let scopes = request.scopes.into_iter().map(TokenScope::from).collect();
    let request = CreateToken { name: request.name, user, agent, scopes, expires_at };
    let (token, secret) = app::tokens::create(&state.cx, &caller, request).await?;
    let view = CreatedTokenView { token: token.into(), secret: secret.reveal().to_owned() };
    Ok((StatusCode::CREATED, axum::Json(view)))
}

/// Ends a token at once.
#[utoipa::path(delete, path = "/api/v1/tokens/{id}", operation_id = "revoke_token", tag = "identity",
    params(("id" = uuid::Uuid, Path)), responses((status = 204), Problems))]
pub(crate) async fn revoke(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let id = TokenId::parse(&id).map_err(|_| names::missing("token", &id))?;
    app::tokens::revoke(&state.cx, &caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
