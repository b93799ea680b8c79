//! What agents may do while policies are in force.

use std::time::Duration;

use app::governance::{Ask, Call, Plan, Question, Usage};
use axum::extract::State;
use model::Caller;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use super::names;
use super::views::{ExplainedView, JudgedView, ListView, PlannedView, PolicyStateView, ResolvedView};
use crate::auth::Auth;
use crate::bounds::{at_most, within};
use crate::extract::{Json, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// A request with the task and what is known beside it, and more.
macro_rules! ask_request {
    ($(#[$meta:meta])* $name:ident { $($(#[$extra_meta:meta])* $extra:ident: $type:ty,)* }) => {
        #[derive(Deserialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        $(#[$meta])*
        pub(crate) struct $name {
            /// What the agent is to do, as it was asked.
            #[serde(default, deserialize_with = "within::<0, 200_000, _, _>")]
            #[schema(max_length = 200_000)]
            task: String,
            /// What the agent knows beside it: the values that policies look at. The key `caller` is the server's.
            #[serde(default)]
            #[schema(value_type = Object)]
            context: Map<String, Value>,
            /// The agent, by id or name, where the token names none.
            #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
            #[schema(min_length = 1, max_length = 64)]
            agent: Option<String>,
            $($(#[$extra_meta])* $extra: $type,)*
        }

        impl $name {
            fn ask(&mut self) -> (String, Map<String, Value>, Option<String>) {
                (std::mem::take(&mut self.task), std::mem::take(&mut self.context), self.agent.take())
            }
        }
    };
}

mod decisions;
mod drafts;
mod hooks;
mod runs;

pub(crate) use decisions::*;
pub(crate) use drafts::*;
pub(crate) use hooks::*;
pub(crate) use runs::*;

async fn ask(
    state: &HttpState,
    caller: &Caller,
    (task, context, agent): (String, Map<String, Value>, Option<String>),
) -> Result<Ask, Problem> {
    let agent = names::optional_agent(&state.cx, caller, agent.as_deref()).await?;
    Ok(Ask { task, context, agent, host: None })
}

/// What a run has used.
#[derive(Deserialize, ToSchema, Default, Clone, Copy)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct UsageRequest {
    /// The steps already taken.
    steps: u32,
    /// The milliseconds since the run began.
    #[serde(deserialize_with = "at_most::<1_000_000_000_000, _>")]
    #[schema(maximum = 1_000_000_000_000_u64)]
    elapsed_ms: u64,
}

impl From<UsageRequest> for Usage {
    fn from(usage: UsageRequest) -> Self {
        Self { steps: usage.steps, elapsed: Duration::from_millis(usage.elapsed_ms) }
    }
}

ask_request!(
    /// A task and what is known beside it.
    #[schema(example = json!({"task": "please review this code", "context": {"user_role": "developer"}}))]
    ResolveRequest {}
);

ask_request!(
    /// A tool call outside of a governed run.
    #[schema(example = json!({"task": "please review this code", "tool": "file_writer", "arguments": {"path": "a.txt"}}))]
    JudgeRequest {
        /// The tool.
        #[serde(deserialize_with = "within::<1, 256, _, _>")]
        #[schema(min_length = 1, max_length = 256, pattern = r"\S")]
        tool: String,
        /// Its arguments.
        #[serde(default)]
        #[schema(value_type = Object)]
        arguments: Map<String, Value>,
        /// What the run has used before this call.
        #[serde(default)]
        usage: UsageRequest,
    }
);

ask_request!(
    /// What planning starts from.
    #[schema(example = json!({"task": "please review this code", "tools": ["linter", "file_writer"], "prompt": "Plan."}))]
    PlanRequest {
        /// The names of the tools that there are.
        #[serde(default, deserialize_with = "within::<0, 10_000, _, _>")]
        #[schema(max_items = 10_000)]
        tools: Vec<String>,
        /// The planning prompt.
        #[serde(default, deserialize_with = "within::<0, 200_000, _, _>")]
        #[schema(max_length = 200_000)]
        prompt: String,
    }
);

ask_request!(
    /// What is to be explained; nothing of it is kept or counted.
    ExplainRequest {
        /// For whom, by id or handle, if not for yourself; for admins and policy admins.
        #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
        #[schema(min_length = 1, max_length = 128)]
        user: Option<String>,
        /// A tool whose call is judged.
        #[serde(default, deserialize_with = "within::<1, 256, _, _>")]
        #[schema(min_length = 1, max_length = 256, pattern = r"\S")]
        tool: Option<String>,
        /// Its arguments.
        #[serde(default)]
        #[schema(value_type = Object)]
        arguments: Map<String, Value>,
        /// What the run has used before this call.
        #[serde(default)]
        usage: UsageRequest,
    }
);

fn call(tool: String, arguments: Map<String, Value>) -> Call {
    Call { tool, alias: None, arguments: Value::Object(arguments) }
}

/// Says which policies are active for a task, what they demand together, and why.
#[utoipa::path(post, path = "/api/v1/governance/resolve", operation_id = "resolve_policies", tag = "governance",
    request_body = ResolveRequest, responses((status = 200, body = ResolvedView), Problems))]
pub(crate) async fn resolve(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<ResolveRequest>,
) -> Result<axum::Json<ResolvedView>, Problem> {
    let ask = ask(&state, &caller, request.ask()).await?;
    Ok(axum::Json(app::governance::resolve(&state.cx, &caller, ask).await?.into()))
}

/// Puts one tool call to the policies that are active for a task, outside of a governed run.
#[utoipa::path(post, path = "/api/v1/governance/judge", operation_id = "judge_call", tag = "governance",
    request_body = JudgeRequest, responses((status = 200, body = JudgedView), Problems))]
