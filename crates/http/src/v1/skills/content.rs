//! Reading, changing and ending one skill.

use app::skills::{Edit, EditSkill, RevisionRef};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use model::RevisionNumber;
use serde::Deserialize;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::super::names::skill_id;
use super::super::views::{Bytes, PublishedView, SkillDetailView, SkillView};
use super::library::check_zip;
use super::requests::{EditSkillRequest, label};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::{shown, wanted_version, written};
use crate::extract::{Body, Json, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which revision.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RevisionQuery {
    /// A number, a label or `current`.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    revision: Option<String>,
}

impl RevisionQuery {
    pub(super) fn read(&self) -> Result<RevisionRef, Problem> {
        Ok(self.revision.as_deref().map_or(Ok(RevisionRef::Current), RevisionRef::parse)?)
    }
}

/// Reads a skill with everything its revision holds.
#[utoipa::path(get, path = "/api/v1/skills/{id}", operation_id = "read_skill", tag = "skills",
    params(("id" = uuid::Uuid, Path), RevisionQuery),
    responses((status = 200, body = SkillDetailView), (status = 304), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<RevisionQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let detail = app::skills::revision(&state.cx, &caller, skill_id(&id)?, query.read()?).await?;
    let version = detail.record.skill.version;
    shown(&headers, version, &SkillDetailView::from(detail))
}

/// Changes a skill: a new revision, unless nothing changed.
#[utoipa::path(patch, path = "/api/v1/skills/{id}", operation_id = "edit_skill", tag = "skills",
    params(("id" = uuid::Uuid, Path)), request_body = EditSkillRequest,
    responses((status = 200, body = PublishedView), Problems))]
pub(crate) async fn edit(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(request): Json<EditSkillRequest>,
) -> Result<Response, Problem> {
    let expected_revision = request
        .expected_revision
        .map(|number| {
            RevisionNumber::new(number).ok_or_else(|| Problem::bad_request("revisions are numbered from 1"))
        })
        .transpose()?;
    let label = request.label.as_deref().map(label).transpose()?;
    let message = request.message.clone();
    let if_version = wanted_version(&headers)?;
    let edit = Edit::Changes(Box::new(request.changes()?));
    let request = EditSkill { edit, message, label, expected_revision, if_version };
    save(&state, &caller, &id, request).await
}

pub(super) async fn save(
    state: &HttpState,
    caller: &model::Caller,
    id: &str,
    request: EditSkill,
) -> Result<Response, Problem> {
    let published = app::skills::edit(&state.cx, caller, skill_id(id)?, request).await?;
    let version = published.record.skill.version;
    Ok(written(version, axum::Json(PublishedView::from(published))))
}

/// Why.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteQuery {
    /// Why; kept in the audit log.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[param(max_length = 2000)]
    reason: Option<String>,
}

/// A skill that is gone.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeletedView {
    /// What happened, for a person.
    message: String,
    #[schema(format = Uuid)]
    skill_id: String,
    deleted: bool,
}

/// Ends a skill. Its content goes at once, or after the workspace's undelete window; the audit log keeps a note.
#[utoipa::path(delete, path = "/api/v1/skills/{id}", operation_id = "delete_skill", tag = "skills",
    params(("id" = uuid::Uuid, Path), DeleteQuery),
    responses((status = 200, body = DeletedView), (status = 204, description = "With `Prefer: return=minimal`"), Problems))]
pub(crate) async fn delete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<DeleteQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = skill_id(&id)?;
    let version = wanted_version(&headers)?;
    let record = app::skills::delete(&state.cx, &caller, id, query.reason.as_deref(), version).await?;
    if headers.get("prefer").is_some_and(|prefer| prefer.as_bytes() == b"return=minimal") {
        return Ok(axum::http::StatusCode::NO_CONTENT.into_response());
    }
    let message = format!("Skill '{}' has been deleted.", record.skill.name);
    Ok(axum::Json(DeletedView { message, skill_id: id.to_string(), deleted: true }).into_response())
}

/// Brings a deleted skill back, while the workspace's undelete window is open.
#[utoipa::path(post, path = "/api/v1/skills/{id}/undelete", operation_id = "undelete_skill", tag = "skills",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = SkillView), Problems))]
pub(crate) async fn undelete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<SkillView>, Problem> {
    Ok(axum::Json(app::skills::undelete(&state.cx, &caller, skill_id(&id)?).await?.into()))
}

/// A revision's files as a zip archive with one folder, byte for byte as they came in.
#[utoipa::path(get, path = "/api/v1/skills/{id}/bundle", operation_id = "export_skill", tag = "skills",
    params(("id" = uuid::Uuid, Path), RevisionQuery),
    responses((status = 200, body = Bytes, content_type = "application/zip"), Problems))]
pub(crate) async fn export(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<RevisionQuery>,
) -> Result<Response, Problem> {
    let (name, archive) =
        app::skills::export_archive(&state.cx, &caller, skill_id(&id)?, query.read()?).await?;
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}.zip\"")),
    ];
    Ok((headers, archive).into_response())
}

/// Why, and as what.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SaveQuery {
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[param(max_length = 2000)]
    pub(super) message: String,
    /// A semantic version for the new revision.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[param(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    pub(super) label: Option<String>,
}

/// Replaces all files of a skill with those of a zip archive.
#[utoipa::path(put, path = "/api/v1/skills/{id}/bundle", operation_id = "replace_bundle", tag = "skills",
    params(("id" = uuid::Uuid, Path), SaveQuery),
    request_body(content = Bytes, content_type = "application/zip"),
    responses((status = 200, body = PublishedView), Problems))]
pub(crate) async fn replace_bundle(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<SaveQuery>,
    headers: HeaderMap,
    Body(archive): Body,
) -> Result<Response, Problem> {
    check_zip(&headers)?;
    let (_, bundle) = app::skills::bundle_from_archive(&state.cx, &archive)?;
    let request = EditSkill {
        message: query.message,
        label: query.label.as_deref().map(label).transpose()?,
        if_version: wanted_version(&headers)?,
        ..EditSkill::new(Edit::Replace(bundle))
    };
    save(&state, &caller, &id, request).await
}
