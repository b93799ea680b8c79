//! Every URL of the dialect, and the document that describes them.

use axum::{Router, middleware};
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{agents, errors, provider, search, skills};
use crate::problem;
use crate::server::HttpState;
use crate::v1::Credentials;

/// What the document says before it comes to the operations.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Repertoire, instance dialect",
        description = "Procedural memory's first design as a dialect of Repertoire. An instance is a workspace, by name or id.",
        license(name = "Apache-2.0", identifier = "Apache-2.0")
    ),
    security(("token" = []), ("session" = [])),
    modifiers(&Credentials),
    tags(
        (name = "skills", description = "The caller's own skills"),
        (name = "provider", description = "Everyone's skills, for admins; and searching"),
        (name = "agents", description = "Agents, their settings, and their skills"),
    )
)]
struct Document;

fn documented() -> OpenApiRouter<HttpState> {
    OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(skills::list, skills::put))
        .routes(routes!(skills::review, skills::remove))
        .routes(routes!(skills::approve))
        .routes(routes!(skills::execute))
        .routes(routes!(provider::list))
        .routes(routes!(search::search))
        .routes(routes!(provider::read, provider::put, provider::delete))
        .routes(routes!(provider::approve))
        .routes(routes!(provider::reject))
        .routes(routes!(agents::list))
        .routes(routes!(agents::read, agents::put))
        .routes(routes!(agents::list_skills))
        .routes(routes!(agents::read_skill, agents::put_skill, agents::delete_skill))
}

pub(crate) fn router() -> Router<HttpState> {
    let (router, _) = documented().split_for_parts();
    router
        .method_not_allowed_fallback(problem::method_not_allowed)
        .layer(middleware::from_fn(errors::translate))
}

/// The document of the dialect.
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    documented().split_for_parts().1
}

/// The document of the dialect, as the server serves it.
pub fn instances_openapi_json() -> String {
    document().to_pretty_json().unwrap_or_default()
}
