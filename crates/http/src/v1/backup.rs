//! A copy of the whole database.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use super::views::Bytes;
use crate::auth::Auth;
use crate::problem::{Problem, Problems};
use crate::server::HttpState;

/// Copies the whole database into an SQLite file, consistently, while the server works on; for operators.
#[utoipa::path(get, path = "/api/v1/backup", operation_id = "take_backup", tag = "operations",
    responses((status = 200, body = Bytes, content_type = "application/vnd.sqlite3"), Problems))]
pub(crate) async fn take(State(state): State<HttpState>, Auth(caller): Auth) -> Result<Response, Problem> {
    let private = Permissions::from_mode(0o700);
    let folder = tempfile::Builder::new().permissions(private).tempdir().map_err(|error| broken(&error))?;
    let path = folder.path().join("backup.db");
    app::backup::take(&state.cx, &caller, &path).await?;
    let file = tokio::fs::File::open(&path).await.map_err(|error| broken(&error))?;
    // The file stays readable through its handle when its name is gone.
    drop(folder);
    let headers = [
        (header::CONTENT_TYPE, "application/vnd.sqlite3"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"repertoire-backup.db\""),
    ];
    Ok((headers, Body::from_stream(tokio_util::io::ReaderStream::new(file))).into_response())
}

fn broken(error: &std::io::Error) -> Problem {
    tracing::error!(error = %error, "could not write a backup");
    Problem::new(
        axum::http::StatusCode::INTERNAL_SERVER_ERROR,
        "internal",
        "the server could not write a temporary file",
    )
}
