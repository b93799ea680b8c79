//! `read-properties` and `to-prompt` of the reference.

use std::fmt::Write as _;

use super::fields::{missing, required_text};
use super::frontmatter::{self, field};
use super::python::display_path;
use super::yaml::Value;
use super::{Target, TargetKind};

/// What the frontmatter says about a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// The name, stripped but not normalised.
    pub name: String,
    /// The description, stripped.
    pub description: String,
    /// The licence, of any type.
    pub license: Option<Value>,
    /// The needs of the skill, of any type.
    pub compatibility: Option<Value>,
    /// The tools the skill asks for, of any type.
    pub allowed_tools: Option<Value>,
    /// The metadata; the values of a mapping are strings.
    pub metadata: Option<Value>,
}

/// Reads the properties without judging them; the error is the message of the reference.
pub fn read_properties(target: Target<'_>) -> Result<Properties, String> {
    let (TargetKind::Directory, Some(bytes)) = (target.kind, target.skill_file) else {
        return Err(format!("SKILL.md not found in {}", display_path(target.path)));
    };
    let entries = frontmatter::parse(bytes)?;
    let name = field(&entries, "name").ok_or_else(|| missing("name"))?;
    let description = field(&entries, "description").ok_or_else(|| missing("description"))?;
    Ok(Properties {
        name: required_text("name", name)?.to_owned(),
        description: required_text("description", description)?.to_owned(),
        license: field(&entries, "license").cloned(),
        compatibility: field(&entries, "compatibility").cloned(),
        allowed_tools: field(&entries, "allowed-tools").cloned(),
        metadata: field(&entries, "metadata").cloned(),
    })
}

impl Properties {
    /// The JSON that `read-properties` prints: indented by two, ASCII only, without a final newline.
    /// An indicator, which Python cannot print, becomes a string.
    pub fn to_json(&self) -> String {
        let fields = [
            ("license", &self.license),
            ("compatibility", &self.compatibility),
            ("allowed-tools", &self.allowed_tools),
            ("metadata", &self.metadata),
        ];
        let mut entries = vec![
            ("name".to_owned(), Value::Text(self.name.clone())),
            ("description".to_owned(), Value::Text(self.description.clone())),
        ];
        for (name, value) in fields {
            let is_empty_metadata =
                name == "metadata" && value.as_ref().and_then(Value::as_text).is_some_and(str::is_empty);
            if let Some(value) = value
                && !is_empty_metadata
            {
                entries.push((name.to_owned(), value.clone()));
            }
        }
        let mut out = String::new();
        push_json(&mut out, &Value::Mapping(entries), 0);
        out
    }
}

/// A skill to list in a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptEntry<'a> {
    /// What its frontmatter says.
    pub properties: &'a Properties,
    /// The absolute path of its `SKILL.md`.
    pub location: &'a str,
}

/// The `<available_skills>` block for the prompt of an agent.
pub fn to_prompt(skills: &[PromptEntry<'_>]) -> String {
    let mut out = String::from("<available_skills>\n");
    for PromptEntry { properties, location } in skills {
        let (name, description) = (escape_html(&properties.name), escape_html(&properties.description));
        out.push_str(&skill_to_prompt(&name, &description, location));
        out.push('\n');
    }
    out.push_str("</available_skills>");
    out
}

/// One `<skill>` of that block, of texts that are escaped already.
pub fn skill_to_prompt(name: &str, description: &str, location: &str) -> String {
    let mut out = String::from("<skill>\n");
    for (tag, text) in [("name", name), ("description", description), ("location", location)] {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<{tag}>\n{text}\n</{tag}>");
    }
    out.push_str("</skill>");
    out
}

/// The text as Python's `html.escape` has it.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#x27;")
}

fn push_json(out: &mut String, value: &Value, depth: usize) {
    let mut items = Vec::new();
    let (open, close) = match value {
        Value::Text(text) => return push_json_text(out, text),
        Value::Indicator(text) => return push_json_text(out, text),
        Value::Sequence(values) => {
            items.extend(values.iter().map(|value| (None, value)));
            ('[', ']')
        }
        Value::Mapping(entries) => {
            items.extend(entries.iter().map(|(key, value)| (Some(key), value)));
            ('{', '}')
        }
    };
    out.push(open);
    for (position, (key, value)) in items.iter().enumerate() {
        out.push_str(if position == 0 { "\n" } else { ",\n" });
        push_indent(out, depth + 1);
        if let Some(key) = key {
            push_json_text(out, key);
            out.push_str(": ");
        }
        push_json(out, value, depth + 1);
    }
    if !items.is_empty() {
        out.push('\n');
        push_indent(out, depth);
    }
    out.push(close);
}

fn push_indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

fn push_json_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        // Writing to a String cannot fail.
        let _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => out.write_str("\\n"),
            '\r' => out.write_str("\\r"),
            '\t' => out.write_str("\\t"),
            '\u{8}' => out.write_str("\\b"),
            '\u{c}' => out.write_str("\\f"),
            ' '..='~' => out.write_char(c),
            _ => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}")),
        };
    }
    out.push('"');
}
