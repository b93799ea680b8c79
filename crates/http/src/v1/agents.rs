//! Agents.

use app::agents::{AgentSpec, GetContext};
use app::search::{LearnedPlace, PromptFormat};
use app::{Cursor, PageRequest};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use model::{Agent, AgentId, Assignment, Discovery, RevisionNumber, Toolset, slugify};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::names::{self, missing};
use super::views::{
    AgentContextView, AgentView, AssignmentView, PageView, ProceduralMemoryView, RunLimitsView,
};
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::{shown, wanted_version, written};
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which agents.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListAgentsQuery {
    /// Only the one with this name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    name: Option<String>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists agents by name.
#[utoipa::path(get, path = "/api/v1/agents", operation_id = "list_agents", tag = "agents", params(ListAgentsQuery),
    responses((status = 200, body = PageView<AgentView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListAgentsQuery>,
) -> Result<axum::Json<PageView<AgentView>>, Problem> {
    if let Some(name) = query.name {
        let found = match slugify(&name) {
            Some(name) => app::agents::find(&state.cx, &caller, &name).await,
            None => return Ok(axum::Json(PageView { items: Vec::new(), next_cursor: None, total: None })),
        };
        let items = match found {
            Ok(agent) => vec![agent.into()],
            Err(error) if error.code() == app::Code::NotFound => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        return Ok(axum::Json(PageView { items, next_cursor: None, total: None }));
    }
    let request =
        PageRequest { limit: query.limit.unwrap_or(PageRequest::DEFAULT), after: query.cursor.map(Cursor) };
    let page = app::agents::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, AgentView::from)))
}

/// How an agent discovers skills.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DiscoveryWord {
    List,
    Search,
    Hybrid,
    Auto,
}

impl From<DiscoveryWord> for Discovery {
    fn from(word: DiscoveryWord) -> Self {
        match word {
            DiscoveryWord::List => Self::List,
            DiscoveryWord::Search => Self::Search,
            DiscoveryWord::Hybrid => Self::Hybrid,
            DiscoveryWord::Auto => Self::Auto,
        }
    }
}

/// A group of tools that an agent is offered over MCP.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolsetWord {
    Interpreter,
    Memory,
    Library,
    Learning,
}

impl From<ToolsetWord> for Toolset {
    fn from(word: ToolsetWord) -> Self {
        match word {
            ToolsetWord::Interpreter => Self::Interpreter,
            ToolsetWord::Memory => Self::Memory,
            ToolsetWord::Library => Self::Library,
            ToolsetWord::Learning => Self::Learning,
        }
    }
}

/// An agent to make, or to put in the place of another. What is left out takes its default.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "release-bot", "title": "Release bot",
    "procedural_memory": {"enabled": true, "require_skill_approval": true}}))]
pub(crate) struct AgentRequest {
    /// Its name: a-z, 0-9 and hyphens.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64, pattern = "^[a-z0-9]+(-[a-z0-9]+)*$")]
    name: String,
    #[serde(default, deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_length = 200)]
    title: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    description: String,
    /// Null is fully off.
    procedural_memory: Option<ProceduralMemoryView>,
    discovery: Option<DiscoveryWord>,
    #[schema(minimum = 1, maximum = 1_000_000)]
    discovery_token_budget: Option<u32>,
    /// Bounds on what the code of skills may use when this agent runs them.
    run_limits: Option<RunLimitsView>,
    /// The tools it is offered over MCP; empty is the default set.
    #[serde(default, deserialize_with = "within::<0, 4, _, _>")]
    #[schema(max_items = 4)]
    toolsets: Vec<ToolsetWord>,
    /// The skills assigned to it, in order.
    #[serde(default, deserialize_with = "within::<0, 1000, _, _>")]
    #[schema(max_items = 1000)]
    skills: Vec<AssignmentView>,
}

