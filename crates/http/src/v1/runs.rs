//! Running skills, and what is remembered of it.

use app::live::{Audience, Live};
use app::runs::{Contents, InputFile, ListRuns, RunSkill};
use app::{Cursor, PageRequest};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Caller, RevisionNumber, RunId, RunStatus};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::names::{self, missing, moment, skill_id};
use super::views::{
    DeterminismView, PageView, RanView, RunLimitsView, RunView, SandboxView, SkillStatisticsView,
};
use crate::auth::Auth;
use crate::bounds::within;
use crate::code::session_id;
use crate::event_stream;
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::{Problem, Problems, SandboxProblems};
use crate::server::HttpState;

/// A file to put into the work folder.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputFileRequest {
    /// Where, relative to `/mnt/data`.
    #[serde(deserialize_with = "within::<1, 1000, _, _>")]
    #[schema(min_length = 1, max_length = 1000)]
    path: String,
    /// Its bytes.
    #[schema(content_encoding = "base64")]
    content_base64: String,
}

impl InputFileRequest {
    fn read(self) -> Result<InputFile, Problem> {
        let content = STANDARD
            .decode(self.content_base64.as_bytes())
            .map_err(|_| Problem::bad_request(format!("the bytes of `{}` are not base64", self.path)))?;
        Ok(InputFile { path: self.path, content })
    }
}

/// A request to run a skill, with what else it says.
macro_rules! run_request {
    ($(#[$meta:meta])* $name:ident { $($(#[$extra_meta:meta])* $extra:ident: $type:ty)? }) => {
        #[derive(Deserialize, ToSchema, Default)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name {
            $($(#[$extra_meta])* $extra: $type,)?
            /// Values by parameter name.
            #[serde(default)]
            #[schema(value_type = Object)]
            parameters: Map<String, Value>,
            /// The command line of a script that is run as a whole.
            #[serde(default, deserialize_with = "within::<0, 1000, _, _>")]
            #[schema(max_items = 1000)]
            arguments: Vec<String>,
            /// Files that are put into the work folder first.
            #[serde(default, deserialize_with = "within::<0, 1000, _, _>")]
            #[schema(max_items = 1000)]
            files: Vec<InputFileRequest>,
            /// The code session whose work folder it uses; else a folder of its own.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[schema(format = Uuid)]
            session_id: Option<String>,
            /// Which revision; else the one the agent is pinned to, else the current one.
            #[schema(minimum = 1)]
            revision: Option<u32>,
            /// Bounds on what this run may use; they never widen what is allowed anyway.
            limits: Option<RunLimitsView>,
            /// Parameters whose values are not remembered.
            #[serde(default, deserialize_with = "within::<0, 1000, _, _>")]
            #[schema(max_items = 1000)]
            redact: Vec<String>,
            /// Whether the bytes of generated files are in the answer, up to 8 MiB in all; yes when left out.
            include_files: Option<bool>,
        }

        impl $name {
            fn read(self, state: &HttpState) -> Result<RunSkill, Problem> {
                let omitted = self.include_files == Some(false);
                Ok(RunSkill {
                    parameters: self.parameters,
                    arguments: self.arguments,
                    files: self.files.into_iter().map(InputFileRequest::read).collect::<Result<_, _>>()?,
                    session: self.session_id.map(|id| session_id(state, &id)).transpose()?,
                    revision: self.revision.map(revision).transpose()?,
                    limits: self.limits.map(RunLimitsView::read).transpose()?.unwrap_or_default(),
                    redact: self.redact,
                    contents: if omitted { Contents::Omitted } else { Contents::Inline },
                    audience: Audience::default(),
                })
            }
        }
    };
}

run_request!(
    /// How to run a skill.
    #[schema(example = json!({"parameters": {"principal": 1000, "rate": 0.05, "years": 10}}))]
    RunSkillRequest {}
);

run_request!(
    /// How to check whether a skill repeats.
    #[schema(example = json!({"times": 5, "parameters": {"principal": 1000, "rate": 0.05, "years": 10}}))]
    CheckRequest {
        /// How many times.
        #[schema(minimum = 2, maximum = 100)]
        times: u32
    }
);

fn revision(number: u32) -> Result<RevisionNumber, Problem> {
    RevisionNumber::new(number).ok_or_else(|| Problem::bad_request("revisions are numbered from 1"))
}

/// Runs a skill's procedure in the sandbox. Code that fails is a run as well, and answers 201.
///
/// With `Accept: text/event-stream` it is told as it goes on: `waiting` where it must wait, `started`, each `output` with
/// `stream` and `text`, and at the end `finished` with what is answered else, or `problem`.
#[utoipa::path(post, path = "/api/v1/skills/{id}/runs", operation_id = "run_skill", tag = "runs",
    params(("id" = uuid::Uuid, Path)), request_body = Option<RunSkillRequest>,
    responses((status = 201, body = RanView), (status = 200, content_type = "text/event-stream", body = String,
        description = "The events of the run"), Problems, SandboxProblems))]
pub(crate) async fn run(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    OptionalJson(request): OptionalJson<RunSkillRequest>,
) -> Result<Response, Problem> {
    let (id, request) = (skill_id(&id)?, request.read(&state)?);
    if event_stream::is_wanted(&headers) {
        let live = Live::new(|audience| async move {
            app::runs::execute(&state.cx, &caller, id, RunSkill { audience, ..request }).await
        });
        return event_stream::follow(live, RanView::from).await;
    }
    let ran = app::runs::execute(&state.cx, &caller, id, request).await?;
    let location = format!("/api/v1/runs/{}", ran.run.id);
    Ok((StatusCode::CREATED, [(header::LOCATION, location)], axum::Json(RanView::from(ran))).into_response())
}

