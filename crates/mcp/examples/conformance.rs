//! The server that the official conformance suite is run against: our handler on an empty library, with the tools,
//! resources and prompts that the suite expects beside our own, and without authentication. For tests alone.
//!
//! It prints its address, and ends when standard input does.
#![allow(clippy::unwrap_used, reason = "it is test code: what cannot be set up ends it")]
#![allow(deprecated, reason = "the suite asks for a capability that is deprecated")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use app::agents::AgentSpec;
use app::identity::{Presence, Proof, Standing};
use app::skills::by_name::{self, NewSkill};
use axum::extract::Request;
use axum::middleware::{self, Next};
use model::{Agent, Caller, Handle, ProceduralMemory, Toolset};
use repertoire_mcp::{Asking, Handler};
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, ContentBlock, CustomRequest, CustomResult, DiscoverResult,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, Prompt, PromptArgument, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, Role, ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use testkit::TestApp;

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A sound of no length.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Our handler with the suite's fixtures beside.
#[derive(Clone)]
struct Fixtures {
    ours: Handler,
    world: Arc<World>,
}

struct World {
    app: TestApp,
    caller: Caller,
    agent: Agent,
    changes: AtomicU32,
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

fn tools() -> Vec<Tool> {
    let plain = [
        "test_simple_text",
        "test_image_content",
        "test_audio_content",
        "test_embedded_resource",
        "test_multiple_content_types",
        "test_error_handling",
        "test_tool_with_progress",
        "test_missing_capability",
        "test_streaming_elicitation",
        "test_logging_tool",
        "test_reconnection",
        "test_trigger_tool_change",
        "test_trigger_prompt_change",
    ];
    let empty = || object(json!({ "type": "object", "properties": {} }));
    let mut tools: Vec<_> =
        plain.iter().map(|name| Tool::new(*name, "Of the conformance suite", empty())).collect();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {"address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }},
        "properties": {
            "name": {"type": "string"},
            "address": {"$ref": "#/$defs/address"},
            "contactMethod": {"type": "string", "enum": ["phone", "email"]},
            "phone": {"type": "string"},
            "email": {"type": "string"},
        },
        "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
        "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
        "then": {"required": ["phone"]},
        "else": {"required": ["email"]},
        "additionalProperties": false,
    });
    tools.push(Tool::new("json_schema_2020_12_tool", "Of the conformance suite", object(schema)));
    tools.push(Tool::new(
        "test_custom_headers",
        "Of the conformance suite",
        object(json!({
            "type": "object",
            "properties": {
                "region": {"type": "string", "x-mcp-header": "Region"},
                "query": {"type": "string"},
            },
            "required": ["region"],
        })),
    ));
    tools
}

fn said(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

impl Fixtures {
    async fn call_fixture(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        Ok(match name {
            "test_simple_text" => said("This is a simple text response for testing."),
            "test_image_content" => CallToolResult::success(vec![ContentBlock::image(PNG, "image/png")]),
            "test_audio_content" => CallToolResult::success(vec![ContentBlock::audio(WAV, "audio/wav")]),
            "test_embedded_resource" => {
                let text = "This is an embedded resource content.";
                CallToolResult::success(vec![ContentBlock::embedded_text("test://embedded-resource", text)])
            }
            "test_multiple_content_types" => {
                let resource = ResourceContents::text(
                    json!({"test": "data", "value": 123}).to_string(),
                    "test://mixed-content-resource",
                );
                CallToolResult::success(vec![
                    ContentBlock::text("Multiple content types test:"),
                    ContentBlock::image(PNG, "image/png"),
                    ContentBlock::resource(resource.with_mime_type("application/json")),
                ])
            }
            "test_error_handling" => CallToolResult::error(vec![ContentBlock::text(
                "This tool intentionally returns an error for testing",
            )]),
            "test_tool_with_progress" => {
                for done in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let progress = ProgressNotificationParam::new(token, done).with_total(100.0);
                        context.peer.notify_progress(progress).await.map_err(broken)?;
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                said("done")
            }
            "test_missing_capability" => {
                let sampling = context.client_capabilities().is_some_and(|has| has.sampling.is_some());
                if !sampling {
                    let required = ClientCapabilities::builder().enable_sampling().build();
                    return Err(ErrorData::missing_required_client_capability(required));
                }
                said("the client can be asked")
            }
            "test_trigger_tool_change" => {
                self.change_tools().await.map_err(broken)?;
                said("the tools changed")
            }
            "test_trigger_prompt_change" => {
                self.add_skill().await.map_err(broken)?;
                said("the prompts changed")
            }
            _ => said("done"),
        })
    }

    /// Gives the agent another set of tools, as an admin would.
    async fn change_tools(&self) -> Result<(), app::Error> {
        let World { app, agent, changes, .. } = &*self.world;
        let admin = app.admin().await;
        let now = app::agents::read(&app.cx, &admin, agent.id).await?;
        let learning = changes.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
        let more = if learning { vec![Toolset::Interpreter, Toolset::Learning] } else { Vec::new() };
        let spec = AgentSpec {
            procedural_memory: now.procedural_memory.clone(),
            toolsets: more,
            ..AgentSpec::new(now.name.clone())
        };
        app::agents::update(&app.cx, &admin, agent.id, spec, None).await.map(drop)
    }

    async fn add_skill(&self) -> Result<(), app::Error> {
        let World { app, caller, changes, .. } = &*self.world;
        let name = format!("skill-{}", changes.fetch_add(1, Ordering::Relaxed));
        let text = || "Made by a test.".to_owned();
        let new = NewSkill { name, title: text(), description: text(), content: text(), tags: Vec::new() };
        by_name::create(&app.cx, caller, new).await.map(drop)
    }
}

fn broken(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn prompts() -> Vec<Prompt> {
    let argument = |name: &str| PromptArgument::new(name).with_description("An argument").with_required(true);
    let prompt = |name: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(|name| argument(name)).collect();
        Prompt::new(name, Some("Of the conformance suite"), Some(arguments))
    };
    vec![
        prompt("test_simple_prompt", &[]),
        prompt("test_prompt_with_arguments", &["arg1", "arg2"]),
        prompt("test_prompt_with_embedded_resource", &["resourceUri"]),
        prompt("test_prompt_with_image", &[]),
    ]
}

fn prompt(name: &str, arguments: &Map<String, Value>) -> Option<GetPromptResult> {
    let argument = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let text = |text: String| PromptMessage::new_text(Role::User, text);
    let messages = match name {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.".to_owned())],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            vec![text(format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let content = ContentBlock::embedded_text(
                argument("resourceUri"),
                "Embedded resource content for testing.",
            );
            vec![
                PromptMessage::new(Role::User, content),
                text("Please process the embedded resource above.".to_owned()),
            ]
        }
        "test_prompt_with_image" => vec![
            PromptMessage::new(Role::User, ContentBlock::image(PNG, "image/png")),
            text("Please analyze the image above.".to_owned()),
        ],
        _ => return None,
    };
    Some(GetPromptResult::new(messages))
}

