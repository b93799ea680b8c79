//! The fields of the frontmatter, by name: the standard's, ours as a fallback, and the rest as findings.

use model::counted;

use super::Frontmatter;
use crate::finding::{Finding, shown};
use crate::sidecar::bounds;
use crate::yaml::{Entry, Node, Value};

/// What the frontmatter says.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub name: Option<String>,
    pub description: Option<String>,
    pub license: Option<String>,
    pub compatibility: Option<String>,
    pub allowed_tools: Option<String>,
    pub metadata: Vec<(String, String)>,
    pub title: Option<String>,
    pub icon: Option<String>,
    pub extends: Option<String>,
    pub tags: Vec<String>,
    pub example_prompts: Vec<String>,
    pub suggested_tools: Vec<String>,
}

/// A field of ours that some authors write into `SKILL.md`, and the spellings it comes in.
pub(crate) const OURS: [(&str, &[&str]); 6] = [
    ("title", &["title", "display_name", "display-name", "displayName"]),
    ("icon", &["icon"]),
    ("extends", &["extends", "extends_skill"]),
    ("tags", &["tags"]),
    ("example_prompts", &["example_prompts", "example-prompts", "example_queries", "example-queries"]),
    ("suggested_tools", &["suggested_tools", "suggested-tools"]),
];

/// Fields without a place of their own that are kept as `metadata`.
const KEPT: [&str; 6] = ["version", "author", "source", "created_by", "workspace_id", "homepage"];

/// The code of a field of which something was left out.
const TOO_LONG: &str = "field_too_long";

/// The longest dotted key of nested `metadata` that is taken further apart.
const MAX_DOTTED: usize = 200;

const STANDARD: [&str; 6] = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// The standard's spelling of a field, whatever its case and hyphens.
pub(crate) fn standard_name(key: &str) -> Option<&'static str> {
    let folded = key.to_ascii_lowercase().replace('_', "-");
    STANDARD
        .into_iter()
        .find(|known| *known == folded)
        .or_else(|| matches!(folded.as_str(), "licence").then_some("license"))
        .or_else(|| (folded == "allowedtools").then_some("allowed-tools"))
}

/// Our name of a field, when it is one of ours.
pub(crate) fn our_name(key: &str) -> Option<&'static str> {
    OURS.into_iter().find(|(_, spellings)| spellings.contains(&key)).map(|(name, _)| name)
}

impl Fields {
    /// Reads the fields; exact spellings win over others.
    pub(crate) fn read(frontmatter: &Frontmatter, findings: &mut Vec<Finding>) -> Self {
        let mut fields = Self::default();
        let mut kept = Vec::new();
        let exact = |key: &str| frontmatter.entries.iter().any(|entry| entry.key == key);
        for entry in &frontmatter.entries {
            if let Some(name) = standard_name(&entry.key) {
                if entry.key != name {
                    findings.push(spelling(entry, name));
                    if exact(name) {
                        continue;
                    }
                }
                fields.take_standard(name, entry, findings);
            } else if let Some(name) = our_name(&entry.key) {
                let message = format!(
                    "field `{}` is read, but strict clients refuse it here; move it to repertoire.yaml as `{name}`",
                    entry.key
                );
                findings.push(Finding::info("field_of_sidecar", message).at(entry.line));
                fields.take_ours(name, entry, findings);
            } else {
                findings.push(unknown(entry));
                if let (true, Some(text)) = (KEPT.contains(&entry.key.as_str()), entry.value.text()) {
                    kept.push((entry.key.clone(), text.to_owned()));
                }
            }
        }
        for (key, text) in kept {
            if !fields.metadata.iter().any(|(known, _)| *known == key) {
                fields.metadata.push((key, text));
            }
        }
        fields
    }

    /// What one field says, and whether that is all that stands there.
    pub(crate) fn of(entry: &Entry) -> (Self, bool) {
        let (mut fields, mut findings) = (Self::default(), Vec::new());
        if let Some(name) = standard_name(&entry.key) {
            fields.take_standard(name, entry, &mut findings);
        } else if let Some(name) = our_name(&entry.key) {
            fields.take_ours(name, entry, &mut findings);
        }
        let whole = findings.iter().all(|finding| finding.code != TOO_LONG);
        (fields, whole)
    }

    /// A field of ours, by its name; a text is a list of one.
    pub(crate) fn ours(&self, name: &str) -> Vec<String> {
        let one = |text: &Option<String>| text.iter().cloned().collect();
        match name {
            "title" => one(&self.title),
            "icon" => one(&self.icon),
            "extends" => one(&self.extends),
            "tags" => self.tags.clone(),
            "example_prompts" => self.example_prompts.clone(),
            _ => self.suggested_tools.clone(),
        }
    }

    fn take_standard(&mut self, name: &str, entry: &Entry, findings: &mut Vec<Finding>) {
        match name {
            "name" => self.name = text(entry, findings),
            "description" => self.description = text(entry, findings),
            "license" => self.license = text(entry, findings),
            "compatibility" => self.compatibility = text(entry, findings),
            "allowed-tools" => self.allowed_tools = tools(entry, findings),
            _ => self.metadata = metadata(entry, findings),
        }
    }

    fn take_ours(&mut self, name: &str, entry: &Entry, findings: &mut Vec<Finding>) {
        match name {
            "title" => self.title = self.title.take().or_else(|| bounded(entry, bounds::TITLE, findings)),
            "icon" => self.icon = bounded(entry, bounds::ICON, findings),
            "extends" => {
                self.extends = self.extends.take().or_else(|| bounded(entry, bounds::NAME, findings));
            }
            "tags" => self.tags = list(entry, bounds::TAGS, findings),
            "example_prompts" => self.example_prompts.extend(list(entry, bounds::PROMPTS, findings)),
            _ => self.suggested_tools.extend(list(entry, bounds::TOOLS, findings)),
        }
    }
}

