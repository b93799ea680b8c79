//! `repertoire mcp`: MCP on standard input and output, carried to a server over HTTP.
//!
//! There is one way a request is answered, that of `/mcp`; this only carries messages. Nothing but messages goes to
//! standard output.

mod exchange;
mod place;
mod wire;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;

use crate::client::http_client;
use crate::config::Settings;
use crate::exit::{Exit, Failure, Outcome};
use crate::serve::{Running, Signals};
use place::Place;
use wire::{LISTEN, Message};

/// How long requests may go on after the host has closed standard input.
const LAST_REQUESTS: Duration = Duration::from_mins(1);
/// How many messages may wait to be written.
const WAITING: usize = 256;

/// Carries messages until the host closes standard input or a signal comes.
pub(crate) async fn bridge(settings: Settings, toolsets: &[String]) -> Outcome<Exit> {
    let mut signals = Signals::listen()?;
    let (out, written) = mpsc::channel(WAITING);
    let bridge = Arc::new(Bridge::new(settings, toolsets, out)?);
    // What cannot be reached at all is said before a host waits for it.
    bridge.place().await?;
    let writer = tokio::spawn(write(written));
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    loop {
        let line = tokio::select! {
            line = lines.next_line() => line,
            _ = signals.next() => break,
        };
        match line {
            Ok(Some(line)) if line.trim().is_empty() => {}
            Ok(Some(line)) => bridge.take(&line).await,
            Ok(None) => {
                bridge.finish(&mut signals).await;
                break;
            }
            Err(error) => {
                tracing::warn!(error = %error, "standard input cannot be read");
                break;
            }
        }
    }
    bridge.leave().await;
    drop(bridge);
    // The writer ends when nobody can send to it; one that still can holds an answer that nobody reads.
    let _ = tokio::time::timeout(Duration::from_secs(1), writer).await;
    Ok(Exit::Ok)
}

async fn write(mut messages: mpsc::Receiver<Value>) {
    let mut out = tokio::io::stdout();
    while let Some(message) = messages.recv().await {
        let line = format!("{message}\n");
        let written = async {
            out.write_all(line.as_bytes()).await?;
            out.flush().await
        };
        if let Err(error) = written.await {
            tracing::warn!(error = %error, "standard output cannot be written");
            return;
        }
    }
}

/// What carries messages.
struct Bridge {
    settings: Settings,
    client: reqwest::Client,
    /// Path and query of the door.
    path: String,
    /// What the server knows this conversation by.
    conversation: String,
    out: mpsc::Sender<Value>,
    place: tokio::sync::Mutex<Whereabouts>,
    /// What the older protocol keeps between requests.
    legacy: tokio::sync::Mutex<Legacy>,
    pending: Mutex<HashMap<String, Pending>>,
}

/// Where the bridge carries messages to.
#[derive(Default)]
struct Whereabouts {
    place: Option<Arc<Place>>,
    /// The server, where it is one of the bridge's own.
    own: Option<Running>,
    /// Tokens of places that were lost, to be taken back from the next one.
    tokens: Vec<String>,
}

struct Pending {
    task: AbortHandle,
    listens: bool,
}

#[derive(Default)]
struct Legacy {
    /// How the host introduced itself, to do it again at another server.
    initialize: Option<Message>,
    session: Option<String>,
    version: Option<String>,
    /// What carries the server's own messages.
    stream: Option<AbortHandle>,
}

impl Bridge {
    fn new(settings: Settings, toolsets: &[String], out: mpsc::Sender<Value>) -> Outcome<Self> {
        let url = settings.library.server.value.clone().unwrap_or_else(|| "http://127.0.0.1".to_owned());
        let client = http_client(&url, |builder| builder)?;
        let mut path = "/mcp".to_owned();
        if !toolsets.is_empty() {
            path = format!("{path}?toolsets={}", toolsets.join(","));
        }
        let mut bytes = [0; 8];
        app::Random::fill(&app::OsRandom, &mut bytes);
        let mut conversation = "stdio-".to_owned();
        for byte in bytes {
            let _ = write!(conversation, "{byte:02x}");
        }
        Ok(Self {
            settings,
            client,
            path,
            conversation,
            out,
            place: tokio::sync::Mutex::default(),
            legacy: tokio::sync::Mutex::default(),
            pending: Mutex::default(),
        })
    }