/// Runs a skill several times with the same parameters and compares what it gives back. Each is a run like any other.
#[utoipa::path(post, path = "/api/v1/skills/{id}/runs/check", operation_id = "check_determinism", tag = "runs",
    params(("id" = uuid::Uuid, Path)), request_body = CheckRequest,
    responses((status = 200, body = DeterminismView), Problems, SandboxProblems))]
pub(crate) async fn check(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Json(request): Json<CheckRequest>,
) -> Result<axum::Json<DeterminismView>, Problem> {
    let times = request.times;
    let request = request.read(&state)?;
    let check = app::runs::check(&state.cx, &caller, skill_id(&id)?, request, times).await?;
    Ok(axum::Json(check.into()))
}

/// Which runs.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListRunsQuery {
    /// Of this skill, by id.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    skill_id: Option<String>,
    /// By this user, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user_id: Option<String>,
    /// Through this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent_id: Option<String>,
    /// `succeeded` or `failed`.
    #[param(pattern = "^(succeeded|failed)$")]
    status: Option<String>,
    /// The code of the error, such as `time_limit`.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    error_code: Option<String>,
    /// Begun at this moment or later.
    #[param(format = DateTime)]
    since: Option<String>,
    /// Begun before this moment.
    #[param(format = DateTime)]
    until: Option<String>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

impl ListRunsQuery {
    async fn read(self, state: &HttpState, caller: &Caller) -> Result<ListRuns, Problem> {
        let user = names::optional_user(&state.cx, caller, self.user_id.as_deref()).await?;
        let agent = names::optional_agent(&state.cx, caller, self.agent_id.as_deref()).await?;
        let status = self.status.as_deref().map(RunStatus::parse).transpose();
        Ok(ListRuns {
            skill: self.skill_id.as_deref().map(skill_id).transpose()?,
            user,
            agent,
            status: status.map_err(|error| Problem::bad_request(error.to_string()))?,
            error_code: self.error_code,
            since: self.since.as_deref().map(moment).transpose()?,
            until: self.until.as_deref().map(moment).transpose()?,
            page: PageRequest {
                limit: self.limit.unwrap_or(PageRequest::DEFAULT),
                after: self.cursor.map(Cursor),
            },
        })
    }
}

/// Lists runs, newest first: one's own; for admins and reviewers all of the workspace.
#[utoipa::path(get, path = "/api/v1/runs", operation_id = "list_runs", tag = "runs", params(ListRunsQuery),
    responses((status = 200, body = PageView<RunView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListRunsQuery>,
) -> Result<axum::Json<PageView<RunView>>, Problem> {
    let request = query.read(&state, &caller).await?;
    let page = app::runs::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, RunView::from)))
}

/// Lists the runs of a skill, newest first: one's own; for admins and reviewers all of them.
#[utoipa::path(get, path = "/api/v1/skills/{id}/runs", operation_id = "list_skill_runs", tag = "runs",
    params(("id" = uuid::Uuid, Path), ListRunsQuery),
    responses((status = 200, body = PageView<RunView>), Problems))]
pub(crate) async fn list_of_skill(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<ListRunsQuery>,
) -> Result<axum::Json<PageView<RunView>>, Problem> {
    let request = query.read(&state, &caller).await?;
    let page = app::runs::of_skill(&state.cx, &caller, skill_id(&id)?, request).await?;
    Ok(axum::Json(PageView::of(page, None, RunView::from)))
}

/// Reads what is remembered of a run.
#[utoipa::path(get, path = "/api/v1/runs/{id}", operation_id = "get_run", tag = "runs",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = RunView), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<RunView>, Problem> {
    let id = RunId::parse(&id).map_err(|_| missing("run", &id))?;
    Ok(axum::Json(app::runs::read(&state.cx, &caller, id).await?.into()))
}

/// Which runs to forget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneRequest {
    /// Those that began before this moment.
    #[schema(format = DateTime)]
    before: String,
}

/// How many runs were forgotten.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct PrunedView {
    pub(super) removed: u64,
}

/// Forgets old runs; for admins. Counters and the audit log keep what they say.
#[utoipa::path(post, path = "/api/v1/runs/prune", operation_id = "prune_runs", tag = "runs",
    request_body = PruneRequest, responses((status = 200, body = PrunedView), Problems))]
pub(crate) async fn prune(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<PruneRequest>,
) -> Result<axum::Json<PrunedView>, Problem> {
    let before = moment(&request.before)?;
    let removed = app::runs::prune(&state.cx, &caller, before).await?;
    Ok(axum::Json(PrunedView { removed }))
}

/// How a skill and each of its revisions do.
#[utoipa::path(get, path = "/api/v1/skills/{id}/statistics", operation_id = "skill_statistics", tag = "runs",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = SkillStatisticsView), Problems))]
pub(crate) async fn statistics(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<SkillStatisticsView>, Problem> {
    Ok(axum::Json(app::runs::statistics(&state.cx, &caller, skill_id(&id)?).await?.into()))
}

/// What the sandbox can do at this moment: protections, profiles, limits, and how busy it is.
#[utoipa::path(get, path = "/api/v1/sandbox", operation_id = "get_sandbox", tag = "runs",
    responses((status = 200, body = SandboxView), Problems))]
pub(crate) async fn sandbox(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<impl IntoResponse, Problem> {
    let status = app::runs::sandbox_status(&state.cx, &caller).await?;
    // It changes without a commit, so that it must not be given again.
    Ok(([(header::CACHE_CONTROL, "no-store")], axum::Json(SandboxView::from(status))))
}
