//! The second and third chance: broken YAML read field by field, then line by line.
//!
//! A field that parses alone is never touched; a broken one is quoted; what still fails is cut out as text.

use std::borrow::Cow;

use super::duplicate;
use super::split::lines;
use crate::finding::{Finding, shown};
use crate::yaml::{self, Entry, Node, Value};

/// What could be had from broken YAML.
#[derive(Debug, Default)]
pub(crate) struct Repaired {
    pub entries: Vec<Entry>,
    /// Lines count from 1 in the YAML text.
    pub findings: Vec<Finding>,
}

/// The most fields that are read one by one; nobody writes so many, and each costs a parse.
const MAX_FIELDS: usize = 1000;

/// The most lines that are reported as no field.
const MAX_STRAYS: usize = 20;

/// The lines of one top-level field.
#[derive(Debug)]
struct Piece<'a> {
    key: Cow<'a, str>,
    line: u32,
    /// What stands behind the colon on the first line.
    inline: &'a str,
    /// The lines below it.
    rest: Vec<&'a str>,
}

/// Reads each top-level field by itself.
pub(crate) fn repair(text: &str) -> Repaired {
    let mut repaired = Repaired::default();
    let (pieces, strays) = pieces(text);
    for (line, stray) in strays.into_iter().take(MAX_STRAYS) {
        repaired.findings.push(
            Finding::warning(
                "line_ignored",
                format!("`{}` is not a field; write `name: value`", shown(stray)),
            )
            .at(line),
        );
    }
    if let Some(piece) = pieces.get(MAX_FIELDS) {
        let message = format!("more than {MAX_FIELDS} fields; the rest is not read");
        repaired.findings.push(Finding::warning("fields_too_many", message).at(piece.line));
    }
    for piece in pieces.into_iter().take(MAX_FIELDS) {
        match piece.read() {
            Some((value, findings)) => {
                repaired.findings.extend(findings);
                repaired.add(&piece, value);
            }
            None => repaired.findings.push(
                Finding::warning(
                    "field_dropped",
                    format!("field `{}` cannot be read; put its value in quotes", shown(&piece.key)),
                )
                .at(piece.line),
            ),
        }
    }
    repaired
}

impl Repaired {
    fn add(&mut self, piece: &Piece<'_>, value: Node) {
        if self.entries.iter().any(|entry| entry.key == piece.key) {
            self.findings.push(duplicate((piece.key.to_string(), piece.line)));
            self.entries.retain(|entry| entry.key != piece.key);
        }
        self.entries.push(Entry { key: piece.key.to_string(), line: piece.line, start: 0, value });
    }
}

fn pieces(text: &str) -> (Vec<Piece<'_>>, Vec<(u32, &str)>) {
    let rows: Vec<&str> = lines(text, 0).map(|line| line.of(text)).collect();
    let margin = rows
        .iter()
        .filter(|row| !row.trim().is_empty() && !row.trim_start().starts_with('#'))
        .map(|row| row.len() - row.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut strays = Vec::new();
    for (number, row) in (1_u32..).zip(rows) {
        let row = row.get(margin.min(row.len())..).unwrap_or(row);
        if let Some((key, inline)) = key_of(row) {
            pieces.push(Piece { key, line: number, inline, rest: Vec::new() });
        } else if let Some(piece) = pieces.last_mut() {
            piece.rest.push(row);
        } else if !row.trim().is_empty() && !row.starts_with('#') {
            strays.push((number, row));
        }
    }
    (pieces, strays)
}

/// The key and the rest of a line that starts a field at the margin.
fn key_of(row: &str) -> Option<(Cow<'_, str>, &str)> {
    let (key, value) = match row.chars().next()? {
        quote @ ('"' | '\'') => {
            let (key, rest) = row.get(1..)?.split_once(quote)?;
            (key, rest.trim_start().strip_prefix(':')?)
        }
        first if first.is_alphanumeric() || first == '_' || first == '$' => {
            let end = row.find([':', '：'])?;
            let key = row.get(..end)?;
            let rest = row.get(end..)?;
            let wide = rest.starts_with('：');
            let value = rest.get(if wide { '：'.len_utf8() } else { 1 }..)?;
            let separated = value.is_empty() || value.starts_with([' ', '\t']) || wide || is_known(key);
            if !separated {
                return None;
            }
            (key.trim_end(), value)
        }
        _ => return None,
    };
    let simple = key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$'));
    (simple && !key.is_empty() && key.len() <= 100).then(|| (Cow::Borrowed(key), value.trim()))
}

fn is_known(key: &str) -> bool {
    ["name", "description", "license", "version", "author"]
        .iter()
        .any(|known| key.eq_ignore_ascii_case(known))
}

impl Piece<'_> {
    /// The value, and what had to be done for it.
    fn read(&self) -> Option<(Node, Vec<Finding>)> {
        if let Some(found) = self.parse(self.inline, &self.rest, None) {
            return Some(found);
        }
        let quoted =
            format!("field `{}` is not valid YAML and was read as text; put its value in quotes", self.key);
        let repaired = |message: String| Finding::warning("field_repaired", message).at(self.line);
        let nested = !self.rest.iter().all(|row| row.trim().is_empty());
        if nested && (self.inline.is_empty() || is_comment(self.inline)) {
            let cleaned: Vec<String> = self.rest.iter().map(|row| clean(row)).collect();
            let tabs = repaired(format!("field `{}` had tabs or control characters", self.key));
            if let Some(found) = self.parse("", &cleaned, Some(tabs)) {
                return Some(found);
            }
            let lines: Vec<String> = cleaned.iter().map(|row| quote_row(row)).collect();
            if let Some(found) = self.parse("", &lines, Some(repaired(quoted.clone()))) {
                return Some(found);
            }
        }
        let text = self.text();
        if text.is_empty() {
            return None;
        }
        let value = Value::Scalar { text, plain: false };
        Some((Node { value, line: self.line, span: 0..0, fancy: true }, vec![repaired(quoted)]))
    }

    /// The value of these rows; with what was done to them, if anything was.
    fn parse<T: AsRef<str>>(
        &self,
        inline: &str,
        rest: &[T],
        done: Option<Finding>,
    ) -> Option<(Node, Vec<Finding>)> {
        let mut text = format!("k: {inline}\n");
        for row in rest {
            text.push_str(row.as_ref());
            text.push('\n');
        }
        let document = yaml::parse(&text).ok()?;
        let Value::Map(mut entries) = document.root?.value else { return None };
        let only = entries.pop().filter(|_| entries.is_empty())?;
        let above = self.line.saturating_sub(1);
        let mut value = only.value;
        shift(&mut value, above);
        value.fancy |= done.is_some();
        let twice =
            document.duplicates.into_iter().map(|(key, line)| duplicate((key, line.saturating_add(above))));
        Some((value, done.into_iter().chain(twice).collect()))
    }

    /// The value as plain words: the inline text and its continuation, or the lines of a block.
    fn text(&self) -> String {
        let below = || self.rest.iter().map(|row| clean(row).trim().to_owned());
        if self.inline.starts_with(['|', '>']) && self.inline.len() <= 3 {
            return below().collect::<Vec<_>>().join("\n").trim().to_owned();
        }
        let mut words = clean(self.inline).trim().to_owned();
        for row in below().filter(|row| !row.is_empty()) {
            words.push(' ');
            words.push_str(&row);
        }
        unquoted(words.trim()).to_owned()
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with('#')
}

/// The text without the quotes around it, also when one of them was forgotten.
pub(crate) fn unquoted(text: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote) {
            return match rest.strip_suffix(quote) {
                Some(inner) => inner,
                None if rest.contains(quote) => text,
                None => rest,
            };
        }
    }
    text
}

