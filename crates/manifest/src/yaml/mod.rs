//! YAML as a small tree that remembers text, style and position.
//!
//! The parser is the one inside `serde-saphyr`, driven by its events: a typed deserializer forgets that `1.10` was
//! written so, and where. Anchors, aliases, foreign tags and anything beyond the budget are refused, never expanded.

mod parse;
pub(crate) mod write;

#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::{Map, Number};

pub(crate) use parse::parse;

/// A parsed document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    /// The one node, or nothing when the text is empty.
    pub root: Option<Node>,
    /// Where a mapping repeats a key; the later value is kept.
    pub duplicates: Vec<(String, u32)>,
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub value: Value,
    /// The line it starts on, from 1.
    pub line: u32,
    /// The bytes it covers; the end of a block includes white space behind it.
    pub span: Range<usize>,
    /// Whether it, or anything in it, uses what the strict reference parser refuses: flow style, tags.
    pub fancy: bool,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Scalar { text: String, plain: bool },
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub key: String,
    pub line: u32,
    pub start: usize,
    pub value: Node,
}

impl Node {
    /// The scalar's text, whatever its type; nothing for a list, a map or a null.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } if !self.is_null() => Some(text),
            _ => None,
        }
    }

    /// Whether this is an empty or explicit null.
    pub(crate) fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// The value by the YAML 1.2 core schema: `yes`, `on` and `1.10.2` are text.
    pub(crate) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar { text, plain: false } => serde_json::Value::String(text.clone()),
            Value::Scalar { text, plain: true } => plain_to_json(text),
            Value::List(items) => items.iter().map(Self::to_json).collect(),
            Value::Map(entries) => serde_json::Value::Object(
                entries.iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect::<Map<_, _>>(),
            ),
        }
    }

    /// The same with every scalar as it was written: a number that JSON would spell in another way, such as `3.10`,
    /// is text.
    pub(crate) fn to_exact_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar { text, .. } => match self.to_json() {
                serde_json::Value::Number(number) if number.to_string() != *text => {
                    serde_json::Value::String(text.clone())
                }
                json => json,
            },
            Value::List(items) => items.iter().map(Self::to_exact_json).collect(),
            Value::Map(entries) => serde_json::Value::Object(
                entries
                    .iter()
                    .map(|entry| (entry.key.clone(), entry.value.to_exact_json()))
                    .collect::<Map<_, _>>(),
            ),
        }
    }

    /// What kind of value this is, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::List(_) => "a list",
            Value::Map(_) => "a map",
            Value::Scalar { .. } => match self.to_json() {
                serde_json::Value::Null => "nothing",
                serde_json::Value::Bool(_) => "true or false",
                serde_json::Value::Number(_) => "a number",
                _ => "text",
            },
        }
    }
}

fn plain_to_json(text: &str) -> serde_json::Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return serde_json::Value::Null,
        "true" | "True" | "TRUE" => return serde_json::Value::Bool(true),
        "false" | "False" | "FALSE" => return serde_json::Value::Bool(false),
        _ => {}
    }
    number(text).map_or_else(|| serde_json::Value::String(text.to_owned()), serde_json::Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+')).map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().filter(|_| !octal.starts_with('+')).map(Number::from);
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let unsigned = text.strip_prefix('+').unwrap_or(text);
        return unsigned
            .parse::<i64>()
            .map(Number::from)
            .or_else(|_| unsigned.parse::<u64>().map(Number::from))
            .ok()
            .or_else(|| unsigned.parse::<f64>().ok().and_then(Number::from_f64));
    }
    let float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.contains(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if float { text.parse::<f64>().ok().and_then(Number::from_f64) } else { None }
}
