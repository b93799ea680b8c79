//! The rules of the fields, in the order in which the reference reports them.

use unicode_normalization::UnicodeNormalization as _;

use super::frontmatter::{Entries, field};
use super::python::{is_alphanumeric, is_lowercase, strip};
use super::yaml::Value;

const LONGEST_NAME: usize = 64;
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_COMPATIBILITY: usize = 500;

/// The fields the standard knows, sorted.
const KNOWN: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];

/// All errors of the fields.
pub(super) fn errors(entries: &Entries, directory_name: &str) -> Vec<String> {
    let mut errors = Vec::new();
    errors.extend(unexpected_fields(entries));
    match field(entries, "name") {
        None => errors.push(missing("name")),
        Some(name) => name_errors(name, directory_name, &mut errors),
    }
    match field(entries, "description") {
        None => errors.push(missing("description")),
        Some(description) => errors.extend(description_error(description)),
    }
    if let Some(compatibility) = field(entries, "compatibility") {
        errors.extend(compatibility_error(compatibility));
    }
    errors
}

/// The message for a field that must be there.
pub(super) fn missing(name: &str) -> String {
    format!("Missing required field in frontmatter: {name}")
}

/// The stripped text of a field that must hold one, or the message.
pub(super) fn required_text<'a>(name: &str, value: &'a Value) -> Result<&'a str, String> {
    match value.as_text().map(strip) {
        Some(text) if !text.is_empty() => Ok(text),
        _ => Err(format!("Field '{name}' must be a non-empty string")),
    }
}

fn unexpected_fields(entries: &Entries) -> Option<String> {
    let mut unknown =
        entries.iter().map(|(key, _)| key.as_str()).filter(|key| !KNOWN.contains(key)).collect::<Vec<_>>();
    if unknown.is_empty() {
        return None;
    }
    unknown.sort_unstable();
    let unknown = unknown.join(", ");
    let known = KNOWN.join("', '");
    Some(format!("Unexpected fields in frontmatter: {unknown}. Only ['{known}'] are allowed."))
}

fn name_errors(value: &Value, directory_name: &str, errors: &mut Vec<String>) {
    let name = match required_text("name", value) {
        Ok(text) => text.nfkc().collect::<String>(),
        Err(error) => return errors.push(error),
    };
    let length = name.chars().count();
    if length > LONGEST_NAME {
        errors.push(format!("Skill name '{name}' exceeds {LONGEST_NAME} character limit ({length} chars)"));
    }
    if !is_lowercase(&name) {
        errors.push(format!("Skill name '{name}' must be lowercase"));
    }
    if name.starts_with('-') || name.ends_with('-') {
        errors.push("Skill name cannot start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        errors.push("Skill name cannot contain consecutive hyphens".to_owned());
    }
    if !name.chars().all(|c| c == '-' || is_alphanumeric(c)) {
        errors.push(format!(
            "Skill name '{name}' contains invalid characters. Only letters, digits, and hyphens are allowed."
        ));
    }
    if !directory_name.nfkc().eq(name.chars()) {
        errors.push(format!("Directory name '{directory_name}' must match skill name '{name}'"));
    }
}

fn description_error(value: &Value) -> Option<String> {
    if let Err(error) = required_text("description", value) {
        return Some(error);
    }
    too_long("Description", value.as_text()?, LONGEST_DESCRIPTION)
}

fn compatibility_error(value: &Value) -> Option<String> {
    match value.as_text() {
        None => Some("Field 'compatibility' must be a string".to_owned()),
        Some(text) => too_long("Compatibility", text, LONGEST_COMPATIBILITY),
    }
}

/// Counts the characters as they are written, surrounding white space included.
fn too_long(what: &str, text: &str, limit: usize) -> Option<String> {
    let length = text.chars().count();
    (length > limit).then(|| format!("{what} exceeds {limit} character limit ({length} chars)"))
}
