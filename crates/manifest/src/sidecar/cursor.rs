//! Typed steps over the YAML tree, each with its error.

use model::SkillName;

use super::bounds;
use crate::finding::{Finding, shown};
use crate::yaml::{Entry, Node, Value};

/// Collects what is wrong while values are read.
pub(super) struct Cursor<'a> {
    pub findings: &'a mut Vec<Finding>,
}

impl Cursor<'_> {
    pub(super) fn error(&mut self, code: &'static str, line: u32, message: impl Into<String>) {
        self.findings.push(Finding::error(code, message).at(line));
    }

    pub(super) fn warning(&mut self, code: &'static str, line: u32, message: impl Into<String>) {
        self.findings.push(Finding::warning(code, message).at(line));
    }

    fn wrong(&mut self, name: &str, node: &Node, line: u32, wanted: &str) {
        let message = format!("`{}` is {}; write {wanted}", shown(name), node.kind());
        self.error("sidecar_type", line, message);
    }

    pub(super) fn map<'n>(&mut self, name: &str, node: &'n Node) -> Option<&'n [Entry]> {
        let Value::Map(entries) = &node.value else {
            self.wrong(name, node, node.line, "a map");
            return None;
        };
        Some(entries)
    }

    pub(super) fn items<'n>(&mut self, entry: &'n Entry, max: usize) -> Option<&'n [Node]> {
        let Value::List(items) = &entry.value.value else {
            self.wrong(&entry.key, &entry.value, entry.line, "a list");
            return None;
        };
        if items.len() > max {
            let message = format!("`{}` has {} items; the limit is {max}", entry.key, items.len());
            self.error("sidecar_value", entry.line, message);
            return None;
        }
        Some(items)
    }

    /// Reports every key that is not one of these.
    pub(super) fn only(&mut self, entries: &[Entry], place: &str, known: &[&str]) {
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let message = format!(
                "`{}` is not a field of {place}; use one of: {}",
                shown(&entry.key),
                known.join(", ")
            );
            self.error("sidecar_unknown_field", entry.line, message);
        }
    }

    /// The entry a map must have.
    pub(super) fn require<'n>(
        &mut self,
        entries: &'n [Entry],
        place: &Entry,
        key: &str,
    ) -> Option<&'n Entry> {
        let found = entries.iter().find(|entry| entry.key == key);
        if found.is_none() {
            self.error(
                "sidecar_missing_field",
                place.line,
                format!("`{}` needs a `{key}`", shown(&place.key)),
            );
        }
        found
    }

    pub(super) fn text(&mut self, entry: &Entry, max: usize) -> Option<String> {
        self.text_of(&entry.key, &entry.value, entry.line, max)
    }

    pub(super) fn text_of(&mut self, name: &str, node: &Node, line: u32, max: usize) -> Option<String> {
        let serde_json::Value::String(text) = node.to_json() else {
            self.wrong(name, node, line, "text, in quotes if it looks like something else");
            return None;
        };
        if text.trim().is_empty() {
            self.error("sidecar_value", line, format!("`{name}` is empty; write something or remove it"));
            return None;
        }
        let length = text.chars().count();
        if length > max {
            let message = format!("`{name}` has {length} characters; the limit is {max}");
            self.error("sidecar_value", line, message);
            return None;
        }
        Some(text)
    }

    pub(super) fn list(&mut self, entry: &Entry, bounds: bounds::List) -> Option<Vec<String>> {
        let items = self.items(entry, bounds.count)?;
        Some(items.iter().filter_map(|item| self.text_of(&entry.key, item, item.line, bounds.item)).collect())
    }

    pub(super) fn distinct(&mut self, entry: &Entry, items: Option<&[String]>) {
        let mut seen = std::collections::BTreeSet::new();
        for item in items.unwrap_or_default() {
            if !seen.insert(item) {
                let message = format!("`{}` has `{}` twice; remove one", entry.key, shown(item));
                self.error("sidecar_duplicate", entry.line, message);
            }
        }
    }

    pub(super) fn boolean(&mut self, entry: &Entry) -> Option<bool> {
        let value = entry.value.to_json().as_bool();
        if value.is_none() {
            self.wrong(&entry.key, &entry.value, entry.line, "true or false");
        }
        value
    }

    /// A whole number in a range.
    pub(super) fn integer(&mut self, entry: &Entry, min: i64, max: i64) -> Option<i64> {
        let json = entry.value.to_json();
        let Some(number) = json.as_i64() else {
            self.wrong(&entry.key, &entry.value, entry.line, "a whole number");
            return None;
        };
        if !(min..=max).contains(&number) {
            let message = format!("`{}` is {number}; it must be from {min} to {max}", entry.key);
            self.error("sidecar_value", entry.line, message);
            return None;
        }
        Some(number)
    }

    /// A number above 0 of things that count as so many of the model's units each; a part only where there are parts.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // the range was checked before
    pub(super) fn amount(&mut self, entry: &Entry, unit: u32, max: u32) -> Option<u64> {
        if unit == 1 {
            return self.integer(entry, 1, i64::from(max)).map(i64::unsigned_abs);
        }
        let Some(number) = entry.value.to_json().as_f64() else {
            self.wrong(&entry.key, &entry.value, entry.line, "a number");
            return None;
        };
        let amount = (number * f64::from(unit)).round();
        if !(amount >= 1.0 && number <= f64::from(max)) {
            let message = format!("`{}` is {number}; it must be above 0 and at most {max}", entry.key);
            self.error("sidecar_value", entry.line, message);
            return None;
        }
        Some(amount as u64)
    }

    pub(super) fn skill_name(&mut self, entry: &Entry) -> Option<String> {
        let text = self.text(entry, bounds::NAME)?;
        match SkillName::parse(&text) {
            Ok(name) => Some(name.as_str().to_owned()),
            Err(error) => {
                self.error("sidecar_value", entry.line, format!("`{}`: {error}", entry.key));
                None
            }
        }
    }

    /// A name that code can use: a letter or `_`, then letters, digits and `_`.
    pub(super) fn identifier(&mut self, entry: &Entry) -> Option<String> {
        let text = self.text(entry, bounds::NAME)?;
        let valid = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !valid {
            let message = format!(
                "`{}` `{}` must be a letter or `_`, then letters, digits and `_`",
                entry.key,
                shown(&text)
            );
            self.error("sidecar_value", entry.line, message);
            return None;
        }
        Some(text)
    }

    /// One of a closed set of words, in lower case.
    pub(super) fn word<T: Copy>(
        &mut self,
        entry: &Entry,
        all: &[T],
        as_str: fn(T) -> &'static str,
    ) -> Option<T> {
        let text = self.text(entry, bounds::NAME)?;
        let found = all.iter().copied().find(|word| as_str(*word) == text);
        if found.is_none() {
            let known: Vec<&str> = all.iter().map(|word| as_str(*word)).collect();
            let message = format!("`{}` is `{}`; use one of: {}", entry.key, shown(&text), known.join(", "));
            self.error("sidecar_value", entry.line, message);
        }
        found
    }
}
