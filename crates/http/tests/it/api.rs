//! Asking the door, and looking at what it says.

use std::sync::Arc;
use std::time::Duration;

use app::ExecutionSettings;
use app::tokens::CreateToken;
use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, Response};
use bytes::Bytes;
use futures::StreamExt as _;
use model::{Caller, Role, TokenScope};
use repertoire_http::{Http, HttpConfig};
use serde_json::{Value, json};
use testkit::{FakeRunner, TestApp};
use tower::ServiceExt as _;

const PATIENCE: Duration = Duration::from_secs(20);

/// A door on a library of its own.
pub(crate) struct Api {
    pub(crate) app: TestApp,
    /// A token of the operator that is good for everything.
    pub(crate) admin: String,
    router: Router,
}

/// A request.
#[derive(Clone)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    headers: Vec<(String, String)>,
    body: Bytes,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Api {
    pub(crate) async fn new() -> Self {
        Self::with(HttpConfig::default()).await
    }

    pub(crate) async fn with(config: HttpConfig) -> Self {
        Self::open(TestApp::new().await, config).await
    }

    /// A door on an installation that a test set up.
    pub(crate) async fn of(app: TestApp) -> Self {
        Self::open(app, HttpConfig::default()).await
    }

    /// A door on an installation whose code is executed by this runner.
    pub(crate) async fn on_runner(runner: FakeRunner) -> Self {
        let mut app = TestApp::new().await;
        app.on_runner(&Arc::new(runner), ExecutionSettings::default());
        Self::of(app).await
    }

    async fn open(app: TestApp, config: HttpConfig) -> Self {
        let router = Http::new(app.cx.clone(), config).router();
        let mut api = Self { app, admin: String::new(), router };
        api.admin = api.token(&api.app.admin().await, TokenScope::ALL).await;
        api
    }

    /// A token of a caller.
    pub(crate) async fn token(&self, caller: &Caller, scopes: &[TokenScope]) -> String {
        let request = CreateToken {
            name: "test".to_owned(),
            user: None,
            agent: None,
            scopes: scopes.to_vec(),
            expires_at: None,
        };
        app::tokens::create(&self.app.cx, caller, request).await.unwrap().1.reveal().to_owned()
    }

    /// A new user of the workspace `default`, by a token that is good for everything.
    pub(crate) async fn user(&self, handle: &str, roles: &[Role]) -> String {
        let caller = self.app.user(handle, roles).await;
        self.token(&caller, TokenScope::ALL).await
    }

    pub(crate) async fn send(&self, ask: Ask) -> Answer {
        let endless = ask.path == "/api/v1/events";
        let (parts, body) = self.open_answer(ask).await.into_parts();
        // Of what never ends the first event is enough.
        let body = if endless && parts.status == 200 {
            body.into_data_stream().next().await.unwrap().unwrap()
        } else {
            axum::body::to_bytes(body, usize::MAX).await.unwrap()
        };
        Answer { status: parts.status.as_u16(), headers: parts.headers, body }
    }

    /// Sends it; the answer may still go on.
    async fn open_answer(&self, ask: Ask) -> Response<Body> {
        let mut builder = Request::builder().method(ask.method).uri(&ask.path);
        if !ask.headers.iter().any(|(name, _)| name == "host") {
            builder = builder.header("host", "localhost:7400");
        }
        for (name, value) in &ask.headers {
            builder = builder.header(name, value);
        }
        let request = builder.body(Body::from(ask.body)).unwrap();
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Sends it as it is; the answer must be a stream of events.
    pub(crate) async fn events(&self, ask: Ask) -> Events {
        let response = self.open_answer(ask).await;
        assert_eq!(
            (response.status().as_u16(), response.headers()["content-type"].as_bytes()),
            (200, b"text/event-stream".as_slice())
        );
        Events { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// Sends it as the operator; the answer must have this status.
    pub(crate) async fn ok(&self, status: u16, ask: Ask) -> Answer {
        self.ok_as(&self.admin, status, ask).await
    }

    /// Sends it with a token; the answer must have this status.
    pub(crate) async fn ok_as(&self, token: &str, status: u16, ask: Ask) -> Answer {
        let told = format!("{} {}", ask.method, ask.path);
        let answer = self.send(ask.bearer(token)).await;
        assert_eq!(answer.status, status, "{told}: {}", answer.text());
        answer
    }

    /// Sends it as it is; it must be refused with this status and code, and leave every row as it was.
    pub(crate) async fn refused(&self, ask: Ask, status: u16, code: &str) -> Answer {
        let told = format!("{} {}", ask.method, ask.path);
        let before = self.app.snapshot().await;
        let answer = self.send(ask).await;
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{told}: {}", answer.text());
        assert_eq!(answer.header("content-type"), "application/problem+json", "{told}");
        assert_eq!(answer.json()["status"], status, "{told}");
        assert_eq!(before.changes(&self.app.snapshot().await), Vec::<String>::new(), "{told}");
        answer
    }

    /// Makes a skill of fields as the operator; its view.
    pub(crate) async fn skill(&self, name: &str) -> Value {
        let ask = post("/skills").json(json!({"name": name, "description": format!("Does {name}.")}));
        self.ok(201, ask).await.json()["skill"].clone()
    }

    /// Makes a skill with a function of two integers, and more fields, as the operator; its view.
    pub(crate) async fn adder(&self, more: Value) -> Value {
        let parameters =
            json!([{"name": "a", "type": "integer"}, {"name": "b", "type": "integer", "default": 1}]);
        let code = "def add(a, b): return a + b";
        let procedure = json!({"code": code, "function": "add", "parameters": parameters});
        let mut request = json!({"name": "adder", "description": "Adds.", "procedure": procedure});
        let Value::Object(more) = more else { panic!("fields are an object") };
        request.as_object_mut().unwrap().extend(more);
        self.ok(201, post("/skills").json(request)).await.json()["skill"].clone()
    }

    /// Makes an agent as the operator; its view.
    pub(crate) async fn agent(&self, request: Value) -> Value {
        self.ok(201, post("/agents").json(request)).await.json()
    }
}

/// A stream of events.
pub(crate) struct Events {
    body: axum::body::BodyDataStream,
    text: String,
}

impl Events {
    /// Waits for the next event: its name and its data; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field =
                    |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                let told = field("event:").zip(field("data:"));
                let told = told.map(|(name, data)| (name.to_owned(), serde_json::from_str(data).unwrap()));
                let rest = rest.to_owned();
                self.text = rest;
                if told.is_some() {
                    return told;
                }
                continue;
            }
            let bytes = tokio::time::timeout(PATIENCE, self.body.next()).await.expect("told in time")?;
            self.text.push_str(std::str::from_utf8(&bytes.unwrap()).unwrap());
        }
    }

    /// All that is still to come.
    pub(crate) async fn rest(mut self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        while let Some(event) = self.next().await {
            all.push(event);
        }
        all
    }
}