/// Tabs at the start become two spaces each; other control characters go.
fn clean(row: &str) -> String {
    let content = row.trim_start_matches([' ', '\t']);
    let indent = row.get(..row.len() - content.len()).unwrap_or_default();
    let mut out: String = indent.chars().map(|c| if c == '\t' { "  " } else { " " }).collect();
    out.extend(content.chars().map(|c| if c == '\t' { ' ' } else { c }).filter(|c| !c.is_control()));
    out
}

/// A `key: value` or `- value` line with its value in quotes when it does not parse without.
fn quote_row(row: &str) -> String {
    let content = row.trim_start();
    let indent = row.len() - content.len();
    let (dash, content) = content.strip_prefix("- ").map_or(("", content), |rest| ("- ", rest.trim_start()));
    let (key, value) = match key_of(content) {
        Some((key, value)) => (format!("{key}: "), value),
        None if dash.is_empty() => return row.to_owned(),
        None => (String::new(), content),
    };
    let fine =
        value.is_empty() || value.starts_with(['|', '>']) || yaml::parse(&format!("k: {value}")).is_ok();
    if fine {
        return row.to_owned();
    }
    format!("{}{dash}{key}{}", " ".repeat(indent), yaml::write::quoted(unquoted(value)))
}

pub(crate) fn shift(node: &mut Node, lines: u32) {
    node.line = node.line.saturating_add(lines);
    match &mut node.value {
        Value::Scalar { .. } => {}
        Value::List(items) => items.iter_mut().for_each(|item| shift(item, lines)),
        Value::Map(entries) => entries.iter_mut().for_each(|entry| {
            entry.line = entry.line.saturating_add(lines);
            shift(&mut entry.value, lines);
        }),
    }
}

/// The last chance: the first line anywhere that starts with `field:`, as text, with its line.
pub(crate) fn salvage(text: &str, field: &str) -> Option<(String, u32)> {
    for (number, line) in (1_u32..).zip(lines(text, 0)) {
        let row = line.of(text).trim_start_matches([' ', '\t', '-', '*', '>']);
        let Some(head) = row.get(..field.len()) else { continue };
        if !head.eq_ignore_ascii_case(field) {
            continue;
        }
        let rest = row.get(field.len()..).unwrap_or_default().trim_start_matches(['*', ' ', '"', '\'']);
        let Some(value) = rest.strip_prefix(':').or_else(|| rest.strip_prefix('：')) else { continue };
        let value = clean(value.trim_start_matches('*'));
        let value = unquoted(value.trim());
        if !value.is_empty() && !matches!(value, "|" | ">" | "|-" | ">-") {
            return Some((value.to_owned(), number));
        }
    }
    None
}
