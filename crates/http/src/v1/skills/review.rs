//! Decisions about a skill.

use app::skills::{Decision, Reviewed};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use model::{Caller, ScopeKind, Transition};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::super::names::skill_id;
use super::super::views::ReviewedView;
use crate::auth::Auth;
use crate::bounds::within;
use crate::etag::{wanted_version, written};
use crate::extract::{Json, OptionalJson, Path, Query};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Why.
#[derive(Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasonRequest {
    /// Why; kept with the skill and in the audit log.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    reason: Option<String>,
}

fn answer(reviewed: Reviewed) -> Response {
    let version = reviewed.record.skill.version;
    written(version, axum::Json(ReviewedView::from(reviewed)))
}

async fn decide(
    state: &HttpState,
    caller: &Caller,
    id: &str,
    headers: &HeaderMap,
    decision: Decision,
) -> Result<Response, Problem> {
    let decision = Decision { if_version: wanted_version(headers)?, ..decision };
    Ok(answer(app::skills::decide(&state.cx, caller, skill_id(id)?, decision).await?))
}

/// Defines the handler of a step that takes nothing but a reason.
macro_rules! step {
    ($(#[$doc:meta])* $name:ident, $path:literal, $operation:literal, $transition:ident) => {
        $(#[$doc])*
        #[utoipa::path(post, path = $path, operation_id = $operation, tag = "review",
            params(("id" = uuid::Uuid, Path)), request_body = Option<ReasonRequest>,
            responses((status = 200, body = ReviewedView), Problems))]
        pub(crate) async fn $name(
            State(state): State<HttpState>,
            Auth(caller): Auth,
            Path(id): Path<String>,
            headers: HeaderMap,
            OptionalJson(request): OptionalJson<ReasonRequest>,
        ) -> Result<Response, Problem> {
            let decision = Decision { reason: request.reason, ..Decision::new(Transition::$transition) };
            decide(&state, &caller, &id, &headers, decision).await
        }
    };
}

step!(/// Hands a draft in for review.
    submit, "/api/v1/skills/{id}/submit", "submit_skill", Submit);
step!(/// Refuses a skill, or a promotion that was asked for; the record and the reason stay.
    reject, "/api/v1/skills/{id}/reject", "reject_skill", Reject);
step!(/// Puts a skill away; it stays and can be reopened.
    archive, "/api/v1/skills/{id}/archive", "archive_skill", Archive);
step!(/// Takes a rejected or archived skill up again, as a draft.
    reopen, "/api/v1/skills/{id}/reopen", "reopen_skill", Reopen);

/// Under which condition.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ApproveQuery {
    /// `pending`: answer 400 `not_pending` when nothing waits, instead of `"changed": false`.
    #[param(pattern = "^pending$")]
    only_if: Option<String>,
}

/// Lets a skill in, or grants a promotion that was asked for. On an active skill nothing changes.
#[utoipa::path(post, path = "/api/v1/skills/{id}/approve", operation_id = "approve_skill", tag = "review",
    params(("id" = uuid::Uuid, Path), ApproveQuery), request_body = Option<ReasonRequest>,
    responses((status = 200, body = ReviewedView), Problems))]
pub(crate) async fn approve(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    Query(query): Query<ApproveQuery>,
    headers: HeaderMap,
    OptionalJson(request): OptionalJson<ReasonRequest>,
) -> Result<Response, Problem> {
    let only_if_pending = match query.only_if.as_deref() {
        None => false,
        Some("pending") => true,
        Some(_) => return Err(Problem::bad_request("`only_if` takes `pending`")),
    };
    let decision = Decision { reason: request.reason, only_if_pending, ..Decision::new(Transition::Approve) };
    decide(&state, &caller, &id, &headers, decision).await
}

/// Turns a skill on.
#[utoipa::path(post, path = "/api/v1/skills/{id}/enable", operation_id = "enable_skill", tag = "review",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ReviewedView), Problems))]
pub(crate) async fn enable(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let version = wanted_version(&headers)?;
    Ok(answer(app::skills::set_enabled(&state.cx, &caller, skill_id(&id)?, true, version).await?))
}

/// Turns a skill off: agents no longer find it.
#[utoipa::path(post, path = "/api/v1/skills/{id}/disable", operation_id = "disable_skill", tag = "review",
    params(("id" = uuid::Uuid, Path)), responses((status = 200, body = ReviewedView), Problems))]
pub(crate) async fn disable(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let version = wanted_version(&headers)?;
    Ok(answer(app::skills::set_enabled(&state.cx, &caller, skill_id(&id)?, false, version).await?))
}

/// A wider scope.
#[derive(Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WiderScope {
    Workspace,
    Agent,
    User,
}

/// Where to.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromoteRequest {
    to: WiderScope,
}

/// Moves a skill up the ladder; without the right to grant that, asks a reviewer for it.
#[utoipa::path(post, path = "/api/v1/skills/{id}/promote", operation_id = "promote_skill", tag = "review",
    params(("id" = uuid::Uuid, Path)), request_body = PromoteRequest,
    responses((status = 200, body = ReviewedView), Problems))]
pub(crate) async fn promote(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(request): Json<PromoteRequest>,
) -> Result<Response, Problem> {
    let to = match request.to {
        WiderScope::Workspace => ScopeKind::Workspace,
        WiderScope::Agent => ScopeKind::Agent,
        WiderScope::User => ScopeKind::User,
    };
    let version = wanted_version(&headers)?;
    Ok(answer(app::skills::promote(&state.cx, &caller, skill_id(&id)?, to, version).await?))
}
