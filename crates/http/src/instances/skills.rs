//! The routes of people: their own skills.

use app::skills::{Content, CreateSkill, Decision, OnConflict, Outcome};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use model::{Scope, SkillId, Transition};
use serde::Deserialize;
use utoipa::IntoParams;

use super::errors::Errors;
use super::requests::{ExecutionRequest, ReasonRequest, SkillRequest};
use super::standing::Instance;
use super::views::{SkillDecided, SkillExecuted, SkillGone, SkillPut, SkillResource, SkillReview};
use crate::bounds::within;
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::Problem;
use crate::server::HttpState;

/// Which of one's skills.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct OwnSkillsQuery {
    /// Only those on this agent, by object id, name or id.
    #[serde(default, rename = "agentObjectId", deserialize_with = "within::<1, 300, _, _>")]
    #[param(min_length = 1, max_length = 300)]
    agent_object_id: Option<String>,
}

/// Lists the caller's own skills, by name.
#[utoipa::path(get, path = "/instances/{instanceId}/skills", operation_id = "list_own_skills", tag = "skills",
    params(("instanceId" = String, Path), OwnSkillsQuery),
    responses((status = 200, body = Vec<SkillResource>), Errors))]
pub(super) async fn list(
    State(state): State<HttpState>,
    instance: Instance,
    Query(query): Query<OwnSkillsQuery>,
) -> Result<axum::Json<Vec<SkillResource>>, Problem> {
    let agent = match query.agent_object_id {
        Some(text) => Some(instance.agent(&state.cx, &text).await?.id),
        None => None,
    };
    let caller = &instance.caller;
    let skills = app::instances::list(&state.cx, caller, agent, Some(caller.user)).await?;
    Ok(axum::Json(skills.into_iter().map(SkillResource::from).collect()))
}

/// Puts a skill of the caller's own in; under a name they have on that agent it is a new version of it.
#[utoipa::path(post, path = "/instances/{instanceId}/skills", operation_id = "put_own_skill", tag = "skills",
    params(("instanceId" = String, Path)), request_body = SkillRequest,
    responses((status = 201, body = SkillPut), (status = 200, body = SkillPut), Errors))]
pub(super) async fn put(
    State(state): State<HttpState>,
    instance: Instance,
    Json(request): Json<SkillRequest>,
) -> Result<Response, Problem> {
    let (cx, caller) = (&state.cx, &instance.caller);
    let agent = match (request.owner_agent_object_id.as_deref(), caller.agent) {
        (Some(text), _) => instance.agent(cx, text).await?.id,
        (None, Some(through)) => through,
        (None, None) => return Err(Problem::bad_request("say on which agent: `owner_agent_object_id`")),
    };
    let user = match request.owner_user_id.as_deref() {
        Some(text) => instance.user(cx, text).await?.id,
        None => caller.user,
    };
    let draft = app::instances::draft(cx, caller, request.said()?).await?;
    let mut create = CreateSkill::new(Content::Draft(Box::new(draft)));
    create.scope = Some(Scope::AgentUser(agent, user));
    create.on_conflict = OnConflict::NewRevision;
    let published = app::skills::create(cx, caller, create, None).await?;
    put_answer(&state, &instance, published.record.skill.id, published.outcome).await
}

/// The answer to a skill that was put in.
pub(super) async fn put_answer(
    state: &HttpState,
    instance: &Instance,
    id: SkillId,
    outcome: Outcome,
) -> Result<Response, Problem> {
    let skill = app::instances::read(&state.cx, &instance.caller, id).await?.into();
    let status = if outcome == Outcome::Created { StatusCode::CREATED } else { StatusCode::OK };
    let changed = outcome != Outcome::Unchanged;
    Ok((status, axum::Json(SkillPut { skill, changed })).into_response())
}

/// Shows what a person reviews of a skill.
#[utoipa::path(get, path = "/instances/{instanceId}/skills/{skillId}", operation_id = "review_skill",
    tag = "skills", params(("instanceId" = String, Path), ("skillId" = String, Path)),
    responses((status = 200, body = SkillReview), Errors))]
pub(super) async fn review(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
) -> Result<axum::Json<SkillReview>, Problem> {
    let id = instance.skill(&state.cx, &id).await?;
    Ok(axum::Json(app::instances::read(&state.cx, &instance.caller, id).await?.into()))
}

