//! One message to the server, and what comes back.

use std::sync::Arc;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};

use super::place::Place;
use super::wire::{ACKNOWLEDGED, Events, INITIALIZED, LISTEN, Message, failure};
use super::{Bridge, unavailable};

const SESSION: &str = "mcp-session-id";
/// How often a message is tried again at a server that has changed.
const TRIES: usize = 3;
/// How long to wait before a stream is opened again.
const PAUSE: Duration = Duration::from_secs(1);

/// What came of one try.
enum Tried {
    /// The host has its answer, or needs none.
    Done,
    /// The server is another one now, or does not know the session any more; and what is said when that stays so.
    Again(String),
    /// There will be no answer.
    Failed(String),
}

impl Bridge {
    /// Carries a message to the server and its answer to the host.
    pub(super) async fn exchange(self: &Arc<Self>, message: Message, id: Option<&Value>) {
        let listens = message.method() == Some(LISTEN);
        let mut count = 0;
        let mut heard = false;
        let problem = loop {
            count += 1;
            let tried = match self.place().await {
                Ok(place) => self.attempt(&place, &message, id, &mut heard).await,
                Err(failure) => Tried::Failed(unavailable(&failure)),
            };
            match tried {
                Tried::Done => return,
                // A host that listens for changes goes on to do so, whoever serves.
                Tried::Again(_) if listens && heard => {
                    count = 0;
                    tokio::time::sleep(PAUSE).await;
                }
                Tried::Again(_) if count < TRIES => {}
                Tried::Again(problem) | Tried::Failed(problem) => break problem,
            }
        };
        if let Some(id) = id {
            self.give(failure(id, &problem)).await;
        } else {
            tracing::warn!(problem, "a notification was lost");
        }
    }

    async fn attempt(
        self: &Arc<Self>,
        place: &Arc<Place>,
        message: &Message,
        id: Option<&Value>,
        heard: &mut bool,
    ) -> Tried {
        if self.is_unknown(message).await {
            self.introduce_again(place).await;
        }
        let sent = self.post(place, message).await;
        let response = match sent {
            Ok(response) => response,
            Err(error) if error.is_connect() => {
                self.moved(place).await;
                return Tried::Again(format!("the server at {} does not answer", place.url));
            }
            Err(error) => return Tried::Failed(format!("the server does not answer: {error}")),
        };
        match response.status() {
            StatusCode::NOT_FOUND if !message.is_modern() && !message.is_initialize() => {
                self.introduce_again(place).await;
                let body = response.bytes().await.unwrap_or_default();
                return Tried::Again(refusal(StatusCode::NOT_FOUND, &body));
            }
            // The token ended; another one is made with the next place.
            StatusCode::UNAUTHORIZED if self.makes_tokens() => {
                self.lost(place).await;
                let body = response.bytes().await.unwrap_or_default();
                return Tried::Again(refusal(StatusCode::UNAUTHORIZED, &body));
            }
            _ => {}
        }
        if message.is_initialize() {
            self.remember(message, &response).await;
        }
        if message.method() == Some(INITIALIZED) && !message.is_modern() {
            self.follow().await;
        }
        let Some(id) = id else { return Tried::Done };
        self.hand_on(place, response, id, message, heard).await
    }

    /// Gives the host everything that answers a request.
    async fn hand_on(
        &self,
        place: &Arc<Place>,
        mut response: reqwest::Response,
        id: &Value,
        message: &Message,
        heard: &mut bool,
    ) -> Tried {
        let status = response.status();
        let kind = response.headers().get("content-type").and_then(|kind| kind.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let body = response.bytes().await.unwrap_or_default();
            return match serde_json::from_slice::<Value>(&body) {
                Ok(answer) if answer.get("jsonrpc").is_some() => {
                    self.learn(message, &answer).await;
                    self.give(answer).await;
                    Tried::Done
                }
                _ => Tried::Failed(refusal(status, &body)),
            };
        }
        let mut events = Events::default();
        loop {
            let Ok(Some(chunk)) = response.chunk().await else {
                self.moved(place).await;
                let listens = message.method() == Some(LISTEN);
                let problem = WENT_AWAY.to_owned();
                return if listens { Tried::Again(problem) } else { Tried::Failed(problem) };
            };
            for answer in events.push(&chunk) {
                let acknowledged = answer.get("method").and_then(Value::as_str) == Some(ACKNOWLEDGED);
                let is_last = answer.get("id") == Some(id) && answer.get("method").is_none();
                self.learn(message, &answer).await;
                // The host was told before, by the server that is gone.
                if !(acknowledged && *heard) {
                    self.give(answer).await;
                }
                *heard |= acknowledged;
                if is_last {
                    return Tried::Done;
                }
            }
        }
    }

    async fn post(&self, place: &Place, message: &Message) -> Result<reqwest::Response, reqwest::Error> {
        let mut request = self
            .request(place, reqwest::Method::POST)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .body(message.body.to_string());
        for (name, value) in message.headers() {
            request = request.header(name, value);
        }
        if !message.is_modern() && !message.is_initialize() {
            let legacy = self.legacy.lock().await;
            for (name, value) in [(SESSION, &legacy.session), ("mcp-protocol-version", &legacy.version)] {
                if let Some(value) = value {
                    request = request.header(name, value);
                }
            }
        }
        request.send().await
    }

