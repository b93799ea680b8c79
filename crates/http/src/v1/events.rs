//! What changes elsewhere, for pages that show it.

use app::events::{Topic, Watch};
use axum::extract::State;
use axum::response::Response;
use futures::StreamExt as _;
use serde::Serialize;
use utoipa::ToSchema;

use crate::auth::LastingAuth;
use crate::event_stream::{answer, event};
use crate::problem::{Problem, Problems, WatchProblems};
use crate::server::HttpState;

/// The data of the events `hello` and `change`.
#[derive(Serialize, ToSchema)]
pub(crate) struct TopicsView {
    /// Of `skills`, `agents`, `sessions`, `runs`, `decisions`, `audit`, `users`, `tokens` and `workspace`: those that can
    /// be followed, or those that changed.
    topics: Vec<&'static str>,
}

impl From<Vec<Topic>> for TopicsView {
    fn from(topics: Vec<Topic>) -> Self {
        Self { topics: topics.into_iter().map(Topic::as_str).collect() }
    }
}

/// Tells what changes elsewhere, as Server-Sent Events.
///
/// The event `hello` comes first, with the topics that can be followed; nothing after it is missed. Each `change` names
/// those of which something changed that the caller can see. It ends when the caller may no longer be told.
#[utoipa::path(get, path = "/api/v1/events", operation_id = "watch_events", tag = "operations",
    responses((status = 200, content_type = "text/event-stream", body = TopicsView,
        description = "The events, each with this as its data"), Problems, WatchProblems))]
pub(crate) async fn watch(
    State(state): State<HttpState>,
    LastingAuth(presence): LastingAuth,
) -> Result<Response, Problem> {
    let watch = Watch::begin(&state.cx, presence).await?;
    let hello = event("hello", TopicsView::from(watch.topics()));
    let changes = futures::stream::unfold(watch, |mut watch| async move {
        let topics = watch.next().await?;
        Some((event("change", TopicsView::from(topics)), watch))
    });
    let changes = changes.take_until(state.closing.cancelled_owned());
    Ok(answer(futures::stream::iter([hello]).chain(changes).map(Ok)))
}
