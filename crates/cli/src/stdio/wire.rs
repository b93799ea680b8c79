//! MCP messages between standard input and HTTP: which era a message is of, which headers it needs, and the events of
//! a stream. Pure.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Where a request of the newer protocol says which version it speaks.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
pub(super) const CANCELLED: &str = "notifications/cancelled";
pub(super) const INITIALIZED: &str = "notifications/initialized";
pub(super) const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
pub(super) const LISTEN: &str = "subscriptions/listen";

/// A message from the host.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub body: Value,
    /// The version of the newer protocol it speaks; none in the older one.
    version: Option<String>,
}

impl Message {
    pub(super) fn new(body: Value) -> Self {
        let version = body.pointer("/params/_meta").and_then(|meta| meta.get(VERSION_KEY));
        let version = version.and_then(Value::as_str).map(str::to_owned);
        Self { body, version }
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.body.get("method").and_then(Value::as_str)
    }

    /// The id of a request; nothing for what wants no answer.
    pub(super) fn id(&self) -> Option<&Value> {
        self.method()?;
        self.body.get("id").filter(|id| !id.is_null())
    }

    pub(super) fn is_initialize(&self) -> bool {
        self.method() == Some("initialize")
    }

    pub(super) fn is_modern(&self) -> bool {
        self.version.is_some()
    }

    /// The id of the request that is called off.
    pub(super) fn called_off(&self) -> Option<&Value> {
        (self.method() == Some(CANCELLED)).then(|| self.body.pointer("/params/requestId")).flatten()
    }

    /// The headers that the newer protocol wants to see beside the body.
    pub(super) fn headers(&self) -> Vec<(&'static str, String)> {
        let (Some(version), Some(method)) = (&self.version, self.method()) else { return Vec::new() };
        let name = match method {
            "tools/call" | "prompts/get" => self.body.pointer("/params/name"),
            "resources/read" => self.body.pointer("/params/uri"),
            _ => None,
        };
        let mut headers =
            vec![("mcp-protocol-version", version.clone()), ("mcp-method", header_value(method))];
        headers.extend(name.and_then(Value::as_str).map(|name| ("mcp-name", header_value(name))));
        headers
    }
}

/// A text as a header can carry it.
fn header_value(text: &str) -> String {
    let plain = text.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
        && text.trim() == text
        && !(text.starts_with("=?base64?") && text.ends_with("?="));
    if plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) }
}

/// An answer that nobody but the bridge could give.
pub(super) fn failure(id: &Value, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": message } })
}

/// The events of a stream, as its bytes come in.
#[derive(Debug, Default)]
pub(super) struct Events {
    buffer: Vec<u8>,
    data: String,
    last_id: Option<String>,
}

impl Events {
    /// Takes more bytes; gives the messages that are whole now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Value> {
        let mut messages = Vec::new();
        // Only what is new can end a line: a long one comes in many pieces.
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.buffer.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.buffer);
                let line = String::from_utf8_lossy(&line);
                messages.extend(self.line(line.trim_end_matches(['\n', '\r'])));
            }
        }
        messages
    }

    fn line(&mut self, line: &str) -> Option<Value> {
        if line.is_empty() {
            return serde_json::from_str(&std::mem::take(&mut self.data)).ok();
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if !self.data.is_empty() {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            "id" => self.last_id = Some(value.to_owned()),
            _ => {}
        }
        None
    }

    /// The last event that was seen, to go on from there.
    pub(super) fn last_id(&self) -> Option<&str> {
        self.last_id.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_newer_protocol_carry_their_headers() {
        let meta = json!({ VERSION_KEY: "2026-07-28" });
        let call = |method: &str, params: Value| {
            let mut params = params;
            params["_meta"] = meta.clone();
            Message::new(json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).headers()
        };
        let version = ("mcp-protocol-version", "2026-07-28".to_owned());
        assert_eq!(
            call("tools/call", json!({ "name": "search" })),
            [version.clone(), ("mcp-method", "tools/call".into()), ("mcp-name", "search".into())]
        );
        assert_eq!(call("tools/list", json!({})), [version.clone(), ("mcp-method", "tools/list".into())]);
        let odd = call("resources/read", json!({ "uri": "skill://größe/SKILL.md" }));
        assert!(odd[2].1.starts_with("=?base64?") && odd[2].1.is_ascii(), "{odd:?}");
        let old = Message::new(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));
        assert!(old.headers().is_empty() && !old.is_modern());
    }

    #[test]
    fn events_are_put_together_from_any_pieces() {
        let stream = "id: 0/1\nretry: 3000\ndata:\n\nid: 1/1\ndata: {\"a\":\ndata: 1}\n\n: ping\n\ndata: {\"b\":2}\r\n\r\n";
        for size in 1..stream.len() {
            let mut events = Events::default();
            let messages: Vec<_> =
                stream.as_bytes().chunks(size).flat_map(|bytes| events.push(bytes)).collect();
            assert_eq!(messages, [json!({ "a": 1 }), json!({ "b": 2 })], "in pieces of {size}");
            assert_eq!(events.last_id(), Some("1/1"));
        }
    }
}
