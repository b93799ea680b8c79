//! The hooks of coding agents: what their hosts send, in our words, and our answers in theirs.
//!
//! Pure translation: nothing here decides or waits. A host is told "no" in the one form that it is known to honour, and
//! nothing otherwise, so that its own permission rules still apply: we only narrow. What cannot be understood is an
//! error, and the door denies.

mod claude;
mod copilot;
mod cursor;
mod gemini;
mod patch;
#[cfg(test)]
mod tests;
mod tools;

use serde_json::{Map, Value, json};

/// What is said when a denial brings no words: hosts ignore a denial without a reason.
const DENIED: &str = "a policy denies this";

/// A program that runs an agent and asks hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Claude,
    Codex,
    Gemini,
    Cursor,
    Copilot,
}

impl Host {
    pub(crate) const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::Copilot];

    /// The host that a word of a URL names.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.as_str() == word)
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
        }
    }
}

/// A call of a hook, in our words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookCall {
    /// The host's own id of the session or conversation; empty where there is none.
    pub(crate) session: String,
    pub(crate) event: Event,
    /// What is known beside it: `host`, `cwd`, `project_dir`, `home`, `permission_mode`, `model` and the like.
    pub(crate) context: Map<String, Value>,
    /// The event's name as the host writes it.
    pub(crate) raw_event: String,
}

/// What happened, or is about to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A person gave a task.
    Prompt { task: String },
    /// The agent wants to call a tool.
    Tool {
        /// The tool by its common name, which is Claude Code's.
        tool: String,
        /// The host's own name, where it is another.
        alias: Option<String>,
        arguments: Value,
        /// The host's id of this call; two events with one id are about one call.
        call: Option<String>,
    },
    /// The session ended. The end of a turn is none: other hooks may make the agent go on, and what it left in the
    /// background goes on anyway, with the same task and the same limits.
    End,
    /// Something that needs no answer.
    Other,
}

/// What we have to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Allowed,
    Denied {
        reason: String,
    },
    Started {
        /// Text for the model.
        planning: Option<String>,
    },
    Nothing,
}

/// Why a call of a hook cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HookError {
    #[error("the hook's input is not a JSON object")]
    NotAnObject,
    #[error("the hook's input names no event")]
    NoEvent,
    #[error("the hook's event `{0}` is about a tool, and names none")]
    NoTool(String),
    #[error("the hook's event `{0}` is about a prompt, and has none")]
    NoPrompt(String),
}

/// Reads what a host sent.
pub(crate) fn read(host: Host, body: &Value) -> Result<HookCall, HookError> {
    let input = Input::new(host, body)?;
    match host {
        Host::Claude | Host::Codex => claude::read(input),
        Host::Gemini => gemini::read(input),
        Host::Cursor => cursor::read(input),
        Host::Copilot => copilot::read(input),
    }
}

/// What the host expects on standard output; `None` is nothing at all.
pub(crate) fn write(host: Host, call: &HookCall, answer: &Answer) -> Option<Value> {
    let said = match (&call.event, answer) {
        // Nobody can deny what is over, and a host that is told to would make the agent go on.
        (Event::End | Event::Other, _) => return None,
        (_, Answer::Denied { reason }) if reason.trim().is_empty() => Said::No(DENIED),
        (_, Answer::Denied { reason }) => Said::No(reason),
        (Event::Prompt { .. }, Answer::Started { planning: Some(text) }) if !text.trim().is_empty() => {
            Said::Context(text)
        }
        _ => return None,
    };
    match host {
        Host::Claude | Host::Codex => Some(claude::write(call, said)),
        Host::Gemini => Some(gemini::write(call, said)),
        Host::Cursor => cursor::write(call, said),
        Host::Copilot => copilot::write(call, said),
    }
}

/// What a dialect has to put into its form.
#[derive(Debug, Clone, Copy)]
enum Said<'a> {
    /// A denial and its reason, which is never empty.
    No(&'a str),
    /// Text for the model, after a prompt.
    Context(&'a str),
}

/// The text for the model in the form that most hosts share.
fn additional_context(event: &str, text: &str) -> Value {
    json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
}

/// What a host sent, and what is known beside it.
struct Input<'a> {
    host: Host,
    fields: &'a Map<String, Value>,
    context: Map<String, Value>,
}

impl<'a> Input<'a> {
    fn new(host: Host, body: &'a Value) -> Result<Self, HookError> {
        let fields = body.as_object().ok_or(HookError::NotAnObject)?;
        let mut input = Self { host, fields, context: Map::new() };
        input.note("host", Some(host.as_str()));
        input.note("cwd", input.text("cwd").or_else(|| input.first_root()).or_else(|| input.ours("cwd")));
        input.note("project_dir", input.first_root().or_else(|| input.ours("project_dir")));
        input.note("home", input.ours("home"));
        for name in ["permission_mode", "model", "agent_type"] {
            input.note(name, input.text(name));
        }
        Ok(input)
    }

    /// A text that is there and not empty.
    fn text(&self, name: &str) -> Option<&'a str> {
        self.fields.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// What our own command put beside the host's words.
    fn ours(&self, name: &str) -> Option<&'a str> {
        let text = self.fields.get("repertoire")?.get(name).and_then(Value::as_str);
        text.filter(|text| !text.is_empty())
    }

    /// The first folder of a workspace, where hosts send such.
    fn first_root(&self) -> Option<&'a str> {
        let first = self.fields.get("workspace_roots")?.get(0).and_then(Value::as_str);
        first.filter(|text| !text.is_empty())
    }

    fn note(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.context.insert(name.to_owned(), Value::from(value));
        }
    }

    fn event_name(&self) -> Result<&'a str, HookError> {
        self.text("hook_event_name").ok_or(HookError::NoEvent)
    }

    /// The task of a prompt. An empty one is a task as well; none is not.
    fn prompt(&self, event: &str) -> Result<Event, HookError> {
        let task = self.fields.get("prompt").and_then(Value::as_str);
        let task = task.ok_or_else(|| HookError::NoPrompt(shown(event)))?;
        Ok(Event::Prompt { task: task.to_owned() })
    }

    /// A tool call with these names of its fields.
    fn tool(&mut self, event: &str, name: &str, arguments: &str) -> Result<Event, HookError> {
        let own = self.text(name).ok_or_else(|| HookError::NoTool(shown(event)))?;
        let arguments = self.fields.get(arguments).cloned().unwrap_or_default();
        let server = self.fields.get("mcp_context").or_else(|| self.fields.get("mcp_server"));
        let known = tools::Known::find(self.host, own, server);
        Ok(self.tool_event(own, known, arguments))
    }

    fn tool_event(&mut self, own: &str, known: tools::Known, arguments: Value) -> Event {
        self.note("host_tool", Some(own));
        self.note("mcp_server", known.server.as_deref());
        let call = self.text("tool_use_id").or_else(|| self.text("toolUseId")).map(str::to_owned);
        let arguments = tools::arguments(own, &known.name, arguments);
        let tool = tools::by_arguments(own, known.name, &arguments);
        let alias = (tool != own).then(|| own.to_owned());
        Event::Tool { tool, alias, arguments, call }
    }

    fn call(self, session: Option<&str>, event: Event, raw_event: &str) -> HookCall {
        let session = session.unwrap_or_default().to_owned();
        HookCall { session, event, context: self.context, raw_event: raw_event.to_owned() }
    }
}

/// A name from outside, short enough for a message.
fn shown(text: &str) -> String {
    text.chars().take(60).collect()
}
