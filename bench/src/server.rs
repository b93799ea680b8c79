//! The server under test, as a process of its own.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use reqwest::Client;
use serde_json::{Value, json};
use tokio::process::{Child, Command};

use crate::execution::OverHttp;
use crate::load::Target;
use crate::{rss, skills};

/// A running server with a token that may do everything.
pub(crate) struct Server {
    child: tokio::sync::Mutex<Child>,
    pid: u32,
    address: String,
    token: String,
    client: Client,
}

impl Server {
    /// Starts on a data folder. Without a token, one is made.
    pub(crate) async fn start(binary: &str, data: &Path, token: Option<&str>) -> Result<Self> {
        let token = match token {
            Some(token) => token.to_owned(),
            None => create_token(binary, data).await?,
        };
        let ready = data.join("ready");
        if ready.exists() {
            std::fs::remove_file(&ready)?;
        }
        let child = Command::new(binary)
            .args(["serve", "--listen", "127.0.0.1:0", "--metrics-listen", "off", "--log-level", "warn"])
            .arg("--data")
            .arg(data)
            .arg("--ready-file")
            .arg(&ready)
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("could not start {binary}"))?;
        let address = wait_for_file(&ready).await?;
        let pid = child.id().context("the server ended at once")?;
        let server =
            Self { child: tokio::sync::Mutex::new(child), pid, address, token, client: Client::new() };
        server.client.get(server.url("/readyz")).send().await?.error_for_status()?;
        Ok(server)
    }

    /// The token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Asks it to end and waits until it has.
    pub(crate) async fn stop(&self) -> Result<()> {
        let ended = Command::new("kill").args(["-TERM", &self.pid.to_string()]).status().await?;
        if !ended.success() {
            bail!("could not stop the server");
        }
        self.child.lock().await.wait().await?;
        Ok(())
    }

    /// How much memory it holds.
    pub(crate) fn resident_megabytes(&self) -> Result<f64> {
        rss::megabytes(self.pid)
    }

    /// One request to load it with.
    pub(crate) fn target(&self, path: &str) -> Target {
        self.targets([path.to_owned()])
    }

    /// Many requests to load it with.
    pub(crate) fn targets(&self, paths: impl IntoIterator<Item = String>) -> Target {
        Target::new(&self.address, paths, &self.token)
    }

    /// Many requests that the server must answer from its database: a conditional read is never kept.
    pub(crate) fn uncached(&self, paths: impl IntoIterator<Item = String>) -> Target {
        Target::with_header(&self.address, paths, &self.token, "If-None-Match: \"none\"\r\n")
    }

    /// The body of a target's first request.
    pub(crate) async fn body(&self, target: &Target) -> Result<Vec<u8>> {
        let request = target.requests.first().context("a target needs a request")?;
        let path = String::from_utf8_lossy(request).split(' ').nth(1).context("no path")?.to_owned();
        let response =
            self.client.get(self.url(&path)).bearer_auth(&self.token).send().await?.error_for_status()?;
        Ok(response.bytes().await?.to_vec())
    }

    /// Puts one skill in and gives its id.
    pub(crate) async fn put_skill(&self, skill: &Value) -> Result<String> {
        let request = self.client.post(self.url("/api/v1/skills")).bearer_auth(&self.token).json(skill);
        let answer: Value = request.send().await?.error_for_status()?.json().await?;
        let id = answer.pointer("/skill/id").or_else(|| answer.get("id")).and_then(Value::as_str);
        Ok(id.context("no id")?.to_owned())
    }

    /// A request that is sent again and again over a connection of its own.
    pub(crate) fn post(&self, path: &str, body: &str) -> Result<OverHttp> {
        OverHttp::new(&self.address, &self.token, path, body)
    }

    /// Puts skills in, many a request; gives their ids and, if asked, how many went in a second.
    pub(crate) async fn put_skills(
        &self,
        count: usize,
        prefix: &str,
        per_second: &mut Option<f64>,
    ) -> Result<Vec<String>> {
        let started = Instant::now();
        let mut ids = Vec::with_capacity(count);
        for start in (0..count).step_by(500) {
            let items: Vec<Value> =
                (start..count.min(start + 500)).map(|n| skills::skill(prefix, n)).collect();
            let answer: Value = self
                .client
                .post(self.url("/api/v1/skills/bulk"))
                .bearer_auth(&self.token)
                .json(&json!({"mode": "atomic", "items": items}))
                .send()
                .await?
                .error_for_status()?
                .json()
                .await?;
            let results = answer.get("results").and_then(Value::as_array).context("no results")?;
            for result in results {
                let id = result.pointer("/published/skill/id").and_then(Value::as_str).context("no id")?;
                ids.push(id.to_owned());
            }
        }
        if let Some(rate) = per_second {
            #[allow(clippy::cast_precision_loss)]
            let count = count as f64;
            *rate = count / started.elapsed().as_secs_f64();
        }
        Ok(ids)
    }
}

async fn create_token(binary: &str, data: &Path) -> Result<String> {
    let output = Command::new(binary)
        .args(["token", "create", "bench", "--scope", "read", "--scope", "write", "--scope", "review"])
        .args(["--scope", "admin", "--json", "--data"])
        .arg(data)
        .stderr(Stdio::inherit())
        .output()
        .await?;
    let answer: Value = serde_json::from_slice(&output.stdout).context("no token was made")?;
    Ok(answer.get("secret").and_then(Value::as_str).context("no secret")?.to_owned())
}

/// Waits until a file is there and has something in it.
pub(crate) async fn wait_for_file(file: &Path) -> Result<String> {
    let deadline = Instant::now() + Duration::from_secs(30);
    while Instant::now() < deadline {
        match std::fs::read_to_string(file) {
            Ok(text) if text.ends_with('\n') || !text.trim().is_empty() => return Ok(text.trim().to_owned()),
            _ => tokio::time::sleep(Duration::from_millis(2)).await,
        }
    }
    bail!("the server was not ready within 30 seconds")
}
