//! The files of a skill.

use app::Changes;
use app::skills::{Edit, EditSkill};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::BundleFile;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::names::skill_id;
use super::super::views::{Bytes, FileView, ListView, PublishedView};
use super::content::{RevisionQuery, save};
use super::requests::{bundle_path, label};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::wanted_version;
use crate::extract::{Body, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Lists the files of a revision.
#[utoipa::path(get, path = "/api/v1/skills/{id}/files", operation_id = "list_files", tag = "skills",
    params(("id" = uuid::Uuid, Path), RevisionQuery),
    responses((status = 200, body = ListView<FileView>), Problems))]
pub(crate) async fn list_files(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<RevisionQuery>,
) -> Result<axum::Json<ListView<FileView>>, Problem> {
    let detail = app::skills::revision(&state.cx, &caller, skill_id(&id)?, query.read()?).await?;
    Ok(axum::Json(ListView { items: FileView::all(&detail.files, &detail.manifest.file_descriptions) }))
}

/// A file's bytes. They are given as a download that no browser runs.
#[utoipa::path(get, path = "/api/v1/skills/{id}/files/{path}", operation_id = "read_file", tag = "skills",
    params(("id" = uuid::Uuid, Path), ("path" = String, Path, description = "Slashes may stand as they are"), RevisionQuery),
    responses((status = 200, body = Bytes, content_type = "application/octet-stream"), Problems))]
pub(crate) async fn read_file(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, path)): Path<(String, String)>,
    Query(query): Query<RevisionQuery>,
) -> Result<Response, Problem> {
    let (entry, bytes) = app::skills::file(&state.cx, &caller, skill_id(&id)?, query.read()?, &path).await?;
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_static("attachment"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers
        .insert("repertoire-media-type", HeaderValue::from_static(model::media_type(entry.path.file_name())));
    if let Ok(digest) = HeaderValue::from_str(&entry.digest.to_string()) {
        headers.insert("repertoire-digest", digest);
    }
    Ok(response)
}

/// How to put a file.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PutFileQuery {
    /// Whether it may be executed.
    #[serde(default)]
    executable: bool,
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[param(max_length = 2000)]
    message: String,
    /// A semantic version for the new revision.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[param(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    label: Option<String>,
}

/// Puts a file into a skill: a new revision.
#[utoipa::path(put, path = "/api/v1/skills/{id}/files/{path}", operation_id = "put_file", tag = "skills",
    params(("id" = uuid::Uuid, Path), ("path" = String, Path, description = "Slashes may stand as they are"), PutFileQuery),
    request_body(content = Bytes, content_type = "application/octet-stream"),
    responses((status = 200, body = PublishedView), Problems))]
pub(crate) async fn put_file(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, path)): Path<(String, String)>,
    Query(query): Query<PutFileQuery>,
    headers: HeaderMap,
    Body(content): Body,
) -> Result<Response, Problem> {
    let file = BundleFile { content: content.to_vec().into(), executable: query.executable };
    let changes = Changes { files: [(bundle_path(&path)?, Some(file))].into(), ..Changes::default() };
    let request = EditSkill {
        message: query.message,
        label: query.label.as_deref().map(label).transpose()?,
        if_version: wanted_version(&headers)?,
        ..EditSkill::new(Edit::Changes(Box::new(changes)))
    };
    save(&state, &caller, &id, request).await
}

/// How to remove a file.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeleteFileQuery {
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[param(max_length = 2000)]
    message: String,
}

/// Removes a file from a skill: a new revision.
#[utoipa::path(delete, path = "/api/v1/skills/{id}/files/{path}", operation_id = "delete_file", tag = "skills",
    params(("id" = uuid::Uuid, Path), ("path" = String, Path, description = "Slashes may stand as they are"), DeleteFileQuery),
    responses((status = 200, body = PublishedView), Problems))]
pub(crate) async fn delete_file(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, path)): Path<(String, String)>,
    Query(query): Query<DeleteFileQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let changes = Changes { files: [(bundle_path(&path)?, None)].into(), ..Changes::default() };
    let request = EditSkill {
        message: query.message,
        if_version: wanted_version(&headers)?,
        ..EditSkill::new(Edit::Changes(Box::new(changes)))
    };
    save(&state, &caller, &id, request).await
}
