//! One handler for both eras of the protocol: it finds out who asks, and hands on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use app::Context;
use app::governance::OwnCall;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ExtensionCapabilities, GetPromptRequestParams,
    GetPromptResponse, Implementation, InitializeRequestParams, InitializeResult, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::failure::{invalid, protocol};
use crate::offer::Offer;
use crate::sessions::{SessionBounds, Sessions};
use crate::skills::{EXTENSION, TTL_MS};
use crate::tools::{Call, Done, Stop, ToolKind};
use crate::{Asking, changes, completion, prompts, record, resources, skills};

/// What answers the requests of hosts. Cheap to clone; clones serve the same session.
#[derive(Clone)]
pub struct Handler {
    cx: Context,
    sessions: Sessions,
    work: Work,
    /// Whether the session is told of changes already; a host may say more than once that it is ready.
    told: Arc<AtomicBool>,
}

/// What is under way, so that a server can end in order.
#[derive(Clone, Default)]
pub(crate) struct Work {
    calls: Arc<AtomicUsize>,
    /// Nobody is told of changes any more.
    pub(crate) closing: CancellationToken,
}

/// A call that is under way.
struct Begun(Arc<AtomicUsize>);

impl Work {
    fn begin(&self) -> Begun {
        self.calls.fetch_add(1, Ordering::AcqRel);
        Begun(Arc::clone(&self.calls))
    }

    /// How many calls are under way.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Acquire)
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Who asks and what they are offered.
struct Guest<'a> {
    asking: &'a Asking,
    offer: Offer,
}

impl Handler {
    /// A handler on these use cases.
    pub fn new(cx: Context) -> Self {
        Self::in_sessions(cx, Sessions::new(SessionBounds::default()))
    }

    /// The same, for hosts whose sessions are these.
    pub(crate) fn in_sessions(cx: Context, sessions: Sessions) -> Self {
        Self { cx, sessions, work: Work::default(), told: Arc::default() }
    }

    /// The same for another session.
    pub(crate) fn for_session(&self) -> Self {
        Self { told: Arc::default(), ..self.clone() }
    }

    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    async fn guest<'a>(&self, context: &'a RequestContext<RoleServer>) -> Result<Guest<'a>, ErrorData> {
        let asking = Asking::of(&context.extensions)?;
        let offer = Offer::to(&self.cx, asking).await.map_err(|error| protocol(&error))?;
        Ok(Guest { asking, offer })
    }

    /// What is told about the server, as this caller may know it.
    fn described(offer: &Offer) -> ServerConfig {
        let mut info = Self::everything();
        if !offer.shows_skills() {
            info.capabilities = only_tools();
        }
        info.with_instructions(offer.instructions())
    }

    fn everything() -> ServerConfig {
        let mut extensions = ExtensionCapabilities::new();
        let settings = Map::from_iter([("directoryRead".to_owned(), json!(true))]);
        extensions.insert(EXTENSION.to_owned(), settings);
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_completions()
            .enable_extensions_with(extensions)
            .build();
        let us = Implementation::new("repertoire", env!("CARGO_PKG_VERSION")).with_title("Repertoire");
        ServerConfig::new(capabilities).with_server_info(us)
    }

    /// Does what a tool is called for, if the policies in force let it.
    async fn governed(&self, tool: &ToolKind, call: &Call<'_>) -> Result<Done, Stop> {
        let own = OwnCall { tool: tool.name, arguments: Value::Object(call.arguments.clone()) };
        app::governance::admit(&self.cx, &call.asking.caller, own).await?;
        (tool.call)(call).await
    }

    async fn call(
        &self,
        guest: &Guest<'_>,
        request: CallToolRequestParams,
        host: Option<String>,
    ) -> Result<Done, ErrorData> {
        let name = request.name.as_ref();
        let tool = guest.offer.tool(name).ok_or_else(|| {
            let shown: String = name.chars().take(64).collect();
            invalid(format!("there is no tool `{shown}`"))
        })?;
        let arguments = request.arguments.unwrap_or_default();
        let asking = guest.asking;
        let session = match record::session(&self.cx, asking, host.as_deref()).await {
            Ok(session) => session,
            Err(error) => return Ok(Done::failed(&error)),
        };
        let memory = guest.offer.has_memory();
        let call = Call { cx: &self.cx, asking, memory, host, arguments, session };
        let done = self.governed(tool, &call).await.unwrap_or_else(Done::from);
        if let (Some(session), false) = (session, done.recorded) {
            let kept = record::keep(&self.cx, asking, session, tool.name, call.arguments, &done).await;
            if let Err(error) = kept {
                return Ok(Done::failed(&error));
            }
        }
        Ok(done)
    }
}

