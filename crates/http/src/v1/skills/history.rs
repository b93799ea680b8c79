//! The revisions of a skill.

use app::skills::RevisionRef;
use app::{Cursor, PageRequest};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::RevisionNumber;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::super::names::{missing, skill_id};
use super::super::views::{DiffView, FileDiffView, PageView, PublishedView, RevisionView, SkillDetailView};
use super::requests;
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::{wanted_version, written};
use crate::extract::{Json, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which page.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists the revisions of a skill, newest first.
#[utoipa::path(get, path = "/api/v1/skills/{id}/revisions", operation_id = "list_revisions", tag = "skills",
    params(("id" = uuid::Uuid, Path), PageQuery),
    responses((status = 200, body = PageView<RevisionView>), Problems))]
pub(crate) async fn list_revisions(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<PageQuery>,
) -> Result<axum::Json<PageView<RevisionView>>, Problem> {
    let request =
        PageRequest { limit: query.limit.unwrap_or(PageRequest::DEFAULT), after: query.cursor.map(Cursor) };
    let page = app::skills::revisions(&state.cx, &caller, skill_id(&id)?, request).await?;
    Ok(axum::Json(PageView::of(page, None, RevisionView::from)))
}

/// Reads a skill as it was at a revision: a number, a label or `current`.
#[utoipa::path(get, path = "/api/v1/skills/{id}/revisions/{revision}", operation_id = "read_revision",
    tag = "skills", params(("id" = uuid::Uuid, Path), ("revision" = String, Path)),
    responses((status = 200, body = SkillDetailView), Problems))]
pub(crate) async fn read_revision(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, revision)): Path<(String, String)>,
) -> Result<axum::Json<SkillDetailView>, Problem> {
    let revision = RevisionRef::parse(&revision)?;
    Ok(axum::Json(app::skills::revision(&state.cx, &caller, skill_id(&id)?, revision).await?.into()))
}

/// A label to give.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LabelRequest {
    /// A semantic version; null takes the label away.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    label: Option<String>,
}

/// Gives a revision a label, or takes it away.
#[utoipa::path(put, path = "/api/v1/skills/{id}/revisions/{revision}/label", operation_id = "label_revision",
    tag = "skills", params(("id" = uuid::Uuid, Path), ("revision" = u32, Path, minimum = 1)),
    request_body = LabelRequest, responses((status = 200, body = RevisionView), Problems))]
pub(crate) async fn label(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, revision)): Path<(String, String)>,
    Json(request): Json<LabelRequest>,
) -> Result<axum::Json<RevisionView>, Problem> {
    let number =
        revision.parse().ok().and_then(RevisionNumber::new).ok_or_else(|| missing("revision", &revision))?;
    let label = request.label.as_deref().map(requests::label).transpose()?;
    Ok(axum::Json(app::skills::label(&state.cx, &caller, skill_id(&id)?, number, label).await?.into()))
}

/// Which two revisions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiffQuery {
    /// The older one: a number, a label or `current`.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    from: String,
    /// The newer one; the current one when left out.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    to: Option<String>,
}

/// Shows what changed from one revision to another.
#[utoipa::path(get, path = "/api/v1/skills/{id}/diff", operation_id = "diff_revisions", tag = "skills",
    params(("id" = uuid::Uuid, Path), DiffQuery), responses((status = 200, body = DiffView), Problems))]
pub(crate) async fn diff(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<DiffQuery>,
) -> Result<axum::Json<DiffView>, Problem> {
    let from = RevisionRef::parse(&query.from)?;
    let to = query.to.as_deref().map_or(Ok(RevisionRef::Current), RevisionRef::parse)?;
    let (from, to, files) = app::skills::diff(&state.cx, &caller, skill_id(&id)?, from, to).await?;
    let files = files.into_iter().map(FileDiffView::from).collect();
    Ok(axum::Json(DiffView { from: from.into(), to: to.into(), files }))
}

/// Which revision to bring back.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RestoreRequest {
    /// A number or a label.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    revision: String,
}

/// Makes the content of an older revision the current one again, as a new revision.
#[utoipa::path(post, path = "/api/v1/skills/{id}/restore", operation_id = "restore_revision", tag = "skills",
    params(("id" = uuid::Uuid, Path)), request_body = RestoreRequest,
    responses((status = 200, body = PublishedView), Problems))]
pub(crate) async fn restore(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(request): Json<RestoreRequest>,
) -> Result<Response, Problem> {
    let (revision, version) = (RevisionRef::parse(&request.revision)?, wanted_version(&headers)?);
    let published = app::skills::restore(&state.cx, &caller, skill_id(&id)?, revision, version).await?;
    let version = published.record.skill.version;
    Ok(written(version, axum::Json(PublishedView::from(published))))
}
