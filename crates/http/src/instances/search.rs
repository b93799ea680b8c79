//! Finding skills of one agent and one user.

use app::instances::{FindSkills, Place};
use axum::extract::State;
use model::Status;
use serde::Deserialize;
use utoipa::ToSchema;

use super::errors::Errors;
use super::requests::place;
use super::standing::Instance;
use super::views::SkillFound;
use crate::bounds::{nullable_within, within};
use crate::extract::Json;
use crate::problem::Problem;
use crate::server::HttpState;

/// The least similarity that is shown when nobody says.
const MIN_SIMILARITY: f64 = 0.7;
/// How many are shown when nobody says.
const MAX_RESULTS: u32 = 5;

/// What is looked for, and whose.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"query": "interest calculation", "user_id": "alice",
    "agent_object_id": "/instances/default/providers/FoundationaLLM.Agent/agents/analyst"}))]
#[allow(clippy::option_option)] // three states: absent, null, given
pub(super) struct SkillSearchRequest {
    #[serde(deserialize_with = "within::<1, 4000, _, _>")]
    #[schema(min_length = 1, max_length = 4000, pattern = r"\S")]
    query: String,
    /// The agent that owns them, by object id, name or id.
    #[serde(deserialize_with = "within::<1, 300, _, _>")]
    #[schema(min_length = 1, max_length = 300)]
    agent_object_id: String,
    /// The user who owns them, by handle or id; someone else's are for admins.
    #[serde(deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128)]
    user_id: String,
    /// Tags they must all have.
    #[serde(default, deserialize_with = "within::<0, 20, _, _>")]
    #[schema(max_items = 20)]
    tags: Option<Vec<String>>,
    /// The least similarity that is shown; else 0.7.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f64>,
    /// At most so many; else 5.
    #[schema(minimum = 1, maximum = 100)]
    max_results: Option<u32>,
    /// A status; null for any, `Active` when left out. Who is no admin always gets active ones.
    #[serde(default, deserialize_with = "nullable_within::<1, 32, _, _>")]
    #[schema(value_type = Option<String>, min_length = 1, max_length = 32)]
    status_filter: Option<Option<String>>,
}

/// Finds skills of one agent and one user by plain words, best first.
#[utoipa::path(post, path = "/instances/{instanceId}/providers/FoundationaLLM.Skill/skills/search",
    operation_id = "search_skills", tag = "provider", params(("instanceId" = String, Path)),
    request_body = SkillSearchRequest, responses((status = 200, body = Vec<SkillFound>), Errors))]
pub(super) async fn search(
    State(state): State<HttpState>,
    instance: Instance,
    Json(request): Json<SkillSearchRequest>,
) -> Result<axum::Json<Vec<SkillFound>>, Problem> {
    let (cx, caller) = (&state.cx, &instance.caller);
    let agent = instance.agent(cx, &request.agent_object_id).await?.id;
    let user = instance.user(cx, &request.user_id).await?.id;
    let place = match request.status_filter {
        Some(filter) => filter.as_deref().map(place).transpose()?,
        None => Some(Place::Status(Status::Active)),
    };
    let wanted = FindSkills {
        query: request.query,
        agent,
        user,
        tags: request.tags.unwrap_or_default(),
        min_similarity: request.min_similarity.unwrap_or(MIN_SIMILARITY),
        limit: request.max_results.unwrap_or(MAX_RESULTS),
        place,
    };
    let found = app::instances::find(cx, caller, wanted).await?.into_iter();
    Ok(axum::Json(found.map(|(whole, similarity)| SkillFound { skill: whole.into(), similarity }).collect()))
}
