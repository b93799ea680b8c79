//! GitHub Copilot: the CLI, the cloud agent, and the editor.
//!
//! Events that are registered as `preToolUse` come without their name, which is told by the fields they have; those
//! registered as `PreToolUse` come with it, and look like Claude Code's.

use serde_json::{Value, json};

use super::{Event, HookCall, HookError, Input, Said, additional_context, claude};

pub(super) fn read(mut input: Input<'_>) -> Result<HookCall, HookError> {
    let name = match input.text("hook_event_name") {
        Some(name) => name,
        None => name_of(&input).ok_or(HookError::NoEvent)?,
    };
    let event = match name {
        "preToolUse" => input.tool(name, "toolName", "toolArgs")?,
        "PreToolUse" => input.tool(name, "tool_name", "tool_input")?,
        "userPromptSubmitted" | "UserPromptSubmit" => input.prompt(name)?,
        "sessionEnd" | "SessionEnd" => Event::End,
        _ => Event::Other,
    };
    let session = input.text("sessionId").or_else(|| input.text("session_id"));
    Ok(input.call(session, event, name))
}

/// The event that has these fields. One that may be about a tool call to come is taken for that.
fn name_of(input: &Input<'_>) -> Option<&'static str> {
    let has = |name: &str| input.fields.contains_key(name);
    Some(match () {
        () if has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") || has("toolArgs") => "preToolUse",
        () if has("transformedPrompt") => "userPromptTransformed",
        () if has("prompt") => "userPromptSubmitted",
        () if has("agentName") && has("stopReason") => "subagentStop",
        () if has("agentName") => "subagentStart",
        () if has("stopReason") => "agentStop",
        () if has("errorContext") => "errorOccurred",
        () if has("trigger") => "preCompact",
        () if has("reason") => "sessionEnd",
        () if has("source") => "sessionStart",
        () => return None,
    })
}

/// The output of `userPromptSubmitted` is dropped. The CLI reads decisions at the top, the editor within.
pub(super) fn write(call: &HookCall, said: Said<'_>) -> Option<Value> {
    let is_editors = call.raw_event.starts_with(|letter: char| letter.is_ascii_uppercase());
    match (said, &call.event) {
        (Said::No(reason), Event::Tool { .. }) => {
            let mut answer = if is_editors { claude::denied(reason) } else { json!({}) };
            if let Some(fields) = answer.as_object_mut() {
                fields.insert("permissionDecision".to_owned(), Value::from("deny"));
                fields.insert("permissionDecisionReason".to_owned(), Value::from(reason));
            }
            Some(answer)
        }
        (Said::No(reason), _) if is_editors => Some(json!({"continue": false, "stopReason": reason})),
        (Said::Context(text), _) if is_editors => Some(additional_context("UserPromptSubmit", text)),
        _ => None,
    }
}
