//! Reading requests into types, with problems instead of plain text when that fails.

use axum::body::HttpBody as _;
use axum::extract::rejection::{BytesRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::objects;
use crate::problem::Problem;

/// A JSON body.
pub(crate) struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        if !is_json(request.headers()) {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "send JSON with `Content-Type: application/json`",
            ));
        }
        let Body(bytes) = Body::from_request(request, state).await?;
        objects::read(&bytes).map(Self).map_err(|error| json_problem::<T>(&bytes, &error))
    }
}

/// The largest body of a request that says who one is.
const SMALL: usize = 16 * 1024;

/// A JSON body for routes that anybody may call: a larger one is refused before it is read.
pub(crate) struct SmallJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for SmallJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        if body.size_hint().lower() > SMALL as u64 {
            return Err(Problem::body_too_large(SMALL));
        }
        let bytes = axum::body::to_bytes(body, SMALL).await.map_err(|_| Problem::body_too_large(SMALL))?;
        let request = Request::from_parts(parts, bytes.into());
        Json::from_request(request, state).await.map(|Json(value)| Self(value))
    }
}

/// Whether a body says that it is JSON.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let name = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    name.strip_prefix("application/").is_some_and(|rest| rest == "json" || rest.ends_with("+json"))
}

/// What is wrong with a JSON text. Read the usual way, it tells in which field.
fn json_problem<T: DeserializeOwned>(bytes: &[u8], error: &serde_json::Error) -> Problem {
    let usual = axum::Json::<T>::from_bytes(bytes).err();
    Problem::bad_request(usual.map_or_else(|| error.to_string(), |rejection| rejection.body_text()))
}

/// A JSON body that may be missing.
pub(crate) struct OptionalJson<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Default> FromRequest<S> for OptionalJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let again = Request::from_parts(parts.clone(), body);
        let Body(bytes) = Body::from_request(again, state).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        let request = Request::from_parts(parts, bytes.into());
        Json::<Option<T>>::from_request(request, state)
            .await
            .map(|Json(value)| Self(value.unwrap_or_default()))
    }
}

/// The body's bytes.
pub(crate) struct Body(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        Bytes::from_request(request, state).await.map(Self).map_err(|rejection| bytes_problem(&rejection))
    }
}

fn bytes_problem(rejection: &BytesRejection) -> Problem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "the body is larger than this server reads")
    } else {
        Problem::bad_request(rejection.body_text())
    }
}

/// What stands behind the question mark.
pub(crate) struct Query<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Query::<T>::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Query(value)| Self(value))
            .map_err(|rejection: QueryRejection| Problem::bad_request(rejection.body_text()))
    }
}

/// What stands in the path.
pub(crate) struct Path<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        axum::extract::Path::<T>::from_request_parts(parts, state)
            .await
            .map(|axum::extract::Path(value)| Self(value))
            .map_err(|rejection: PathRejection| {
                Problem::new(StatusCode::NOT_FOUND, "not_found", rejection.body_text())
            })
    }
}
