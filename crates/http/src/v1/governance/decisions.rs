//! The record of decisions.

use app::governance::ListDecisions;
use app::{Cursor, PageRequest};
use axum::extract::State;
use model::{Caller, DecisionId, DecisionKind, DenialCause};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::runs::run_id;
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;
use crate::v1::names::{self, missing, moment, skill_id};
use crate::v1::runs::PrunedView;
use crate::v1::views::{DecisionView, PageView};

/// Which decisions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListDecisionsQuery {
    /// `resolution` or `verdict`.
    #[param(pattern = "^(resolution|verdict)$")]
    kind: Option<String>,
    /// `allowed` or `denied`.
    #[param(pattern = "^(allowed|denied)$")]
    verdict: Option<String>,
    /// For this user, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Through this agent, by id or name.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    agent: Option<String>,
    /// Asked by this program, such as `claude`.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(min_length = 1, max_length = 64)]
    host: Option<String>,
    /// In this governed run.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    run_id: Option<String>,
    /// While the policy of this skill was active, by the skill's id.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    policy: Option<String>,
    /// Denied by the policy that reasons call so.
    #[serde(default, deserialize_with = "within::<1, 100, _, _>")]
    #[param(pattern = "^[a-z0-9/-]{1,100}$")]
    denied_by: Option<String>,
    /// About this tool.
    #[serde(default, deserialize_with = "within::<1, 256, _, _>")]
    #[param(min_length = 1, max_length = 256)]
    tool: Option<String>,
    /// What a denial rests on.
    #[param(pattern = "^(evaluation_error|forbidden|not_allowed|validation|max_steps|max_execution_time)$")]
    cause: Option<String>,
    /// Made at this moment or later.
    #[param(format = DateTime)]
    since: Option<String>,
    /// Made before this moment.
    #[param(format = DateTime)]
    until: Option<String>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

impl ListDecisionsQuery {
    async fn read(self, state: &HttpState, caller: &Caller) -> Result<ListDecisions, Problem> {
        let user = names::optional_user(&state.cx, caller, self.user.as_deref()).await?;
        let agent = names::optional_agent(&state.cx, caller, self.agent.as_deref()).await?;
        let bad = |what: &str| Problem::bad_request(what.to_owned());
        let kind = self.kind.as_deref().map(DecisionKind::parse).transpose();
        let denied = match self.verdict.as_deref() {
            None => None,
            Some("allowed") => Some(false),
            Some("denied") => Some(true),
            Some(_) => return Err(bad("`verdict` is `allowed` or `denied`")),
        };
        let is_plain = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"/-".contains(&byte))
        };
        if self.denied_by.as_deref().is_some_and(|id| !is_plain(id)) {
            return Err(bad(
                "`denied_by` is the id of a policy, such as `security-policy` or `agent/limits`",
            ));
        }
        let cause = self.cause.as_deref().map(DenialCause::parse).transpose();
        let cause = cause.map_err(|error| Problem::bad_request(error.to_string()))?;
        Ok(ListDecisions {
            kind: kind.map_err(|error| Problem::bad_request(error.to_string()))?,
            denied,
            user,
            agent,
            host: self.host,
            run: self.run_id.as_deref().map(run_id).transpose()?,
            policy: self.policy.as_deref().map(skill_id).transpose()?,
            denied_by: self.denied_by,
            tool: self.tool,
            cause: cause.map(|cause| cause.as_str().to_owned()),
            since: self.since.as_deref().map(moment).transpose()?,
            until: self.until.as_deref().map(moment).transpose()?,
            page: PageRequest {
                limit: self.limit.unwrap_or(PageRequest::DEFAULT),
                after: self.cursor.map(Cursor),
            },
        })
    }
}

/// Lists decisions, newest first: one's own; for admins and policy admins all of the workspace.
#[utoipa::path(get, path = "/api/v1/governance/decisions", operation_id = "list_decisions", tag = "governance",
    params(ListDecisionsQuery), responses((status = 200, body = PageView<DecisionView>), Problems))]
pub(crate) async fn list_decisions(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListDecisionsQuery>,
) -> Result<axum::Json<PageView<DecisionView>>, Problem> {
    let request = query.read(&state, &caller).await?;
    let page = app::governance::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, DecisionView::from)))
}

/// Reads a decision: who asked, what was active, what was decided, and why.
#[utoipa::path(get, path = "/api/v1/governance/decisions/{id}", operation_id = "get_decision", tag = "governance",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = DecisionView), Problems))]
pub(crate) async fn read_decision(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<axum::Json<DecisionView>, Problem> {
    let id = DecisionId::parse(&id).map_err(|_| missing("decision", &id))?;
    Ok(axum::Json(app::governance::read(&state.cx, &caller, id).await?.into()))
}

/// Which decisions to forget.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PruneDecisionsRequest {
    /// Those that were made before this moment.
    #[schema(format = DateTime)]
    before: String,
}

/// Forgets old decisions; for admins. That they were made stays in the audit log.
#[utoipa::path(post, path = "/api/v1/governance/decisions/prune", operation_id = "prune_decisions",
    tag = "governance", request_body = PruneDecisionsRequest,
    responses((status = 200, body = PrunedView), Problems))]
pub(crate) async fn prune_decisions(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<PruneDecisionsRequest>,
) -> Result<axum::Json<PrunedView>, Problem> {
    let removed = app::governance::prune(&state.cx, &caller, moment(&request.before)?).await?;
    Ok(axum::Json(PrunedView { removed }))
}