    /// The server, which is looked for when there is none.
    async fn place(&self) -> Outcome<Arc<Place>> {
        let mut at = self.place.lock().await;
        if let Some(place) = &at.place {
            return Ok(Arc::clone(place));
        }
        let found = Arc::new(Place::find(&self.settings, &mut at.own).await?);
        at.place = Some(Arc::clone(&found));
        for token in at.tokens.drain(..) {
            found.take_back(&token).await;
        }
        Ok(found)
    }

    /// The server went away or lets the bridge in no more; the next message looks for a place anew.
    async fn lost(&self, gone: &Arc<Place>) {
        let mut at = self.place.lock().await;
        if at.place.as_ref().is_some_and(|place| Arc::ptr_eq(place, gone)) {
            at.place = None;
            at.tokens.extend(gone.made().map(str::to_owned));
        }
    }

    /// Takes a line from the host. Requests are answered side by side, the rest is handed on in its order.
    async fn take(self: &Arc<Self>, line: &str) {
        let body = match serde_json::from_str::<Value>(line) {
            Ok(body) if body.is_object() => body,
            Ok(_) => return self.refuse(-32600, "a message is one JSON object; batches are not taken").await,
            Err(_) => return self.refuse(-32700, "this is not JSON").await,
        };
        let message = Message::new(body);
        if let Some(id) = message.called_off()
            && let Some(pending) = self.pending().remove(&id.to_string())
        {
            // What the server does for it ends with the connection.
            pending.task.abort();
        }
        match message.id().cloned() {
            Some(id) if message.is_initialize() => self.exchange(message, Some(&id)).await,
            Some(id) => self.begin(message, id),
            None => self.exchange(message, None).await,
        }
    }

    /// Answers what is no message.
    async fn refuse(&self, code: i32, message: &str) {
        let error = serde_json::json!({ "code": code, "message": message });
        self.give(serde_json::json!({ "jsonrpc": "2.0", "id": null, "error": error })).await;
    }

    fn begin(self: &Arc<Self>, message: Message, id: Value) {
        let (bridge, key) = (Arc::clone(self), id.to_string());
        let listens = message.method() == Some(LISTEN);
        let mut pending = self.pending();
        let task = tokio::spawn(async move {
            bridge.exchange(message, Some(&id)).await;
            bridge.pending().remove(&id.to_string());
        });
        pending.insert(key, Pending { task: task.abort_handle(), listens });
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, HashMap<String, Pending>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a message to the host.
    async fn give(&self, message: Value) {
        // A host that is gone needs no answer.
        let _ = self.out.send(message).await;
    }

    /// Lets requests under way finish for a while.
    async fn finish(&self, signals: &mut Signals) {
        let busy = || self.pending().values().any(|pending| !pending.listens);
        let until = tokio::time::Instant::now() + LAST_REQUESTS;
        while busy() && tokio::time::Instant::now() < until {
            tokio::select! {
                () = tokio::time::sleep(Duration::from_millis(20)) => {}
                _ = signals.next() => return,
            }
        }
    }

    /// Ends everything in order.
    async fn leave(&self) {
        for (_, pending) in self.pending().drain() {
            pending.task.abort();
        }
        self.end_session().await;
        let Whereabouts { place, own, .. } = std::mem::take(&mut *self.place.lock().await);
        if let Some(place) = place {
            let_go(place).await;
        }
        if let Some(mut server) = own {
            if let Err(failure) = server.stop().await {
                tracing::warn!(error = %failure, "the server did not end in order");
            }
            server.end().await;
        }
    }
}

/// Lets go of a place. Tasks that were just ended hold it for a moment longer.
async fn let_go(place: Arc<Place>) {
    let mut held = place;
    for _ in 0..50 {
        held = match Arc::try_unwrap(held) {
            Ok(place) => return place.leave().await,
            Err(held) => held,
        };
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tracing::warn!("a request would not end");
}

fn unavailable(failure: &Failure) -> String {
    format!("the library cannot be reached: {failure}")
}
