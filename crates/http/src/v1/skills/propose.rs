//! Proposing a skill.

use app::skills::{Outcome, Proposal};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use model::SessionId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::super::names::missing;
use super::super::views::ProposedView;
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::written;
use crate::extract::Json;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// A skill that an agent wants to keep.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "crm-enrichment", "description": "Fills in what a contact lacks.",
    "instructions": "1. Look the company up.\n2. Add what is missing.\n", "example_queries": ["complete this contact"]}))]
pub(crate) struct ProposeSkillRequest {
    /// Its name.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    /// What it does and when to use it.
    #[serde(deserialize_with = "within::<1, 1024, _, _>")]
    #[schema(min_length = 1, max_length = 1024)]
    description: String,
    /// How it is done, as Markdown.
    #[serde(deserialize_with = "within::<1, 1000000, _, _>")]
    #[schema(min_length = 1, max_length = 1_000_000)]
    instructions: String,
    /// Requests it would serve.
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[schema(max_items = 100)]
    example_queries: Vec<String>,
    /// Tools it needs.
    #[serde(default, deserialize_with = "within::<0, 500, _, _>")]
    #[schema(max_items = 500)]
    suggested_tools: Vec<String>,
    /// The session it comes from.
    #[schema(format = Uuid)]
    session_id: Option<String>,
}

/// Proposes a skill: a draft of the caller's own, which waits until they confirm it.
#[utoipa::path(post, path = "/api/v1/skills/propose", operation_id = "propose_skill", tag = "skills",
    request_body = ProposeSkillRequest,
    responses((status = 201, body = ProposedView), (status = 200, body = ProposedView), Problems))]
pub(crate) async fn propose(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<ProposeSkillRequest>,
) -> Result<Response, Problem> {
    let session = request.session_id.as_deref();
    let session = session.map(|id| SessionId::parse(id).map_err(|_| missing("session", id))).transpose()?;
    let proposal = Proposal {
        name: request.name,
        description: request.description,
        instructions: request.instructions,
        example_queries: request.example_queries,
        suggested_tools: request.suggested_tools,
        session,
    };
    let proposed = app::skills::propose(&state.cx, &caller, proposal).await?;
    let status = if proposed.outcome == Outcome::Created { StatusCode::CREATED } else { StatusCode::OK };
    let version = proposed.record.skill.version;
    Ok(written(version, (status, axum::Json(ProposedView::from(proposed)))))
}