fn spelling(entry: &Entry, name: &str) -> Finding {
    let message = format!("field `{}` is read as `{name}`; write it so", entry.key);
    Finding::warning("field_spelling", message).at(entry.line)
}

fn unknown(entry: &Entry) -> Finding {
    let key = shown(&entry.key);
    let message = format!("field `{key}` is not in the standard; strict clients want it under `metadata`");
    Finding::info("field_unknown", message).at(entry.line)
}

fn wrong_type(entry: &Entry, wanted: &str) -> Finding {
    let message = format!("field `{}` is {}; write {wanted}", shown(&entry.key), entry.value.kind());
    Finding::warning("field_type", message).at(entry.line)
}

/// A text field; a list or a map becomes text with a finding.
fn text(entry: &Entry, findings: &mut Vec<Finding>) -> Option<String> {
    if !matches!(entry.value.value, Value::Scalar { .. }) {
        findings.push(wrong_type(entry, "text"));
    }
    cut(entry, flat(&entry.value).trim(), findings)
}

/// The text of a field, up to the longest there is.
fn cut(entry: &Entry, text: &str, findings: &mut Vec<Finding>) -> Option<String> {
    if let Some((end, _)) = text.char_indices().nth(bounds::TEXT) {
        let message =
            format!("field `{}` is longer than {} characters and was cut", shown(&entry.key), bounds::TEXT);
        findings.push(Finding::warning(TOO_LONG, message).at(entry.line));
        return text.get(..end).map(|cut| cut.trim_end().to_owned());
    }
    (!text.is_empty()).then(|| text.to_owned())
}

fn bounded(entry: &Entry, max: usize, findings: &mut Vec<Finding>) -> Option<String> {
    let text = text(entry, findings)?;
    if text.chars().count() <= max {
        return Some(text);
    }
    let message = format!("field `{}` is longer than {max} characters and was cut", entry.key);
    findings.push(Finding::warning(TOO_LONG, message).at(entry.line));
    Some(text.chars().take(max).collect::<String>().trim().to_owned())
}

/// `allowed-tools` as the one string the standard wants.
fn tools(entry: &Entry, findings: &mut Vec<Finding>) -> Option<String> {
    if let Value::List(items) = &entry.value.value {
        findings.push(wrong_type(entry, "one line with spaces between the tools"));
        let tools: Vec<String> = items.iter().map(flat).filter(|tool| !tool.is_empty()).collect();
        return cut(entry, &tools.join(" "), findings);
    }
    text(entry, findings)
}

/// A list of texts; one text is split at its commas.
fn list(entry: &Entry, bounds: bounds::List, findings: &mut Vec<Finding>) -> Vec<String> {
    // Some generators write a list as text: `'["a", "b"]'`.
    let inner = entry.value.text().filter(|text| text.starts_with('['));
    let inner = inner.and_then(|text| crate::yaml::parse(text).ok()).and_then(|document| document.root);
    let all: Vec<String> = match &inner.as_ref().unwrap_or(&entry.value).value {
        Value::List(items) => items.iter().map(flat).collect(),
        Value::Scalar { text, .. } if bounds.commas => text.split(',').map(str::to_owned).collect(),
        _ => vec![flat(&entry.value)],
    };
    let mut kept: Vec<String> = Vec::new();
    let mut dropped = 0;
    for item in all.iter().map(|item| item.trim()).filter(|item| !item.is_empty()) {
        let fits = item.chars().count() <= bounds.item && kept.len() < bounds.count;
        if !fits {
            dropped += 1;
        } else if !kept.iter().any(|known| known == item) {
            kept.push(item.to_owned());
        }
    }
    if dropped > 0 {
        let message = format!(
            "field `{}` has {} too many or too long; the limits are {} items of {} characters",
            entry.key,
            counted(dropped, "item"),
            bounds.count,
            bounds.item
        );
        findings.push(Finding::warning(TOO_LONG, message).at(entry.line));
    }
    kept
}

/// The standard's map of text to text; deeper maps get dotted keys.
fn metadata(entry: &Entry, findings: &mut Vec<Finding>) -> Vec<(String, String)> {
    let Value::Map(entries) = &entry.value.value else {
        if entry.value.is_null() {
            return Vec::new();
        }
        findings.push(wrong_type(entry, "a map of names to text"));
        return vec![("metadata".to_owned(), flat(&entry.value))];
    };
    if entries.iter().any(|entry| !matches!(entry.value.value, Value::Scalar { .. })) {
        let message = "`metadata` has values that are not text; the standard allows only text there";
        findings.push(Finding::info("metadata_nested", message).at(entry.line));
    }
    let mut flat = Vec::new();
    flatten("", entries, &mut flat);
    flat
}

fn flatten(prefix: &str, entries: &[Entry], out: &mut Vec<(String, String)>) {
    for entry in entries {
        let key = if prefix.is_empty() { entry.key.clone() } else { format!("{prefix}.{}", entry.key) };
        match &entry.value.value {
            Value::Map(inner) if !inner.is_empty() && key.len() <= MAX_DOTTED => flatten(&key, inner, out),
            _ => out.push((key, flat(&entry.value))),
        }
    }
}

/// Any value as one text: items joined by commas, maps as JSON.
fn flat(node: &Node) -> String {
    match &node.value {
        Value::Scalar { .. } => node.text().unwrap_or_default().to_owned(),
        Value::List(items) if items.iter().all(|item| matches!(item.value, Value::Scalar { .. })) => {
            items.iter().map(|item| item.text().unwrap_or_default()).collect::<Vec<_>>().join(", ")
        }
        _ => node.to_exact_json().to_string(),
    }
}