impl AgentRequest {
    fn read(self) -> Result<AgentSpec, Problem> {
        let name = names::slug(&self.name)?;
        Ok(AgentSpec {
            title: self.title,
            description: self.description,
            procedural_memory: self.procedural_memory.map(ProceduralMemoryView::read).transpose()?,
            discovery: self.discovery.map_or(Discovery::Auto, Discovery::from),
            discovery_token_budget: self.discovery_token_budget.unwrap_or(Agent::DEFAULT_TOKEN_BUDGET),
            run_limits: self.run_limits.map(RunLimitsView::read).transpose()?.unwrap_or_default(),
            toolsets: self.toolsets.into_iter().map(Toolset::from).collect(),
            assignments: self.skills.iter().map(assignment).collect::<Result<_, _>>()?,
            ..AgentSpec::new(name)
        })
    }
}

fn assignment(view: &AssignmentView) -> Result<Assignment, Problem> {
    Ok(Assignment { skill: names::skill_id(&view.skill_id)?, pin: view.pin.map(pin).transpose()? })
}

fn pin(number: u32) -> Result<RevisionNumber, Problem> {
    RevisionNumber::new(number).ok_or_else(|| Problem::bad_request("revisions are numbered from 1"))
}

/// Makes an agent; for admins.
#[utoipa::path(post, path = "/api/v1/agents", operation_id = "create_agent", tag = "agents",
    request_body = AgentRequest, responses((status = 201, body = AgentView), Problems))]
pub(crate) async fn create(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<AgentRequest>,
) -> Result<(StatusCode, axum::Json<AgentView>), Problem> {
    let agent = app::agents::create(&state.cx, &caller, request.read()?).await?;
    Ok((StatusCode::CREATED, axum::Json(agent.into())))
}

fn agent_id(text: &str) -> Result<AgentId, Problem> {
    AgentId::parse(text).map_err(|_| missing("agent", text))
}

/// Reads an agent.
#[utoipa::path(get, path = "/api/v1/agents/{id}", operation_id = "read_agent", tag = "agents",
    params(("id" = uuid::Uuid, Path)),
    responses((status = 200, body = AgentView), (status = 304), Problems))]
pub(crate) async fn read(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let agent = app::agents::read(&state.cx, &caller, agent_id(&id)?).await?;
    shown(&headers, agent.version, &AgentView::from(agent))
}

/// Replaces an agent's settings; for admins.
#[utoipa::path(put, path = "/api/v1/agents/{id}", operation_id = "update_agent", tag = "agents",
    params(("id" = uuid::Uuid, Path)), request_body = AgentRequest,
    responses((status = 200, body = AgentView), Problems))]
pub(crate) async fn update(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(request): Json<AgentRequest>,
) -> Result<Response, Problem> {
    let version = wanted_version(&headers)?;
    let agent = app::agents::update(&state.cx, &caller, agent_id(&id)?, request.read()?, version).await?;
    Ok(written(agent.version, axum::Json(AgentView::from(agent))))
}

/// Removes an agent; for admins.
#[utoipa::path(delete, path = "/api/v1/agents/{id}", operation_id = "delete_agent", tag = "agents",
    params(("id" = uuid::Uuid, Path)), responses((status = 204), Problems))]
pub(crate) async fn delete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app::agents::delete(&state.cx, &caller, agent_id(&id)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How to assign a skill.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssignRequest {
    /// The revision to pin it to.
    #[schema(minimum = 1)]
    pin: Option<u32>,
    /// Its place in the order, from 0; the end when left out.
    #[schema(maximum = 1000)]
    position: Option<u32>,
}

/// Assigns a skill to an agent, or moves it; for admins.
#[utoipa::path(put, path = "/api/v1/agents/{id}/skills/{skill_id}", operation_id = "assign_skill", tag = "agents",
    params(("id" = uuid::Uuid, Path), ("skill_id" = uuid::Uuid, Path)), request_body = Option<AssignRequest>,
    responses((status = 200, body = AgentView), Problems))]
