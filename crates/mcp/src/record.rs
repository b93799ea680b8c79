//! Keeps what agents do over MCP in a session, so that people can read it.

use app::sessions::{self, DoneCall, Ensure};
use app::{Context, Error};
use model::SessionId;
use serde_json::{Map, Value};

use crate::Asking;
use crate::tools::Done;

/// How much of a host's name is kept.
const LONGEST_HOST: usize = 64;

/// The session that a request of a host belongs to.
pub(crate) fn which(asking: &Asking, host: Option<&str>) -> Ensure {
    let host: String = host.unwrap_or("mcp").chars().take(LONGEST_HOST).collect();
    Ensure { key: asking.conversation.clone(), source: Some(host) }
}

/// The session that a request belongs to, where sessions are kept.
pub(crate) async fn session(
    cx: &Context,
    asking: &Asking,
    host: Option<&str>,
) -> Result<Option<SessionId>, Error> {
    if !sessions::are_recorded(cx) {
        return Ok(None);
    }
    sessions::ensure(cx, &asking.caller, which(asking, host)).await.map(Some)
}

/// Keeps a call that the use case itself did not keep.
pub(crate) async fn keep(
    cx: &Context,
    asking: &Asking,
    session: SessionId,
    tool: &str,
    arguments: Map<String, Value>,
    done: &Done,
) -> Result<(), Error> {
    let call = DoneCall { tool: tool.to_owned(), arguments, text: done.text.clone(), failed: done.failed };
    sessions::append_call(cx, &asking.caller, session, call).await
}
