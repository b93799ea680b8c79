//! Sessions: what agents did, with messages, tool calls, artifacts, tasks and outcome.

use app::sessions::{ListSessions, Start};
use app::{Cursor, PageRequest};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{EntryKind, SessionEntry, SessionId, SessionOutcome, Speaker, Timestamp};
use serde::Deserialize;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::names::{self, missing, moment};
use super::views::{PageView, SessionDetailView, SessionEntryView, SessionView, TodosView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::{shown, wanted_version, written};
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

fn session_id(text: &str) -> Result<SessionId, Problem> {
    SessionId::parse(text).map_err(|_| missing("session", text))
}

/// How a session ended.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeWord {
    Succeeded,
    Failed,
    Abandoned,
}

impl From<OutcomeWord> for SessionOutcome {
    fn from(word: OutcomeWord) -> Self {
        match word {
            OutcomeWord::Succeeded => Self::Succeeded,
            OutcomeWord::Failed => Self::Failed,
            OutcomeWord::Abandoned => Self::Abandoned,
        }
    }
}

/// How a session begins.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"title": "Release 1.2", "source": "claude-code"}))]
pub(crate) struct StartSessionRequest {
    /// What it is called; else the beginning of the first message of its user.
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_length = 200, pattern = r"^[^\x00]*$")]
    title: Option<String>,
    /// Your own name for it, such as the id of a conversation. Where a session of yours goes on under it, that is the one.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = r"^[^\x00]+$")]
    key: Option<String>,
    /// The program it happens in.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = r"^[^\x00]+$")]
    source: Option<String>,
}

/// Begins a session; 200 with the one that goes on under the same key, where there is one.
#[utoipa::path(post, path = "/api/v1/sessions", operation_id = "start_session", tag = "sessions",
    request_body = Option<StartSessionRequest>,
    responses((status = 201, body = SessionDetailView), (status = 200, body = SessionDetailView), Problems))]
pub(crate) async fn start(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    OptionalJson(request): OptionalJson<StartSessionRequest>,
) -> Result<Response, Problem> {
    let start = Start { title: request.title, key: request.key, source: request.source };
    let begun = app::sessions::start(&state.cx, &caller, start).await?;
    let status = if begun.is_new { StatusCode::CREATED } else { StatusCode::OK };
    let location = format!("/api/v1/sessions/{}", begun.session.id);
    let (version, view) = (begun.session.version, SessionDetailView::from(begun.session));
    Ok(written(version, (status, [(header::LOCATION, location)], axum::Json(view))))
}

/// Which sessions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListSessionsQuery {
    /// For this user, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Through this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// With this name at their host.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[param(min_length = 1, max_length = 100)]
    key: Option<String>,
    /// That happened in this program.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[param(min_length = 1, max_length = 100)]
    source: Option<String>,
    /// Whether they go on.
    open: Option<bool>,
    /// That ended so.
    #[param(inline)]
    outcome: Option<OutcomeWord>,
    /// That began at this moment or later.
    #[param(format = DateTime)]
    since: Option<String>,
    /// That began before this moment.
    #[param(format = DateTime)]
    until: Option<String>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists sessions, newest first: one's own; for admins and reviewers all of the workspace.
#[utoipa::path(get, path = "/api/v1/sessions", operation_id = "list_sessions", tag = "sessions",
    params(ListSessionsQuery), responses((status = 200, body = PageView<SessionView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListSessionsQuery>,
) -> Result<axum::Json<PageView<SessionView>>, Problem> {
    let read = |text: Option<String>| text.as_deref().map(moment).transpose();
    let (since, until): (Option<Timestamp>, Option<Timestamp>) = (read(query.since)?, read(query.until)?);
    let limit = query.limit.unwrap_or(PageRequest::DEFAULT);
    let request = ListSessions {
        user: names::optional_user(&state.cx, &caller, query.user.as_deref()).await?,
        agent: names::optional_agent(&state.cx, &caller, query.agent.as_deref()).await?,
        key: query.key,
        source: query.source,
        open: query.open,
        outcome: query.outcome.map(SessionOutcome::from),
        since,
        until,
        page: PageRequest { limit, after: query.cursor.map(Cursor) },
    };
    let page = app::sessions::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, SessionView::from)))
}

/// Reads a session, with its tasks and skills.
#[utoipa::path(get, path = "/api/v1/sessions/{id}", operation_id = "get_session", tag = "sessions",
    params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = SessionDetailView), (status = 304), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let session = app::sessions::read(&state.cx, &caller, session_id(&id)?).await?;
    shown(&headers, session.version, &SessionDetailView::from(session))
}

/// What changes in a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangeSessionRequest {
    /// What it is called.
    #[serde(deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_length = 200, pattern = r"^[^\x00]*$")]
    title: String,
}

/// Gives a session another title; for whose it is.
#[utoipa::path(patch, path = "/api/v1/sessions/{id}", operation_id = "change_session", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), request_body = ChangeSessionRequest,
    responses((status = 200, body = SessionDetailView), Problems))]
pub(crate) async fn change(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(request): Json<ChangeSessionRequest>,
) -> Result<Response, Problem> {
    let version = wanted_version(&headers)?;
    let session = app::sessions::change(&state.cx, &caller, session_id(&id)?, request.title, version).await?;
    Ok(written(session.version, axum::Json(SessionDetailView::from(session))))
}

/// Removes a session with all that is in it; for whose it is, and for admins.
#[utoipa::path(delete, path = "/api/v1/sessions/{id}", operation_id = "delete_session", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), responses((status = 204), Problems))]
pub(crate) async fn delete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app::sessions::delete(&state.cx, &caller, session_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListEntriesQuery {
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists the entries of a session, in their order.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/entries", operation_id = "list_session_entries", tag = "sessions",
    params(("id" = uuid::Uuid, Path), ListEntriesQuery),
    responses((status = 200, body = PageView<SessionEntryView>), Problems))]
