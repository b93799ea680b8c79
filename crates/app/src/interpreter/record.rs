//! Keeps a call in the session it happens in: what was asked, what came of it, what people are shown.

use model::{Caller, EntryKind, SessionEntry, SessionId};
use serde_json::{Map, Value, json};

use super::{Answer, Call, TOOL};
use crate::redact::Secrets;
use crate::sessions::{self, call_entry, scrubbed};
use crate::{Context, Error};

/// A call that is being recorded.
pub(super) struct Recorded {
    session: SessionId,
    id: String,
    /// What was given under the name of a secret: it is in no answer that is kept either.
    secrets: Secrets,
}

/// Keeps what was asked. A session that takes no entries refuses the call before anything is done.
pub(super) async fn begin(
    cx: &Context,
    caller: &Caller,
    call: &Call,
    memory: bool,
) -> Result<Option<Recorded>, Error> {
    let Some(session) = call.session.filter(|_| sessions::are_recorded(cx)) else { return Ok(None) };
    let data = Value::Object(arguments(call, memory));
    let recorded = Recorded { session, id: cx.id().to_string(), secrets: Secrets::of(&data) };
    let entry = SessionEntry {
        text: call.prompt.clone(),
        data: Some(data),
        ..call_entry(cx, EntryKind::ToolCall, TOOL, &recorded.id)
    };
    sessions::append(cx, caller, session, vec![entry]).await?;
    Ok(Some(recorded))
}

/// Keeps what came of it, and gives the id that ties it to what was asked.
pub(super) async fn end(
    cx: &Context,
    caller: &Caller,
    recorded: Option<Recorded>,
    answer: &Answer,
) -> Result<Option<String>, Error> {
    let Some(Recorded { session, id, secrets }) = recorded else { return Ok(None) };
    let failure = answer.failure.as_ref().map(|failure| json!({"code": failure.code, "line": failure.line}));
    let result = SessionEntry {
        text: answer.text.clone(),
        data: failure.map(|error| json!({ "error": error })),
        failed: answer.failure.is_some(),
        ..call_entry(cx, EntryKind::ToolResult, TOOL, &id)
    };
    let artifacts = answer.artifacts.iter();
    let artifacts =
        artifacts.map(|artifact| SessionEntry { call: Some(id.clone()), ..artifact.entry(cx, TOOL) });
    let entries = std::iter::once(result).chain(artifacts);
    let entries = entries.map(|entry| scrubbed(entry, &secrets)).collect();
    sessions::append_outcome(cx, caller, session, entries).await?;
    Ok(Some(id))
}

/// What was given; what does not count for the caller is left out.
fn arguments(call: &Call, memory: bool) -> Map<String, Value> {
    let mut given = vec![
        ("code", json!(call.code)),
        ("file_names", json!(call.file_names)),
        ("session_id", json!(call.code_session.map(|id| id.to_string()))),
    ];
    if memory {
        given.extend([
            ("operation", json!(call.operation)),
            ("skill_name", json!(call.skill_name)),
            ("skill_description", json!(call.skill_description)),
            ("skill_parameters", Value::Object(call.skill_parameters.clone())),
        ]);
    }
    let said = |value: &Value| match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    };
    given.into_iter().filter(|(_, value)| said(value)).map(|(name, value)| (name.to_owned(), value)).collect()
}
