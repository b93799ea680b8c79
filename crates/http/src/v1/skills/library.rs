//! Listing, finding and putting in.

use app::skills::{BulkMode, CreateSkill, Idempotency, ImportArchive, ListSkills, Outcome, Published};
use app::{Cursor, Facet, PageRequest, SkillOrder};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Digest, Origin, ScopeKind, Status, slugify};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::super::names;
use super::super::views::{
    BulkView, Bytes, ImportView, ListView, PageView, PublishedView, SkillView, TagView, ValidationView,
};
use super::requests::{CreateSkillRequest, OnConflictWord, OriginWord, label};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::written;
use crate::extract::{Body, Json, Query};
use crate::problem::{FindingView, Problem, Problems};
use crate::server::HttpState;

/// Which skills, in which order.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
#[allow(clippy::struct_excessive_bools)] // each is a parameter of its own
pub(crate) struct ListSkillsQuery {
    /// Words that must all occur in name, title, description or tags.
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[param(max_length = 200)]
    q: Option<String>,
    /// A tag.
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[param(max_length = 200)]
    tag: Option<String>,
    /// A status.
    #[param(pattern = "^(draft|pending_approval|active|rejected|archived)$")]
    status: Option<String>,
    /// The switch.
    enabled: Option<bool>,
    /// An origin.
    #[param(pattern = "^(user|agent|learned|admin|connector|static|provider|imported)$")]
    origin: Option<String>,
    /// A rung of the ladder.
    #[param(pattern = "^(workspace|agent|user|agent_user)$")]
    scope: Option<String>,
    /// The agent that owns it, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// The user who owns it, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// A facet it must have.
    #[param(pattern = "^(instructions|procedure|policy)$")]
    facet: Option<String>,
    /// Its exact name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    name: Option<String>,
    /// Only what waits for a decision.
    #[serde(default)]
    waiting: bool,
    /// Only what was deleted and can be brought back.
    #[serde(default)]
    deleted: bool,
    /// Only what the caller would get by name: usable, and the nearest of its name.
    #[serde(default)]
    nearest: bool,
    /// `name` (the default), `updated` or `created`.
    #[param(pattern = "^(name|updated|created)$")]
    sort: Option<String>,
    /// Whether to count all pages.
    #[serde(default)]
    count: bool,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

fn facet(word: &str) -> Result<Facet, Problem> {
    match word {
        "instructions" => Ok(Facet::Instructions),
        "procedure" => Ok(Facet::Procedure),
        "policy" => Ok(Facet::Policy),
        _ => Err(Problem::bad_request("a facet is instructions, procedure or policy")),
    }
}

fn order(word: Option<&str>) -> Result<SkillOrder, Problem> {
    match word {
        None | Some("name") => Ok(SkillOrder::Name),
        Some("updated") => Ok(SkillOrder::Updated),
        Some("created") => Ok(SkillOrder::Created),
        Some(_) => Err(Problem::bad_request("sort is name, updated or created")),
    }
}

pub(crate) fn word<T>(
    text: Option<&str>,
    parse: fn(&str) -> Result<T, model::UnknownWord>,
) -> Result<Option<T>, Problem> {
    text.map(parse).transpose().map_err(|error| Problem::bad_request(error.to_string()))
}

/// Lists the skills the caller can see.
#[utoipa::path(get, path = "/api/v1/skills", operation_id = "list_skills", tag = "skills", params(ListSkillsQuery),
    responses((status = 200, body = PageView<SkillView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListSkillsQuery>,
) -> Result<axum::Json<PageView<SkillView>>, Problem> {
    let agent = names::optional_agent(&state.cx, &caller, query.agent.as_deref()).await?;
    let user = names::optional_user(&state.cx, &caller, query.user.as_deref()).await?;
    let name = match query.name.as_deref() {
        // A name that no skill can have finds none.
        Some(text) => match slugify(text) {
            Some(name) => Some(name),
            None => return Ok(axum::Json(PageView { items: Vec::new(), next_cursor: None, total: None })),
        },
        None => None,
    };
    let request = ListSkills {
        words: query.q.unwrap_or_default(),
        tag: query.tag,
        status: word(query.status.as_deref(), Status::parse)?,
        enabled: query.enabled,
        origin: word(query.origin.as_deref(), Origin::parse)?,
        scope: word(query.scope.as_deref(), ScopeKind::parse)?,
        agent,
        user,
        facet: query.facet.as_deref().map(facet).transpose()?,
        name,
        waiting: query.waiting,
        deleted: query.deleted,
        nearest: query.nearest,
        or_disabled: false,
        order: order(query.sort.as_deref())?,
        count: query.count,
        page: PageRequest {
            limit: query.limit.unwrap_or(PageRequest::DEFAULT),
            after: query.cursor.map(Cursor),
        },
    };
    let (page, total) = app::skills::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, total, SkillView::from)))
}

/// Which skill.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResolveQuery {
    /// Its name; `Revenue_Growth` finds `revenue-growth`.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    name: String,
}

/// Finds the skill a name means to the caller: the nearest usable one.
#[utoipa::path(get, path = "/api/v1/skills/resolve", operation_id = "resolve_skill", tag = "skills",
    params(ResolveQuery), responses((status = 200, body = SkillView), Problems))]
pub(crate) async fn resolve(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ResolveQuery>,
) -> Result<axum::Json<SkillView>, Problem> {
    Ok(axum::Json(app::skills::resolve(&state.cx, &caller, &query.name).await?.into()))
}

/// Lists the tags of the skills the caller can see.
#[utoipa::path(get, path = "/api/v1/tags", operation_id = "list_tags", tag = "skills",
    responses((status = 200, body = ListView<TagView>), Problems))]
pub(crate) async fn list_tags(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<ListView<TagView>>, Problem> {
    let tags = app::skills::tags(&state.cx, &caller).await?;
    Ok(axum::Json(ListView { items: tags.into_iter().map(|(tag, count)| TagView { tag, count }).collect() }))
}

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
    request: axum::extract::Request,
) -> Result<Response, Problem> {
    // The key speaks of the bytes as they were sent, so they are read first and parsed after.
    let (parts, body) = request.into_parts();
    let Body(bytes) = read_body(&state, body).await?;
    let key = idempotency(&headers, &bytes)?;
    let request = axum::extract::Request::from_parts(parts, axum::body::Body::from(bytes));
    let Json(request) =
        <Json<CreateSkillRequest> as axum::extract::FromRequest<_>>::from_request(request, &state).await?;
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

/// An archive must say that it is one, so that a form or a stray JSON body is not taken for it.
pub(super) fn check_zip(headers: &HeaderMap) -> Result<(), Problem> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    match kind.split(';').next().map(str::trim) {
        Some("application/zip" | "application/x-zip-compressed" | "application/octet-stream") => Ok(()),
        _ => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "unsupported_media_type",
            "send the archive with `Content-Type: application/zip`",
        )),
    }
}

/// Examines a zip archive with one skill; nothing is stored.
#[utoipa::path(post, path = "/api/v1/skills/validate", operation_id = "validate_skill", tag = "skills",
    request_body(content = Bytes, content_type = "application/zip"),
    responses((status = 200, body = ValidationView), Problems))]
pub(crate) async fn validate(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    headers: HeaderMap,
    Body(archive): Body,
) -> Result<axum::Json<ValidationView>, Problem> {
    check_zip(&headers)?;
    let (folder, bundle) = app::skills::bundle_from_archive(&state.cx, &archive)?;
    let examination = app::skills::validate(&state.cx, &caller, &bundle, folder.as_deref())?;
    Ok(axum::Json(examination.into()))
}