pub(crate) async fn entries(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<ListEntriesQuery>,
) -> Result<axum::Json<PageView<SessionEntryView>>, Problem> {
    let limit = query.limit.unwrap_or(PageRequest::DEFAULT);
    let request = PageRequest { limit, after: query.cursor.map(Cursor) };
    let page = app::sessions::entries(&state.cx, &caller, session_id(&id)?, request).await?;
    Ok(axum::Json(PageView::of(page, None, SessionEntryView::from)))
}

/// What an entry is.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EntryKindWord {
    Message,
    ToolCall,
    ToolResult,
    Artifact,
}

impl From<EntryKindWord> for EntryKind {
    fn from(word: EntryKindWord) -> Self {
        match word {
            EntryKindWord::Message => Self::Message,
            EntryKindWord::ToolCall => Self::ToolCall,
            EntryKindWord::ToolResult => Self::ToolResult,
            EntryKindWord::Artifact => Self::Artifact,
        }
    }
}

/// Who said something.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SpeakerWord {
    User,
    Assistant,
    System,
}

impl From<SpeakerWord> for Speaker {
    fn from(word: SpeakerWord) -> Self {
        match word {
            SpeakerWord::User => Self::User,
            SpeakerWord::Assistant => Self::Assistant,
            SpeakerWord::System => Self::System,
        }
    }
}

/// An entry to add. A message needs a `role`, a tool call a `tool`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionEntryRequest {
    kind: EntryKindWord,
    /// Who said it, where it is a message.
    role: Option<SpeakerWord>,
    /// The tool, where one was called.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = r"^[^\x00]+$")]
    tool: Option<String>,
    /// What ties a call to its result.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = r"^[^\x00]+$")]
    call_id: Option<String>,
    /// Its words. A text of more than 64 KiB is cut, with a mark.
    #[serde(default)]
    text: String,
    /// Arguments, a structured result, or an artifact's fields. A note stands in for more than 256 KiB, and values
    /// whose names are those of secrets are not kept.
    data: Option<Value>,
    /// Whether a tool failed.
    #[serde(default)]
    failed: bool,
}

impl SessionEntryRequest {
    /// The entry; its place and moment are given when it is added.
    fn read(self) -> SessionEntry {
        SessionEntry {
            number: 0,
            kind: self.kind.into(),
            speaker: self.role.map(Speaker::from),
            tool: self.tool,
            call: self.call_id,
            text: self.text,
            data: self.data,
            failed: self.failed,
            at: Timestamp::UNIX_EPOCH,
        }
    }
}

/// Entries to add at the end of a session.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"entries": [
    {"kind": "message", "role": "user", "text": "What is 2 + 2?"},
    {"kind": "tool_call", "tool": "execute", "call_id": "c1", "data": {"code": "2 + 2"}},
    {"kind": "tool_result", "tool": "execute", "call_id": "c1", "text": "4"},
]}))]
pub(crate) struct AddEntriesRequest {
    /// In their order.
    #[serde(deserialize_with = "within::<1, 1000, _, _>")]
    #[schema(min_items = 1, max_items = 1000)]
    entries: Vec<SessionEntryRequest>,
}

/// Adds entries at the end of a session; for whose it is. A completed session takes none.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/entries", operation_id = "add_session_entries", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), request_body = AddEntriesRequest,
    responses((status = 200, body = SessionDetailView), Problems))]
pub(crate) async fn add(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<AddEntriesRequest>,
) -> Result<Response, Problem> {
    let entries = request.entries.into_iter().map(SessionEntryRequest::read).collect();
    let session = app::sessions::add(&state.cx, &caller, session_id(&id)?, entries).await?;
    Ok(written(session.version, axum::Json(SessionDetailView::from(session))))
}

/// Reads the tasks of a session.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/todos", operation_id = "get_todos", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = TodosView), Problems))]
pub(crate) async fn todos(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<TodosView>, Problem> {
    let session = app::sessions::read(&state.cx, &caller, session_id(&id)?).await?;
    Ok(axum::Json(session.todos.into()))
}

/// Replaces the tasks of a session; for whose it is.
#[utoipa::path(put, path = "/api/v1/sessions/{id}/todos", operation_id = "write_todos", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), request_body = TodosView,
    responses((status = 200, body = TodosView), Problems))]
pub(crate) async fn write_todos(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<TodosView>,
) -> Result<axum::Json<TodosView>, Problem> {
    let todos = request.todos.into_iter().map(|todo| todo.read().into()).collect();
    let session = app::sessions::write_todos(&state.cx, &caller, session_id(&id)?, todos).await?;
    Ok(axum::Json(session.todos.into()))
}

/// How a session ended.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"outcome": "succeeded", "reason": "the tests pass"}))]
pub(crate) struct CompleteSessionRequest {
    outcome: OutcomeWord,
    /// Why it counts as that.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000, pattern = r"^[^\x00]*$")]
    reason: Option<String>,
}

/// Ends a session; for whose it is. One that ended with the same outcome stays as it is.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/complete", operation_id = "complete_session", tag = "sessions",
    params(("id" = uuid::Uuid, Path)), request_body = CompleteSessionRequest,
    responses((status = 200, body = SessionDetailView), Problems))]
pub(crate) async fn complete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<CompleteSessionRequest>,
) -> Result<Response, Problem> {
    let (outcome, reason) = (request.outcome.into(), request.reason);
    let session = app::sessions::complete(&state.cx, &caller, session_id(&id)?, outcome, reason).await?;
    Ok(written(session.version, axum::Json(SessionDetailView::from(session)).into_response()))
}