fn only_tools() -> ServerCapabilities {
    ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build()
}

/// A method that is not there for a caller to whom no skills are shown.
fn no_such_method(method: &str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method.to_owned(), None)
}

fn cursor(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        Self::everything()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let guest = self.guest(&context).await?;
        let version = self.negotiate_initialize(&request)?.protocol_version;
        context.peer.set_peer_info(request);
        Ok(Self::described(&guest.offer).with_protocol_version(version))
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let guest = self.guest(&context).await?;
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, Self::described(&guest.offer)))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let guest = self.guest(&context).await?;
        Ok(ListToolsResult::with_all_items(guest.offer.tools())
            .with_ttl_ms(TTL_MS)
            .with_cache_scope(CacheScope::Private))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let guest = self.guest(&context).await?;
        let _begun = self.work.begin();
        let host = context.client_info().map(|info| info.name);
        tokio::select! {
            done = self.call(&guest, request, host) => Ok(done?.into_result().into()),
            // Nobody waits for the answer any more; what was begun ends with this.
            () = context.ct.cancelled() => Err(ErrorData::invalid_request("the call was cancelled", None)),
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("resources/list"));
        }
        resources::list(&self.cx, &guest.asking.caller, cursor(request)).await
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("resources/templates/list"));
        }
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("resources/read"));
        }
        Ok(resources::read(&self.cx, &guest.asking.caller, &request.uri).await?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("prompts/list"));
        }
        prompts::list(&self.cx, &guest.asking.caller, cursor(request)).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("prompts/get"));
        }
        let caller = &guest.asking.caller;
        Ok(prompts::get(&self.cx, caller, &guest.offer, request).await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method("completion/complete"));
        }
        completion::complete(&self.cx, &guest.asking.caller, &request).await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let guest = self.guest(&context).await?;
        if !guest.offer.shows_skills() {
            return Err(no_such_method(&request.method));
        }
        let (cx, caller, params) = (&self.cx, &guest.asking.caller, request.params.as_ref());
        let result = match request.method.as_str() {
            "skills/list" => skills::list(cx, caller, params).await?,
            "skills/get" => skills::get(cx, caller, params).await?,
            "resources/directory/read" => skills::directory(cx, caller, params).await?,
            method => return Err(no_such_method(method)),
        };
        Ok(CustomResult::new(result))
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        // Single resources are not watched: their lists say when something changed.
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let asking = Asking::of(&context.request_context().extensions)?.clone();
        let place = self.sessions.place(asking.caller.user).await;
        let _place = place.map_err(|error| protocol(&error))?;
        tokio::select! {
            () = changes::tell_subscription(&self.cx, &context, asking) => {}
            () = self.work.closing.cancelled() => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // In the newer protocol only subscriptions are told.
        let version = context.peer.peer_info().map(|info| info.protocol_version.clone());
        let legacy = version.is_some_and(|version| version.as_str() < ProtocolVersion::V_2026_07_28.as_str());
        if let (true, Ok(asking)) = (legacy, Asking::of(&context.extensions))
            && !self.told.swap(true, Ordering::AcqRel)
        {
            let (peer, asking) = (context.peer.clone(), asking.clone());
            tokio::spawn(changes::tell_session(self.cx.clone(), self.sessions.clone(), peer, asking));
        }
    }
}
