//! Every URL of the native API, and the document that describes them.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::{
    agents, analytics, audit, backup, events, governance, interpreter, runs, search, sessions, skills,
    tokens, users, workspaces,
};
use crate::auth::COOKIE;
use crate::code;
use crate::instances;
use crate::server::HttpState;
use crate::sign_in;

/// What the document says before it comes to the operations. The file operations are listed here because their
/// path may hold slashes, which OpenAPI cannot say and the router must be told.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Repertoire",
        description = "A skill library for AI agents. Errors are RFC 9457 problem details with a stable `code`.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    paths(skills::read_file, skills::put_file, skills::delete_file),
    security(("token" = []), ("session" = [])),
    modifiers(&Credentials),
    tags(
        (name = "skills", description = "The library"),
        (name = "review", description = "Decisions about skills"),
        (name = "agents", description = "Configured agents and the skills assigned to them"),
        (name = "runs", description = "Skills that run, and what is remembered of it"),
        (name = "code", description = "Code sessions: executing code, and its files"),
        (name = "governance", description = "What agents may do while policies are in force, and the record of it"),
        (name = "sessions", description = "What agents did: messages, tool calls, artifacts, tasks, outcome"),
        (name = "identity", description = "Workspaces, people, tokens, sign-in"),
        (name = "operations", description = "Changes as they happen, audit log and backup"),
    )
)]
struct Document;

/// How one says who one is, for a document.
pub(crate) struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_default();
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("rpt_…").build();
        components.add_security_scheme("token", SecurityScheme::Http(token));
        let cookie = ApiKey::Cookie(ApiKeyValue::new(COOKIE));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

fn documented() -> OpenApiRouter<HttpState> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(sign_in::create))
        .routes(routes!(sign_in::end))
        .routes(routes!(workspaces::whoami))
        .routes(routes!(workspaces::list, workspaces::create))
        .routes(routes!(workspaces::read, workspaces::change))
        .routes(routes!(users::list, users::add))
        .routes(routes!(users::read, users::change, users::remove))
        .routes(routes!(users::link))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(agents::list, agents::create))
        .routes(routes!(agents::read, agents::update, agents::delete))
        .routes(routes!(agents::assign, agents::unassign))
        .routes(routes!(agents::context))
        .routes(routes!(skills::list, skills::create))
        .routes(routes!(skills::bulk))
        .routes(routes!(skills::import))
        .routes(routes!(skills::validate))
        .routes(routes!(skills::propose))
        .routes(routes!(skills::resolve))
        .routes(routes!(skills::groups))
        .routes(routes!(search::search))
        .routes(routes!(search::discover))
        .routes(routes!(search::status))
        .routes(routes!(skills::read, skills::edit, skills::delete))
        .routes(routes!(skills::undelete))
        .routes(routes!(skills::export, skills::replace_bundle))
        .routes(routes!(skills::list_files))
        .routes(routes!(skills::list_revisions))
        .routes(routes!(skills::read_revision))
        .routes(routes!(skills::label))
        .routes(routes!(skills::diff))
        .routes(routes!(skills::restore))
        .routes(routes!(skills::submit))
        .routes(routes!(skills::approve))
        .routes(routes!(skills::reject))
        .routes(routes!(skills::archive))
        .routes(routes!(skills::reopen))
        .routes(routes!(skills::enable))
        .routes(routes!(skills::disable))
        .routes(routes!(skills::promote))
        .routes(routes!(skills::record_use))
        .routes(routes!(skills::list_feedback, skills::record_feedback))
        .routes(routes!(skills::list_tags))
        .routes(routes!(analytics::read))
        .routes(routes!(runs::run, runs::list_of_skill))
        .routes(routes!(runs::check))
        .routes(routes!(runs::statistics))
        .routes(routes!(runs::list))
        .routes(routes!(runs::prune))
        .routes(routes!(runs::read))
        .routes(routes!(runs::sandbox))
        .routes(routes!(interpreter::interpret))
        .routes(routes!(code::execute))
        .routes(routes!(code::list))
        .routes(routes!(code::end))
        .routes(routes!(code::upload))
        .routes(routes!(code::list_files))
        .routes(routes!(code::download, code::post_download))
        .routes(routes!(code::delete))
        .routes(routes!(sessions::start, sessions::list))
        .routes(routes!(sessions::read, sessions::change, sessions::delete))
        .routes(routes!(sessions::entries, sessions::add))
        .routes(routes!(sessions::todos, sessions::write_todos))
        .routes(routes!(sessions::complete))
        .routes(routes!(governance::resolve))
        .routes(routes!(governance::judge))
        .routes(routes!(governance::plan))
        .routes(routes!(governance::explain))
        .routes(routes!(governance::policies))
        .routes(routes!(governance::start, governance::list_runs))
        .routes(routes!(governance::read_run))
        .routes(routes!(governance::judge_step))
        .routes(routes!(governance::finish))
        .routes(routes!(governance::list_decisions))
        .routes(routes!(governance::prune_decisions))
        .routes(routes!(governance::read_decision))
        .routes(routes!(governance::hook))
        .routes(routes!(governance::test))
        .routes(routes!(governance::analyse))
        .routes(routes!(governance::replay))
        .routes(routes!(events::watch))
        .routes(routes!(audit::list))
        .routes(routes!(audit::export))
        .routes(routes!(audit::verify))
        .routes(routes!(backup::take))
}

pub(crate) fn router() -> Router<HttpState> {
    let (router, document) = documented().split_for_parts();
    let files = get(skills::read_file).put(skills::put_file).delete(skills::delete_file);
    let reference =
        SwaggerUi::new("/docs").config(Config::new(["/api/v1/openapi.json", "/instances/openapi.json"]));
    router
        .route("/api/v1/skills/{id}/files/{*path}", files)
        .route("/api/v1/openapi.json", get(served(&document)))
        .route("/instances/openapi.json", get(served(&instances::document())))
        .merge(Router::from(reference).layer(middleware::from_fn_with_state(Pages::default(), shared)))
}

/// The pages of the reference that were sent before.
type Pages = Arc<Mutex<HashMap<String, (HeaderMap, Bytes)>>>;

/// Sends pages of the reference from bytes that all requests share. Anybody may ask for them, and one that is not read
/// by its client must not hold a copy of its own.
async fn shared(State(pages): State<Pages>, request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    let is_get = request.method() == Method::GET;
    let known = pages.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
    if let Some(page) = known.filter(|_| is_get) {
        return page.into_response();
    }
    let response = next.run(request).await;
    if !is_get || response.status() != StatusCode::OK {
        return response;
    }
    let (parts, body) = response.into_parts();
    let Ok(bytes) = axum::body::to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let page = (parts.headers, bytes);
    pages.lock().unwrap_or_else(PoisonError::into_inner).insert(path, page.clone());
    page.into_response()
}

/// Serves a document whose bytes all requests share: anybody may ask for it, as often as they like.
fn served(document: &utoipa::openapi::OpenApi) -> impl Fn() -> Ready<Response> + Clone + use<> {
    let json = Bytes::from(document.to_json().unwrap_or_default());
    move || ready(([(header::CONTENT_TYPE, "application/json")], json.clone()).into_response())
}

/// The OpenAPI document, as the server serves it.
pub fn openapi_json() -> String {
    let (_, document) = documented().split_for_parts();
    document.to_pretty_json().unwrap_or_default()
}