    fn request(&self, place: &Place, method: reqwest::Method) -> reqwest::RequestBuilder {
        let mut request = self
            .client
            .request(method, format!("{}{}", place.url, self.path))
            .bearer_auth(place.token.reveal())
            .header("repertoire-conversation", &self.conversation);
        for (name, value) in &place.standing {
            request = request.header(*name, value);
        }
        request
    }

    /// Whether a token that ended is followed by another, which is made with the next place.
    fn makes_tokens(&self) -> bool {
        self.settings.library.server.value.is_none()
    }

    /// The server cannot be reached: whoever serves now does not know the session.
    async fn moved(&self, place: &Arc<Place>) {
        self.lost(place).await;
        let mut legacy = self.legacy.lock().await;
        legacy.session = None;
    }

    /// Keeps how the host introduced itself, and the session it got.
    async fn remember(&self, message: &Message, response: &reqwest::Response) {
        let mut legacy = self.legacy.lock().await;
        legacy.initialize = Some(message.clone());
        let session = response.headers().get(SESSION).and_then(|session| session.to_str().ok());
        legacy.session = session.map(str::to_owned);
    }

    /// Keeps the version that was agreed on.
    async fn learn(&self, message: &Message, answer: &Value) {
        if !message.is_initialize() {
            return;
        }
        if let Some(version) = answer.pointer("/result/protocolVersion").and_then(Value::as_str) {
            self.legacy.lock().await.version = Some(version.to_owned());
        }
    }

    /// Whether the server is one that the host was not introduced to.
    async fn is_unknown(&self, message: &Message) -> bool {
        let legacy = self.legacy.lock().await;
        !message.is_modern()
            && !message.is_initialize()
            && legacy.initialize.is_some()
            && legacy.session.is_none()
    }

    /// Introduces the host to a server that does not know it.
    async fn introduce_again(self: &Arc<Self>, place: &Arc<Place>) {
        let Some(initialize) = self.legacy.lock().await.initialize.clone() else { return };
        let Ok(response) = self.post(place, &initialize).await else { return };
        self.remember(&initialize, &response).await;
        // The answer is the same as the first one; it only has to be over.
        let _ = response.bytes().await;
        let initialized = Message::new(json!({ "jsonrpc": "2.0", "method": INITIALIZED }));
        if let Err(error) = self.post(place, &initialized).await {
            tracing::warn!(error = %error, "the server could not be told that the host is ready");
        }
        self.follow().await;
    }

    /// Carries what the server says by itself, in the older protocol.
    async fn follow(self: &Arc<Self>) {
        let bridge = Arc::clone(self);
        let task = tokio::spawn(async move {
            let mut last = None;
            while bridge.stream(&mut last).await {
                tokio::time::sleep(PAUSE).await;
            }
        });
        if let Some(before) = self.legacy.lock().await.stream.replace(task.abort_handle()) {
            before.abort();
        }
    }

    /// One such stream until it ends; whether there is a session to open it again for.
    async fn stream(&self, last: &mut Option<String>) -> bool {
        let (session, version) = {
            let legacy = self.legacy.lock().await;
            (legacy.session.clone(), legacy.version.clone())
        };
        let Some(session) = session else { return false };
        let Ok(place) = self.place().await else { return true };
        let mut request = self
            .request(&place, reqwest::Method::GET)
            .header("accept", "text/event-stream")
            .header(SESSION, session);
        let headers = [("mcp-protocol-version", version), ("last-event-id", last.clone())];
        for (name, value) in headers {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
        let Ok(mut response) = request.send().await else { return true };
        if response.status() == StatusCode::UNAUTHORIZED && self.makes_tokens() {
            self.lost(&place).await;
            return true;
        }
        if !response.status().is_success() {
            return false;
        }
        let mut events = Events::default();
        while let Ok(Some(chunk)) = response.chunk().await {
            for message in events.push(&chunk) {
                self.give(message).await;
            }
            if let Some(id) = events.last_id() {
                *last = Some(id.to_owned());
            }
        }
        true
    }

    /// Ends the session of the older protocol.
    pub(super) async fn end_session(&self) {
        let (session, stream) = {
            let mut legacy = self.legacy.lock().await;
            (legacy.session.take(), legacy.stream.take())
        };
        if let Some(stream) = stream {
            stream.abort();
        }
        let place = self.place.lock().await.place.clone();
        if let (Some(session), Some(place)) = (session, place) {
            let request = self.request(&place, reqwest::Method::DELETE).header(SESSION, session);
            // A session that nobody ends is forgotten by the server in time.
            let _ = tokio::time::timeout(Duration::from_secs(2), request.send()).await;
        }
    }
}

const WENT_AWAY: &str = "the server went away before it answered";

/// An answer that is no message, in words.
fn refusal(status: StatusCode, body: &[u8]) -> String {
    let described = serde_json::from_slice::<Value>(body).ok();
    let described = described.as_ref().and_then(|body| body.get("error_description")?.as_str());
    let said: String = match described {
        Some(said) => said.chars().take(300).collect(),
        None => String::from_utf8_lossy(body).chars().take(300).collect(),
    };
    format!("the server answered {status}: {said}")
}
