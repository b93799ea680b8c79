//! Finds secrets in text by their value: known key formats, credentials in URLs and headers, and assignments to names
//! such as `PASSWORD`.
//!
//! The input is foreign. The time it takes is linear in the length of the text, whatever the text is.

mod assignments;
mod commands;
mod decoded;
mod formats;
mod headers;
mod names;
mod scan;
#[cfg(test)]
mod tests;
mod urls;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use decoded::Decoded;
pub use names::is_secret_name;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where in the text, in bytes.
    pub range: Range<usize>,
    /// What it is, such as `GitHub token`.
    pub kind: &'static str,
    /// Whether the replacement needs quotes, so that JSON stays JSON.
    quoted: bool,
}

impl Found {
    fn new(range: Range<usize>, kind: &'static str) -> Self {
        Self { range, kind, quoted: false }
    }

    /// What replaces it.
    pub fn replacement(&self) -> String {
        let quote = if self.quoted { "\"" } else { "" };
        format!("{quote}[redacted: {}]{quote}", self.kind)
    }
}

/// The secrets in a text, in their order, none overlapping another.
pub fn find(text: &str) -> Vec<Found> {
    let decoded = Decoded::new(text);
    let bytes = decoded.bytes();
    let mut found = formats::find(bytes);
    found.extend(urls::find(bytes));
    found.extend(headers::find(bytes));
    found.extend(commands::find(bytes));
    found.extend(assignments::find(bytes));
    if found.is_empty() {
        return found;
    }
    let found = merged(found).into_iter();
    found.map(|one| Found { range: decoded.original(&one.range), ..one }).collect()
}

/// The text with every secret replaced by what it was.
pub fn redact(text: &str) -> Cow<'_, str> {
    replace(text, &find(text))
}

/// The text with these secrets replaced; they come from [`find`].
pub fn replace<'a>(text: &'a str, found: &[Found]) -> Cow<'a, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    for one in found {
        kept.push_str(text.get(done..one.range.start).unwrap_or_default());
        kept.push_str(&one.replacement());
        done = one.range.end;
    }
    kept.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(kept)
}

/// Joins those that overlap. The earlier in the list says what it is: formats know more than contexts.
fn merged(found: Vec<Found>) -> Vec<Found> {
    let mut ranked: Vec<(usize, Found)> = found.into_iter().enumerate().collect();
    ranked.sort_by_key(|(rank, one)| (one.range.start, *rank));
    let mut joined: Vec<(usize, Found)> = Vec::with_capacity(ranked.len());
    for (rank, one) in ranked {
        match joined.last_mut().filter(|(_, last)| one.range.start < last.range.end) {
            Some((best, last)) => {
                let end = last.range.end.max(one.range.end);
                if rank < *best {
                    (*best, last.kind) = (rank, one.kind);
                }
                last.quoted |= one.quoted;
                last.range.end = end;
            }
            None => joined.push((rank, one)),
        }
    }
    joined.into_iter().map(|(_, one)| one).collect()
}
