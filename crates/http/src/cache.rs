//! Answers that are still true.
//!
//! Where the store counts its commits, an answer to a read stays true while that number stays the same; it is then
//! given again without asking the database. Any write, by anyone, makes all answers old at once. On a store that
//! others write to as well there is no such number, and nothing is kept.

use std::sync::Arc;

use app::Context;
use app::identity::{self, Until};
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use crate::auth::{AGENT_HEADER, WORKSPACE_HEADER, bearer};
use crate::local::LocalUser;

/// How many bytes all answers take together.
const CAPACITY: u64 = 16 * 1024 * 1024;
/// Larger answers are not kept.
const MAX_ANSWER: usize = 256 * 1024;

#[derive(Clone)]
pub(crate) struct AnswerCache(moka::sync::Cache<Vec<u8>, Arc<Answer>>);

struct Answer {
    generation: u64,
    /// A credential may end by time alone, which no commit shows.
    until: Until,
    headers: HeaderMap,
    body: Bytes,
}

/// What was asked, by whom, and when.
pub(crate) struct Question {
    key: Vec<u8>,
    generation: u64,
    credential: HeaderValue,
}

impl Default for AnswerCache {
    fn default() -> Self {
        let weight = |key: &Vec<u8>, answer: &Arc<Answer>| {
            u32::try_from(key.len() + answer.body.len() + 512).unwrap_or(u32::MAX)
        };
        Self(moka::sync::Cache::builder().max_capacity(CAPACITY).weigher(weight).build())
    }
}

impl AnswerCache {
    /// The question a request asks, if its answer may be kept: a plain read with a token.
    pub(crate) fn question(request: &Request, generation: Option<u64>) -> Option<Question> {
        let generation = generation?;
        let headers = request.headers();
        let plain = request.method() == Method::GET
            && request.uri().path().starts_with("/api/v1/")
            && !headers.contains_key(header::IF_NONE_MATCH)
            && !headers.contains_key(header::COOKIE)
            && request.extensions().get::<LocalUser>().is_none();
        let credential = headers.get(header::AUTHORIZATION).filter(|_| plain)?;
        let target = request.uri().path_and_query()?.as_str();
        let mut key = Vec::with_capacity(target.len() + credential.len() + 2);
        for part in [Some(credential), headers.get(WORKSPACE_HEADER), headers.get(AGENT_HEADER)] {
            key.extend_from_slice(part.map_or(&[], |part| part.as_bytes()));
            key.push(0);
        }
        key.extend_from_slice(target.as_bytes());
        Some(Question { key, generation, credential: credential.clone() })
    }

    /// The answer, if it is known and still true.
    pub(crate) fn find(&self, cx: &Context, question: &Question) -> Option<Response> {
        let known = self.0.get(&question.key)?;
        if known.generation != question.generation || !known.until.holds(cx.now()) {
            return None;
        }
        Some((known.headers.clone(), known.body.clone()).into_response())
    }

    /// Keeps an answer that may be given again. It was computed after the question's number was read, so it holds
    /// at least what that number stands for.
    pub(crate) async fn keep(&self, cx: &Context, question: Question, response: Response) -> Response {
        // What is true for other reasons than a commit says so itself.
        if response.headers().contains_key(header::CACHE_CONTROL) {
            return response;
        }
        let json =
            response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
        let until = bearer(&question.credential).and_then(|secret| identity::good_until(cx, &secret));
        let (StatusCode::OK, true, Some(until)) = (response.status(), json, until) else { return response };
        let (parts, body) = response.into_parts();
        let Ok(body) = axum::body::to_bytes(body, usize::MAX).await else {
            return StatusCode::INTERNAL_SERVER_ERROR.into_response();
        };
        if body.len() <= MAX_ANSWER {
            let answer = Answer {
                generation: question.generation,
                until,
                headers: parts.headers.clone(),
                body: body.clone(),
            };
            self.0.insert(question.key, Arc::new(answer));
        }
        Response::from_parts(parts, Body::from(body))
    }
}