fn resource(uri: &str) -> Option<ResourceContents> {
    if let Some(id) = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data")) {
        let data = json!({"id": id, "templateTest": true, "data": format!("Data for ID: {id}")});
        return Some(ResourceContents::text(data.to_string(), uri).with_mime_type("application/json"));
    }
    match uri {
        "test://static-text" => {
            Some(ResourceContents::text("This is the content of the static text resource.", uri))
        }
        "test://static-binary" => Some(ResourceContents::blob(PNG, uri).with_mime_type("image/png")),
        _ => None,
    }
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        self.ours.get_info()
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        self.ours.initialize(request, context).await
    }

    async fn discover(&self, context: Context) -> Result<DiscoverResult, ErrorData> {
        self.ours.discover(context).await
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = self.ours.list_tools(request, context).await?;
        result.tools.extend(tools());
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        match self.get_tool(&request.name) {
            Some(tool) => Ok(self.call_fixture(&tool.name, &context).await?.into()),
            None => self.ours.call_tool(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = self.ours.list_resources(request, context).await?;
        let ours = [("test://static-text", "text/plain"), ("test://static-binary", "image/png")];
        result.resources.extend(ours.iter().map(|(uri, kind)| {
            Resource::new(*uri, *uri).with_description("Of the conformance suite").with_mime_type(*kind)
        }));
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = self.ours.list_resource_templates(request, context).await?;
        result.resource_templates.push(ResourceTemplate::new("test://template/{id}/data", "template"));
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match resource(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents])
                .with_ttl_ms(1_000)
                .with_cache_scope(CacheScope::Private)
                .into()),
            None => self.ours.read_resource(request, context).await,
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = self.ours.list_prompts(request, context).await?;
        result.prompts.extend(prompts());
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        match prompt(&request.name, &request.arguments.clone().unwrap_or_default()) {
            Some(result) => Ok(result.into()),
            None => self.ours.get_prompt(request, context).await,
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        self.ours.complete(request, context).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: Context,
    ) -> Result<CustomResult, ErrorData> {
        self.ours.on_custom_request(request, context).await
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.ours.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.ours.listen(context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ours.on_initialized(context).await;
    }
}

#[tokio::main]
async fn main() {
    let app = TestApp::new().await;
    let settings = ProceduralMemory { enabled: true, ..ProceduralMemory::default() };
    let agent = app.agent_with("tested", settings).await;
    let caller = Caller { agent: Some(agent.id), ..app.admin().await };
    let standing = Standing { workspace: None, agent: Some(agent.name.clone()) };
    let admin = Handle::parse(app::workspaces::FIRST_USER).unwrap();
    let presence = Presence { proof: Proof::Machine(admin), standing };
    let handler = Handler::new(app.cx.clone());
    let cx = app.cx.clone();
    let world = Arc::new(World { app, caller: caller.clone(), agent, changes: AtomicU32::new(0) });
    let fixtures = Fixtures { ours: handler, world };
    fixtures.add_skill().await.unwrap();
    let config = StreamableHttpServerConfig::default()
        .with_allowed_origins(["http://127.0.0.1:*", "http://localhost:*"]);
    let service = StreamableHttpService::new(
        move || Ok(fixtures.clone()),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let let_in = move |mut request: Request, next: Next| {
        let (cx, caller, presence) = (cx.clone(), caller.clone(), presence.clone());
        async move {
            let seen = app::skills::changes(&cx, &caller, None).await.unwrap().now;
            let asking = Asking { presence, caller, toolsets: None, seen, conversation: None, session: None };
            request.extensions_mut().insert(asking);
            next.run(request).await
        }
    };
    let router = axum::Router::new().route_service("/mcp", service).layer(middleware::from_fn(let_in));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let mut ended = String::new();
    tokio::task::spawn_blocking(move || std::io::stdin().read_line(&mut ended)).await.unwrap().unwrap();
}
