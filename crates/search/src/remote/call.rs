//! One request, tried until it is answered or there is no point in trying.

use std::time::Duration;

use model::counted;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url, redirect};
use serde::Serialize;
use tokio::time::{Instant, sleep};

use super::answer::{self, Expected};
use super::settings::{RemoteSettings, host_of, is_loopback};
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
    model: String,
    dimensions: Option<usize>,
    timeout: Duration,
    attempts: u32,
    pub(super) first_wait: Duration,
}

/// Why a request got no vectors, in our own words.
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
                return give_up(format!("{why}; tried {}", counted(attempt.into(), "time")));
            }
            let wait = wait.unwrap_or(own_wait);
            if wait > LONGEST_WAIT {
                let longest = LONGEST_WAIT.as_secs();
                return give_up(format!("{why}; it asks for more than {longest} seconds of patience"));
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
        answer::read(&body, expected).map_err(Failed::ForGood)
    }

    fn lost(error: reqwest::Error) -> Failed {
        let error = error.without_url();
        if error.is_timeout() {
            return Failed::ForNow("no answer in time".to_owned(), None);
        }
        if error.is_builder() {
            return Failed::ForGood("the request cannot be made; check the base URL and the key".to_owned());
        }
        if error.is_connect() {
            // Nothing was sent yet that could be repeated.
            let cause = cause(&error);
            return Failed::ForNow(
                format!("no connection: {cause}; check the base URL and the network"),
                None,
            );
        }
        Failed::ForNow("the connection broke; check the base URL and the network".to_owned(), None)
    }

    fn refused(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failed {
        let code = status.as_u16();
        let too_long = code == 413 || answer::complains_of_length(&answer::message(body));
        if matches!(code, 400 | 413 | 422 | 500) && too_long {
            return Failed::TooLong(format!("a text is too long for the model ({code})"));
        }
        match code {
            300..=399 => Failed::ForGood(format!(
                "it redirects ({code}) to elsewhere, and neither texts nor the key go where nobody sent them; \
                 set the base URL to where it is"
            )),
            429 => Failed::ForNow("it is asked too often (429)".to_owned(), retry_after(headers)),
            408 | 409 | 500..=599 => Failed::ForNow(format!("it has trouble ({code})"), retry_after(headers)),
            401 | 403 if self.authorization.is_some() => {
                Failed::ForGood(format!("it does not accept the key ({code}); check the key"))
            }
            401 | 403 => Failed::ForGood(format!("it wants a key ({code}); set the embedder's key")),
            404 | 405 => Failed::ForGood(format!(
                "it knows no such address or model ({code}); check the base URL, which often ends in `/v1`, \
                 and the model `{}`",
                self.model
            )),
            _ => Failed::ForGood(format!(
                "it refuses the request ({code}); check the model `{}` and its dimensions",
                self.model
            )),
        }
    }

    /// Who it is about, and what.
    fn said(&self, why: &str) -> String {
        format!("`{}`: {why}", self.host())
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