/// Under which condition.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ApproveQuery {
    /// `pending`: answer 400 `not_pending` when nothing waits, instead of `"changed": false`.
    #[param(pattern = "^pending$")]
    only_if: Option<String>,
}

impl ApproveQuery {
    pub(super) fn decision(&self) -> Result<Decision, Problem> {
        let only_if_pending = match self.only_if.as_deref() {
            None => false,
            Some("pending") => true,
            Some(_) => return Err(Problem::bad_request("`only_if` takes `pending`")),
        };
        Ok(Decision { only_if_pending, ..Decision::new(Transition::Approve) })
    }
}

/// Lets a skill in, or keeps one that is in.
#[utoipa::path(post, path = "/instances/{instanceId}/skills/{skillId}/approve", operation_id = "approve_own_skill",
    tag = "skills", params(("instanceId" = String, Path), ("skillId" = String, Path), ApproveQuery),
    request_body = Option<ReasonRequest>, responses((status = 200, body = SkillDecided), Errors))]
pub(super) async fn approve(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    Query(query): Query<ApproveQuery>,
    OptionalJson(request): OptionalJson<ReasonRequest>,
) -> Result<axum::Json<SkillDecided>, Problem> {
    let id = instance.skill(&state.cx, &id).await?;
    let decision = Decision { reason: request.reason, ..query.decision()? };
    decide(&state, &instance, id, decision).await
}

/// Takes a decision and shows the skill after it.
pub(super) async fn decide(
    state: &HttpState,
    instance: &Instance,
    id: SkillId,
    decision: Decision,
) -> Result<axum::Json<SkillDecided>, Problem> {
    let changed = app::skills::decide(&state.cx, &instance.caller, id, decision).await?.changed;
    let skill = app::instances::read(&state.cx, &instance.caller, id).await?.into();
    Ok(axum::Json(SkillDecided { skill, changed }))
}

/// Counts an execution that happened elsewhere.
#[utoipa::path(post, path = "/instances/{instanceId}/skills/{skillId}/execute", operation_id = "record_execution",
    tag = "skills", params(("instanceId" = String, Path), ("skillId" = String, Path)),
    request_body = ExecutionRequest, responses((status = 200, body = SkillExecuted), Errors))]
pub(super) async fn execute(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    Json(request): Json<ExecutionRequest>,
) -> Result<axum::Json<SkillExecuted>, Problem> {
    let id = instance.skill(&state.cx, &id).await?;
    let skill = app::instances::read(&state.cx, &instance.caller, id).await?;
    let statistics = app::skills::record_use(&state.cx, &instance.caller, id, request.success).await?;
    Ok(axum::Json(SkillExecuted::new(skill.called.id, &statistics)))
}

/// Removes a skill for good.
#[utoipa::path(delete, path = "/instances/{instanceId}/skills/{skillId}", operation_id = "remove_own_skill",
    tag = "skills",
    params(("instanceId" = String, Path), ("skillId" = String, Path),
        ("Prefer" = Option<String>, Header, description = "`return=minimal` for an answer without a body")),
    responses((status = 200, body = SkillGone), (status = 204), Errors))]
pub(super) async fn remove(
    State(state): State<HttpState>,
    instance: Instance,
    Path((_, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = instance.skill(&state.cx, &id).await?;
    delete(&state, &instance, id, &headers).await
}

/// Deletes a skill and says so, as far as the client wants to hear it.
pub(super) async fn delete(
    state: &HttpState,
    instance: &Instance,
    id: SkillId,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let skill = app::instances::read(&state.cx, &instance.caller, id).await?;
    app::skills::delete(&state.cx, &instance.caller, id, None, None).await?;
    if wants_minimal(headers) {
        let applied = [("preference-applied", HeaderValue::from_static("return=minimal"))];
        return Ok((StatusCode::NO_CONTENT, applied).into_response());
    }
    Ok(axum::Json(SkillGone::from(&skill)).into_response())
}

fn wants_minimal(headers: &HeaderMap) -> bool {
    let values = headers.get_all("prefer").iter().filter_map(|value| value.to_str().ok());
    let mut wishes = values.flat_map(|value| value.split([',', ';']));
    wishes.any(|wish| wish.trim().eq_ignore_ascii_case("return=minimal"))
}
