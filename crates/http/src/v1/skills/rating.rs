//! How skills do.

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::super::names::skill_id;
use super::super::views::{FeedbackView, ListView, StatisticsView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, Path};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// How a use went.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UseRequest {
    success: bool,
}

/// Counts a use of a skill.
#[utoipa::path(post, path = "/api/v1/skills/{id}/uses", operation_id = "record_use", tag = "skills",
    params(("id" = uuid::Uuid, Path)), request_body = UseRequest,
    responses((status = 200, body = StatisticsView), Problems))]
pub(crate) async fn record_use(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<UseRequest>,
) -> Result<axum::Json<StatisticsView>, Problem> {
    let statistics = app::skills::record_use(&state.cx, &caller, skill_id(&id)?, request.success).await?;
    Ok(axum::Json((&statistics).into()))
}

/// Whether it helped.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FeedbackRequest {
    helpful: bool,
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    comment: Option<String>,
}

/// Keeps whether a skill helped the caller; a later word replaces an earlier one.
#[utoipa::path(post, path = "/api/v1/skills/{id}/feedback", operation_id = "record_feedback", tag = "skills",
    params(("id" = uuid::Uuid, Path)), request_body = FeedbackRequest,
    responses((status = 200, body = StatisticsView), Problems))]
pub(crate) async fn record_feedback(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<FeedbackRequest>,
) -> Result<axum::Json<StatisticsView>, Problem> {
    let (helpful, comment) = (request.helpful, request.comment);
    let statistics =
        app::skills::record_feedback(&state.cx, &caller, skill_id(&id)?, helpful, comment).await?;
    Ok(axum::Json((&statistics).into()))
}

/// Lists what people said about a skill, newest first.
#[utoipa::path(get, path = "/api/v1/skills/{id}/feedback", operation_id = "list_feedback", tag = "skills",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ListView<FeedbackView>), Problems))]
pub(crate) async fn list_feedback(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<ListView<FeedbackView>>, Problem> {
    let feedback = app::skills::feedback(&state.cx, &caller, skill_id(&id)?).await?;
    Ok(axum::Json(ListView { items: feedback.into_iter().map(FeedbackView::from).collect() }))
}
