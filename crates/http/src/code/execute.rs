//! Executing code in a session.

use std::time::Duration;

use app::code_sessions::{CodeError, ExecuteCode, Executed};
use app::live::{Audience, Live};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use model::Language;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{SessionFileView, session_id};
use crate::auth::Auth;
use crate::bounds::within;
use crate::event_stream;
use crate::extract::Json;
use crate::problem::{Problem, Problems, SandboxProblems};
use crate::server::HttpState;
use crate::v1::time;

/// Code to execute.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"code": "print(a + 1)", "language": "python", "parameters": {"a": 1}}))]
pub(crate) struct ExecuteCodeRequest {
    /// The session; a new one when left out.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(format = Uuid)]
    session_id: Option<String>,
    /// The source.
    #[schema(value_type = String, required, min_length = 1, pattern = "\\S")]
    code: Option<String>,
    /// `python`, `javascript` or `shell`; python when left out.
    #[schema(pattern = "^(python|javascript|shell)$")]
    language: Option<String>,
    /// Variables the code finds; for a shell those of the environment.
    #[schema(value_type = Option<Object>)]
    parameters: Option<Map<String, Value>>,
    /// How long it may take, within what is allowed anyway.
    #[schema(minimum = 0.001, maximum = 86400)]
    timeout_seconds: Option<f64>,
    /// The Python profile it needs.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    profile: Option<String>,
}

/// What came of it. Code that fails is no failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExecutedView {
    #[schema(format = Uuid)]
    session_id: String,
    /// `succeeded` or `failed`.
    status: &'static str,
    /// What the code gave back.
    #[schema(value_type = Option<Value>)]
    result: Value,
    stdout: String,
    stdout_truncated: bool,
    stderr: String,
    stderr_truncated: bool,
    /// Why it failed.
    error: Option<CodeErrorView>,
    /// The codes of the limits it ran into.
    limits_hit: Vec<&'static str>,
    /// The files it made or changed.
    files: Vec<SessionFileView>,
    /// Whether there were more.
    files_truncated: bool,
    duration_ms: f64,
    /// When the session ends if nobody uses it.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Why code failed.
#[derive(Serialize, ToSchema)]
pub(crate) struct CodeErrorView {
    /// The stable code.
    code: &'static str,
    /// The type of the error in the code's own language.
    #[serde(rename = "type")]
    kind: String,
    message: String,
    file: Option<String>,
    line: Option<u32>,
    /// The trace through the code's own lines.
    traceback: String,
}

impl From<CodeError> for CodeErrorView {
    fn from(error: CodeError) -> Self {
        Self {
            code: error.code,
            kind: error.kind,
            message: error.message,
            file: error.file,
            line: error.line,
            traceback: error.traceback,
        }
    }
}

impl From<Executed> for ExecutedView {
    fn from(executed: Executed) -> Self {
        Self {
            session_id: executed.session.id.to_string(),
            status: executed.status.as_str(),
            result: executed.result,
            stdout: executed.stdout,
            stdout_truncated: executed.stdout_truncated,
            stderr: executed.stderr,
            stderr_truncated: executed.stderr_truncated,
            error: executed.error.map(CodeErrorView::from),
            limits_hit: executed.limits_hit,
            files: executed.files.into_iter().map(SessionFileView::from).collect(),
            files_truncated: executed.files_truncated,
            duration_ms: executed.duration.as_secs_f64() * 1_000.0,
            expires_at: time(executed.session.expires_at),
        }
    }
}

/// Executes code in a session, which keeps its files for the next time.
///
/// With `Accept: text/event-stream` it is told as it goes on: `waiting` where it must wait, `started`, each `output` with
/// `stream` and `text`, and at the end `finished` with what is answered else, or `problem`.
#[utoipa::path(post, path = "/code/execute", operation_id = "execute_code", tag = "code",
    request_body = ExecuteCodeRequest,
    responses((status = 200, content((ExecutedView = "application/json"), (String = "text/event-stream"))),
        Problems, SandboxProblems))]
pub(crate) async fn execute(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    headers: HeaderMap,
    Json(request): Json<ExecuteCodeRequest>,
) -> Result<Response, Problem> {
    let request = ExecuteCode {
        session: request.session_id.as_deref().map(|id| session_id(&state, id)).transpose()?,
        code: request.code.unwrap_or_default(),
        language: request.language.as_deref().map_or(Ok(Language::Python), language)?,
        parameters: request.parameters.unwrap_or_default(),
        timeout: request.timeout_seconds.map(timeout).transpose()?,
        profile: request.profile,
        audience: Audience::default(),
    };
    if event_stream::is_wanted(&headers) {
        let live = Live::new(|audience| async move {
            app::code_sessions::execute(&state.cx, &caller, ExecuteCode { audience, ..request }).await
        });
        return event_stream::follow(live, ExecutedView::from).await;
    }
    let executed = app::code_sessions::execute(&state.cx, &caller, request).await?;
    Ok(axum::Json(ExecutedView::from(executed)).into_response())
}

fn language(text: &str) -> Result<Language, Problem> {
    let shown: String = text.chars().take(64).collect();
    Language::parse(&shown).map_err(|error| Problem::bad_request(error.to_string()))
}

fn timeout(seconds: f64) -> Result<Duration, Problem> {
    if (0.001..=86_400.0).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(Problem::bad_request("`timeout_seconds` must be between 0.001 and 86400"))
}
