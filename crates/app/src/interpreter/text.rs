//! What the tool says to a model, in words. Nothing is decided here.

use std::fmt::Write as _;

use model::{CodeSessionId, Parameter};
use serde_json::Value;

use crate::code_sessions::{Kept, SessionFile};

/// How much of each part a model is told; the answer's fields hold all of it.
const MOST: usize = 20_000;
const MOST_FILES: usize = 50;

/// What code gave back.
#[derive(Debug, Default)]
pub(super) struct Output<'a> {
    pub result: Option<&'a Value>,
    pub stdout: &'a str,
    pub stderr: &'a str,
    pub files: &'a [SessionFile],
    /// Why it failed.
    pub error: Option<String>,
}

/// All of it, a paragraph each; what is not there is left out.
pub(super) fn output(output: &Output<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(error) = &output.error {
        parts.push(format!("It failed: {}", cut(error)));
    }
    if let Some(result) = output.result.filter(|result| !result.is_null()) {
        let shown = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
        parts.push(format!("Result: {}", cut(&shown)));
    }
    for (word, text) in [("Printed", output.stdout), ("Printed as errors", output.stderr)] {
        let text = text.trim_end();
        if !text.is_empty() {
            parts.push(format!("{word}:\n{}", cut(text)));
        }
    }
    if !output.files.is_empty() {
        parts.push(format!("Files: {}", files(output.files)));
    }
    if parts.is_empty() {
        parts.push(
            "It ran, and gave nothing back. End with an expression, or print what you need.".to_owned(),
        );
    }
    parts.join("\n")
}

fn files(files: &[SessionFile]) -> String {
    let told = files.iter().take(MOST_FILES).map(|file| format!("{} ({} bytes)", file.path, file.size));
    let mut told: Vec<String> = told.collect();
    if files.len() > MOST_FILES {
        told.push(format!("and {} more", files.len() - MOST_FILES));
    }
    told.join(", ")
}

/// How the lines begin that only a model is meant to read.
const FOR_MODELS: [&str; 3] =
    ["Tell the user that you ", "A skill of similarity ", "The files are in the code session "];

/// What a call answered, without the lines that only a model is meant to read.
pub(crate) fn for_people(text: &str) -> String {
    let is_plain = |line: &&str| !FOR_MODELS.iter().any(|start| line.starts_with(start));
    text.lines().filter(is_plain).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Where files are, for the next call.
pub(super) fn place(session: CodeSessionId) -> String {
    format!("The files are in the code session {session}; give it as `session_id` to go on with them.")
}

/// What became of files that were made outside of any session.
pub(super) fn kept(kept: &Kept) -> Option<String> {
    match kept {
        Kept::NoFiles => None,
        Kept::NoRoom => Some(
            "The files are gone: you have as many code sessions as you may have. End one, and make them again."
                .to_owned(),
        ),
        Kept::Session { session, gave_way: None } => Some(place(session.id)),
        Kept::Session { session, gave_way: Some(gone) } => Some(format!(
            "{} To make room, the code session {gone} and its files were removed.",
            place(session.id)
        )),
    }
}

/// The error of an execution in one line.
pub(super) fn error(kind: &str, message: &str, file: Option<&str>, line: Option<u32>) -> String {
    let mut told = String::new();
    if !kind.is_empty() {
        let _ = write!(told, "{kind}: ");
    }
    told.push_str(message);
    match (file, line) {
        (Some(file), Some(line)) => told.extend([format!(" ({file}, line {line})")]),
        (_, Some(line)) => told.extend([format!(" (line {line})")]),
        _ => {}
    }
    told
}

/// Parameters as a list of lines.
pub(super) fn parameters(parameters: &[Parameter]) -> String {
    let mut told = String::new();
    for parameter in parameters {
        let _ = write!(told, "- {} ({}", parameter.name, parameter.kind);
        match &parameter.default {
            Some(default) => told.extend([format!(", default {default}")]),
            None if !parameter.required => told.push_str(", optional"),
            None => {}
        }
        told.push(')');
        if let Some(description) = &parameter.description {
            let _ = write!(told, ": {description}");
        }
        told.push('\n');
    }
    told
}

fn cut(text: &str) -> String {
    let end = text.char_indices().nth(MOST).map(|(end, _)| end);
    match end.and_then(|end| text.get(..end)) {
        Some(start) => format!("{start}\n[cut here; {} characters in all]", text.chars().count()),
        None => text.to_owned(),
    }
}
