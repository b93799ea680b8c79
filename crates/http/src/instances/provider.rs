//! The routes of the provider of skills: admins manage everyone's.

use app::object_ids::{id_for, is_same};
use app::skills::{Decision, Outcome};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::{AgentId, SkillId, Transition};

use super::errors::Errors;
use super::requests::{ReasonRequest, SkillRequest};
use super::skills::{self, ApproveQuery};
use super::standing::Instance;
use super::views::{SkillDecided, SkillGone, SkillPut, SkillResource};
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::Problem;
use crate::server::HttpState;

/// Lists the skills of all users and agents, by name.
#[utoipa::path(get, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills",
    operation_id = "list_skills", tag = "provider", params(("instanceId" = String, Path)),
    responses((status = 200, body = Vec<SkillResource>), Errors))]
pub(super) async fn list(
    State(state): State<HttpState>,
    instance: Instance,
) -> Result<axum::Json<Vec<SkillResource>>, Problem> {
    listed(&state, &instance, None).await
}

/// The skills of one agent, or of all.
pub(super) async fn listed(
    state: &HttpState,
    instance: &Instance,
    agent: Option<AgentId>,
) -> Result<axum::Json<Vec<SkillResource>>, Problem> {
    app::instances::administer(&instance.caller)?;
    let skills = app::instances::list(&state.cx, &instance.caller, agent, None).await?;
    Ok(axum::Json(skills.into_iter().map(SkillResource::from).collect()))
}

/// Shows a skill, whole.
#[utoipa::path(get, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/{skillId}",
    operation_id = "read_skill", tag = "provider",
    params(("instanceId" = String, Path), ("skillId" = String, Path)),
    responses((status = 200, body = SkillResource), Errors))]
pub(super) async fn read(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
) -> Result<axum::Json<SkillResource>, Problem> {
    app::instances::administer(&instance.caller)?;
    let id = instance.skill(&state.cx, &id).await?;
    Ok(axum::Json(app::instances::read(&state.cx, &instance.caller, id).await?.into()))
}

/// Puts a skill in or changes one; what is left out of a change stays.
#[utoipa::path(put, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/{skillId}",
    operation_id = "put_skill", tag = "provider",
    params(("instanceId" = String, Path), ("skillId" = String, Path)), request_body = SkillRequest,
    responses((status = 201, body = SkillPut), (status = 200, body = SkillPut), Errors))]
pub(super) async fn put(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    Json(request): Json<SkillRequest>,
) -> Result<Response, Problem> {
    app::instances::administer(&instance.caller)?;
    Box::pin(put_at(&state, &instance, &id, request)).await
}

/// Puts a skill under an id.
pub(super) async fn put_at(
    state: &HttpState,
    instance: &Instance,
    id: &str,
    request: SkillRequest,
) -> Result<Response, Problem> {
    match instance.known_skill(&state.cx, id).await? {
        Some(known) => Box::pin(change(state, instance, known, request)).await,
        None => Box::pin(create(state, instance, id, request)).await,
    }
}

async fn create(
    state: &HttpState,
    instance: &Instance,
    asked: &str,
    request: SkillRequest,
) -> Result<Response, Problem> {
    let (cx, caller) = (&state.cx, &instance.caller);
    let owner = |field: &str| Problem::bad_request(format!("a new skill needs `{field}`"));
    let agent = request.owner_agent_object_id.as_deref();
    let agent = instance.agent(cx, agent.ok_or_else(|| owner("owner_agent_object_id"))?).await?;
    let user = request.owner_user_id.as_deref();
    let user = instance.user(cx, user.ok_or_else(|| owner("owner_user_id"))?).await?;
    let place = request.place()?;
    let said = request.said()?;
    let own = id_for(said.slug()?.as_str(), &agent, &user.handle);
    if !is_same(&own, asked) {
        let detail = format!("there is no skill `{asked}`; a new one with these owners is put under `{own}`");
        return Err(Problem::bad_request(detail));
    }
    let id = app::instances::create(cx, caller, (agent.id, user.id), said, place).await?;
    skills::put_answer(state, instance, id, Outcome::Created).await
}

async fn change(
    state: &HttpState,
    instance: &Instance,
    id: SkillId,
    request: SkillRequest,
) -> Result<Response, Problem> {
    let (cx, caller) = (&state.cx, &instance.caller);
    let whole = app::instances::read(cx, caller, id).await?;
    let skill = &whole.record.skill;
    if let Some(text) = request.owner_agent_object_id.as_deref()
        && skill.scope.agent() != Some(instance.agent(cx, text).await?.id)
    {
        return Err(another_owner("owner_agent_object_id"));
    }
    if let Some(text) = request.owner_user_id.as_deref()
        && skill.scope.user() != Some(instance.user(cx, text).await?.id)
    {
        return Err(another_owner("owner_user_id"));
    }
    let place = request.place()?;
    let changed = app::instances::change(cx, caller, &whole, request.said()?, place).await?;
    let outcome = if changed { Outcome::Revised } else { Outcome::Unchanged };
    skills::put_answer(state, instance, id, outcome).await
}

fn another_owner(field: &str) -> Problem {
    let detail = format!("`{field}` names another owner; a skill keeps its owners");
    Problem::with_code(app::Code::InvalidScope, detail)
}

/// Deletes anyone's skill.
#[utoipa::path(delete, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/{skillId}",
    operation_id = "delete_skill", tag = "provider",
    params(("instanceId" = String, Path), ("skillId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for an answer without a body")),
    responses((status = 200, body = SkillGone), (status = 204), Errors))]
pub(super) async fn delete(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    app::instances::administer(&instance.caller)?;
    let id = instance.skill(&state.cx, &id).await?;
    skills::delete(&state, &instance, id, &headers).await
}

/// Lets anyone's skill in.
#[utoipa::path(post, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/{skillId}/approve",
    operation_id = "approve_skill", tag = "provider",
    params(("instanceId" = String, Path), ("skillId" = String, Path), ApproveQuery),
    request_body = Option<ReasonRequest>, responses((status = 200, body = SkillDecided), Errors))]
pub(super) async fn approve(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<ApproveQuery>,
    OptionalJson(request): OptionalJson<ReasonRequest>,
) -> Result<axum::Json<SkillDecided>, Problem> {
    app::instances::administer(&instance.caller)?;
    let id = instance.skill(&state.cx, &id).await?;
    let decision = Decision { reason: request.reason, ..query.decision()? };
    skills::decide(&state, &instance, id, decision).await
}

/// Refuses a skill; the record and the reason stay, and the same content does not come in again.
#[utoipa::path(post, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/{skillId}/reject",
    operation_id = "reject_skill", tag = "provider",
    params(("instanceId" = String, Path), ("skillId" = String, Path)),
    request_body = Option<ReasonRequest>, responses((status = 200, body = SkillDecided), Errors))]
pub(super) async fn reject(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    OptionalJson(request): OptionalJson<ReasonRequest>,
) -> Result<axum::Json<SkillDecided>, Problem> {
    app::instances::administer(&instance.caller)?;
    let id = instance.skill(&state.cx, &id).await?;
    let decision = Decision { reason: request.reason, ..Decision::new(Transition::Reject) };
    skills::decide(&state, &instance, id, decision).await
}
