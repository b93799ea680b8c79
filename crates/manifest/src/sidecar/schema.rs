//! The JSON Schema of `repertoire.yaml`, for editors and for those who write it by program.

use model::{BundlePath, Language, ParameterType};
use serde_json::{Value, json};

use super::policy::{MAX_COUNT, MAX_PRIORITY};
use super::{bounds, limits};

/// The JSON Schema (draft 2020-12) of `repertoire.yaml`.
pub fn sidecar_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "repertoire.yaml",
        "description": "What a skill says beyond SKILL.md. Every field is optional.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "title": text(bounds::TITLE, "The skill's name for people."),
            "tags": unique(list(bounds::TAGS, "Words to filter by.")),
            "icon": text(bounds::ICON, "The name of an icon."),
            "example_prompts": list(bounds::PROMPTS, "Requests this skill can serve; search uses them."),
            "extends": skill_name("The name of the skill this one adds to."),
            "suggested_tools": list(bounds::TOOLS, "Tools this skill commonly uses."),
            "files": {
                "description": "What single files are for: path to description.",
                "type": "object",
                "propertyNames": { "minLength": 1, "maxLength": BundlePath::MAX },
                "additionalProperties": text(bounds::PROSE, "What the file is for."),
            },
            "procedure": procedure(),
            "policy": policy(),
        },
    })
}

fn procedure() -> Value {
    json!({
        "description": "Code that runs in the sandbox.",
        "type": "object",
        "additionalProperties": false,
        "required": ["language", "file"],
        "properties": {
            "language": {
                "description": "The language of the file.",
                "enum": Language::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>(),
            },
            "file": text(BundlePath::MAX, "The file in the bundle, such as scripts/run.py."),
            "function": identifier("The function to call; without it the file runs as a script."),
            "parameters": {
                "description": "What a caller gives, in order. No two share a name.",
                "type": "array",
                "maxItems": bounds::PARTS,
                "items": parameter(),
            },
            "profile": {
                "description": "The sandbox environment it needs.",
                "type": "string",
                "maxLength": bounds::NAME,
                "pattern": "^[a-z0-9][a-z0-9._-]*$",
            },
            "limits": limits::schema(),
            "network": hosts(),
        },
        "if": { "properties": { "language": { "const": "shell" } }, "required": ["language"] },
        "then": { "properties": { "function": false } },
    })
}

fn hosts() -> Value {
    json!({
        "description": "The hosts it needs: example.org, example.org:8080 or *.example.org. The installation must grant them.",
        "type": "array",
        "maxItems": bounds::HOSTS.count,
        "uniqueItems": true,
        "items": {
            "type": "string",
            "maxLength": bounds::HOSTS.item,
            "pattern": "^(\\*\\.)?[A-Za-z0-9_-]{1,63}(\\.[A-Za-z0-9_-]{1,63})*(:[0-9]{1,5})?$",
        },
    })
}

fn parameter() -> Value {
    let typed: Vec<Value> = ParameterType::ALL
        .iter()
        .filter(|kind| **kind != ParameterType::Any)
        .map(|kind| {
            json!({
                "if": { "properties": { "type": { "const": kind.as_str() } }, "required": ["type"] },
                "then": { "properties": { "default": { "type": kind.as_str() } } },
            })
        })
        .collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "type"],
        "properties": {
            "name": identifier("Its name in the code."),
            "type": {
                "description": "Its type.",
                "enum": ParameterType::ALL.iter().map(|word| word.as_str()).collect::<Vec<_>>(),
            },
            "description": text(bounds::PROSE, "What it means."),
            "required": {
                "description": "Whether a caller must give it; by default yes, unless it has a default.",
                "type": "boolean",
            },
            "default": { "description": "What it is when a caller does not give it." },
        },
        "allOf": typed,
    })
}

fn policy() -> Value {
    json!({
        "description": "What an agent may do while this policy is active.",
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "scope": text(bounds::NAME, "A word for grouping, such as security."),
            "priority": {
                "description": "The greater wins where two policies set the same context value.",
                "type": "integer",
                "minimum": -MAX_PRIORITY,
                "maximum": MAX_PRIORITY,
            },
            "activation": {
                "description": "When it is active; any of these is enough.",
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "always": { "description": "Whatever the task.", "type": "boolean" },
                    "keywords": list(bounds::WORDS, "When the task contains one of these."),
                    "when": text(bounds::PROSE, "When this CEL expression over task and context is true."),
                },
            },
            "allowed_tools": list(bounds::TOOLS, "The only tools allowed; an empty list allows none."),
            "forbidden_tools": list(bounds::TOOLS, "Tools that are never allowed."),
            "max_steps": count("The most steps of a run."),
            "max_execution_time": {
                "description": "The longest a run may take: seconds, or 500ms, 90s, 5m, 1h.",
                "anyOf": [
                    { "type": "integer", "minimum": 1, "maximum": MAX_COUNT },
                    { "type": "string", "pattern": "^[1-9][0-9]{0,8}(ms|s|m|h)$" },
                ],
            },
            "context": { "description": "Values put into the agent's context.", "type": "object" },
            "planning": text(bounds::PROSE, "Text added to the planning prompt."),
            "validators": {
                "description": "Checks on each tool call; all must pass.",
                "type": "array",
                "maxItems": bounds::PARTS,
                "items": validator(),
            },
        },
    })
}

fn validator() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
        "properties": {
            "expression": text(bounds::PROSE, "A CEL expression over tool, args and context."),
            "argument_deny": text(bounds::PROSE, "No argument may match this regular expression."),
            "path_prefix": list(bounds::WORDS, "Path arguments must start with one of these."),
            "host_allow": list(bounds::WORDS, "URLs in arguments must name one of these hosts."),
            "argument_size": count("The most bytes of all arguments."),
        },
    })
}

fn text(max: usize, description: &str) -> Value {
    json!({ "description": description, "type": "string", "maxLength": max, "pattern": "\\S" })
}

fn list(bounds: bounds::List, description: &str) -> Value {
    json!({
        "description": description,
        "type": "array",
        "maxItems": bounds.count,
        "items": { "type": "string", "maxLength": bounds.item, "pattern": "\\S" },
    })
}

fn unique(mut list: Value) -> Value {
    if let Value::Object(map) = &mut list {
        map.insert("uniqueItems".to_owned(), true.into());
    }
    list
}

fn count(description: &str) -> Value {
    json!({ "description": description, "type": "integer", "minimum": 1, "maximum": MAX_COUNT })
}

fn identifier(description: &str) -> Value {
    json!({
        "description": description,
        "type": "string",
        "maxLength": bounds::NAME,
        "pattern": "^[A-Za-z_][A-Za-z0-9_]*$",
    })
}

fn skill_name(description: &str) -> Value {
    json!({
        "description": description,
        "type": "string",
        "maxLength": bounds::NAME,
        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
    })
}
