//! Sets of tools, written the way hosts write them.
//!
//! - `linter`: a tool, byte for byte. `mcp__github` is also every tool of that server, as hosts read it.
//! - `mcp__github__*`: tools by their name; `*` is any text.
//! - `Bash(git:*)`, `Bash(npm run *)`, `Bash(make test)`: commands of a shell tool, see `commands`.
//! - `Read(//etc/**)`, `Edit(/src/**)`, `Write(~/notes/*.md)`, `Read(.env)`: files, see `files`.
//! - `WebFetch(domain:example.com)`: URLs, by their host; `*.example.com` is every host below.
//! - `Agent(model:opus)`: any other argument of any tool, by its name; `*` is any text.
//!
//! A pattern is about the tool it names. In a blacklist `Read(...)` is about every tool that reads files, and `Edit(...)`
//! about every tool that writes them, by whatever name a host has for these two.
//!
//! A set *admits* a call of which it can be said for certain that it is within, and *touches* a call of which it cannot
//! be said that it is outside. Whitelists ask the first, blacklists the second, so that what is unclear is denied.

mod commands;
mod compare;
mod files;
mod glob;
mod lines;
mod lookup;
mod names;

use std::borrow::Cow;
use std::sync::Arc;

use model::HostPattern;
use serde_json::Value;

use super::Attempt;
use super::checks::hosts;
use commands::CommandPattern;
pub(super) use compare::Read;
use files::FilePattern;
pub(super) use files::paths;
use glob::Glob;
pub(super) use lines::{Line, lines};
pub(super) use lookup::Lookup;

/// The tools whose argument is a command of a POSIX shell.
const SHELLS: [&str; 7] =
    ["Bash", "Shell", "bash", "exec_command", "local_shell", "run_shell_command", "shell"];
/// The tools that read files.
const READING: [&str; 13] = [
    "Glob",
    "Grep",
    "LS",
    "NotebookRead",
    "Read",
    "glob",
    "grep",
    "grep_search",
    "list",
    "list_directory",
    "read",
    "read_file",
    "search_file_content",
];
/// The tools that write files.
const WRITING: [&str; 8] =
    ["Edit", "MultiEdit", "NotebookEdit", "Write", "edit", "replace", "write", "write_file"];
/// The tools whose patterns, in a blacklist, are about all tools that read files.
const FOR_READING: [&str; 3] = ["Read", "read", "read_file"];
/// The tools whose patterns, in a blacklist, are about all tools that write files.
const FOR_WRITING: [&str; 4] = ["Edit", "MultiEdit", "edit", "replace"];
/// Tools whose one telling argument may be left unnamed: `Agent(Explore)`.
const NAMED_ARGUMENTS: [(&str, &str); 4] =
    [("Agent", "subagent_type"), ("Skill", "skill"), ("Task", "subagent_type"), ("WebSearch", "query")];

/// Text that names no tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a tool pattern: {why}")]
pub struct PatternError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// A set of tools, and of calls of them.
#[derive(Debug, Clone, Default)]
pub struct ToolSet {
    /// Everything, as written, in the order of bytes and once each.
    texts: Vec<String>,
    /// Names without anything special, in the order of bytes.
    names: Vec<Arc<str>>,
    patterns: Vec<Arc<Pattern>>,
}

#[derive(Debug, Clone)]
struct Pattern {
    /// As written.
    text: String,
    name: Glob,
    /// `None` is every call.
    calls: Option<Calls>,
}

#[derive(Debug, Clone)]
enum Calls {
    Command(CommandPattern),
    File(FilePattern),
    Domain(HostPattern),
    Argument { name: String, value: Glob },
}

impl ToolSet {
    /// Reads tools and patterns, in any order.
    pub fn parse<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Self, PatternError> {
        let (set, wrong) = Self::read(texts);
        wrong.into_iter().next().map_or(Ok(set), |(_, error)| Err(error))
    }

    /// Reads tools and patterns; those that are wrong are left out and told of, with their number from 1.
    pub(super) fn read<T: AsRef<str>>(
        texts: impl IntoIterator<Item = T>,
    ) -> (Self, Vec<(usize, PatternError)>) {
        let mut set = Self::default();
        let mut wrong = Vec::new();
        for (index, text) in texts.into_iter().enumerate() {
            let text = text.as_ref().trim();
            match Pattern::parse(text) {
                Err(why) => {
                    wrong.push((index + 1, PatternError { text: text.chars().take(120).collect(), why }));
                    continue;
                }
                Ok(pattern) if text.contains(['*', '(', ')']) => {
                    if !set.texts.iter().any(|known| known == text) {
                        set.patterns.push(Arc::new(pattern));
                    }
                }
                Ok(_) => set.names.push(text.into()),
            }
            set.texts.push(text.to_owned());
        }
        set.texts.sort_unstable();
        set.texts.dedup();
        set.names.sort_unstable();
        set.names.dedup();
        (set, wrong)
    }