pub(crate) async fn judge(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<JudgeRequest>,
) -> Result<axum::Json<JudgedView>, Problem> {
    let ask = ask(&state, &caller, request.ask()).await?;
    let call = call(request.tool, request.arguments);
    let judged = app::governance::judge(&state.cx, &caller, ask, call, request.usage.into()).await?;
    Ok(axum::Json(judged.into()))
}

/// The tools and the prompt that an agent should plan with.
#[utoipa::path(post, path = "/api/v1/governance/plan", operation_id = "plan_with_policies", tag = "governance",
    request_body = PlanRequest, responses((status = 200, body = PlannedView), Problems))]
pub(crate) async fn plan(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<PlanRequest>,
) -> Result<axum::Json<PlannedView>, Problem> {
    let ask = ask(&state, &caller, request.ask()).await?;
    let plan = Plan { tools: request.tools, prompt: request.prompt };
    Ok(axum::Json(app::governance::plan(&state.cx, &caller, ask, plan).await?.into()))
}

/// Says what would be decided, and why; nothing of it is kept or counted.
#[utoipa::path(post, path = "/api/v1/governance/explain", operation_id = "explain_policies", tag = "governance",
    request_body = ExplainRequest, responses((status = 200, body = ExplainedView), Problems))]
pub(crate) async fn explain(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(mut request): Json<ExplainRequest>,
) -> Result<axum::Json<ExplainedView>, Problem> {
    let ask = ask(&state, &caller, request.ask()).await?;
    let user = names::optional_user(&state.cx, &caller, request.user.as_deref()).await?;
    let arguments = request.arguments;
    let call = request.tool.map(|tool| call(tool, arguments));
    let question = Question { ask, user, call, usage: request.usage.into() };
    Ok(axum::Json(app::governance::explain(&state.cx, &caller, question).await?.into()))
}

/// Which policies.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PoliciesQuery {
    /// Those that hold for this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
}

/// Lists the policies in force that hold for the caller, by what is known of them alone; for admins and policy admins all.
///
/// Which of them are active depends on a task: `explain` says that.
#[utoipa::path(get, path = "/api/v1/governance/policies", operation_id = "list_policies", tag = "governance",
    params(PoliciesQuery), responses((status = 200, body = ListView<PolicyStateView>), Problems))]
pub(crate) async fn policies(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<PoliciesQuery>,
) -> Result<axum::Json<ListView<PolicyStateView>>, Problem> {
    let agent = names::optional_agent(&state.cx, &caller, query.agent.as_deref()).await?;
    let policies = app::governance::in_force(&state.cx, &caller, agent).await?;
    Ok(axum::Json(ListView { items: policies.into_iter().map(PolicyStateView::from).collect() }))
}
