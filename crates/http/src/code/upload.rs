//! Putting files into a session: one as the body, or several as a form.

use app::code_sessions::{NewFile, UploadFiles};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest as _, Multipart, Request, State};
use axum::http::{StatusCode, header};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::files::SessionFilesView;
use super::{SessionFileView, session_id};
use crate::auth::Auth;
use crate::bounds::within;
use crate::extract::{Body, Query};
use crate::problem::{Problem, Problems, SandboxProblems};
use crate::server::HttpState;
use crate::v1::{Bytes, time};

/// How many parts a form may have.
const MOST_PARTS: usize = 1_000;
/// The media type of a form.
const FORM: &str = "multipart/form-data";

/// Where the files go.
#[derive(Deserialize, IntoParams, Default)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UploadQuery {
    /// The session; a new one when left out.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[param(format = Uuid)]
    session_id: Option<String>,
    /// Where the file goes, relative to `/mnt/data`; for a form or an archive the folder its files go to.
    #[serde(default, deserialize_with = "within::<1, 4096, _, _>")]
    #[param(min_length = 1, max_length = 4096)]
    path: Option<String>,
    /// Whether it is a zip archive whose files are meant.
    #[serde(default)]
    unpack: bool,
}

/// Files as a form.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(dead_code)] // described, never built
pub(crate) struct UploadForm {
    /// The session; a new one when left out.
    #[schema(value_type = String, required = false, format = Uuid)]
    session_id: Option<String>,
    /// The folder the files go to.
    #[schema(value_type = String, required = false, min_length = 1, max_length = 4096)]
    path: Option<String>,
    /// Whether the files are zip archives whose files are meant.
    #[schema(value_type = bool, required = false)]
    unpack: Option<bool>,
    /// The files, each with its name.
    #[schema(value_type = Vec<Bytes>, min_items = 1, max_items = 1000)]
    file: Vec<Vec<u8>>,
}

/// Puts a file into a session, or several: all of them or none. Those that are there are replaced.
#[utoipa::path(post, path = "/files/upload", operation_id = "upload_files", tag = "code",
    params(UploadQuery),
    request_body(content((Bytes = "application/octet-stream"), (UploadForm = "multipart/form-data"))),
    responses((status = 200, body = SessionFilesView), Problems, SandboxProblems))]
pub(crate) async fn upload(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Query(query): Query<UploadQuery>,
    request: Request,
) -> Result<axum::Json<SessionFilesView>, Problem> {
    let form = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let (query, files) = if form.is_some_and(is_form) {
        read_form(request, &state, query).await?
    } else {
        let Body(content) = Body::from_request(request, &state).await?;
        let path = query.path.clone().unwrap_or_default();
        if path.is_empty() && !query.unpack {
            return Err(Problem::bad_request("say where the file goes, such as `?path=data.csv`"));
        }
        let file = NewFile { path, content: content.into(), unpack: query.unpack };
        (query, vec![file])
    };
    let session = query.session_id.as_deref().map(|id| session_id(&state, id)).transpose()?;
    let uploaded = app::code_sessions::upload(&state.cx, &caller, UploadFiles { session, files }).await?;
    Ok(axum::Json(SessionFilesView {
        session_id: uploaded.session.id.to_string(),
        files: uploaded.files.into_iter().map(SessionFileView::from).collect(),
        files_truncated: false,
        expires_at: time(uploaded.session.expires_at),
    }))
}

fn is_form(kind: &str) -> bool {
    kind.split(';').next().is_some_and(|name| name.trim().eq_ignore_ascii_case(FORM))
}

/// The files of a form, and what its fields say; a field counts more than the query.
async fn read_form(
    request: Request,
    state: &HttpState,
    mut query: UploadQuery,
) -> Result<(UploadQuery, Vec<NewFile>), Problem> {
    let mut form = Multipart::from_request(request, state)
        .await
        .map_err(|rejection| Problem::bad_request(rejection.body_text()))?;
    let mut files = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|error| broken(&error))? {
        if files.len() >= MOST_PARTS {
            let detail = format!("a form has at most {MOST_PARTS} files; send a zip with `unpack=true`");
            return Err(Problem::bad_request(detail));
        }
        if let Some(name) = field.file_name().map(str::to_owned) {
            let content = field.bytes().await.map_err(|error| broken(&error))?;
            files.push((name, content));
            continue;
        }
        match field.name().unwrap_or_default().to_owned().as_str() {
            "session_id" => query.session_id = Some(text(field, 64).await?),
            "path" => query.path = Some(text(field, 4096).await?),
            "unpack" => query.unpack = switch(&text(field, 5).await?)?,
            other => {
                let shown: String = other.chars().take(64).collect();
                let detail = format!(
                    "the field `{shown}` is unknown; there are `session_id`, `path`, `unpack`, and files with a name"
                );
                return Err(Problem::bad_request(detail));
            }
        }
    }
    let folder = query.path.clone().unwrap_or_default();
    let place = |(name, content): (String, bytes::Bytes)| {
        let path = match (query.unpack, folder.is_empty()) {
            (true, _) => folder.clone(),
            (false, true) => name,
            (false, false) => format!("{folder}/{name}"),
        };
        NewFile { path, content: content.into(), unpack: query.unpack }
    };
    let files = files.into_iter().map(place).collect();
    Ok((query, files))
}

/// What a field says, within the bounds that the query has as well.
async fn text(field: Field<'_>, most: usize) -> Result<String, Problem> {
    let text = field.text().await.map_err(|error| broken(&error))?;
    match text.chars().count() {
        length if (1..=most).contains(&length) => Ok(text),
        length => Err(Problem::bad_request(format!("a field's length {length} is not between 1 and {most}"))),
    }
}

fn switch(text: &str) -> Result<bool, Problem> {
    text.parse().map_err(|_| Problem::bad_request("`unpack` is `true` or `false`"))
}

fn broken(error: &MultipartError) -> Problem {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Problem::with_code(app::Code::TooLarge, "the body is larger than this server reads");
    }
    Problem::bad_request(error.body_text())
}