    /// What it was read from, in the order of bytes and once each.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether every call of this tool is in it.
    pub fn has_tool(&self, tool: &str) -> bool {
        self.has_name(tool)
            || self.patterns.iter().any(|pattern| pattern.calls.is_none() && pattern.name.matches(tool))
    }

    /// Whether some call of this tool may be in it.
    pub fn may_have_tool(&self, tool: &str) -> bool {
        self.has_name(tool) || self.patterns.iter().any(|pattern| pattern.name.matches(tool))
    }

    fn has_name(&self, tool: &str) -> bool {
        let has = |name: &str| self.names.binary_search_by(|known| known.as_ref().cmp(name)).is_ok();
        has(tool) || server(tool).is_some_and(has)
    }
}

/// `mcp__github` of `mcp__github__create_issue`.
fn server(tool: &str) -> Option<&str> {
    let rest = tool.strip_prefix("mcp__")?;
    let end = rest.find("__")?;
    tool.get(.."mcp__".len() + end)
}

/// The tools whose patterns are about a tool of one of these names too, if they are in a blacklist.
fn speaking_for<'n>(names: impl Iterator<Item = &'n str> + Clone) -> impl Iterator<Item = &'static str> {
    let any_of = |tools: &[&str]| names.clone().any(|name| tools.contains(&name));
    let reading = any_of(&READING).then_some(FOR_READING).into_iter().flatten();
    let writing = any_of(&WRITING).then_some(FOR_WRITING).into_iter().flatten();
    let is_other = move |tool: &&str| names.clone().all(|name| name != *tool);
    reading.chain(writing).filter(is_other)
}

/// Whether an entry of a blacklist is about other tools than the one it names.
fn speaks_for_others(entry: &str) -> bool {
    entry.split_once('(').is_some_and(|(tool, _)| FOR_READING.contains(&tool) || FOR_WRITING.contains(&tool))
}

impl Pattern {
    /// Reads a tool or a pattern.
    fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err("a tool has a name, without control characters".to_owned());
        }
        let whole = |name, calls| Self { text: text.to_owned(), name: Glob::new(name), calls };
        let Some((name, rest)) = text.split_once('(') else {
            return if text.contains(')') {
                Err("a `)` without a `(`".to_owned())
            } else {
                Ok(whole(text, None))
            };
        };
        let inner = rest.strip_suffix(')').ok_or("it should end with `)`")?;
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err("it should begin with the name of a tool".to_owned());
        }
        let calls = match inner.trim() {
            "" | "*" | "**" => None,
            inner => Some(Calls::parse(name, inner)?),
        };
        Ok(whole(name, calls))
    }
}

impl Calls {
    fn parse(tool: &str, inner: &str) -> Result<Self, String> {
        if SHELLS.contains(&tool) {
            return CommandPattern::parse(inner).map(Self::Command);
        }
        if READING.contains(&tool) || WRITING.contains(&tool) {
            return FilePattern::parse(inner).map(Self::File);
        }
        if let Some(host) = inner.strip_prefix("domain:") {
            return HostPattern::parse(host.trim()).map(Self::Domain).map_err(|error| error.to_string());
        }
        if let Some((name, value)) = inner.split_once(':')
            && !name.is_empty()
            && name.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
        {
            return Ok(Self::Argument { name: name.to_owned(), value: Glob::new(value.trim()) });
        }
        match NAMED_ARGUMENTS.iter().find(|(known, _)| *known == tool) {
            Some((_, name)) => Ok(Self::Argument { name: (*name).to_owned(), value: Glob::new(inner) }),
            None => Err("say which argument is meant, as in `tool(argument:value)`".to_owned()),
        }
    }

    /// Whether a call of such a tool may be meant.
    fn touches(&self, attempt: &Attempt<'_>) -> bool {
        match self {
            Self::Command(pattern) => pattern.touches(attempt.commands()),
            Self::File(pattern) => pattern.touches(attempt),
            Self::Domain(host) => hosts::touches(host, attempt.targets()),
            Self::Argument { name, value } => {
                attempt.arguments().get(name).is_some_and(|given| any_scalar(given, value))
            }
        }
    }
}

/// A value as text, where it has one.
fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn any_scalar(value: &Value, pattern: &Glob) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| any_scalar(item, pattern)),
        Value::Object(map) => map.values().any(|item| any_scalar(item, pattern)),
        _ => scalar(value).is_some_and(|text| pattern.matches(&text)),
    }
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