/// A request for a path below `/api/v1`, or for a whole path that begins with two slashes.
pub(crate) fn ask(method: &'static str, path: &str) -> Ask {
    let path = path
        .strip_prefix('/')
        .filter(|rest| rest.starts_with('/'))
        .map_or_else(|| format!("/api/v1{path}"), str::to_owned);
    Ask { method, path, headers: Vec::new(), body: Bytes::new() }
}

pub(crate) fn get(path: &str) -> Ask {
    ask("GET", path)
}

pub(crate) fn post(path: &str) -> Ask {
    ask("POST", path)
}

pub(crate) fn put(path: &str) -> Ask {
    ask("PUT", path)
}

pub(crate) fn patch(path: &str) -> Ask {
    ask("PATCH", path)
}

pub(crate) fn delete(path: &str) -> Ask {
    ask("DELETE", path)
}

impl Ask {
    pub(crate) fn is_read(&self) -> bool {
        self.method == "GET"
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn json(self, body: impl serde::Serialize) -> Self {
        self.bytes("application/json", serde_json::to_vec(&body).unwrap())
    }

    pub(crate) fn zip(self, archive: Vec<u8>) -> Self {
        self.bytes("application/zip", archive)
    }

    pub(crate) fn bytes(mut self, kind: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", kind)
    }
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The code of a problem; empty when it is none.
    pub(crate) fn code(&self) -> String {
        let body = serde_json::from_slice::<Value>(&self.body).unwrap_or_default();
        body["code"].as_str().unwrap_or_default().to_owned()
    }

    /// A header; empty when it is not there.
    pub(crate) fn header(&self, name: &str) -> String {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    }
}

/// An id in a view.
pub(crate) fn id(view: &Value) -> String {
    view["id"].as_str().unwrap().to_owned()
}

/// A zip archive of these files.
pub(crate) fn zip<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Vec<u8> {
    use std::io::Write as _;
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (path, bytes) in files {
        writer.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes.as_ref()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}
