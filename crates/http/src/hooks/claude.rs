//! Claude Code, and Codex, which has its events and answers, with tools of its own.
//!
//! Other hosts load Claude Code's hooks too, and do not all keep to the case of its events.

use serde_json::{Value, json};

use super::{Event, HookCall, HookError, Input, Said, additional_context};

pub(super) fn read(mut input: Input<'_>) -> Result<HookCall, HookError> {
    let name = input.event_name()?;
    let event = match name.to_ascii_lowercase().as_str() {
        "pretooluse" => input.tool(name, "tool_name", "tool_input")?,
        "userpromptsubmit" => input.prompt(name)?,
        "sessionend" => Event::End,
        _ => Event::Other,
    };
    let session = input.text("session_id");
    Ok(input.call(session, event, name))
}

/// Codex ignores an answer that has a key more.
pub(super) fn write(call: &HookCall, said: Said<'_>) -> Value {
    match (said, &call.event) {
        (Said::No(reason), Event::Prompt { .. }) => json!({"decision": "block", "reason": reason}),
        (Said::No(reason), _) => denied(reason),
        (Said::Context(text), _) => additional_context("UserPromptSubmit", text),
    }
}

pub(super) fn denied(reason: &str) -> Value {
    json!({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }})
}
