//! Code sessions: `/code` and `/files`. Their paths and fields are those that tools for executing code expect, and so
//! stand outside of the native API; who asks, problems and limits are the same.

mod execute;
mod files;
mod upload;

use app::code_sessions::{CodeSession, SessionFile};
use axum::extract::State;
use axum::http::StatusCode;
use model::CodeSessionId;
use serde::Serialize;
use utoipa::ToSchema;

pub(crate) use execute::execute;
pub(crate) use files::{delete, download, list_files, post_download};
pub(crate) use upload::upload;

// The macros of the document look for these beside the handlers.
pub(crate) use execute::__path_execute;
pub(crate) use files::{__path_delete, __path_download, __path_list_files, __path_post_download};
pub(crate) use upload::__path_upload;

use crate::auth::Auth;
use crate::extract::Path;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;
use crate::v1::{ListView, time};

/// A code session.
#[derive(Serialize, ToSchema)]
pub(crate) struct CodeSessionView {
    #[schema(format = Uuid)]
    id: String,
    #[schema(format = DateTime)]
    created_at: String,
    #[schema(format = DateTime)]
    last_used_at: String,
    /// When it ends if nobody uses it.
    #[schema(format = DateTime)]
    expires_at: String,
    /// Whether something is done in it at this moment.
    in_use: bool,
}

impl From<CodeSession> for CodeSessionView {
    fn from(session: CodeSession) -> Self {
        Self {
            id: session.id.to_string(),
            created_at: time(session.created_at),
            last_used_at: time(session.last_used_at),
            expires_at: time(session.expires_at),
            in_use: session.in_use,
        }
    }
}

/// A file in a session.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionFileView {
    /// Where, relative to `/mnt/data`.
    path: String,
    size: u64,
    /// What its name says about its bytes.
    media_type: &'static str,
}

impl From<SessionFile> for SessionFileView {
    fn from(file: SessionFile) -> Self {
        Self { media_type: model::media_type(&file.path), path: file.path, size: file.size }
    }
}

/// The id in a request. What cannot be one is as unknown as one that ended.
pub(crate) fn session_id(state: &HttpState, text: &str) -> Result<CodeSessionId, Problem> {
    let missing = || {
        let shown: String = text.chars().take(80).collect();
        Problem::from(state.cx.code_sessions.missing(shown))
    };
    CodeSessionId::parse(text).map_err(|_| missing())
}

/// Lists the caller's own code sessions.
#[utoipa::path(get, path = "/code/sessions", operation_id = "list_code_sessions", tag = "code",
    responses((status = 200, body = ListView<CodeSessionView>), Problems))]
pub(crate) async fn list(
    State(state): State<HttpState>,
    Auth(caller): Auth,
) -> Result<axum::Json<ListView<CodeSessionView>>, Problem> {
    let sessions = app::code_sessions::list(&state.cx, &caller)?;
    Ok(axum::Json(ListView { items: sessions.into_iter().map(CodeSessionView::from).collect() }))
}

/// Ends a code session, with what is being executed in it and all its files.
#[utoipa::path(delete, path = "/code/sessions/{id}", operation_id = "end_code_session", tag = "code",
    params(("id" = uuid::Uuid, Path)), responses((status = 204), Problems))]
pub(crate) async fn end(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    app::code_sessions::end(&state.cx, &caller, session_id(&state, &id)?)?;
    Ok(StatusCode::NO_CONTENT)
}
