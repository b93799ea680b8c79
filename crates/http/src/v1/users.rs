//! People.

use app::users::{AddUser, ChangeUser};
use axum::extract::State;
use axum::http::StatusCode;
use model::{Handle, Role, UserId};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::names::missing;
use super::views::{LinkView, ListView, UserView, time};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which people.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListUsersQuery {
    /// Only the one with this handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    handle: Option<String>,
}

/// Lists the people of the workspace.
#[utoipa::path(get, path = "/api/v1/users", operation_id = "list_users", tag = "identity", params(ListUsersQuery),
    responses((status = 200, body = ListView<UserView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListUsersQuery>,
) -> Result<axum::Json<ListView<UserView>>, Problem> {
    let mut members = app::users::list(&state.cx, &caller).await?;
    if let Some(handle) = query.handle {
        members.retain(|member| member.user.handle.as_str().eq_ignore_ascii_case(&handle));
    }
    Ok(axum::Json(ListView { items: members.into_iter().map(UserView::from).collect() }))
}

/// A role.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoleWord {
    Admin,
    PolicyAdmin,
    Reviewer,
    Member,
}

impl From<RoleWord> for Role {
    fn from(word: RoleWord) -> Self {
        match word {
            RoleWord::Admin => Self::Admin,
            RoleWord::PolicyAdmin => Self::PolicyAdmin,
            RoleWord::Reviewer => Self::Reviewer,
            RoleWord::Member => Self::Member,
        }
    }
}

/// A person to add.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"handle": "rita@example.com", "roles": ["reviewer"]}))]
pub(crate) struct AddUserRequest {
    /// What they are called at sign-in; an e-mail address fits.
    #[serde(deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9][A-Za-z0-9._@+-]*$")]
    handle: String,
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    display_name: Option<String>,
    /// `member` is always among them.
    #[serde(default)]
    roles: Vec<RoleWord>,
}

/// Adds a person to the workspace; for admins.
#[utoipa::path(post, path = "/api/v1/users", operation_id = "add_user", tag = "identity",
    request_body = AddUserRequest, responses((status = 201, body = UserView), Problems))]
pub(crate) async fn add(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<AddUserRequest>,
) -> Result<(StatusCode, axum::Json<UserView>), Problem> {
    let request = AddUser {
        handle: Handle::parse(&request.handle).map_err(|error| Problem::bad_request(error.to_string()))?,
        display_name: request.display_name,
        roles: request.roles.into_iter().map(Role::from).collect(),
    };
    let member = app::users::add(&state.cx, &caller, request).await?;
    Ok((StatusCode::CREATED, axum::Json(member.into())))
}

fn user_id(text: &str) -> Result<UserId, Problem> {
    UserId::parse(text).map_err(|_| missing("user", text))
}

/// Reads a person of the workspace.
#[utoipa::path(get, path = "/api/v1/users/{id}", operation_id = "read_user", tag = "identity",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = UserView), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<UserView>, Problem> {
    Ok(axum::Json(app::users::read(&state.cx, &caller, user_id(&id)?).await?.into()))
}

/// What to change about a person.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeUserRequest {
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    display_name: Option<String>,
    /// Their roles in this workspace; for admins.
    roles: Option<Vec<RoleWord>>,
    /// Whether they are shut out everywhere; for operators.
    disabled: Option<bool>,
    /// Whether they run the installation; for operators.
    operator: Option<bool>,
}

/// Changes a person's name, roles or standing.
#[utoipa::path(patch, path = "/api/v1/users/{id}", operation_id = "change_user", tag = "identity",
    params(("id" = uuid::Uuid, Path)), request_body = ChangeUserRequest,
    responses((status = 200, body = UserView), Problems))]
pub(crate) async fn change(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<ChangeUserRequest>,
) -> Result<axum::Json<UserView>, Problem> {
    let change = ChangeUser {
        display_name: request.display_name,
        roles: request.roles.map(|roles| roles.into_iter().map(Role::from).collect()),
        disabled: request.disabled,
        operator: request.operator,
    };
    Ok(axum::Json(app::users::change(&state.cx, &caller, user_id(&id)?, change).await?.into()))
}

/// Takes a person out of the workspace; for admins.
#[utoipa::path(delete, path = "/api/v1/users/{id}", operation_id = "remove_user", tag = "identity",
    params(("id" = uuid::Uuid, Path)), responses((status = 204), Problems))]
pub(crate) async fn remove(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app::users::remove(&state.cx, &caller, user_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Makes a link that signs a person in, once, within a day.
#[utoipa::path(post, path = "/api/v1/users/{id}/sign-in-link", operation_id = "create_sign_in_link",
    tag = "identity", params(("id" = uuid::Uuid, Path)),
    responses((status = 201, body = LinkView), Problems))]
pub(crate) async fn link(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<(StatusCode, axum::Json<LinkView>), Problem> {
    // Before the link is made, so that it never claims to live longer than it does.
    let expires_at = time(state.cx.clock.now() + app::sign_in::LINK_LIFE);
    let secret = app::sign_in::create_link(&state.cx, &caller, user_id(&id)?).await?;
    let url = format!("{}/sign-in?link={}", state.config.public_url, secret.reveal());
    Ok((StatusCode::CREATED, axum::Json(LinkView { url, expires_at })))
}
