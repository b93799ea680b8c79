//! Putting in, and examining without putting in.

use app::skills::{BulkMode, CreateSkill, Idempotency, ImportArchive, Outcome, Published};
use axum::extract::{FromRequest as _, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Digest, Origin};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::super::names;
use super::super::views::{BulkView, Bytes, ImportView, PublishedView, ValidationView};
use super::requests::{CreateSkillRequest, FileRequest, OnConflictWord, OriginWord, bundle_of, label};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::written;
use crate::extract::{Body, Json, Query, is_json};
use crate::problem::{FindingView, Problem, Problems};
use crate::server::HttpState;

const IDEMPOTENCY_KEY: &str = "idempotency-key";

fn idempotency(headers: &HeaderMap, body: &[u8]) -> Result<Option<Idempotency>, Problem> {
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = value.to_str().map_err(|_| Problem::bad_request("an idempotency key is ASCII text"))?;
    Ok(Some(Idempotency { key: key.to_owned(), fingerprint: Digest::of(body) }))
}

fn published(answer: Published) -> Response {
    let status = if answer.outcome == Outcome::Created { StatusCode::CREATED } else { StatusCode::OK };
    let (version, replayed) = (answer.record.skill.version, answer.replayed);
    let mut response = written(version, (status, axum::Json(PublishedView::from(answer))));
    if replayed {
        let headers = response.headers_mut();
        headers.insert(HeaderName::from_static("idempotent-replay"), HeaderValue::from_static("true"));
    }
    response
}

/// Puts a skill in.
#[utoipa::path(post, path = "/api/v1/skills", operation_id = "create_skill", tag = "skills",
    params(("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$")),
    request_body = CreateSkillRequest,
    responses((status = 201, body = PublishedView), (status = 200, body = PublishedView), Problems))]
pub(crate) async fn create(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    headers: HeaderMap,
    request: Request,
) -> Result<Response, Problem> {
    // The key speaks of the bytes as they were sent, so they are read first and parsed after.
    let (parts, body) = request.into_parts();
    let Body(bytes) = read_body(&state, body).await?;
    let key = idempotency(&headers, &bytes)?;
    let request = Request::from_parts(parts, axum::body::Body::from(bytes));
    let Json(request) = Json::<CreateSkillRequest>::from_request(request, &state).await?;
    let request: CreateSkill = request.read(&state.cx, &caller).await?;
    Ok(published(app::skills::create(&state.cx, &caller, request, key).await?))
}

async fn read_body(state: &HttpState, body: axum::body::Body) -> Result<Body, Problem> {
    axum::body::to_bytes(body, state.config.max_body_bytes).await.map(Body).map_err(|_| {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is larger than this server reads")
    })
}

/// What happens to the others when one fails.
#[derive(Deserialize, ToSchema, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BulkModeWord {
    /// All go in, or none.
    #[default]
    Atomic,
    /// Those that can go in do; the rest are explained.
    Each,
}

impl From<BulkModeWord> for BulkMode {
    fn from(word: BulkModeWord) -> Self {
        match word {
            BulkModeWord::Atomic => Self::Atomic,
            BulkModeWord::Each => Self::Each,
        }
    }
}

/// Many skills to put in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BulkRequest {
    #[serde(default)]
    mode: BulkModeWord,
    #[serde(deserialize_with = "within::<1, 1000, _, _>")]
    #[schema(min_items = 1, max_items = 1000, value_type = Vec<CreateSkillRequest>)]
    items: Vec<serde_json::Value>,
}

/// Puts many skills in, in one transaction.
#[utoipa::path(post, path = "/api/v1/skills/bulk", operation_id = "bulk_upsert", tag = "skills",
    request_body = BulkRequest,
    responses(Problems, (status = 200, body = BulkView), (status = 422, description = "An atomic request of which an item failed; nothing was written", content((BulkView = "application/json"), (Problem = "application/problem+json")))))]
pub(crate) async fn bulk(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<BulkRequest>,
) -> Result<Response, Problem> {
    let mode = request.mode.into();
    let mut items = Vec::with_capacity(request.items.len());
    for item in request.items {
        // Each on its own: one that cannot be read is that item's problem, not everyone's.
        let item = serde_json::from_value::<CreateSkillRequest>(item)
            .map_err(|error| Problem::bad_request(error.to_string()));
        let item = match item {
            Ok(item) => item.read(&state.cx, &caller).await,
            Err(problem) => Err(problem),
        };
        items.push(match item {
            Ok(item) => Ok(item),
            Err(problem) => Err(problem.into_item()?),
        });
    }
    let bulk = app::skills::bulk(&state.cx, &caller, mode, items).await?;
    let failed = bulk.results.iter().any(Result::is_err);
    let status =
        if mode == BulkMode::Atomic && failed { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let view =
        BulkView { committed: bulk.committed, results: bulk.results.into_iter().map(Into::into).collect() };
    Ok((status, axum::Json(view)).into_response())
}

/// How to import what an archive holds.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ImportQuery {
    /// What the archive is called; a second import under the same name finds its skills again.
    #[serde(default, deserialize_with = "within::<1, 500, _, _>")]
    #[param(min_length = 1, max_length = 500)]
    source: Option<String>,
    /// `workspace`, `agent`, `user` or `agent_user`.
    #[param(pattern = "^(workspace|agent|user|agent_user)$")]
    scope: Option<String>,
    /// The agent that owns them, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// The user who owns them, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Where they come from.
    #[param(inline)]
    origin: Option<OriginWord>,
    /// What to do when a name is taken.
    #[serde(default)]
    #[param(inline)]
    on_conflict: OnConflictWord,
    /// What happens to the others when one fails.
    #[serde(default)]
    #[param(inline)]
    mode: BulkModeWord,
    /// A semantic version for each revision.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[param(
        max_length = 64,
        pattern = "^(0|[1-9][0-9]*)[.](0|[1-9][0-9]*)[.](0|[1-9][0-9]*)(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?$"
    )]
    label: Option<String>,
    /// Why.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[param(max_length = 2000)]
    message: String,
}

