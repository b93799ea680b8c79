//! `repertoire.yaml`: what the standard has no field for.
//!
//! It is our own format, so it is read strictly: an unknown field or a wrong type is an error with its line. What is
//! right beside an error is still returned, so that an editor can show it.

pub(crate) mod bounds;
mod cursor;
mod limits;
mod places;
mod policy;
mod policy_tests;
mod procedure;
mod schema;
mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use model::{Bundle, Policy, Procedure, SIDECAR_FILE};

use crate::finding::Finding;
use crate::yaml;
use cursor::Cursor;
pub use places::PolicyLines;
pub use policy_tests::policy_tests;
pub use schema::sidecar_schema;
pub(crate) use write::{field_text, write};

/// What `repertoire.yaml` says; `None` where it says nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Sidecar {
    pub title: Option<String>,
    pub tags: Option<Vec<String>>,
    pub icon: Option<String>,
    pub example_prompts: Option<Vec<String>>,
    pub extends: Option<String>,
    pub suggested_tools: Option<Vec<String>>,
    pub files: Option<BTreeMap<String, String>>,
    pub procedure: Option<Procedure>,
    pub policy: Option<Policy>,
}

/// The fields in the order they are written.
pub(crate) const FIELDS: [&str; 9] = [
    "title",
    "tags",
    "icon",
    "example_prompts",
    "extends",
    "suggested_tools",
    "files",
    "procedure",
    "policy",
];

/// Reads the text of a sidecar; the bundle is asked which files exist.
pub(crate) fn read(text: &str, bundle: &Bundle) -> (Sidecar, Vec<Finding>) {
    let mut findings = Vec::new();
    let mut sidecar = Sidecar::default();
    match yaml::parse(text) {
        Err(error) => {
            let message = format!("not valid YAML: {}", error.message);
            findings.push(Finding::error("sidecar_yaml", message).at(error.line));
        }
        Ok(document) => {
            for (key, line) in document.duplicates {
                let message = format!("field `{}` stands twice; remove one", crate::finding::shown(&key));
                findings.push(Finding::error("sidecar_duplicate", message).at(line));
            }
            let mut cursor = Cursor { findings: &mut findings };
            if let Some(root) = document.root.filter(|root| !root.is_null()) {
                read_root(&root, bundle, &mut cursor, &mut sidecar);
            }
        }
    }
    let findings = findings.into_iter().map(|finding| finding.in_file(SIDECAR_FILE)).collect();
    (sidecar, findings)
}

fn read_root(root: &yaml::Node, bundle: &Bundle, cursor: &mut Cursor<'_>, sidecar: &mut Sidecar) {
    let Some(entries) = cursor.map("repertoire.yaml", root) else { return };
    cursor.only(entries, "repertoire.yaml", &FIELDS);
    for entry in entries {
        match entry.key.as_str() {
            "title" => sidecar.title = cursor.text(entry, bounds::TITLE),
            "tags" => {
                sidecar.tags = cursor.list(entry, bounds::TAGS);
                cursor.distinct(entry, sidecar.tags.as_deref());
            }
            "icon" => sidecar.icon = cursor.text(entry, bounds::ICON),
            "example_prompts" => sidecar.example_prompts = cursor.list(entry, bounds::PROMPTS),
            "extends" => sidecar.extends = cursor.skill_name(entry),
            "suggested_tools" => sidecar.suggested_tools = cursor.list(entry, bounds::TOOLS),
            "files" => sidecar.files = read_files(entry, bundle, cursor),
            "procedure" => sidecar.procedure = procedure::read(entry, bundle, cursor),
            "policy" => sidecar.policy = policy::read(entry, cursor),
            _ => {}
        }
    }
}

/// What single files are for. A path that is not there (any more) is told of, and kept.
fn read_files(
    entry: &yaml::Entry,
    bundle: &Bundle,
    cursor: &mut Cursor<'_>,
) -> Option<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for file in cursor.map("files", &entry.value)? {
        if bundle.get(&file.key).is_none() {
            let message = format!(
                "file `{}` is not in the bundle; add it or correct the path",
                crate::finding::shown(&file.key)
            );
            cursor.warning("sidecar_file_missing", file.line, message);
        }
        if let Some(text) = cursor.text(file, bounds::PROSE) {
            files.insert(file.key.clone(), text);
        }
    }
    Some(files)
}
