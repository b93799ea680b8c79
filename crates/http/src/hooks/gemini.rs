//! Gemini CLI.

use serde_json::{Value, json};

use super::{Event, HookCall, HookError, Input, Said, additional_context};

pub(super) fn read(mut input: Input<'_>) -> Result<HookCall, HookError> {
    let name = input.event_name()?;
    let event = match name {
        "BeforeTool" => input.tool(name, "tool_name", "tool_input")?,
        "BeforeAgent" => input.prompt(name)?,
        "SessionEnd" => Event::End,
        _ => Event::Other,
    };
    let session = input.text("session_id");
    Ok(input.call(session, event, name))
}

pub(super) fn write(_call: &HookCall, said: Said<'_>) -> Value {
    match said {
        Said::No(reason) => json!({"decision": "deny", "reason": reason}),
        Said::Context(text) => additional_context("BeforeAgent", text),
    }
}
