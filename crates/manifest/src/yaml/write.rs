//! Writes YAML that every reader takes the same way: block style, one line a value, quoted when in doubt.
//!
//! Nothing written here contains `---`: the reference parser cuts frontmatter at any such run of hyphens.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{Node, Value, plain_to_json};

/// Whether text can stand without quotes and still be read as this text by YAML 1.1 and 1.2 readers.
fn is_plain(text: &str) -> bool {
    let word = text.to_ascii_lowercase();
    text.starts_with(char::is_alphabetic)
        && !text.ends_with([' ', ':'])
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains("---")
        && text.chars().all(is_printable)
        && !matches!(word.as_str(), "yes" | "no" | "on" | "off" | "y" | "n")
        && plain_to_json(text).is_string()
}

/// Printable on one line in every reader; a tab is not.
fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// The text as one YAML scalar on one line.
pub(crate) fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// The text in double quotes, with everything doubtful escaped.
pub(crate) fn quoted(text: &str) -> String {
    let hyphens = text.contains("---");
    let mut out = String::with_capacity(text.len() + 2);
    let mut previous = '\0';
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '-' if hyphens && previous == '-' => out.push_str("\\x2D"),
            c if is_printable(c) => out.push(c),
            c if u32::from(c) <= 0xff => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
            c => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
        }
        previous = c;
    }
    out.push('"');
    out
}

/// Whether text reads back unchanged from a literal block.
fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && !text.contains("---")
        && text.chars().all(|c| c == '\n' || is_printable(c))
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty())
}

/// `key: text` on its own line or, for several lines of prose, as a literal block.
pub(crate) fn field(out: &mut String, indent: usize, key: &str, text: &str) {
    pad(out, indent);
    out.push_str(&scalar(key));
    out.push(':');
    value(out, indent, text);
}

fn value(out: &mut String, indent: usize, text: &str) {
    if !is_literal(text) {
        out.push(' ');
        out.push_str(&scalar(text));
        out.push('\n');
        return;
    }
    out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
    for line in text.lines() {
        if !line.is_empty() {
            pad(out, indent + 2);
            out.push_str(line);
        }
        out.push('\n');
    }
}

/// `key:` and one line for each item.
pub(crate) fn list<T: AsRef<str>>(out: &mut String, indent: usize, key: &str, items: &[T]) {
    pad(out, indent);
    out.push_str(&scalar(key));
    if items.is_empty() {
        out.push_str(": []\n");
        return;
    }
    out.push_str(":\n");
    for item in items {
        pad(out, indent + 2);
        out.push('-');
        value(out, indent + 2, item.as_ref());
    }
}

/// `key:` and a JSON value in block style; only empty lists and maps use brackets.
pub(crate) fn json(out: &mut String, indent: usize, key: &str, value: &Json) {
    pad(out, indent);
    out.push_str(&scalar(key));
    out.push(':');
    json_value(out, indent, value);
}

fn json_value(out: &mut String, indent: usize, json_: &Json) {
    match json_ {
        Json::String(text) => value(out, indent, text),
        Json::Array(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                pad(out, indent + 2);
                out.push('-');
                json_value(out, indent + 2, item);
            }
        }
        Json::Object(map) if !map.is_empty() => {
            out.push('\n');
            for (key, item) in map {
                json(out, indent + 2, key, item);
            }
        }
        other => {
            let _ = writeln!(out, " {other}");
        }
    }
}

/// `key:` and a parsed value in block style, each scalar as it was or quoted; an empty list or map is left out,
/// since block style has no word for it.
pub(crate) fn node(out: &mut String, indent: usize, key: &str, node: &Node) {
    if is_empty(node) {
        return;
    }
    pad(out, indent);
    out.push_str(&scalar(key));
    out.push(':');
    node_value(out, indent, node);
}

fn node_value(out: &mut String, indent: usize, given: &Node) {
    match &given.value {
        Value::Scalar { text, plain: true } if is_plain_again(text) => {
            let gap = if text.is_empty() { "" } else { " " };
            let _ = writeln!(out, "{gap}{text}");
        }
        Value::Scalar { text, .. } => value(out, indent, text),
        Value::List(items) => {
            out.push('\n');
            for item in items.iter().filter(|item| !is_empty(item)) {
                pad(out, indent + 2);
                out.push('-');
                node_value(out, indent + 2, item);
            }
        }
        Value::Map(entries) => {
            out.push('\n');
            for entry in entries {
                node(out, indent + 2, &entry.key, &entry.value);
            }
        }
    }
}

/// A plain scalar that keeps its type when written plain: a number, a boolean, a null, or safe text.
fn is_plain_again(text: &str) -> bool {
    text.is_empty()
        || is_plain(text)
        || (!plain_to_json(text).is_string() && !text.contains("---") && text != "~")
}

/// Whether nothing is left of a value in block style.
pub(crate) fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { .. } => false,
        Value::List(items) => items.iter().all(is_empty),
        Value::Map(entries) => entries.iter().all(|entry| is_empty(&entry.value)),
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}
