//! Where an embedder is and how to ask it.

use std::time::Duration;

use reqwest::Url;

use crate::EmbedError;

/// Where an embedder is and how to ask it.
#[derive(Clone)]
pub struct RemoteSettings {
    /// What `/embeddings` is put behind, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The key, where one is needed.
    pub key: Option<String>,
    /// How many dimensions to ask for; otherwise the model decides.
    pub dimensions: Option<usize>,
    /// How long one attempt may take.
    pub timeout: Duration,
    /// How long all attempts at one request may take, with the waits between them.
    pub deadline: Duration,
    /// How long all attempts may take when somebody waits for the answer.
    pub query_timeout: Duration,
    /// How many texts go into one request.
    pub batch: usize,
    /// How often a request is tried.
    pub attempts: u32,
}

impl RemoteSettings {
    /// The defaults for a model at a URL.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            model: model.into(),
            key: None,
            dimensions: None,
            timeout: Duration::from_secs(10),
            deadline: Duration::from_mins(1),
            query_timeout: Duration::from_secs(3),
            batch: 64,
            attempts: 4,
        }
    }

    pub(super) fn check(&self) -> Result<(), EmbedError> {
        let wrong = |what: &str| Err(EmbedError::Unusable(what.to_owned()));
        if self.model.trim().is_empty() {
            return wrong("no model is named; set the embedder's model");
        }
        if self.batch == 0 || self.attempts == 0 || self.dimensions == Some(0) {
            return wrong("batch, attempts and dimensions of the embedder must be at least 1");
        }
        if self.timeout.is_zero() || self.deadline.is_zero() || self.query_timeout.is_zero() {
            return wrong("the embedder's time limits must be longer than nothing");
        }
        Ok(())
    }

    /// The key, unless it is blank.
    pub(super) fn key(&self) -> Option<&str> {
        self.key.as_deref().map(str::trim).filter(|key| !key.is_empty())
    }

    /// Where to send requests.
    pub(super) fn endpoint(&self) -> Result<Url, EmbedError> {
        let wrong = |what: String| EmbedError::Unusable(what);
        let no_url =
            || wrong("the base URL is not an http(s) URL; write it like `https://api.openai.com/v1`".into());
        let mut url = Url::parse(self.base_url.trim()).map_err(|_| no_url())?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(no_url());
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong(
                "the base URL holds a user or password; give the key in its own setting".into(),
            ));
        }
        if self.key().is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(wrong(format!(
                "the key would go to `{}` without encryption; use https, or leave the key out",
                host_of(&url)
            )));
        }
        url.set_fragment(None);
        url.path_segments_mut().map_err(|()| no_url())?.pop_if_empty().push("embeddings");
        Ok(url)
    }
}

impl std::fmt::Debug for RemoteSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let url = Url::parse(self.base_url.trim()).map_or("(not a URL)".to_owned(), |url| shown(&url));
        f.debug_struct("RemoteSettings")
            .field("base_url", &url)
            .field("model", &self.model)
            .field("key", &self.key.as_ref().map(|_| "(hidden)"))
            .field("dimensions", &self.dimensions)
            .field("timeout", &self.timeout)
            .field("deadline", &self.deadline)
            .field("query_timeout", &self.query_timeout)
            .field("batch", &self.batch)
            .field("attempts", &self.attempts)
            .finish()
    }
}

/// A URL as it may be shown: without user, password, query and fragment.
pub(super) fn shown(url: &Url) -> String {
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    format!("{}://{}{port}{}", url.scheme(), host_of(url), url.path())
}

pub(super) fn host_of(url: &Url) -> &str {
    url.host_str().unwrap_or_default()
}

/// Whether what is sent there stays on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    let host = host_of(url).trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
