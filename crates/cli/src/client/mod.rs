//! The one way to the library: the HTTP API, through a socket or without one.
//!
//! A command is written once; whether it reaches a server or the data folder of this machine is decided here.

mod connect;
mod local;
mod remote;
mod request;
mod resolve;
mod views;

pub(crate) use connect::{connect, connect_existing, remote, standing};
pub(crate) use remote::http_client;
pub(crate) use request::{Request, Response, api};
pub(crate) use resolve::{Pick, Reference, find_skill};
pub(crate) use views::{Finding, Page, Published, Skill};

use std::path::Path;

use bytes::Bytes;
use door_http::{InProcess, LocalRequest};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::Secret;
use crate::data_folder::Lock;
use crate::disk::{Overwrite, write_file};
use crate::exit::{Failure, Outcome};
use crate::wiring::Opened;
use remote::Remote;

/// How many items a page has when all are wanted.
const PAGE: &str = "200";

/// A connection to a library.
pub(crate) struct Client {
    transport: Transport,
    /// Sent with every request.
    standing: Vec<(&'static str, String)>,
}

enum Transport {
    Remote(Remote),
    Local(Box<Local>),
}

/// A library of this machine, in this process.
struct Local {
    door: InProcess,
    opened: Opened,
    _lock: Option<Lock>,
}

impl Client {
    fn over(transport: Transport, standing: Vec<(&'static str, String)>) -> Self {
        Self { transport, standing }
    }

    /// A client on a library that is open in this process.
    pub(crate) fn in_process(door: InProcess, opened: Opened, lock: Option<Lock>) -> Self {
        Self::over(Transport::Local(Box::new(Local { door, opened, _lock: lock })), Vec::new())
    }

    /// The same client, standing elsewhere.
    pub(crate) fn standing(self, standing: Vec<(&'static str, String)>) -> Self {
        Self { standing, ..self }
    }

    /// Where the library is, for people.
    pub(crate) fn place(&self) -> String {
        match &self.transport {
            Transport::Remote(remote) => remote.url().to_owned(),
            Transport::Local(_) => "this machine".to_owned(),
        }
    }

    /// Whether commands reach a server.
    pub(crate) fn is_remote(&self) -> bool {
        matches!(self.transport, Transport::Remote(_))
    }

    /// Sends a request; an answer that is not what was asked for is a failure.
    pub(crate) async fn send(&self, request: Request) -> Outcome<Response> {
        let response = self.raw(request).await?;
        if response.status < 400 { Ok(response) } else { Err(response.problem(self.is_remote())) }
    }

    /// Sends a request and takes any answer.
    pub(crate) async fn raw(&self, request: Request) -> Outcome<Response> {
        let pace = request.pace();
        let (method, path, mut headers, body) = request.into_parts();
        headers.extend(self.standing.iter().cloned());
        // Without the query, which may hold words of a person.
        let shown = path.split('?').next().unwrap_or_default().to_owned();
        let response = match &self.transport {
            Transport::Remote(remote) => remote.send(pace, method, &path, headers, body).await?,
            Transport::Local(local) => {
                let answer = local.door.send(LocalRequest { method, path, headers, body }).await;
                Response { status: answer.status, headers: answer.headers, body: answer.body }
            }
        };
        tracing::debug!(http.method = method, http.path = shown, http.status = response.status, "request");
        Ok(response)
    }

    /// Sends a request and reads its JSON answer; `null` where there is none.
    pub(crate) async fn json(&self, request: Request) -> Outcome<Value> {
        let response = self.send(request).await?;
        if response.body.is_empty() { Ok(Value::Null) } else { response.json() }
    }

    /// Sends a request and reads its JSON answer into a type.
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: Request) -> Outcome<T> {
        self.send(request).await?.json()
    }

    /// Every item of a list, page by page, or only the first so many.
    pub(crate) async fn all(&self, request: Request, limit: Option<usize>) -> Outcome<Vec<Value>> {
        let mut items = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut page = request.clone();
            if request.is_paged() {
                page = page.query("limit", Some(PAGE)).query("cursor", cursor.as_deref());
            }
            let Page { items: more, next_cursor } = self.read(page).await?;
            items.extend(more);
            let enough = limit.is_some_and(|limit| items.len() >= limit);
            match next_cursor {
                Some(next) if !enough => cursor = Some(next),
                _ => break,
            }
        }
        items.truncate(limit.unwrap_or(usize::MAX));
        Ok(items)
    }

    /// Writes the body of an answer to a new file, without keeping it in memory where it comes from a socket.
    pub(crate) async fn download(&self, request: Request, file: &Path, overwrite: Overwrite) -> Outcome<u64> {
        if let Transport::Remote(remote) = &self.transport {
            let (method, path, mut headers, _) = request.into_parts();
            headers.extend(self.standing.iter().cloned());
            return remote.download(method, &path, headers, file, overwrite).await;
        }
        let body: Bytes = self.send(request).await?.body;
        write_file(file, &body, overwrite)?;
        Ok(body.len() as u64)
    }

    /// Ends the connection in order.
    pub(crate) async fn close(self) -> Outcome {
        match self.transport {
            Transport::Remote(remote) => remote.close().await,
            Transport::Local(local) => {
                local.opened.close().await;
                Ok(())
            }
        }
    }
}

/// A token that must be there.
pub(crate) fn need_token(token: Option<Secret>, server: &str) -> Outcome<Secret> {
    token.ok_or_else(|| {
        Failure::new(
            crate::exit::Exit::Forbidden,
            "unauthenticated",
            format!("there is no token for `{server}`"),
        )
        .hint(format!("run `repertoire login --server {server}`, or set REPERTOIRE_TOKEN"))
    })
}
