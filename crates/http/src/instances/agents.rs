//! The routes of the provider of agents: their settings of procedural memory, and their skills under a path of their own.

use app::agents::AgentSpec;
use app::{Code, PageRequest};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use model::{Agent, ProceduralMemory, SkillId, slugify};
use serde::Deserialize;
use utoipa::ToSchema;

use super::errors::Errors;
use super::provider;
use super::requests::SkillRequest;
use super::skills;
use super::standing::Instance;
use super::views::{AgentResource, SkillGone, SkillPut, SkillResource};
use crate::bounds::{nullable, within};
use crate::extract::{Json, Path};
use crate::problem::Problem;
use crate::server::HttpState;
use crate::v1::missing;

/// Lists agents, by name.
#[utoipa::path(get, path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents",
    operation_id = "list_agents", tag = "agents", params(("instanceId" = String, Path)),
    responses((status = 200, body = Vec<AgentResource>), Errors))]
pub(super) async fn list(
    State(state): State<HttpState>,
    instance: Instance,
) -> Result<axum::Json<Vec<AgentResource>>, Problem> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let request = PageRequest { limit: PageRequest::MAX, after };
        let page = app::agents::list(&state.cx, &instance.caller, request).await?;
        all.extend(page.items.into_iter().map(|agent| AgentResource::new(&instance.name, agent)));
        after = page.next;
        if after.is_none() {
            return Ok(axum::Json(all));
        }
    }
}

/// Shows an agent with its settings of procedural memory.
#[utoipa::path(get, path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}",
    operation_id = "read_agent", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path)),
    responses((status = 200, body = AgentResource), Errors))]
pub(super) async fn read(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, name)): Path<(String, String)>,
) -> Result<axum::Json<AgentResource>, Problem> {
    let agent = instance.agent(&state.cx, &name).await?;
    Ok(axum::Json(AgentResource::new(&instance.name, agent)))
}

/// The settings of procedural memory; what is left out stays, or takes its default.
#[derive(Deserialize, ToSchema)]
struct MemorySettingsRequest {
    enabled: Option<bool>,
    auto_register_skills: Option<bool>,
    require_skill_approval: Option<bool>,
    /// 0 is no limit.
    #[schema(minimum = 0, maximum = 1_000_000)]
    max_skills_per_user: Option<i64>,
    #[schema(minimum = 0, maximum = 1)]
    skill_search_threshold: Option<f64>,
    prefer_skills: Option<bool>,
}

impl MemorySettingsRequest {
    fn read(&self, known: &ProceduralMemory) -> Result<ProceduralMemory, Problem> {
        let invalid = |detail: &str| Problem::with_code(Code::InvalidSettings, detail);
        let most = match self.max_skills_per_user {
            None => known.max_skills_per_user,
            Some(most @ 0..=1_000_000) => u32::try_from(most).unwrap_or(known.max_skills_per_user),
            Some(..0) => return Err(invalid("Max skills per user must be 0 or greater (0 = unlimited)")),
            Some(_) => return Err(invalid("`max_skills_per_user` is at most 1000000; 0 is no limit")),
        };
        Ok(ProceduralMemory {
            enabled: self.enabled.unwrap_or(known.enabled),
            auto_register_skills: self.auto_register_skills.unwrap_or(known.auto_register_skills),
            require_skill_approval: self.require_skill_approval.unwrap_or(known.require_skill_approval),
            max_skills_per_user: most,
            skill_search_threshold: self.skill_search_threshold.unwrap_or(known.skill_search_threshold),
            prefer_skills: self.prefer_skills.unwrap_or(known.prefer_skills),
            ..known.clone()
        })
    }
}

/// An agent to make, or what to change about one: what is left out stays.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"name": "analyst", "procedural_memory_settings": {"enabled": true,
    "require_skill_approval": true}}))]
#[allow(clippy::option_option)] // three states: absent, null, given
pub(super) struct AgentPutRequest {
    /// The name in the path, where it is given.
    name: Option<String>,
    #[serde(default, deserialize_with = "within::<1, 200, _, _>")]
    #[schema(min_length = 1, max_length = 200)]
    display_name: Option<String>,
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    description: Option<String>,
    /// Null is fully off.
    #[serde(default, deserialize_with = "nullable")]
    procedural_memory_settings: Option<Option<MemorySettingsRequest>>,
}

impl AgentPutRequest {
    fn read(self, known: AgentSpec) -> Result<AgentSpec, Problem> {
        let procedural_memory = match self.procedural_memory_settings {
            None => known.procedural_memory,
            Some(None) => None,
            Some(Some(settings)) => Some(settings.read(&known.procedural_memory.unwrap_or_default())?),
        };
        Ok(AgentSpec {
            title: self.display_name.or(known.title),
            description: self.description.unwrap_or(known.description),
            procedural_memory,
            ..known
        })
    }
}

