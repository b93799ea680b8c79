//! Governed runs.

use app::governance::{ListGovernedRuns, RunRef, Start, Step};
use app::{Cursor, PageRequest};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use model::GovernedRunId;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::{ask, call};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;
use crate::v1::names::{self, missing};
use crate::v1::views::{GovernedRunDetailView, GovernedRunView, JudgedView, PageView, StartedView};

ask_request!(
    /// How to begin a governed run.
    #[schema(example = json!({"task": "please review this code", "host": "my-agent", "session": "s-1"}))]
    StartRequest {
        /// The program that runs it.
        #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
        #[schema(min_length = 1, max_length = 64)]
        host: Option<String>,
        /// What that program calls the session. A new run of a session ends the one before it.
        #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
        #[schema(min_length = 1, max_length = 200)]
        session: Option<String>,
    }
);

/// Begins a governed run, in which steps and time are counted against the limits of active policies.
#[utoipa::path(post, path = "/api/v1/governance/runs", operation_id = "start_governed_run", tag = "governance",
    request_body = StartRequest, responses((status = 201, body = StartedView), Problems))]
pub(crate) async fn start(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<StartRequest>,
) -> Result<impl IntoResponse, Problem> {
    let mut ask = ask(&state, &caller, request.ask()).await?;
    ask.host = request.host;
    let start = Start { ask, session: request.session };
    let started = app::governance::start(&state.cx, &caller, start).await?;
    let location = format!("/api/v1/governance/runs/{}", started.run.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], axum::Json(StartedView::from(started))))
}

/// A tool call of a governed run.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"tool": "file_writer", "arguments": {"path": "a.txt"}}))]
pub(crate) struct StepRequest {
    /// The tool.
    #[serde(deserialize_with = "within::<1, 256, _, _>")]
    #[schema(min_length = 1, max_length = 256, pattern = r"\S")]
    tool: String,
    /// Its arguments.
    #[serde(default)]
    #[schema(value_type = Object)]
    arguments: Map<String, Value>,
    /// What is known at this moment, over what was known when the run began.
    #[serde(default)]
    #[schema(value_type = Object)]
    context: Map<String, Value>,
    /// Your own id of the call; asked about twice, it is one step.
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    call_id: Option<String>,
}

/// Puts a tool call of a run to the policies. An allowed one is a step.
#[utoipa::path(post, path = "/api/v1/governance/runs/{id}/judge", operation_id = "judge_step", tag = "governance",
    params(("id" = uuid::Uuid, Path)), request_body = StepRequest,
    responses((status = 200, body = JudgedView), Problems))]
pub(crate) async fn judge_step(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<StepRequest>,
) -> Result<axum::Json<JudgedView>, Problem> {
    let run = RunRef::Id(run_id(&id)?);
    let step =
        Step { call: call(request.tool, request.arguments), context: request.context, id: request.call_id };
    Ok(axum::Json(app::governance::step(&state.cx, &caller, run, step).await?.into()))
}

/// How a run ended.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct FinishRequest {
    /// In a word, such as `done`.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100)]
    outcome: Option<String>,
}

/// Ends a governed run. One that is over stays as it is.
#[utoipa::path(post, path = "/api/v1/governance/runs/{id}/finish", operation_id = "finish_governed_run",
    tag = "governance", params(("id" = uuid::Uuid, Path)), request_body = Option<FinishRequest>,
    responses((status = 200, body = GovernedRunView), Problems))]
pub(crate) async fn finish(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    OptionalJson(request): OptionalJson<FinishRequest>,
) -> Result<axum::Json<GovernedRunView>, Problem> {
    let run = RunRef::Id(run_id(&id)?);
    let runs = app::governance::finish(&state.cx, &caller, run, request.outcome).await?;
    let run = runs.into_iter().next().ok_or_else(|| missing("governed run", &id))?;
    Ok(axum::Json(run.into()))
}

pub(super) fn run_id(text: &str) -> Result<GovernedRunId, Problem> {
    GovernedRunId::parse(text).map_err(|_| missing("governed run", text))
}

/// Which governed runs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListGovernedRunsQuery {
    /// For this user, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Through this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// Of this program.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    host: Option<String>,
    /// Whether they go on.
    open: Option<bool>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists governed runs, newest first: one's own; for admins and policy admins all of the workspace.
#[utoipa::path(get, path = "/api/v1/governance/runs", operation_id = "list_governed_runs", tag = "governance",
    params(ListGovernedRunsQuery), responses((status = 200, body = PageView<GovernedRunView>), Problems))]
pub(crate) async fn list_runs(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListGovernedRunsQuery>,
) -> Result<axum::Json<PageView<GovernedRunView>>, Problem> {
    let user = names::optional_user(&state.cx, &caller, query.user.as_deref()).await?;
    let agent = names::optional_agent(&state.cx, &caller, query.agent.as_deref()).await?;
    let limit = query.limit.unwrap_or(PageRequest::DEFAULT);
    let page = PageRequest { limit, after: query.cursor.map(Cursor) };
    let request = ListGovernedRuns { user, agent, host: query.host, open: query.open, page };
    let page = app::governance::list_runs(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, GovernedRunView::from)))
}

/// Reads a governed run, with what holds in it now.
#[utoipa::path(get, path = "/api/v1/governance/runs/{id}", operation_id = "get_governed_run", tag = "governance",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = GovernedRunDetailView), Problems))]
pub(crate) async fn read_run(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<GovernedRunDetailView>, Problem> {
    Ok(axum::Json(app::governance::read_run(&state.cx, &caller, run_id(&id)?).await?.into()))
}
