//! Problem details (RFC 9457): every answer that is not what was asked for.

use app::{Code, Error, Finding};
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// A problem, as RFC 9457 has it, with a stable code.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// Always `about:blank`: the code says which problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: String,
    /// The status.
    status: u16,
    /// The stable code.
    code: &'static str,
    /// What is wrong with this very request, for a person.
    detail: String,
    /// What was found in the files, where files were examined.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<FindingView>,
    /// When to try again, in seconds; told in a header.
    #[serde(skip)]
    #[schema(ignore)]
    retry_after: Option<u16>,
}

/// Something found in a file.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct FindingView {
    /// `error`, `warning` or `info`.
    level: &'static str,
    /// The stable code.
    code: &'static str,
    /// What it is.
    message: String,
    /// The file.
    file: Option<String>,
    /// The line in it.
    line: Option<u32>,
}

impl From<&Finding> for FindingView {
    fn from(finding: &Finding) -> Self {
        Self {
            level: finding.level.as_str(),
            code: finding.code,
            message: finding.message.clone(),
            file: finding.file.clone(),
            line: finding.line,
        }
    }
}

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Problem").to_owned(),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            findings: Vec::new(),
            retry_after: None,
        }
    }

    /// A problem of one of the codes of `app`, with the status that goes with it.
    pub(crate) fn with_code(code: Code, detail: impl Into<String>) -> Self {
        Self::new(status(code), code.as_str(), detail)
    }

    pub(crate) fn body_too_large(limit: usize) -> Self {
        Self::with_code(Code::TooLarge, format!("the request body must be at most {limit} bytes"))
    }

    /// The same problem with when to try again.
    pub(crate) fn retry_after(self, wait: std::time::Duration) -> Self {
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Self { retry_after: u16::try_from(seconds.max(1)).ok(), ..self }
    }

    pub(crate) fn bad_request(detail: impl Into<String>) -> Self {
        Self::with_code(Code::InvalidRequest, detail)
    }

    /// Its stable code.
    pub(crate) fn code(&self) -> &'static str {
        self.code
    }

    /// Whether it is the problem with this code.
    pub(crate) fn has(&self, code: Code) -> bool {
        self.code == code.as_str()
    }

    /// As the error of one item among many; what is wrong on our side stays the problem of the whole request.
    pub(crate) fn into_item(self) -> Result<Error, Self> {
        match Code::ALL.iter().find(|code| code.as_str() == self.code) {
            Some(&code) if self.status < 500 => {
                Ok(Error::Invalid { code, message: self.detail, findings: Vec::new() })
            }
            _ => Err(self),
        }
    }

    pub(crate) fn of(error: &Error) -> Self {
        let code = error.code();
        let detail = match code {
            // The chain is for the log, not for the caller.
            Code::Internal => "something went wrong on our side; the server's log says what".to_owned(),
            _ => error.to_string(),
        };
        let mut problem = Self::new(status(code), code.as_str(), detail);
        problem.findings = error.findings().iter().map(FindingView::from).collect();
        if let Error::Busy { retry_after } | Error::TooManyWatches { retry_after, .. } = error {
            problem.retry_after = u16::try_from(retry_after.as_secs()).ok();
        }
        problem
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        if matches!(error.code(), Code::Internal | Code::Unavailable | Code::SandboxUnavailable) {
            tracing::error!(error = &error as &dyn std::error::Error, "request failed");
        }
        Self::of(&error)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let retry_after = self.retry_after;
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(
                    header::WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer realm=\"repertoire\""),
                );
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::TOO_MANY_REQUESTS => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from(retry_after.unwrap_or(60)));
            }
            _ => {}
        }
        response
    }
}

/// The one table from codes to statuses.
fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidRequest | Code::InvalidCursor | Code::NotPending => StatusCode::BAD_REQUEST,
        Code::InvalidName
        | Code::InvalidBundle
        | Code::InvalidManifest
        | Code::InvalidSidecar
        | Code::InvalidArchive
        | Code::InvalidPath
        | Code::InvalidScope
        | Code::InvalidSettings
        | Code::InvalidCode
        | Code::UnknownProfile
        | Code::NoProcedure
        | Code::TextNotFound
        | Code::InvalidParameters
        | Code::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::Forbidden | Code::TokenScope | Code::PolicyDenied | Code::NetworkNotAllowed => {
            StatusCode::FORBIDDEN
        }
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::NameTaken
        | Code::HandleTaken
        | Code::LabelTaken
        | Code::InvalidTransition
        | Code::RejectedContent
        | Code::LimitReached
        | Code::AgentHasSkills
        | Code::LastAdmin
        | Code::RunFinished
        | Code::SessionCompleted
        | Code::RecordingOff
        | Code::SkillNotActive
        | Code::SkillDisabled
        | Code::ProposalsOff
        | Code::Stale => StatusCode::CONFLICT,
        Code::Precondition => StatusCode::PRECONDITION_FAILED,
        Code::Busy => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable | Code::SandboxUnavailable | Code::NoPython => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

pub(crate) fn no_such_path() -> Problem {
    Problem::with_code(Code::NotFound, "there is nothing at this path; see /docs")
}

pub(crate) async fn method_not_allowed() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "this path does not take this method")
}

/// The problems any operation may answer with, for the OpenAPI document.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code)] // described, never built
pub(crate) enum Problems {
    /// The request cannot be understood.
    #[response(status = 400, content_type = "application/problem+json")]
    BadRequest(Problem),
    /// No credential, or one that no longer counts.
    #[response(status = 401, content_type = "application/problem+json")]
    Unauthorized(Problem),
    /// The caller may not.
    #[response(status = 403, content_type = "application/problem+json")]
    Forbidden(Problem),
    /// There is no such thing.
    #[response(status = 404, content_type = "application/problem+json")]
    NotFound(Problem),
    /// The request clashes with the state of things.
    #[response(status = 409, content_type = "application/problem+json")]
    Conflict(Problem),
    /// Not at the version that was named.
    #[response(status = 412, content_type = "application/problem+json")]
    PreconditionFailed(Problem),
    /// Larger than allowed.
    #[response(status = 413, content_type = "application/problem+json")]
    TooLarge(Problem),
    /// Not in a media type this operation reads.
    #[response(status = 415, content_type = "application/problem+json")]
    UnsupportedMediaType(Problem),
    /// Understood, but it breaks a rule.
    #[response(status = 422, content_type = "application/problem+json")]
    Unprocessable(Problem),
    /// The database does not answer.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}

/// The problem of an operation that may be had only so many times at once. It stands behind the others.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code)] // described, never built
pub(crate) enum WatchProblems {
    /// The caller has as many of these as one may have; `Retry-After` says when to come back.
    #[response(status = 429, content_type = "application/problem+json")]
    Busy(Problem),
}

/// The problems of an operation that needs the sandbox. They stand behind the others, of which they replace one.
#[derive(utoipa::IntoResponses)]
#[allow(dead_code)] // described, never built
pub(crate) enum SandboxProblems {
    /// Code is running at full capacity; `Retry-After` says when to come back.
    #[response(status = 429, content_type = "application/problem+json")]
    Busy(Problem),
    /// Code cannot run on this server, or the database does not answer.
    #[response(status = 503, content_type = "application/problem+json")]
    Unavailable(Problem),
}