/// What an agent is, as a request to make it so.
fn spec(agent: &Agent) -> AgentSpec {
    AgentSpec {
        name: agent.name.clone(),
        title: Some(agent.title.clone()),
        description: agent.description.clone(),
        procedural_memory: agent.procedural_memory.clone(),
        discovery: agent.discovery,
        discovery_token_budget: agent.discovery_token_budget,
        run_limits: agent.run_limits,
        assignments: agent.assignments.clone(),
        toolsets: agent.toolsets.clone(),
    }
}

/// Makes an agent or changes one; for admins.
#[utoipa::path(put, path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}",
    operation_id = "put_agent", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path)), request_body = AgentPutRequest,
    responses((status = 201, body = AgentResource), (status = 200, body = AgentResource), Errors))]
pub(super) async fn put(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, asked)): Path<(String, String)>,
    Json(request): Json<AgentPutRequest>,
) -> Result<Response, Problem> {
    let (cx, caller) = (&state.cx, &instance.caller);
    app::instances::administer(caller)?;
    let unfit = || Problem::with_code(Code::InvalidName, "an agent's name needs a letter or a digit");
    let name = slugify(&asked).ok_or_else(unfit)?;
    if request.name.as_deref().is_some_and(|other| slugify(other).as_ref() != Some(&name)) {
        return Err(Problem::bad_request("`name` is another than the path's; an agent keeps its name here"));
    }
    let (status, agent) = match app::agents::find(cx, caller, &name).await {
        Ok(known) => {
            let wanted = request.read(spec(&known))?;
            (StatusCode::OK, app::agents::update(cx, caller, known.id, wanted, Some(known.version)).await?)
        }
        Err(error) if error.code() == Code::NotFound => {
            let blank = AgentSpec { title: Some(asked), ..AgentSpec::new(name) };
            (StatusCode::CREATED, app::agents::create(cx, caller, request.read(blank)?).await?)
        }
        Err(error) => return Err(error.into()),
    };
    Ok((status, axum::Json(AgentResource::new(&instance.name, agent))).into_response())
}

/// Lists the skills of all users on one agent, by name; for admins.
#[utoipa::path(get, path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}/skills",
    operation_id = "list_agent_skills", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path)),
    responses((status = 200, body = Vec<SkillResource>), Errors))]
pub(super) async fn list_skills(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, agent)): Path<(String, String)>,
) -> Result<axum::Json<Vec<SkillResource>>, Problem> {
    let agent = instance.agent(&state.cx, &agent).await?;
    provider::listed(&state, &instance, Some(agent.id)).await
}

/// Shows a skill of an agent, whole; for admins.
#[utoipa::path(get,
    path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}/skills/{skillId}",
    operation_id = "read_agent_skill", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path), ("skillId" = String, Path)),
    responses((status = 200, body = SkillResource), Errors))]
pub(super) async fn read_skill(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, agent, id)): Path<(String, String, String)>,
) -> Result<axum::Json<SkillResource>, Problem> {
    app::instances::administer(&instance.caller)?;
    let agent = instance.agent(&state.cx, &agent).await?;
    let id = of_agent(&state, &instance, &agent, &id).await?;
    Ok(axum::Json(app::instances::read(&state.cx, &instance.caller, id).await?.into()))
}

/// Puts a skill of an agent in or changes one; for admins.
#[utoipa::path(put,
    path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}/skills/{skillId}",
    operation_id = "put_agent_skill", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path), ("skillId" = String, Path)),
    request_body = SkillRequest,
    responses((status = 201, body = SkillPut), (status = 200, body = SkillPut), Errors))]
pub(super) async fn put_skill(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, agent, id)): Path<(String, String, String)>,
    Json(mut request): Json<SkillRequest>,
) -> Result<Response, Problem> {
    app::instances::administer(&instance.caller)?;
    let agent = instance.agent(&state.cx, &agent).await?;
    request.owner_agent_object_id.get_or_insert_with(|| agent.name.to_string());
    Box::pin(provider::put_at(&state, &instance, &id, request)).await
}

/// Deletes a skill of an agent; for admins.
#[utoipa::path(delete,
    path = "/instances/{instanceId}/providers/FoundationaLLM.Agent/agents/{agentName}/skills/{skillId}",
    operation_id = "delete_agent_skill", tag = "agents",
    params(("instanceId" = String, Path), ("agentName" = String, Path), ("skillId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for an answer without a body")),
    responses((status = 200, body = SkillGone), (status = 204), Errors))]
pub(super) async fn delete_skill(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, agent, id)): Path<(String, String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app::instances::administer(&instance.caller)?;
    let agent = instance.agent(&state.cx, &agent).await?;
    let id = of_agent(&state, &instance, &agent, &id).await?;
    skills::delete(&state, &instance, id, &headers).await
}

/// A skill that this agent owns; another's is not below its path.
async fn of_agent(
    state: &HttpState,
    instance: &Instance,
    agent: &Agent,
    text: &str,
) -> Result<SkillId, Problem> {
    let id = instance.skill(&state.cx, text).await?;
    let skill = app::instances::read(&state.cx, &instance.caller, id).await?.record.skill;
    if skill.scope.agent() == Some(agent.id) { Ok(id) } else { Err(missing("skill", text)) }
}