pub(crate) async fn assign(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, skill)): Path<(String, String)>,
    OptionalJson(request): OptionalJson<AssignRequest>,
) -> Result<axum::Json<AgentView>, Problem> {
    let (id, skill) = (agent_id(&id)?, names::skill_id(&skill)?);
    let pin = request.pin.map(pin).transpose()?;
    if request.position.is_some_and(|position| position > 1_000) {
        return Err(Problem::bad_request("a position is at most 1000"));
    }
    let position = request.position.and_then(|position| usize::try_from(position).ok());
    Ok(axum::Json(app::agents::assign(&state.cx, &caller, id, skill, pin, position).await?.into()))
}

/// Takes a skill from an agent; for admins.
#[utoipa::path(delete, path = "/api/v1/agents/{id}/skills/{skill_id}", operation_id = "unassign_skill",
    tag = "agents", params(("id" = uuid::Uuid, Path), ("skill_id" = uuid::Uuid, Path)),
    responses((status = 200, body = AgentView), Problems))]
pub(crate) async fn unassign(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path((id, skill)): Path<(String, String)>,
) -> Result<axum::Json<AgentView>, Problem> {
    let (id, skill) = (agent_id(&id)?, names::skill_id(&skill)?);
    Ok(axum::Json(app::agents::unassign(&state.cx, &caller, id, skill).await?.into()))
}

/// How the text for a prompt is written.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromptFormatWord {
    Markdown,
    Xml,
    Json,
}

impl From<PromptFormatWord> for PromptFormat {
    fn from(word: PromptFormatWord) -> Self {
        match word {
            PromptFormatWord::Markdown => Self::Markdown,
            PromptFormatWord::Xml => Self::Xml,
            PromptFormatWord::Json => Self::Json,
        }
    }
}

/// Where learned skills stand in the text for a prompt.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum LearnedWord {
    Shared,
    Separate,
}

impl From<LearnedWord> for LearnedPlace {
    fn from(word: LearnedWord) -> Self {
        match word {
            LearnedWord::Shared => Self::Shared,
            LearnedWord::Separate => Self::Separate,
        }
    }
}

/// What the agent's prompt is for, and how much may be in it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ContextQuery {
    /// What the agent is about to do.
    #[serde(default, deserialize_with = "within::<0, 4000, _, _>")]
    #[param(max_length = 4000)]
    query: Option<String>,
    /// How many tokens the text may have; else the agent's `discovery_token_budget`.
    #[param(minimum = 1, maximum = 1_000_000)]
    budget: Option<u32>,
    /// How the text is written; else `markdown`.
    #[param(inline)]
    format: Option<PromptFormatWord>,
    /// How the agent discovers skills; else its `discovery`.
    #[param(inline)]
    mode: Option<DiscoveryWord>,
    /// How many skills a hybrid list may have; else 10.
    #[param(minimum = 1, maximum = 100)]
    limit: Option<u32>,
    /// How many learned skills a hybrid list may have; else 5.
    #[param(maximum = 100)]
    max_learned: Option<u32>,
    /// Where learned skills stand: among the others with their origin (`shared`, the default), or in a block of their
    /// own.
    #[param(inline)]
    learned: Option<LearnedWord>,
    /// Say how often each skill was used, and with success.
    #[serde(default)]
    counts: bool,
}

/// Gives what an agent's prompt gets: skills, active policies and procedural memory, within a token budget.
#[utoipa::path(get, path = "/api/v1/agents/{id}/context", operation_id = "agent_context", tag = "agents",
    params(("id" = uuid::Uuid, Path), ContextQuery),
    responses((status = 200, body = AgentContextView), Problems))]
pub(crate) async fn context(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<ContextQuery>,
) -> Result<impl IntoResponse, Problem> {
    let request = GetContext {
        query: query.query,
        budget: query.budget,
        format: query.format.map(PromptFormat::from).unwrap_or_default(),
        mode: query.mode.map(Discovery::from),
        limit: query.limit,
        max_learned: query.max_learned,
        learned: query.learned.map(LearnedPlace::from).unwrap_or_default(),
        counts: query.counts,
    };
    let context = app::agents::context(&state.cx, &caller, agent_id(&id)?, request).await?;
    // What an embedder elsewhere finds changes without a commit, so that it must not be given again.
    Ok(([(header::CACHE_CONTROL, "no-store")], axum::Json(AgentContextView::from(context))))
}
