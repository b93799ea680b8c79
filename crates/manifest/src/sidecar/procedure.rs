//! The `procedure` field: which code to run, and with what.

use model::{
    Bundle, BundlePath, Language, Parameter, ParameterType, Procedure, RunLimits, is_reserved_variable,
};
use serde_json::Value as Json;

use super::cursor::Cursor;
use super::{bounds, limits as run_limits};
use crate::finding::shown;
use crate::yaml::Entry;

pub(super) const FIELDS: [&str; 7] =
    ["language", "file", "function", "parameters", "profile", "limits", "network"];
pub(super) const PARAMETER_FIELDS: [&str; 5] = ["name", "type", "description", "required", "default"];

pub(super) fn read(place: &Entry, bundle: &Bundle, cursor: &mut Cursor<'_>) -> Option<Procedure> {
    let entries = cursor.map("procedure", &place.value)?;
    cursor.only(entries, "procedure", &FIELDS);
    let language = cursor
        .require(entries, place, "language")
        .and_then(|entry| cursor.word(entry, Language::ALL, Language::as_str));
    let file = cursor.require(entries, place, "file").and_then(|entry| read_file(entry, bundle, cursor));
    let mut function = None;
    let mut parameters = Vec::new();
    let mut profile = None;
    let mut limits = RunLimits::default();
    let mut network = Vec::new();
    for entry in entries {
        match entry.key.as_str() {
            "function" if language == Some(Language::Shell) => {
                let message = "a shell procedure has no `function`; the script runs as a whole, remove it";
                cursor.error("sidecar_value", entry.line, message);
            }
            "function" => function = cursor.identifier(entry),
            "parameters" => parameters = read_parameters(entry, cursor),
            "profile" => profile = read_profile(entry, cursor),
            "limits" => limits = run_limits::read(entry, cursor),
            "network" => network = run_limits::read_network(entry, cursor),
            _ => {}
        }
    }
    if language == Some(Language::Shell) {
        refuse_reserved(place, &parameters, cursor);
    }
    Some(Procedure { language: language?, file: file?, function, parameters, profile, limits, network })
}

/// Parameters of a script are environment variables, and some of those are orders to its interpreter.
fn refuse_reserved(place: &Entry, parameters: &[Parameter], cursor: &mut Cursor<'_>) {
    for parameter in parameters.iter().filter(|parameter| is_reserved_variable(&parameter.name)) {
        let name = &parameter.name;
        let message = format!(
            "parameter `{name}` is a variable by which an interpreter or the sandbox is directed; give it another name"
        );
        cursor.error("sidecar_value", place.line, message);
    }
}

fn read_file(entry: &Entry, bundle: &Bundle, cursor: &mut Cursor<'_>) -> Option<BundlePath> {
    let text = cursor.text(entry, BundlePath::MAX)?;
    let path = match BundlePath::parse(&text) {
        Ok(path) => path,
        Err(error) => {
            cursor.error("sidecar_value", entry.line, error.to_string());
            return None;
        }
    };
    if bundle.get(path.as_str()).is_none() {
        let message =
            format!("procedure file `{}` is not in the bundle; add it or correct the path", shown(&text));
        cursor.error("sidecar_file_missing", entry.line, message);
        return None;
    }
    Some(path)
}

fn read_profile(entry: &Entry, cursor: &mut Cursor<'_>) -> Option<String> {
    let text = cursor.text(entry, bounds::NAME)?;
    let valid = text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-'));
    if !valid {
        let message = format!("profile `{}` must be of a-z, 0-9, `.`, `_` and `-`", shown(&text));
        cursor.error("sidecar_value", entry.line, message);
        return None;
    }
    Some(text)
}

fn read_parameters(place: &Entry, cursor: &mut Cursor<'_>) -> Vec<Parameter> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for item in cursor.items(place, bounds::PARTS).unwrap_or_default() {
        let entry = Entry { key: "parameters".to_owned(), line: item.line, start: 0, value: item.clone() };
        let Some(parameter) = read_parameter(&entry, cursor) else { continue };
        if parameters.iter().any(|known| known.name == parameter.name) {
            let message = format!("parameter `{}` stands twice; rename or remove one", parameter.name);
            cursor.error("sidecar_duplicate", item.line, message);
            continue;
        }
        parameters.push(parameter);
    }
    parameters
}

fn read_parameter(place: &Entry, cursor: &mut Cursor<'_>) -> Option<Parameter> {
    let entries = cursor.map("parameter", &place.value)?;
    cursor.only(entries, "a parameter", &PARAMETER_FIELDS);
    let name = cursor.require(entries, place, "name").and_then(|entry| cursor.identifier(entry));
    let kind = cursor
        .require(entries, place, "type")
        .and_then(|entry| cursor.word(entry, ParameterType::ALL, ParameterType::as_str));
    let mut description = None;
    let mut required = None;
    let mut default = None;
    for entry in entries {
        match entry.key.as_str() {
            "description" => description = cursor.text(entry, bounds::PROSE),
            "required" => required = cursor.boolean(entry),
            "default" => default = read_default(entry, kind, cursor),
            _ => {}
        }
    }
    let required = required.unwrap_or(default.is_none());
    Some(Parameter { name: name?, kind: kind?, description, required, default })
}

fn read_default(entry: &Entry, kind: Option<ParameterType>, cursor: &mut Cursor<'_>) -> Option<Json> {
    let value = entry.value.to_json();
    if kind.is_some_and(|kind| !fits(kind, &value)) {
        let wanted = kind.map_or("", ParameterType::as_str);
        let message =
            format!("the default is {}, but the type is `{wanted}`; make them agree", entry.value.kind());
        cursor.error("sidecar_type", entry.line, message);
        return None;
    }
    Some(value)
}

fn fits(kind: ParameterType, value: &Json) -> bool {
    match kind {
        ParameterType::String => value.is_string(),
        ParameterType::Integer => value.is_i64() || value.is_u64(),
        ParameterType::Number => value.is_number(),
        ParameterType::Boolean => value.is_boolean(),
        ParameterType::Array => value.is_array(),
        ParameterType::Object => value.is_object(),
        ParameterType::Any => true,
    }
}
