//! The audit log.

use app::audit::ListAudit;
use app::{Context, Cursor, PageRequest};
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures::stream;
use model::{AuditEntry, Caller};
use serde::Deserialize;
use utoipa::IntoParams;

use super::names;
use super::views::{AuditEntryView, PageView, VerificationView};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::Query;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListAuditQuery {
    /// An exact verb, or all of a kind: `skill.`.
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[param(max_length = 100)]
    verb: Option<String>,
    /// The kind of the subject, such as `skill`.
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[param(max_length = 100)]
    kind: Option<String>,
    /// The subject's id.
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[param(max_length = 100)]
    subject: Option<String>,
    /// Who did it, by id or handle.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// Also the entries that only seal decisions of governance; they are left out unless a verb asks for them.
    #[serde(default)]
    seals: bool,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
    #[param(min_length = 1, pattern = "^[A-Za-z0-9_-]+$")]
    cursor: Option<String>,
}

/// Lists audit entries, newest first; for admins and policy admins.
#[utoipa::path(get, path = "/api/v1/audit", operation_id = "list_audit", tag = "operations", params(ListAuditQuery),
    responses((status = 200, body = PageView<AuditEntryView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<ListAuditQuery>,
) -> Result<axum::Json<PageView<AuditEntryView>>, Problem> {
    let user = names::optional_user(&state.cx, &caller, query.user.as_deref()).await?;
    let request = ListAudit {
        verb: query.verb,
        subject_kind: query.kind,
        subject_id: query.subject,
        user,
        seals: query.seals,
        page: PageRequest {
            limit: query.limit.unwrap_or(PageRequest::DEFAULT),
            after: query.cursor.map(Cursor),
        },
    };
    let page = app::audit::list(&state.cx, &caller, request).await?;
    Ok(axum::Json(PageView::of(page, None, AuditEntryView::from)))
}

/// Walks the whole chain and recomputes every hash; for admins and policy admins.
#[utoipa::path(get, path = "/api/v1/audit/verification", operation_id = "verify_audit", tag = "operations",
    responses((status = 200, body = VerificationView), Problems))]
pub(crate) async fn verify(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<VerificationView>, Problem> {
    Ok(axum::Json(app::audit::verify(&state.cx, &caller).await?.into()))
}

/// The whole log as JSON lines, oldest first; for admins and policy admins.
#[utoipa::path(get, path = "/api/v1/audit/export", operation_id = "export_audit", tag = "operations",
    responses((status = 200, body = String, content_type = "application/jsonl"), Problems))]
pub(crate) async fn export(State(state): State<HttpState>, Auth(caller): Auth) -> Result<Response, Problem> {
    // The first batch before the first byte, so that a refusal is still a refusal.
    let first = app::audit::export(&state.cx, &caller, 0, BATCH).await?;
    let batches = stream::try_unfold(first, move |batch| {
        let (cx, caller) = (state.cx.clone(), caller.clone());
        async move { next_batch(&cx, &caller, batch).await }
    });
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], Body::from_stream(batches)).into_response())
}

const BATCH: u32 = 500;

/// The lines of a batch, and the batch after it. An error ends the connection in the middle, so that half a log
/// never looks like a whole one.
async fn next_batch(
    cx: &Context,
    caller: &Caller,
    batch: Vec<AuditEntry>,
) -> Result<Option<(String, Vec<AuditEntry>)>, axum::BoxError> {
    let Some(last) = batch.last().map(|entry| entry.sequence) else { return Ok(None) };
    let mut text = String::new();
    for entry in batch {
        text.push_str(&serde_json::to_string(&AuditEntryView::from(entry))?);
        text.push('\n');
    }
    let next = app::audit::export(cx, caller, last, BATCH).await.inspect_err(|error| {
        tracing::error!(error = error as &dyn std::error::Error, "audit export broke off");
    })?;
    Ok(Some((text, next)))
}
