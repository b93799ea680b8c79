//! Calls of tools as entries of a session: what was asked and what came of it, tied together by an id.

use model::{Caller, EntryKind, SessionEntry, SessionId};
use serde_json::{Map, Value};

use super::append_outcome;
use crate::{Context, Error};

/// A call of a tool that is done, and what came of it.
#[derive(Debug, Clone)]
pub struct DoneCall {
    /// The tool.
    pub tool: String,
    /// What it was called with.
    pub arguments: Map<String, Value>,
    /// What it gave back, in words.
    pub text: String,
    /// Whether it failed.
    pub failed: bool,
}

/// Keeps a call that is done. Where nothing is recorded, or the session takes nothing more, nothing is kept.
pub async fn append_call(cx: &Context, caller: &Caller, id: SessionId, done: DoneCall) -> Result<(), Error> {
    let call = cx.id().to_string();
    let asked = SessionEntry {
        data: Some(Value::Object(done.arguments)),
        ..entry(cx, EntryKind::ToolCall, &done.tool, &call)
    };
    let result = SessionEntry {
        text: done.text,
        failed: done.failed,
        ..entry(cx, EntryKind::ToolResult, &done.tool, &call)
    };
    append_outcome(cx, caller, id, vec![asked, result]).await
}

/// An entry about a call that says nothing yet. Its number is given when it is added.
pub(crate) fn entry(cx: &Context, kind: EntryKind, tool: &str, call: &str) -> SessionEntry {
    SessionEntry {
        number: 0,
        kind,
        speaker: None,
        tool: Some(tool.to_owned()),
        call: Some(call.to_owned()),
        text: String::new(),
        data: None,
        failed: false,
        at: cx.now(),
    }
}
