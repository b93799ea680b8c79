//! The API through a socket.

use std::io::Write as _;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use reqwest::Method;

use super::request::Pace;
use super::{Response, local};
use crate::config::Secret;
use crate::disk::Overwrite;
use crate::exit::{Failure, Outcome};

/// A server, and what we show it to be let in.
pub(super) struct Remote {
    /// Made when it is first needed, and so is the other.
    client: OnceLock<reqwest::Client>,
    /// The same without an end to its patience.
    patient: OnceLock<reqwest::Client>,
    url: String,
    credential: Credential,
    /// What must be undone when the connection ends.
    pub(super) afterwards: Option<Box<local::Afterwards>>,
}

pub(super) enum Credential {
    Token(Secret),
    /// A session cookie, for the local server's other workspaces.
    Cookie(Secret),
}

impl Remote {
    pub(super) fn new(url: &str, credential: Credential) -> Self {
        let (client, patient) = (OnceLock::new(), OnceLock::new());
        Self { client, patient, url: url.trim_end_matches('/').to_owned(), credential, afterwards: None }
    }

    fn client(&self, pace: Pace) -> Outcome<&reqwest::Client> {
        let (client, patience) = match pace {
            Pace::Usual => (&self.client, Some(Duration::from_mins(2))),
            Pace::AsLongAsItTakes => (&self.patient, None),
        };
        if let Some(client) = client.get() {
            return Ok(client);
        }
        let made = http_client(&self.url, |builder| match patience {
            Some(patience) => builder.read_timeout(patience),
            None => builder,
        })?;
        Ok(client.get_or_init(|| made))
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) async fn send(
        &self,
        pace: Pace,
        method: &'static str,
        path: &str,
        headers: Vec<(&'static str, String)>,
        body: Bytes,
    ) -> Outcome<Response> {
        let response = self.start(pace, method, path, headers, body).await?;
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        Ok(Response { status, headers, body })
    }

    async fn start(
        &self,
        pace: Pace,
        method: &'static str,
        path: &str,
        headers: Vec<(&'static str, String)>,
        body: Bytes,
    ) -> Outcome<reqwest::Response> {
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| Failure::internal(format!("`{method}` is not an HTTP method")))?;
        let mut request = self.client(pace)?.request(method, format!("{}{path}", self.url)).body(body);
        request = match &self.credential {
            Credential::Token(token) => request.bearer_auth(token.reveal()),
            // The server wants to hear that a change comes from its own pages, or from someone who can say so.
            Credential::Cookie(cookie) => {
                request.header("cookie", cookie.reveal()).header("origin", &self.url)
            }
        };
        for (name, value) in headers {
            request = request.header(name, value);
        }
        request.send().await.map_err(|error| self.unreachable(&error))
    }

    pub(super) async fn download(
        &self,
        method: &'static str,
        path: &str,
        headers: Vec<(&'static str, String)>,
        file: &Path,
        overwrite: Overwrite,
    ) -> Outcome<u64> {
        let mut response = self.start(Pace::Usual, method, path, headers, Bytes::new()).await?;
        let status = response.status().as_u16();
        if status >= 400 {
            let body = response.bytes().await.map_err(|error| self.unreachable(&error))?;
            return Err(Response { status, headers: Vec::new(), body }.problem(true));
        }
        let failed = |error: std::io::Error| Failure::file("write", file, &error);
        let folder =
            file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."));
        let mut out = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        let mut size = 0;
        while let Some(chunk) = response.chunk().await.map_err(|error| self.unreachable(&error))? {
            out.write_all(&chunk).map_err(failed)?;
            size += chunk.len() as u64;
        }
        let persisted = match overwrite {
            Overwrite::Yes => out.persist(file),
            Overwrite::No => out.persist_noclobber(file),
        };
        persisted.map_err(|error| failed(error.error))?;
        Ok(size)
    }

    pub(super) async fn close(mut self) -> Outcome {
        match self.afterwards.take() {
            Some(afterwards) => afterwards.run().await,
            None => Ok(()),
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> Failure {
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let what = if error.is_timeout() { "does not answer in time" } else { "cannot be reached" };
        Failure::unavailable(format!("the server `{}` {what}: {cause}", self.url))
            .hint("is it running? `repertoire serve` starts one, `repertoire doctor` looks for the cause")
    }
}

/// A client for a server. Certificates are read only for one that shows some, since that takes a while.
pub(crate) fn http_client(
    url: &str,
    patience: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
) -> Outcome<reqwest::Client> {
    let parsed = reqwest::Url::parse(url).ok();
    let host = parsed.as_ref().and_then(|url| url.host_str());
    let mut builder = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(10))
        .tcp_keepalive(Duration::from_secs(30))
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("repertoire/", env!("CARGO_PKG_VERSION")));
    if matches!(host, Some("localhost" | "127.0.0.1" | "[::1]")) {
        builder = builder.no_proxy();
    }
    if parsed.as_ref().is_some_and(|url| url.scheme() == "http") {
        builder = builder.tls_certs_only([]);
    }
    let made = patience(builder).build();
    made.map_err(|error| Failure::internal(format!("cannot make an HTTP client: {error}")))
}
