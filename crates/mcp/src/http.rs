//! `/mcp` over streamable HTTP: who asks is found out before the protocol is looked at.

use std::sync::Arc;
use std::time::Duration;

use app::identity::{Presence, Proof, Secret, Standing};
use app::{Context, Error};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use model::{SkillName, Toolset, slugify};
use rmcp::transport::streamable_http_server::{SessionId, StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::sessions::Sessions;
use crate::{Asking, Handler, SessionBounds};

/// Where the door is.
const PATH: &str = "/mcp";
/// Where a host reads how it can be let in.
const METADATA: &str = "/.well-known/oauth-protected-resource";
const SESSION: &str = "mcp-session-id";
/// How long calls may go on when the server ends.
const LAST_CALLS: Duration = Duration::from_secs(3);
const GLANCE: Duration = Duration::from_millis(20);

/// What the door has to be told.
#[derive(Debug, Clone)]
pub struct McpConfig {
    /// Where people reach the server, without a slash at the end.
    pub public_url: String,
    /// The largest body it reads.
    pub max_body_bytes: usize,
    /// How many sessions there are, and for how long.
    pub sessions: SessionBounds,
}

/// The door.
#[derive(Clone)]
pub struct Mcp {
    cx: Context,
    config: Arc<McpConfig>,
    sessions: Sessions,
    handler: Handler,
    stop: CancellationToken,
}

impl Mcp {
    /// A door on these use cases.
    pub fn new(cx: Context, config: McpConfig) -> Self {
        let sessions = Sessions::new(config.sessions);
        let handler = Handler::in_sessions(cx.clone(), sessions.clone());
        Self { cx, config: Arc::new(config), sessions, handler, stop: CancellationToken::new() }
    }

    /// The routes. Host and origin are checked by whoever serves them.
    pub fn router(&self) -> Router {
        let handler = self.handler.clone();
        let sessions = Arc::new(self.sessions.clone());
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_max_request_body_bytes(self.config.max_body_bytes)
            .with_cancellation_token(self.stop.clone());
        let service = StreamableHttpService::new(move || Ok(handler.for_session()), sessions, config);
        let doors = Router::new()
            .route_service(PATH, service)
            .layer(middleware::from_fn_with_state(self.clone(), let_in));
        Router::new()
            .merge(doors)
            .route(METADATA, get(metadata))
            .route(&format!("{METADATA}{PATH}"), get(metadata))
            .with_state(self.clone())
    }

    /// Ends what is open, so that a server can stop; calls under way may finish for a while.
    pub async fn stop(&self) {
        let work = self.handler.work();
        work.closing.cancel();
        let until = tokio::time::Instant::now() + LAST_CALLS;
        while work.calls() > 0 && tokio::time::Instant::now() < until {
            tokio::time::sleep(GLANCE).await;
        }
        // What was just answered has yet to be written.
        tokio::time::sleep(5 * GLANCE).await;
        self.stop.cancel();
    }
}

/// How a host can be let in: with a token that a person made.
async fn metadata(State(mcp): State<Mcp>) -> axum::Json<serde_json::Value> {
    axum::Json(json!({
        "resource": format!("{}{PATH}", mcp.config.public_url),
        "resource_name": "Repertoire",
        "bearer_methods_supported": ["header"],
    }))
}

/// Lets in whoever shows a token, and says who it is to whatever comes behind.
async fn let_in(State(mcp): State<Mcp>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let asking = match asking(&mcp, &parts).await {
        Ok(asking) => asking,
        Err(refusal) => return refusal.into_response(&mcp.config),
    };
    let owner = (asking.caller.workspace, asking.caller.user, asking.caller.agent);
    let _used = match text(&parts.headers, SESSION).map(|session| mcp.sessions.enter(session, owner)) {
        Some(None) => return (StatusCode::NOT_FOUND, "there is no such session").into_response(),
        used => used,
    };
    parts.extensions.insert(asking);
    let answer = next.run(Request::from_parts(parts, body));
    let refused = |error| Refusal::Failed(error).into_response(&mcp.config);
    Sessions::visited(owner, answer).await.unwrap_or_else(refused)
}

/// Why someone is not let in.
enum Refusal {
    /// There is no token that counts.
    Unknown(String),
    /// The request names what is not there, or may not be used.
    Failed(Error),
    /// The request cannot be understood.
    Bad(String),
}

impl Refusal {
    fn into_response(self, config: &McpConfig) -> Response {
        let retry_after = match &self {
            Self::Failed(Error::TooManyWatches { retry_after, .. }) => Some(retry_after.as_secs()),
            _ => None,
        };
        let (status, code, message) = match self {
            Self::Unknown(message) => (StatusCode::UNAUTHORIZED, "unauthenticated", message),
            Self::Bad(message) => (StatusCode::BAD_REQUEST, "invalid_request", message),
            Self::Failed(error) => {
                let status = match &error {
                    Error::Forbidden(_) => StatusCode::FORBIDDEN,
                    Error::NotFound { .. } => StatusCode::NOT_FOUND,
                    Error::TooManyWatches { .. } => StatusCode::TOO_MANY_REQUESTS,
                    Error::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
                    _ => StatusCode::BAD_REQUEST,
                };
                if status == StatusCode::SERVICE_UNAVAILABLE {
                    crate::failure::log(&error);
                }
                (status, error.code().as_str(), crate::failure::told(&error))
            }
        };
        let body = json!({ "error": code, "error_description": message });
        let mut response = (status, axum::Json(body)).into_response();
        if status == StatusCode::UNAUTHORIZED {
            let challenge = format!("Bearer resource_metadata=\"{}{METADATA}{PATH}\"", config.public_url);
            if let Ok(challenge) = HeaderValue::from_str(&challenge) {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
            }
        }
        if let Some(seconds) = retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

async fn asking(mcp: &Mcp, parts: &Parts) -> Result<Asking, Refusal> {
    let headers = &parts.headers;
    let unknown = || {
        Refusal::Unknown(
            "send `Authorization: Bearer <token>`; `repertoire token create` makes one".to_owned(),
        )
    };
    let secret =
        text(headers, header::AUTHORIZATION.as_str()).and_then(Secret::from_bearer).ok_or_else(unknown)?;
    let wishes = Wishes::read(parts)?;
    let standing = Standing { workspace: wishes.workspace, agent: wishes.agent };
    let presence = Presence { proof: Proof::Token(secret), standing };
    let caller = presence.caller(&mcp.cx).await.map_err(|error| match error {
        Error::Unauthenticated(message) => Refusal::Unknown(message.to_owned()),
        error => Refusal::Failed(error),
    })?;
    let seen = app::skills::changes(&mcp.cx, &caller, None).await.map_err(Refusal::Failed)?.now;
    let session = text(headers, SESSION).map(SessionId::from);
    let conversation = wishes.conversation.or_else(|| session.as_deref().map(str::to_owned));
    Ok(Asking { presence, caller, toolsets: wishes.toolsets, seen, conversation, session })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What the address and the headers ask for.
#[derive(Default)]
struct Wishes {
    workspace: Option<SkillName>,
    agent: Option<SkillName>,
    toolsets: Option<Vec<Toolset>>,
    conversation: Option<String>,
}

impl Wishes {
    /// Reads `?agent=`, `?workspace=` and `?toolsets=`, since hosts always let people write an address, and the headers
    /// of the other doors.
    fn read(parts: &Parts) -> Result<Self, Refusal> {
        let name = |what: &str, text: &str| {
            slugify(text).ok_or_else(|| Refusal::Bad(format!("`{what}` must be a name")))
        };
        let mut wishes = Self::default();
        let headers = &parts.headers;
        if let Some(workspace) = text(headers, "repertoire-workspace") {
            wishes.workspace = Some(name("repertoire-workspace", workspace)?);
        }
        if let Some(agent) = text(headers, "repertoire-agent") {
            wishes.agent = Some(name("repertoire-agent", agent)?);
        }
        let conversation = text(headers, "repertoire-conversation").filter(|key| !key.is_empty());
        wishes.conversation = conversation.map(|key| key.chars().take(200).collect());
        for (key, value) in pairs(parts.uri.query().unwrap_or_default()) {
            match key.as_str() {
                "agent" => wishes.agent = Some(name("agent", &value)?),
                "workspace" => wishes.workspace = Some(name("workspace", &value)?),
                "toolsets" => {
                    let words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
                    let toolsets = words.map(Toolset::parse).collect::<Result<Vec<_>, _>>();
                    wishes.toolsets = Some(toolsets.map_err(|error| Refusal::Bad(error.to_string()))?);
                }
                _ => {}
            }
        }
        Ok(wishes)
    }
}

/// The names and values of a query.
fn pairs(query: &str) -> Vec<(String, String)> {
    let decode = |text: &str| {
        percent_encoding::percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned()
    };
    let pair = |pair: &str| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(key), decode(value))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}
