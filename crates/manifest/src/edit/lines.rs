//! Changes one top-level field of a YAML text and leaves every other byte as it was.

use std::ops::Range;

use crate::frontmatter::split::lines;
use crate::yaml::{self, Entry, Node, Value};

/// How often a field may be repeated and still be removed; each repeat costs a parse.
const MAX_REPEATS: usize = 20;

/// How a text breaks its lines.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find(['\n', '\r']).and_then(|at| text.get(at..)) {
        Some(rest) if rest.starts_with("\r\n") => "\r\n",
        Some(rest) if rest.starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// The text with its line feeds replaced.
pub(crate) fn with_breaks(text: &str, line_break: &str) -> String {
    if line_break == "\n" { text.to_owned() } else { text.replace('\n', line_break) }
}

/// The text with a range replaced; nothing when the range does not fit.
pub(crate) fn splice(text: &str, range: Range<usize>, new: &str) -> Option<String> {
    Some(format!("{}{new}{}", text.get(..range.start)?, text.get(range.end..)?))
}

/// Where a top-level field stands.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub key: String,
    /// Its whole lines, with the line break of the last.
    pub lines: Range<usize>,
    /// The value alone, when it is a scalar on one line.
    pub value: Option<Range<usize>>,
}

/// The top-level fields of a text, or nothing when it has no block-style map of them.
pub(crate) fn places(text: &str) -> Option<Vec<Place>> {
    match yaml::parse(text) {
        Ok(document) => match document.root {
            None => Some(Vec::new()),
            Some(root) if root.is_null() => Some(Vec::new()),
            Some(Node { value: Value::Map(entries), span, .. }) => {
                let flow = text.get(span.start..).is_some_and(|rest| rest.starts_with('{'));
                (!flow).then(|| entries.iter().map(|entry| place(text, entry)).collect())
            }
            Some(_) => None,
        },
        Err(_) => Some(broken_places(text)),
    }
}

fn place(text: &str, entry: &Entry) -> Place {
    let start = line_start(text, entry.start);
    let end = line_end(text, last_byte(text, &entry.value).max(entry.start));
    let inline = match &entry.value.value {
        Value::Scalar { text: words, .. } if !words.is_empty() => {
            let source = text.get(entry.value.span.clone()).unwrap_or_default();
            let one_line =
                !source.is_empty() && !source.contains(['\n', '\r']) && !source.starts_with(['|', '>']);
            (one_line && !entry.value.fancy).then(|| entry.value.span.clone())
        }
        _ => None,
    };
    Place { key: entry.key.clone(), lines: start..end, value: inline }
}

/// The end of what a value really covers, without the white space a block drags along.
fn last_byte(text: &str, node: &Node) -> usize {
    let own = match &node.value {
        Value::List(items) if !is_flow(text, node) => {
            return items.last().map_or(node.span.start, |item| last_byte(text, item));
        }
        Value::Map(entries) if !is_flow(text, node) => {
            return entries
                .last()
                .map_or(node.span.start, |entry| last_byte(text, &entry.value).max(entry.start));
        }
        _ => node.span.end,
    };
    text.get(..own).map_or(own, |before| before.trim_end().len()).max(node.span.start)
}

fn is_flow(text: &str, node: &Node) -> bool {
    text.get(node.span.start..).is_some_and(|rest| rest.starts_with(['[', '{']))
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind(['\n', '\r'])).map_or(0, |found| found + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    lines(text, at).next().map_or(text.len(), |line| line.next)
}

/// The fields of a text that is not YAML: from each `key:` at the margin to the next.
fn broken_places(text: &str) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for line in lines(text, 0) {
        let row = line.of(text);
        let key = row.split_once(':').map(|(key, _)| key).filter(|key| {
            !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        });
        match (key, places.last_mut()) {
            (Some(key), _) => {
                places.push(Place { key: key.to_owned(), lines: line.start..line.next, value: None });
            }
            (None, Some(place)) => place.lines.end = line.next,
            (None, None) => {}
        }
    }
    places
}

/// Replaces the lines of a field, or adds them at the end; `None` removes them. Nothing when the text has no place
/// for fields.
pub(crate) fn put(text: &str, is_key: impl Fn(&str) -> bool, new: Option<&str>) -> Option<String> {
    let mut text = text.to_owned();
    let found = |text: &str| Some(places(text)?.into_iter().rev().find(|place| is_key(&place.key)));
    let breaks = line_break(&text);
    match (found(&text)?, new) {
        (Some(place), Some(new)) => text = splice(&text, place.lines, &with_breaks(new, breaks))?,
        (None, Some(new)) => {
            if !text.is_empty() && !text.ends_with(['\n', '\r']) {
                text.push_str(breaks);
            }
            text.push_str(&with_breaks(new, breaks));
        }
        (place, None) => {
            let mut next = place;
            // A field that stands twice must go twice, or the hidden value would come back.
            for _ in 0..MAX_REPEATS {
                let Some(place) = next else { break };
                text = splice(&text, place.lines, "")?;
                next = found(&text)?;
            }
        }
    }
    Some(text)
}

/// Sets a one-line text field; the rest of its line, such as a comment, stays.
pub(crate) fn put_text(text: &str, field: &str, is_key: impl Fn(&str) -> bool, new: &str) -> Option<String> {
    let all = places(text)?;
    let exact = all.iter().rev().find(|place| place.key == field);
    if let Some(Place { value: Some(span), .. }) = exact
        && !new.contains('\n')
    {
        return splice(text, span.clone(), &yaml::write::scalar(new));
    }
    let mut line = String::new();
    yaml::write::field(&mut line, 0, field, new);
    let exact = exact.is_some();
    put(text, |key| if exact { key == field } else { is_key(key) }, Some(&line))
}
