//! One request, tried until it is answered or there is no point in trying.

use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::answer::{self, Expected};
use super::settings::{RemoteSettings, host_of, is_loopback, shown};
use crate::{EmbedError, Vector};

/// A longer answer is not read.
const LONGEST_ANSWER: usize = 64 << 20;
/// Of a refusal no more is read.
const LONGEST_REFUSAL: usize = 64 << 10;
/// When a server wants us to wait longer, that is for others to decide.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
const FIRST_WAIT: Duration = Duration::from_millis(500);
const MOST_REDIRECTS: usize = 3;

/// How to ask one embedder.
pub(super) struct Call {
    client: Client,
    url: Url,
    authorization: Option<HeaderValue>,
    key: Option<String>,
    model: String,
    dimensions: Option<usize>,
    timeout: Duration,
    attempts: u32,
    pub(super) first_wait: Duration,
}

/// Why a request got no vectors. The texts hold no key.
#[derive(Debug, PartialEq)]
pub(super) enum Refusal {
    /// A text is too long, or all together are too much.
    TooLong(String),
    Final(EmbedError),
}

impl From<Refusal> for EmbedError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::TooLong(why) => Self::Unusable(why),
            Refusal::Final(error) => error,
        }
    }
}

/// How one attempt failed.
enum Failed {
    /// Another may succeed, after a wait if the server named one.
    ForNow(String, Option<Duration>),
    TooLong(String),
    ForGood(String),
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [&'a str],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

impl Call {
    pub(super) fn new(settings: RemoteSettings) -> Result<Self, EmbedError> {
        let url = settings.endpoint()?;
        let authorization = settings.key().map(|key| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}"))?;
            value.set_sensitive(true);
            Ok::<_, reqwest::header::InvalidHeaderValue>(value)
        });
        let authorization = authorization.transpose().map_err(|_| {
            EmbedError::Unusable("the key holds characters that no key has; copy it once more".to_owned())
        })?;
        let mut client = Client::builder()
            .connect_timeout(settings.timeout)
            .redirect(redirect::Policy::custom(follow_at_home))
            .user_agent(concat!("repertoire/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&url) {
            // A proxy would get what must not leave the machine.
            client = client.no_proxy();
        }
        let client = client.build().map_err(|error| {
            EmbedError::Unusable(format!("no HTTP client can be made: {}", cause(&error.without_url())))
        })?;
        Ok(Self {
            client,
            url,
            authorization,
            key: settings.key().map(str::to_owned),
            model: settings.model,
            dimensions: settings.dimensions,
            timeout: settings.timeout,
            attempts: settings.attempts,
            first_wait: FIRST_WAIT,
        })
    }

    fn host(&self) -> &str {
        host_of(&self.url)
    }

    /// One vector a text, in their order.
    pub(super) async fn embed(
        &self,
        texts: &[&str],
        earlier: Option<usize>,
        deadline: Instant,
    ) -> Result<Vec<Vector>, Refusal> {
        let expected = Expected { texts: texts.len(), dimensions: self.dimensions, earlier };
        let mut own_wait = self.first_wait;
        let mut attempt = 1;
        loop {
            let (why, wait) = match self.attempt(texts, expected, deadline).await {
                Ok(vectors) => return Ok(vectors),
                Err(Failed::TooLong(why)) => return Err(Refusal::TooLong(self.said(&why))),
                Err(Failed::ForGood(why)) => {
                    return Err(Refusal::Final(EmbedError::Unusable(self.said(&why))));
                }
                Err(Failed::ForNow(why, wait)) => (why, wait),
            };
            let give_up = |why: String| Err(Refusal::Final(EmbedError::Unavailable(self.said(&why))));
            if attempt >= self.attempts {
                return give_up(format!("{why}; tried {attempt} times"));
            }
            let wait = wait.unwrap_or(own_wait);
            if wait > LONGEST_WAIT {
                return give_up(format!("{why}; it asks for {} seconds of patience", wait.as_secs()));
            }
            if Instant::now() + wait >= deadline {
                return give_up(format!("{why}; there was no time for attempt {}", attempt + 1));
            }
            sleep(wait).await;
            own_wait = own_wait.saturating_mul(2).min(LONGEST_WAIT);
            attempt += 1;
        }
    }

    async fn attempt(
        &self,
        texts: &[&str],
        expected: Expected,
        deadline: Instant,
    ) -> Result<Vec<Vector>, Failed> {
        let left = deadline.saturating_duration_since(Instant::now());
        let request = Request {
            model: &self.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.dimensions,
        };
        let mut request = self.client.post(self.url.clone()).json(&request).timeout(self.timeout.min(left));
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let mut response = request.send().await.map_err(Self::lost)?;
        let (status, headers) = (response.status(), response.headers().clone());
        if status != StatusCode::OK {
            // What cannot be read of a refusal is only its message.
            let body = read(&mut response, LONGEST_REFUSAL, Rest::Ignored).await.unwrap_or_default();
            return Err(self.refused(status, &headers, &body));
        }
        let body = read(&mut response, LONGEST_ANSWER, Rest::Refused).await?;
        answer::read(&body, expected, |said| self.clean(said)).map_err(Failed::ForGood)
    }

    fn lost(error: reqwest::Error) -> Failed {
        let error = error.without_url();
        if error.is_timeout() {
            return Failed::ForNow("no answer in time".to_owned(), None);
        }
        if error.is_builder() {
            return Failed::ForGood(format!("the request cannot be made: {}", cause(&error)));
        }
        Failed::ForNow(format!("no connection: {}; check the base URL and the network", cause(&error)), None)
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failed {
        let whole = answer::message(body);
        let message = self.clean(&whole);
        let code = status.as_u16();
        if matches!(code, 400 | 413 | 422 | 500) && (code == 413 || answer::complains_of_length(&whole)) {
            return Failed::TooLong(format!("({code}) {message}"));
        }
        match code {
            300..=399 => Failed::ForGood(self.redirected(status, headers)),
            429 => Failed::ForNow(format!("it is asked too often (429): {message}"), retry_after(headers)),
            408 | 409 | 500..=599 => {
                Failed::ForNow(format!("it has trouble ({code}): {message}"), retry_after(headers))
            }
            401 | 403 if self.key.is_some() => {
                Failed::ForGood(format!("it does not accept the key ({code}): {message}; check the key"))
            }
            401 | 403 => {
                Failed::ForGood(format!("it wants a key ({code}): {message}; set the embedder's key"))
            }
            404 | 405 => Failed::ForGood(format!(
                "it knows no such address or model ({code}): {message}; check the base URL, which often ends \
                 in `/v1`, and the model `{}`",
                self.model
            )),
            _ => Failed::ForGood(format!(
                "it refuses the request ({code}): {message}; check the model `{}` and its dimensions",
                self.model
            )),
        }
    }

    fn redirected(&self, status: StatusCode, headers: &HeaderMap) -> String {
        let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
        let target = location.and_then(|location| self.url.join(location).ok());
        let target = target.map_or("somewhere else".to_owned(), |url| format!("`{}`", shown(&url)));
        format!(
            "it redirects ({}) to {target}, and neither texts nor the key go where nobody sent them; \
             set the base URL to where it is",
            status.as_u16()
        )
    }

    /// Who said it, and what, without the key.
    fn said(&self, why: &str) -> String {
        format!("`{}`: {}", self.host(), self.without_key(why))
    }

    /// Foreign text as it may be shown. The key goes first: of half a key nothing would be found.
    fn clean(&self, text: &str) -> String {
        answer::shortened(&self.without_key(text))
    }

    fn without_key(&self, text: &str) -> String {
        match &self.key {
            Some(key) => text.replace(key.as_str(), "(key)"),
            None => text.to_owned(),
        }
    }
}

/// Follows a redirect that keeps the method and stays with the same scheme, host and port.
fn follow_at_home(attempt: redirect::Attempt<'_>) -> redirect::Action {
    let keeps_method = matches!(attempt.status().as_u16(), 307 | 308);
    let at_home = attempt.previous().first().is_some_and(|from| from.origin() == attempt.url().origin());
    if keeps_method && at_home && attempt.previous().len() <= MOST_REDIRECTS {
        return attempt.follow();
    }
    attempt.stop()
}

/// What becomes of bytes that are too many.
#[derive(Clone, Copy)]
enum Rest {
    Ignored,
    Refused,
}

async fn read(response: &mut Response, most: usize, rest: Rest) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(Call::lost)? {
        let room = most - body.len();
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        if chunk.len() > room {
            return match rest {
                Rest::Ignored => Ok(body),
                Rest::Refused => Err(Failed::ForGood(format!(
                    "its answer is longer than {} MB; check the base URL, or make `batch` smaller",
                    most >> 20
                ))),
            };
        }
    }
    Ok(body)
}

/// How long the server asks us to wait; dates are not read.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds: f64 = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The innermost reason; the outer ones only say that there was an error.
fn cause(error: &reqwest::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
