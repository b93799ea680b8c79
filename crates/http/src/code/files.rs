//! The files of a session: seeing them, taking them out, removing them.

use app::code_sessions::DownloadFile;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;
use utoipa::{IntoParams, ToSchema};

use super::{SessionFileView, session_id};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Json, Query};
use crate::problem::{Problem, Problems, SandboxProblems};
use crate::server::HttpState;
use crate::v1::{Bytes, time};

/// Which session.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionQuery {
    /// The session.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    session_id: String,
}

/// The files of a session.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionFilesView {
    #[schema(format = Uuid)]
    pub(super) session_id: String,
    pub(super) files: Vec<SessionFileView>,
    /// Whether there are more than are listed.
    pub(super) files_truncated: bool,
    /// When the session ends if nobody uses it.
    #[schema(format = DateTime)]
    pub(super) expires_at: String,
}

/// Lists the files of a session.
#[utoipa::path(get, path = "/files/list", operation_id = "list_session_files", tag = "code",
    params(SessionQuery), responses((status = 200, body = SessionFilesView), Problems))]
pub(crate) async fn list_files(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<SessionQuery>,
) -> Result<axum::Json<SessionFilesView>, Problem> {
    let id = session_id(&state, &query.session_id)?;
    let (session, files, files_truncated) = app::code_sessions::list_files(&state.cx, &caller, id).await?;
    Ok(axum::Json(SessionFilesView {
        session_id: session.id.to_string(),
        files: files.into_iter().map(SessionFileView::from).collect(),
        files_truncated,
        expires_at: time(session.expires_at),
    }))
}

/// Which file.
#[derive(Deserialize, IntoParams, ToSchema)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DownloadRequest {
    /// The session.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    #[schema(format = Uuid)]
    session_id: String,
    /// Where the file is, relative to `/mnt/data`.
    #[serde(deserialize_with = "within::<1, 4096, _, _>")]
    #[param(min_length = 1, max_length = 4096)]
    #[schema(min_length = 1, max_length = 4096)]
    path: String,
}

/// A file's bytes. They are given as a download that no browser runs.
#[utoipa::path(get, path = "/files/download", operation_id = "download_file", tag = "code",
    params(DownloadRequest),
    responses((status = 200, content((Bytes = "application/octet-stream"), (Bytes = "text/plain"),
        (Bytes = "text/csv"), (Bytes = "text/markdown"), (Bytes = "application/pdf"),
        (Bytes = "application/zip"), (Bytes = "image/png"), (Bytes = "image/jpeg"))), Problems))]
pub(crate) async fn download(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(request): Query<DownloadRequest>,
) -> Result<Response, Problem> {
    give(&state, &caller, request).await
}

/// A file's bytes, asked for in a body.
#[utoipa::path(post, path = "/files/download", operation_id = "post_download_file", tag = "code",
    request_body = DownloadRequest,
    responses((status = 200, content((Bytes = "application/octet-stream"), (Bytes = "text/plain"),
        (Bytes = "text/csv"), (Bytes = "text/markdown"), (Bytes = "application/pdf"),
        (Bytes = "application/zip"), (Bytes = "image/png"), (Bytes = "image/jpeg"))), Problems))]
pub(crate) async fn post_download(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<DownloadRequest>,
) -> Result<Response, Problem> {
    give(&state, &caller, request).await
}

async fn give(
    state: &HttpState,
    caller: &model::Caller,
    request: DownloadRequest,
) -> Result<Response, Problem> {
    let session = session_id(state, &request.session_id)?;
    let name = request.path.rsplit('/').next().unwrap_or_default().to_owned();
    let found =
        app::code_sessions::download(&state.cx, caller, DownloadFile { session, path: request.path }).await?;
    let file = tokio::fs::File::from_std(found.file).take(found.size);
    let mut response = Body::from_stream(ReaderStream::new(file)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(harmless(&name)));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(found.size));
    headers.insert(header::CONTENT_DISPOSITION, disposition(&name));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// What a file's name says about its bytes, where no browser would run them; the document lists the same ones.
fn harmless(name: &str) -> &'static str {
    match model::media_type(name) {
        // Not `application/json`: programs would read the answer by themselves, and what code wrote may be none.
        known @ ("text/plain" | "text/csv" | "text/markdown" | "application/pdf" | "application/zip"
        | "image/png" | "image/jpeg") => known,
        _ => "application/octet-stream",
    }
}

/// A download under the file's own name (RFC 6266), whatever code called it.
fn disposition(name: &str) -> HeaderValue {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ' ') { c } else { '_' })
        .collect();
    let encoded: String = name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect();
    HeaderValue::from_str(&format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}"))
        .unwrap_or(HeaderValue::from_static("attachment"))
}

/// Which files to remove.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteFilesRequest {
    /// The session.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(format = Uuid)]
    session_id: String,
    /// Where the file is; everything when left out.
    #[serde(default, deserialize_with = "within::<1, 4096, _, _>")]
    #[schema(min_length = 1, max_length = 4096)]
    path: Option<String>,
}

/// What was removed.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeletedFilesView {
    #[schema(format = Uuid)]
    session_id: String,
    /// How many files.
    removed: u64,
    /// When the session ends if nobody uses it.
    #[schema(format = DateTime)]
    expires_at: String,
}

/// Removes a file of a session, or all of them.
#[utoipa::path(post, path = "/files/delete", operation_id = "delete_session_files", tag = "code",
    request_body = DeleteFilesRequest,
    responses((status = 200, body = DeletedFilesView), Problems, SandboxProblems))]
pub(crate) async fn delete(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Json(request): Json<DeleteFilesRequest>,
) -> Result<axum::Json<DeletedFilesView>, Problem> {
    let id = session_id(&state, &request.session_id)?;
    let (session, removed) = app::code_sessions::delete_files(&state.cx, &caller, id, request.path).await?;
    let expires_at = time(session.expires_at);
    Ok(axum::Json(DeletedFilesView { session_id: session.id.to_string(), removed, expires_at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_never_breaks_out_of_its_header() {
        for (name, wanted) in [
            ("a.csv", "attachment; filename=\"a.csv\"; filename*=UTF-8''a.csv"),
            ("a\"; x=\r\ny", "attachment; filename=\"a__ x___y\"; filename*=UTF-8''a%22%3B%20x%3D%0D%0Ay"),
            ("é.txt", "attachment; filename=\"_.txt\"; filename*=UTF-8''%C3%A9.txt"),
        ] {
            assert_eq!(disposition(name), wanted);
        }
    }

    #[test]
    fn what_a_browser_would_run_is_only_bytes() {
        for name in ["a.html", "a.svg", "a.js", "a.xml", "a.htm", "a.json", "a", "a.exe", "a.sh"] {
            assert_eq!(harmless(name), "application/octet-stream", "{name}");
        }
        assert_eq!((harmless("a.csv"), harmless("plot.PNG")), ("text/csv", "image/png"));
    }
}
