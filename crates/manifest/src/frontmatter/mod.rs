//! The lenient reader of `SKILL.md`: real YAML first, then repair, then salvage, each step reported.
//!
//! It refuses nothing: what cannot be read is absent, with a finding that says so.

mod fields;
mod prose;
mod repair;
pub(crate) mod split;

#[cfg(test)]
mod tests;

pub(crate) use fields::{Fields, our_name, standard_name};
pub(crate) use prose::summary;
use split::{Shape, Split};

use crate::finding::Finding;
use crate::yaml::{self, Entry, Node, Value};

/// A `SKILL.md` taken apart.
#[derive(Debug)]
pub(crate) struct Frontmatter {
    pub split: Split,
    /// The top-level fields in order; their lines count in `SKILL.md`.
    pub entries: Vec<Entry>,
    /// Whether the YAML parsed as it stands.
    pub intact: bool,
    /// Lines count in `SKILL.md`.
    pub findings: Vec<Finding>,
}

/// Takes a `SKILL.md` apart.
pub(crate) fn read(text: &str) -> Frontmatter {
    let split = split::split(text);
    let mut findings = shape_findings(text, &split);
    let yaml_text = text.get(split.yaml.clone()).unwrap_or_default();
    let (mut entries, found, intact) = read_yaml(yaml_text);
    let offset = split.yaml_line.saturating_sub(1);
    for mut finding in found {
        finding.line = finding.line.map(|line| line.saturating_add(offset));
        findings.push(finding);
    }
    for entry in &mut entries {
        entry.line = entry.line.saturating_add(offset);
        repair::shift(&mut entry.value, offset);
    }
    Frontmatter { split, entries, intact, findings }
}

fn read_yaml(text: &str) -> (Vec<Entry>, Vec<Finding>, bool) {
    let problem = match yaml::parse(text) {
        Ok(document) => match document.root {
            None => return (Vec::new(), Vec::new(), true),
            Some(Node { value: Value::Map(entries), .. }) => {
                let findings = document.duplicates.into_iter().map(duplicate).collect();
                return (entries, findings, true);
            }
            Some(root) if root.is_null() => return (Vec::new(), Vec::new(), true),
            Some(root) => (root.line, format!("the frontmatter is {}, not a map", root.kind())),
        },
        Err(error) => (error.line, error.message),
    };
    let (line, message) = problem;
    let advice = format!("frontmatter is not valid YAML ({message}); other clients may refuse it");
    let mut findings = vec![Finding::warning("yaml_invalid", advice).at(line)];
    let repaired = repair::repair(text);
    findings.extend(repaired.findings);
    let mut entries = repaired.entries;
    for field in ["name", "description"] {
        if entries.iter().any(|entry| entry.key.eq_ignore_ascii_case(field)) {
            continue;
        }
        if let Some((words, line)) = repair::salvage(text, field) {
            let advice = format!("field `{field}` was picked out of broken YAML as text; put it in quotes");
            findings.push(Finding::warning("field_salvaged", advice).at(line));
            let value =
                Node { value: Value::Scalar { text: words, plain: false }, line, span: 0..0, fancy: true };
            entries.push(Entry { key: field.to_owned(), line, start: 0, value });
        }
    }
    (entries, findings, false)
}

fn duplicate((key, line): (String, u32)) -> Finding {
    let key = crate::finding::shown(&key);
    Finding::warning(
        "field_duplicate",
        format!("field `{key}` stands twice; the last one counts, remove the other"),
    )
    .at(line)
}

fn shape_findings(text: &str, split: &Split) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lead = text.get(split.lead.clone()).unwrap_or_default();
    if lead.starts_with('\u{feff}') {
        findings.push(
            Finding::warning("byte_order_mark", "a byte order mark stands before the frontmatter; remove it")
                .at(1),
        );
    }
    let before = lead.trim_start_matches('\u{feff}');
    if split.shape != Shape::Absent && !before.is_empty() {
        let message = "something stands before the frontmatter; `---` must be the first line";
        findings.push(Finding::warning("frontmatter_not_first", message).at(1));
    }
    if text.contains('\r') {
        let message = "lines end in carriage returns; fine here, use line feeds to be safe";
        findings.push(Finding::info("carriage_returns", message));
    }
    let (code, message) = match split.shape {
        Shape::Closed => return findings,
        Shape::Dots => ("frontmatter_dots", "the frontmatter ends with `...`; end it with `---`"),
        Shape::Unclosed => ("frontmatter_unclosed", "the frontmatter has no end; put `---` below it"),
        Shape::Unopened => ("frontmatter_unopened", "the frontmatter has no start; put `---` above it"),
        Shape::Absent => (
            "frontmatter_missing",
            "there is no frontmatter; put `---`, `name:`, `description:`, `---` on top",
        ),
    };
    findings.push(Finding::warning(code, message).at(split.yaml_line));
    findings
}
