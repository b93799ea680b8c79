//! A program that talks to a server over HTTP.

use std::time::{Duration, Instant};

use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::{Value, json};

use crate::world::{Server, World};

/// How long something may take to come about: less than code may run, so that its own end is not what was waited for.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client with a token.
#[derive(Clone)]
pub(crate) struct Api {
    client: Client,
    url: String,
    token: String,
}

/// What a server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Api {
    /// As the admin.
    pub(crate) fn new(world: &World, server: &Server) -> Self {
        Self::with(server, &world.ok(&["token", "create", "test"]))
    }

    /// As another user, who is new here.
    pub(crate) fn of(world: &World, server: &Server, handle: &str) -> Self {
        world.ok(&["user", "add", handle]);
        Self::with(server, &world.ok(&["token", "create", handle, "--for", handle]))
    }

    /// As a user with a token that is good for everything the user may do.
    pub(crate) fn wholly(world: &World, server: &Server, handle: &str) -> Self {
        let scopes = ["read", "write", "review", "admin"].map(|scope| ["--scope", scope]);
        let args: Vec<_> =
            ["token", "create", "whole", "--for", handle].into_iter().chain(scopes.concat()).collect();
        Self::with(server, &world.ok(&args))
    }

    fn with(server: &Server, token: &str) -> Self {
        Self { client: Client::new(), url: server.url.clone(), token: token.trim().to_owned() }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(&self.token)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn send(&self, path: &str, bytes: impl Into<Vec<u8>>) -> Answer {
        Answer::to(self.request(Method::POST, path).body(bytes.into())).await
    }

    /// Calls the interpreter through an agent; a call that failed is answered too.
    pub(crate) async fn interpret(&self, agent: &str, call: &Value) -> Answer {
        let request = self.request(Method::POST, "/api/v1/interpreter").header("repertoire-agent", agent);
        Answer::to(request.json(call)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::DELETE, path)).await
    }

    /// Puts a skill into the library and gives its id. A procedure has no name of its own.
    pub(crate) async fn skill(&self, name: &str, procedure: &Value) -> String {
        let body = json!({"name": name, "description": "Runs something.", "procedure": procedure});
        let made = self.post("/api/v1/skills", &body).await.expect(201);
        made["skill"]["id"].as_str().unwrap_or_else(|| panic!("no id in {made}")).to_owned()
    }

    /// Runs a skill; code that fails is a run as well.
    pub(crate) async fn run(&self, skill: &str, parameters: Value) -> Value {
        self.post(&format!("/api/v1/skills/{skill}/runs"), &json!({"parameters": parameters}))
            .await
            .expect(201)
    }

    /// Executes Python in a session, or in a new one.
    pub(crate) async fn python(&self, session: Option<&str>, code: &str) -> Value {
        self.post("/code/execute", &json!({"session_id": session, "code": code})).await.expect(200)
    }

    pub(crate) async fn files(&self, session: &str) -> Vec<String> {
        let listed = self.get(&format!("/files/list?session_id={session}")).await.expect(200);
        let path = |file: &Value| file["path"].as_str().unwrap().to_owned();
        listed["files"].as_array().unwrap().iter().map(path).collect()
    }
}

impl Answer {
    async fn to(request: RequestBuilder) -> Self {
        let answer = request.send().await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        Self { status, headers, body: answer.bytes().await.unwrap().into() }
    }

    /// The body of an answer with this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A refusal with this code; gives what it says.
    #[track_caller]
    pub(crate) fn refused(self, status: u16, code: &str) -> String {
        let problem = self.expect(status);
        assert_eq!(problem["code"], code, "{problem}");
        problem["detail"].as_str().unwrap().to_owned()
    }

    /// A refusal of the instance dialect with this code; gives what it says.
    #[track_caller]
    pub(crate) fn denied(self, status: u16, code: &str) -> String {
        let told = self.expect(status);
        assert_eq!((&told["error"]["code"], &told["status"]), (&json!(code), &json!(status)), "{told}");
        told["error"]["message"].as_str().unwrap().to_owned()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Waits until something holds.
pub(crate) async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds().await {
        assert!(Instant::now() < end, "it never came about that {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
