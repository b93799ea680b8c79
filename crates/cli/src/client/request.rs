//! Requests and answers, whatever carries them.

use bytes::Bytes;
use reqwest::Url;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Finding;
use crate::exit::{Exit, Failure, Outcome};

/// A request to the API.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    method: &'static str,
    url: Option<Url>,
    headers: Vec<(&'static str, String)>,
    body: Option<Value>,
    pace: Pace,
}

/// How long the answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As long as a server that is well needs.
    Usual,
    /// As long as somebody's code needs.
    AsLongAsItTakes,
}

/// A request to a path below `/api/v1`, given part by part.
pub(crate) fn api(method: &'static str, parts: &[&str]) -> Request {
    // Only path and query are ever used of it.
    let mut url = Url::parse("http://localhost/api/v1").ok();
    if let Some(Ok(mut segments)) = url.as_mut().map(Url::path_segments_mut) {
        segments.extend(parts.iter().flat_map(|part| part.split('/')));
    }
    Request { method, url, headers: Vec::new(), body: None, pace: Pace::Usual }
}

impl Request {
    /// Adds a parameter, if there is a value.
    pub(crate) fn query(mut self, name: &str, value: Option<&str>) -> Self {
        if let (Some(url), Some(value)) = (&mut self.url, value) {
            url.query_pairs_mut().append_pair(name, value);
        }
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn json(mut self, value: Value) -> Self {
        self.body = Some(value);
        self
    }

    /// Lets the answer take as long as it takes.
    pub(crate) fn patiently(mut self) -> Self {
        self.pace = Pace::AsLongAsItTakes;
        self
    }

    pub(super) fn pace(&self) -> Pace {
        self.pace
    }

    /// Whether its answer is one page of many.
    pub(super) fn is_paged(&self) -> bool {
        let path = self.url.as_ref().map_or("", |url| url.path());
        let last = path.rsplit('/').next().unwrap_or_default();
        matches!(last, "skills" | "agents" | "audit" | "revisions" | "runs" | "decisions")
    }

    pub(super) fn into_parts(self) -> (&'static str, String, Vec<(&'static str, String)>, Bytes) {
        let mut headers = self.headers;
        let body = match self.body {
            None => Bytes::new(),
            Some(value) => {
                headers.push(("content-type", "application/json".to_owned()));
                Bytes::from(value.to_string())
            }
        };
        let path = self.url.map_or_else(String::new, |url| match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        });
        (self.method, path, headers, body)
    }
}

/// An answer of the API.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

#[derive(Deserialize)]
struct Problem {
    code: String,
    detail: String,
    #[serde(default)]
    findings: Vec<Finding>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    pub(crate) fn json<T: DeserializeOwned>(&self) -> Outcome<T> {
        serde_json::from_slice(&self.body).map_err(|error| {
            Failure::internal(format!("the server's answer cannot be read: {error}"))
                .hint("is it a Repertoire server of the same version? `repertoire doctor` says")
        })
    }

    /// The answer as a failure.
    pub(crate) fn problem(&self, remote: bool) -> Failure {
        let Ok(problem) = serde_json::from_slice::<Problem>(&self.body) else {
            let text: String = String::from_utf8_lossy(&self.body).chars().take(200).collect();
            let message = format!("the server answered {}: {text}", self.status);
            return Failure::new(Exit::of_status(self.status), "unexpected_answer", message);
        };
        let exit = match problem.code.as_str() {
            "not_pending" => Exit::Conflict,
            _ => Exit::of_status(self.status),
        };
        let mut failure = Failure::new(exit, &problem.code, problem.detail);
        failure.findings = problem.findings.iter().map(ToString::to_string).collect();
        failure.hint = hint(&problem.code, remote).map(str::to_owned);
        failure
    }
}

/// What usually helps.
fn hint(code: &str, remote: bool) -> Option<&'static str> {
    Some(match code {
        "unauthenticated" if remote => "run `repertoire login --server URL`, or set REPERTOIRE_TOKEN",
        "token_scope" => "make a token with that scope: `repertoire token create NAME --scope …`",
        "stale_revision" | "precondition_failed" => "run the command again",
        "agent_has_skills" => "`repertoire skill list --owner-agent NAME` shows them",
        "host_not_allowed" => "start the server with `--allow-host NAME`",
        "invalid_scope" => "name the agent of an agent's scope with --agent NAME",
        "sandbox_unavailable" | "no_python" => "`repertoire doctor` says what is missing and how to get it",
        "busy" => "wait a moment and run the command again",
        "no_procedure" => "`repertoire init NAME --procedure python` shows what one looks like",
        "network_not_allowed" => "the installation grants hosts with `sandbox.allowed_hosts`",
        "skill_not_active" => "`repertoire skill show` says its state; a reviewer lets it in",
        "skill_disabled" => "`repertoire enable` turns it on",
        "rate_limited" => "wait a minute and run the command again",
        _ => return None,
    })
}