/// Puts every skill of a zip archive in.
#[utoipa::path(post, path = "/api/v1/skills/import", operation_id = "import_skills", tag = "skills",
    params(ImportQuery),
    request_body(content = Bytes, content_type = "application/zip"),
    responses(Problems, (status = 200, body = ImportView), (status = 422, description = "Not an archive of skills, or an atomic import of which one failed; nothing was written", content((ImportView = "application/json"), (Problem = "application/problem+json")))))]
pub(crate) async fn import(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ImportQuery>,
    headers: HeaderMap,
    Body(archive): Body,
) -> Result<Response, Problem> {
    check_zip(&headers)?;
    let scope = names::scope(
        &state.cx,
        &caller,
        query.scope.as_deref(),
        query.agent.as_deref(),
        query.user.as_deref(),
    )
    .await?;
    let mode = query.mode.into();
    let request = ImportArchive {
        archive: Vec::from(archive),
        source: query.source,
        scope,
        origin: query.origin.map(Origin::from),
        on_conflict: query.on_conflict.into(),
        mode,
        label: query.label.as_deref().map(label).transpose()?,
        message: query.message,
    };
    let imported = app::skills::import_archive(&state.cx, &caller, request).await?;
    let failed = imported.bulk.results.iter().any(Result::is_err);
    let status =
        if mode == BulkMode::Atomic && failed { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::OK };
    let view = ImportView {
        committed: imported.bulk.committed,
        folders: imported.folders,
        results: imported.bulk.results.into_iter().map(Into::into).collect(),
        findings: imported.findings.iter().map(FindingView::from).collect(),
    };
    Ok((status, axum::Json(view)).into_response())
}

fn is_zip(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kinds = ["application/zip", "application/x-zip-compressed", "application/octet-stream"];
    kind.split(';').next().is_some_and(|kind| kinds.contains(&kind.trim()))
}

fn unsupported(hint: &str) -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", hint)
}

/// An archive must say that it is one, so that a form or a stray JSON body is not taken for it.
pub(super) fn check_zip(headers: &HeaderMap) -> Result<(), Problem> {
    if is_zip(headers) {
        return Ok(());
    }
    Err(unsupported("send the archive with `Content-Type: application/zip`"))
}

/// A skill to examine.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"files": [{"path": "SKILL.md", "content": "---\nname: notes\n---\n"}], "folder": "notes"}))]
pub(crate) struct ValidateSkillRequest {
    /// Its files, with a `SKILL.md` among them.
    #[serde(deserialize_with = "within::<1, 2000, _, _>")]
    #[schema(min_items = 1, max_items = 2000)]
    files: Vec<FileRequest>,
    /// The name of the folder the files stand in.
    #[serde(default, deserialize_with = "within::<0, 255, _, _>")]
    #[schema(max_length = 255)]
    folder: Option<String>,
}

/// Examines one skill, in a zip archive or as files; nothing is stored.
#[utoipa::path(post, path = "/api/v1/skills/validate", operation_id = "validate_skill", tag = "skills",
    request_body(content((Bytes = "application/zip"), (ValidateSkillRequest = "application/json"))),
    responses((status = 200, body = ValidationView), Problems))]
pub(crate) async fn validate(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    headers: HeaderMap,
    request: Request,
) -> Result<axum::Json<ValidationView>, Problem> {
    let (folder, bundle) = if is_json(&headers) {
        let Json(request) = Json::<ValidateSkillRequest>::from_request(request, &state).await?;
        (request.folder, bundle_of(request.files)?)
    } else if is_zip(&headers) {
        let Body(archive) = Body::from_request(request, &state).await?;
        app::skills::bundle_from_archive(&state.cx, &archive)?
    } else {
        return Err(unsupported("send an archive as `application/zip`, or files as `application/json`"));
    };
    let examination = app::skills::validate(&state.cx, &caller, &bundle, folder.as_deref())?;
    Ok(axum::Json(examination.into()))
}
