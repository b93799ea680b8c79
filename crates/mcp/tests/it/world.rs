//! A server without a socket, and hosts that speak to it.

use app::identity::Secret;
use app::tokens::CreateToken;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use futures::StreamExt as _;
use model::{AgentId, Caller, ProceduralMemory, TokenScope};
use repertoire_mcp::{Mcp, McpConfig, SessionBounds};
use serde_json::{Value, json};
use testkit::TestApp;
use tower::ServiceExt as _;

/// An installation with the door in front.
pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) mcp: Mcp,
}

/// A host that speaks the newer protocol.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) mcp: Mcp,
    pub(crate) token: String,
    pub(crate) query: &'static str,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) body: Value,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with_sessions(SessionBounds::default()).await
    }

    /// The same with other bounds on sessions.
    pub(crate) async fn with_sessions(sessions: SessionBounds) -> Self {
        let app = TestApp::new().await;
        let public_url = "http://127.0.0.1:7400".to_owned();
        let config = McpConfig { public_url, max_body_bytes: 4 << 20, sessions };
        let mcp = Mcp::new(app.cx.clone(), config);
        Self { app, mcp }
    }

    /// A token of a person, perhaps through an agent.
    pub(crate) async fn token(
        &self,
        caller: &Caller,
        agent: Option<AgentId>,
        scopes: &[TokenScope],
    ) -> String {
        let request = CreateToken {
            name: "test".to_owned(),
            user: None,
            agent,
            scopes: scopes.to_vec(),
            expires_at: None,
        };
        let (_, secret): (_, Secret) = app::tokens::create(&self.app.cx, caller, request).await.unwrap();
        secret.reveal().to_owned()
    }

    /// Ends all tokens of a person.
    pub(crate) async fn revoke_tokens(&self, caller: &Caller) {
        let tokens = app::tokens::list(&self.app.cx, caller, app::tokens::TokensOf::Caller).await.unwrap();
        for token in tokens {
            app::tokens::revoke(&self.app.cx, caller, token.id).await.unwrap();
        }
    }

    /// A host of this person.
    pub(crate) async fn host(&self, caller: &Caller) -> Host {
        let scopes = [TokenScope::Read, TokenScope::Write];
        Host { mcp: self.mcp.clone(), token: self.token(caller, caller.agent, &scopes).await, query: "" }
    }

    /// A host of the admin through an agent whose procedural memory is on.
    pub(crate) async fn agent_host(&self, query: &'static str) -> Host {
        let agent = self.app.agent_with("helper", ProceduralMemory::default()).await;
        let token =
            self.token(&self.app.admin().await, Some(agent.id), &[TokenScope::Read, TokenScope::Write]).await;
        Host { mcp: self.mcp.clone(), token, query }
    }
}

/// The parameters of the newer protocol.
fn with_meta(params: Value) -> Value {
    let mut params = params;
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    params
}

impl Host {
    pub(crate) fn request(&self, method: &str, params: Value) -> Request<Body> {
        let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params) });
        let mut request = Request::builder()
            .method("POST")
            .uri(format!("/mcp{}", self.query))
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {}", self.token))
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if let (Some(name), "tools/call" | "resources/read" | "prompts/get") = (name, method) {
            request = request.header("mcp-name", name);
        }
        request.body(Body::from(body.to_string())).unwrap()
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.mcp.router().oneshot(request).await.unwrap()
    }

    /// Asks and waits for the whole answer.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Answer {
        let response = self.send(self.request(method, params)).await;
        read(response).await
    }

    /// The result of a request that must be answered.
    pub(crate) async fn result(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        let result = answer.body.get("result").cloned();
        result.unwrap_or_else(|| panic!("{method}: {answer:?}"))
    }

    /// The error of a request that must be refused.
    pub(crate) async fn error(&self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        let error = answer.body.get("error").cloned();
        error.unwrap_or_else(|| panic!("{method}: {answer:?}"))
    }

    /// What a tool gives back.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.result("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The structured answer of a tool that must work.
    pub(crate) async fn done(&self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], json!(false), "{tool}: {result}");
        result["structuredContent"].clone()
    }

    /// The code of the error of a tool that must refuse.
    pub(crate) async fn refused(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result["isError"], json!(true), "{tool}: {result}");
        assert!(!result["content"][0]["text"].as_str().unwrap().is_empty());
        result["structuredContent"]["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The names of the tools that are offered.
    pub(crate) async fn tools(&self) -> Vec<String> {
        let list = self.result("tools/list", json!({})).await;
        let names = list["tools"].as_array().unwrap().iter();
        names.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

/// A host that speaks the older protocol, in a session.
#[derive(Clone)]
pub(crate) struct LegacyHost {
    pub(crate) host: Host,
    pub(crate) router: axum::Router,
    pub(crate) session: Option<String>,
}

impl LegacyHost {
    /// A host that has not introduced itself yet.
    pub(crate) fn new(host: &Host) -> Self {
        Self { host: host.clone(), router: host.mcp.router(), session: None }
    }

    /// A host in a session, ready to be told of changes.
    pub(crate) async fn introduced(host: &Host) -> Self {
        let mut legacy = Self::new(host);
        let answer = legacy.introduce().await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        legacy.ready().await;
        legacy
    }

    /// The same session with the token of another host.
    pub(crate) fn stolen_by(&self, host: &Host) -> Self {
        Self { host: host.clone(), ..self.clone() }
    }

    pub(crate) async fn introduce(&mut self) -> Answer {
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
        });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello });
        let answer = self.post(body).await;
        let session = answer.headers.get("mcp-session-id").and_then(|session| session.to_str().ok());
        self.session = session.map(str::to_owned);
        answer
    }

    pub(crate) async fn ready(&self) -> Answer {
        self.post(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await
    }

    pub(crate) async fn ping(&self) -> StatusCode {
        self.post(json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" })).await.status
    }

    pub(crate) async fn post(&self, body: Value) -> Answer {
        read(self.send("POST", Body::from(body.to_string())).await).await
    }

    pub(crate) async fn send(&self, method: &str, body: Body) -> Response<Body> {
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "127.0.0.1")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {}", self.host.token));
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session).header("mcp-protocol-version", "2025-06-18");
        }
        self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap()
    }

    /// The stream on which the session is told.
    pub(crate) async fn stream(&self) -> Stream {
        let response = self.send("GET", Body::empty()).await;
        assert_eq!(response.status(), StatusCode::OK);
        Stream::new(response)
    }
}

/// The whole answer, from JSON or from a stream.
pub(crate) async fn read(response: Response<Body>) -> Answer {
    let (parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let body = serde_json::from_str(&text).unwrap_or_else(|_| {
        let messages = text.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut messages = messages.filter_map(|data| serde_json::from_str::<Value>(data).ok());
        messages.next_back().unwrap_or(Value::String(text.clone()))
    });
    Answer { status: parts.status, headers: parts.headers, body }
}

/// The messages of a stream, one by one.
pub(crate) struct Stream {
    body: axum::body::BodyDataStream,
    text: String,
}

impl Stream {
    pub(crate) fn new(response: Response<Body>) -> Self {
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// Reads until it ends.
    pub(crate) async fn end(mut self) {
        while self.body.next().await.is_some() {}
    }

    pub(crate) async fn next(&mut self) -> Value {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                let (message, rest) = (serde_json::from_str(&data).ok(), rest.to_owned());
                self.text = rest;
                if let Some(message) = message {
                    return message;
                }
                continue;
            }
            let bytes = self.body.next().await.unwrap_or_else(|| panic!("the stream ended")).unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }
}
