//! Keeps what agents do over MCP in a session, so that people can read it.

use app::sessions::{self, Ensure};
use app::{Context, Error};
use model::{EntryKind, SessionEntry, SessionId};
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
    let now = cx.now();
    let blank = SessionEntry {
        number: 0,
        kind: EntryKind::ToolCall,
        speaker: None,
        tool: Some(tool.to_owned()),
        call: None,
        text: String::new(),
        data: None,
        failed: false,
        at: now,
    };
    let call = SessionEntry { data: Some(Value::Object(arguments)), ..blank.clone() };
    let result = SessionEntry {
        kind: EntryKind::ToolResult,
        text: done.text.clone(),
        data: None,
        failed: done.failed,
        ..blank
    };
    sessions::append_outcome(cx, &asking.caller, session, vec![call, result]).await
}
