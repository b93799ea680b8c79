//! Answers that go on: Server-Sent Events.

use std::convert::Infallible;
use std::time::Duration;

use app::live::{Live, OutputStream, Step};
use axum::http::{HeaderMap, HeaderName};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde::Serialize;
use serde_json::json;

use crate::accept::asks_for;
use crate::problem::Problem;

/// How long a stream is silent at most; a comment says that it still stands.
const SILENCE: Duration = Duration::from_secs(15);

/// An answer of these events. Proxies must not hold them back.
pub(crate) fn answer(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), "no")];
    (unbuffered, Sse::new(events).keep_alive(KeepAlive::new().interval(SILENCE))).into_response()
}

/// An event with data.
pub(crate) fn event(name: &str, data: impl Serialize) -> Event {
    let event = Event::default().event(name);
    event.json_data(data).unwrap_or_else(|error| Event::default().comment(error.to_string()))
}

/// Whether a request asks for events.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    asks_for(headers, "text/event-stream")
}

/// Follows an execution. What is refused before it waits or starts is an ordinary problem.
pub(crate) async fn follow<T, V>(mut live: Live<T>, view: fn(T) -> V) -> Result<Response, Problem>
where
    T: Send + 'static,
    V: Serialize + 'static,
{
    let first = match live.next().await {
        Some(Step::Ended(Err(error))) => return Err(error.into()),
        first => first,
    };
    let events = futures::stream::unfold((first, live), move |(step, mut live)| async move {
        let step = match step {
            Some(step) => Some(step),
            None => live.next().await,
        };
        Some((Ok(told(step?, view)), (None, live)))
    });
    Ok(answer(events))
}

fn told<T, V: Serialize>(step: Step<T>, view: fn(T) -> V) -> Event {
    match step {
        Step::Waiting => event("waiting", json!({})),
        Step::Started => event("started", json!({})),
        Step::Output { stream, text } => {
            let stream = match stream {
                OutputStream::Stdout => "stdout",
                OutputStream::Stderr => "stderr",
            };
            event("output", json!({ "stream": stream, "text": text }))
        }
        Step::Ended(Ok(done)) => event("finished", view(done)),
        Step::Ended(Err(error)) => event("problem", Problem::from(error)),
    }
}
