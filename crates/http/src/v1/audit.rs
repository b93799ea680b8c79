//! The audit log.

use app::audit::ListAudit;
use app::{Cursor, PageRequest};
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use utoipa::IntoParams;

use super::names;
use super::views::{AuditEntryView, PageView, VerificationView};
use crate::auth::Auth;
use crate::extract::Query;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListAuditQuery {
    /// An exact verb, or all of a kind: `skill.`.
    #[param(max_length = 100)]
    verb: Option<String>,
    /// The kind of the subject, such as `skill`.
    #[param(max_length = 100)]
    kind: Option<String>,
    /// The subject's id.
    #[param(max_length = 100)]
    subject: Option<String>,
    /// Who did it, by id or handle.
    #[param(min_length = 1, max_length = 128)]
    user: Option<String>,
    /// How many a page has.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
    /// Where the page before ended.
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
    let user = match query.user.as_deref() {
        Some(text) => Some(names::user(&state.cx, &caller, text).await?),
        None => None,
    };
    let request = ListAudit {
        verb: query.verb,
        subject_kind: query.kind,
        subject_id: query.subject,
        user,
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
    const BATCH: u32 = 500;
    // The first batch before the first byte, so that a refusal is still a refusal.
    let first = app::audit::export(&state.cx, &caller, 0, BATCH).await?;
    let (sender, receiver) = tokio::io::duplex(64 * 1024);
    tokio::spawn(async move {
        let mut sender = sender;
        let mut batch = first;
        while let Some(last) = batch.last().map(|entry| entry.sequence) {
            let mut text = String::new();
            for entry in batch {
                text.push_str(&serde_json::to_string(&AuditEntryView::from(entry)).unwrap_or_default());
                text.push('\n');
            }
            // A reader who went away is no error of ours.
            if tokio::io::AsyncWriteExt::write_all(&mut sender, text.as_bytes()).await.is_err() {
                return;
            }
            batch = match app::audit::export(&state.cx, &caller, last, BATCH).await {
                Ok(batch) => batch,
                Err(error) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "audit export broke off");
                    return;
                }
            };
        }
    });
    let body = Body::from_stream(tokio_util::io::ReaderStream::new(receiver));
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], body).into_response())
}
