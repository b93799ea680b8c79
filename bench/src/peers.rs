//! What we measure ourselves against.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};

use crate::load::Target;
use crate::server::wait_for_file;

/// Serves the bytes of a file at any path, and nothing else: the least an axum server can do.
pub(crate) async fn serve_axum(file: &str) -> Result<()> {
    let bytes = Bytes::from(std::fs::read(file)?);
    let answer = move || {
        let bytes = bytes.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], bytes) }
    };
    let router = Router::new().route("/{*path}", get(answer));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    std::fs::write(format!("{file}.ready"), format!("{}\n", listener.local_addr()?))?;
    Ok(axum::serve(listener, router).await?)
}

/// A bare axum server that gives the same bytes as ours.
pub(crate) struct AxumPeer {
    _child: Child,
    _folder: TempDir,
    address: String,
}

impl AxumPeer {
    pub(crate) async fn start(body: &[u8]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("body");
        std::fs::write(&file, body)?;
        let child =
            Command::new(std::env::current_exe()?).arg("axum-peer").arg(&file).kill_on_drop(true).spawn()?;
        let address = wait_for_file(&folder.path().join("body.ready")).await?;
        Ok(Self { _child: child, _folder: folder, address })
    }

    pub(crate) fn target(&self) -> Target {
        Target::new(&self.address, ["/api/v1/skills/x".to_owned()], "x")
    }
}

/// The same API as a Python service: FastAPI, SQLAlchemy, SQLite, one worker of uvicorn.
pub(crate) struct FastApiPeer {
    _child: Child,
    _folder: TempDir,
    address: String,
    ids: Vec<String>,
}

impl FastApiPeer {
    pub(crate) async fn start(python: &str, list: &[u8], detail: &[u8]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("list.json"), list)?;
        std::fs::write(folder.path().join("detail.json"), detail)?;
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/fastapi_peer.py");
        let child = Command::new(python)
            .arg(script)
            .arg(folder.path())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("could not start Python")?;
        let address = wait_for_file(&folder.path().join("ready")).await?;
        let list: Value = serde_json::from_slice(list)?;
        let items = list.get("items").and_then(Value::as_array).context("the list has no items")?;
        let ids = items.iter().filter_map(|item| item.get("id")?.as_str().map(str::to_owned)).collect();
        Ok(Self { _child: child, _folder: folder, address, ids })
    }

    pub(crate) fn target(&self, path: &str) -> Target {
        Target::new(&self.address, [path.to_owned()], "bench")
    }

    pub(crate) fn targets(&self, prefix: &str) -> Target {
        Target::new(&self.address, self.ids.iter().map(|id| format!("{prefix}{id}")), "bench")
    }
}
