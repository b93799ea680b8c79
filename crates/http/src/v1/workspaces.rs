//! Workspaces, and who the caller is.

use app::workspaces::ChangeWorkspace;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::names;
use super::views::{LimitsView, ListView, MeView, WorkspaceView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::Json;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Says who the caller is, and how much this server takes.
#[utoipa::path(get, path = "/api/v1/me", operation_id = "whoami", tag = "identity",
    responses((status = 200, body = MeView), Problems))]
pub(crate) async fn whoami(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<MeView>, Problem> {
    let (user, workspace) = app::workspaces::whoami(&state.cx, &caller).await?;
    let limits = LimitsView::new(&state.cx.limits, state.config.max_body_bytes);
    Ok(axum::Json(MeView::new(&caller, user, workspace, limits)))
}

/// Lists the workspaces the caller can turn to.
#[utoipa::path(get, path = "/api/v1/workspaces", operation_id = "list_workspaces", tag = "identity",
    responses((status = 200, body = ListView<WorkspaceView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<ListView<WorkspaceView>>, Problem> {
    let workspaces = app::workspaces::list(&state.cx, &caller).await?;
    Ok(axum::Json(ListView { items: workspaces.into_iter().map(WorkspaceView::from).collect() }))
}

/// A workspace to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateWorkspaceRequest {
    /// Its name: a-z, 0-9 and hyphens.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    name: String,
    /// For people.
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
}

/// Makes a workspace; for operators.
#[utoipa::path(post, path = "/api/v1/workspaces", operation_id = "create_workspace", tag = "identity",
    request_body = CreateWorkspaceRequest, responses((status = 201, body = WorkspaceView), Problems))]
pub(crate) async fn create(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<CreateWorkspaceRequest>,
) -> Result<(StatusCode, axum::Json<WorkspaceView>), Problem> {
    let name = names::slug(&request.name)?;
    let workspace = app::workspaces::create(&state.cx, &caller, &name, request.title.as_deref()).await?;
    Ok((StatusCode::CREATED, axum::Json(workspace.into())))
}

/// Reads the caller's workspace.
#[utoipa::path(get, path = "/api/v1/workspace", operation_id = "read_workspace", tag = "identity",
    responses((status = 200, body = WorkspaceView), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<WorkspaceView>, Problem> {
    Ok(axum::Json(app::workspaces::current(&state.cx, &caller).await?.into()))
}

/// What to change about the workspace.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeWorkspaceRequest {
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    title: Option<String>,
    hide_existence: Option<bool>,
    #[schema(maximum = 8760)]
    undelete_window_hours: Option<u32>,
    #[schema(maximum = 3650)]
    draft_expiry_days: Option<u32>,
}

/// Changes the caller's workspace; for admins.
#[utoipa::path(patch, path = "/api/v1/workspace", operation_id = "change_workspace", tag = "identity",
    request_body = ChangeWorkspaceRequest, responses((status = 200, body = WorkspaceView), Problems))]
pub(crate) async fn change(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<ChangeWorkspaceRequest>,
) -> Result<axum::Json<WorkspaceView>, Problem> {
    let change = ChangeWorkspace {
        title: request.title,
        hide_existence: request.hide_existence,
        undelete_window_hours: request.undelete_window_hours,
        draft_expiry_days: request.draft_expiry_days,
    };
    Ok(axum::Json(app::workspaces::change(&state.cx, &caller, change).await?.into()))
}
