//! Cursor. Its older events are about one kind of tool each; the newer `preToolUse` is about all.

use serde_json::{Map, Value, json};

use super::{Event, HookCall, HookError, Input, Said, shown, tools};

/// What Cursor puts before the name of a server's tool. It does not say which server.
const MCP: &str = "MCP:";

pub(super) fn read(mut input: Input<'_>) -> Result<HookCall, HookError> {
    let name = input.event_name()?;
    let event = match name {
        "preToolUse" => input.tool(name, "tool_name", "tool_input")?,
        "beforeShellExecution" => about(&mut input, name, "Shell", "command")?,
        "beforeReadFile" | "beforeTabFileRead" => about(&mut input, name, "Read", "file_path")?,
        "beforeMCPExecution" => server_tool(&mut input, name)?,
        "beforeSubmitPrompt" => input.prompt(name)?,
        "sessionEnd" => Event::End,
        _ => Event::Other,
    };
    let session = input.text("conversation_id").or_else(|| input.text("session_id"));
    Ok(input.call(session, event, name))
}

/// A call of the tool that an event is about; its one argument stands among the event's fields.
fn about(input: &mut Input<'_>, event: &str, own: &str, argument: &str) -> Result<Event, HookError> {
    let value = input.fields.get(argument).cloned().ok_or_else(|| HookError::NoTool(shown(event)))?;
    let arguments = Map::from_iter([(argument.to_owned(), value)]);
    let known = tools::Known::find(input.host, own, None);
    Ok(input.tool_event(own, known, Value::Object(arguments)))
}

fn server_tool(input: &mut Input<'_>, event: &str) -> Result<Event, HookError> {
    let own = input.text("tool_name").ok_or_else(|| HookError::NoTool(shown(event)))?;
    let own = format!("{MCP}{}", own.strip_prefix(MCP).unwrap_or(own));
    let server = input.text("url").or_else(|| input.text("command")).map(str::to_owned);
    let arguments = input.fields.get("tool_input").cloned().unwrap_or_default();
    let known = tools::Known { name: own.clone(), server };
    Ok(input.tool_event(&own, known, arguments))
}

/// There is no form in which a prompt could bring text for the model.
pub(super) fn write(call: &HookCall, said: Said<'_>) -> Option<Value> {
    let Said::No(reason) = said else { return None };
    Some(match (&call.event, call.raw_event.as_str()) {
        (Event::Prompt { .. }, _) => json!({"continue": false, "user_message": reason}),
        (_, "beforeReadFile" | "beforeTabFileRead") => {
            json!({"permission": "deny", "user_message": reason})
        }
        _ => json!({"permission": "deny", "user_message": reason, "agent_message": reason}),
    })
}
