//! Writes a sidecar, whole or one field of it, so that reading it gives the same values.

use std::fmt::Write as _;
use std::time::Duration;

use model::{Parameter, Policy, Procedure, Validator};

use super::{FIELDS, Sidecar, limits};
use crate::yaml::write as yaml;

/// The whole sidecar, or nothing when there is nothing to say.
pub(crate) fn write(sidecar: &Sidecar) -> Option<String> {
    let text: String = FIELDS.iter().filter_map(|field| field_text(sidecar, field)).collect();
    (!text.is_empty()).then_some(text)
}

/// The lines of one field.
pub(crate) fn field_text(sidecar: &Sidecar, field: &str) -> Option<String> {
    let mut out = String::new();
    let mut text = |value: &Option<String>| {
        if let Some(value) = value {
            yaml::field(&mut out, 0, field, value);
        }
    };
    match field {
        "title" => text(&sidecar.title),
        "icon" => text(&sidecar.icon),
        "extends" => text(&sidecar.extends),
        "tags" => list(&mut out, field, sidecar.tags.as_deref()),
        "example_prompts" => list(&mut out, field, sidecar.example_prompts.as_deref()),
        "suggested_tools" => list(&mut out, field, sidecar.suggested_tools.as_deref()),
        "files" => {
            if let Some(files) = sidecar.files.as_ref().filter(|files| !files.is_empty()) {
                out.push_str("files:\n");
                for (path, description) in files {
                    yaml::field(&mut out, 2, path, description);
                }
            }
        }
        "procedure" => {
            if let Some(value) = &sidecar.procedure {
                procedure(&mut out, value);
            }
        }
        _ => {
            if let Some(value) = &sidecar.policy {
                policy(&mut out, value);
            }
        }
    }
    (!out.is_empty()).then_some(out)
}

fn list(out: &mut String, field: &str, items: Option<&[String]>) {
    if let Some(items) = items {
        yaml::list(out, 0, field, items);
    }
}

fn procedure(out: &mut String, procedure: &Procedure) {
    out.push_str("procedure:\n");
    yaml::field(out, 2, "language", procedure.language.as_str());
    yaml::field(out, 2, "file", procedure.file.as_str());
    if let Some(function) = &procedure.function {
        yaml::field(out, 2, "function", function);
    }
    if !procedure.parameters.is_empty() {
        out.push_str("  parameters:\n");
        procedure.parameters.iter().for_each(|parameter| write_parameter(out, parameter));
    }
    if let Some(profile) = &procedure.profile {
        yaml::field(out, 2, "profile", profile);
    }
    limits::write(out, &procedure.limits);
    if !procedure.network.is_empty() {
        let hosts: Vec<String> = procedure.network.iter().map(ToString::to_string).collect();
        yaml::list(out, 2, "network", &hosts);
    }
}

fn write_parameter(out: &mut String, parameter: &Parameter) {
    out.push_str("    - ");
    yaml::field(out, 0, "name", &parameter.name);
    yaml::field(out, 6, "type", parameter.kind.as_str());
    if let Some(description) = &parameter.description {
        yaml::field(out, 6, "description", description);
    }
    // Without the line, a parameter is required exactly when it has no default.
    if parameter.required != parameter.default.is_none() {
        let _ = writeln!(out, "      required: {}", parameter.required);
    }
    if let Some(default) = &parameter.default {
        yaml::json(out, 6, "default", default);
    }
}

fn policy(out: &mut String, policy: &Policy) {
    let empty = *policy == Policy::default();
    out.push_str(if empty { "policy: {}\n" } else { "policy:\n" });
    if let Some(scope) = &policy.scope {
        yaml::field(out, 2, "scope", scope);
    }
    if policy.priority != 0 {
        let _ = writeln!(out, "  priority: {}", policy.priority);
    }
    write_activation(out, policy);
    if let Some(tools) = &policy.allowed_tools {
        yaml::list(out, 2, "allowed_tools", tools);
    }
    if !policy.forbidden_tools.is_empty() {
        yaml::list(out, 2, "forbidden_tools", &policy.forbidden_tools);
    }
    if let Some(steps) = policy.max_steps {
        let _ = writeln!(out, "  max_steps: {steps}");
    }
    if let Some(time) = policy.max_execution_time {
        let _ = writeln!(out, "  max_execution_time: {}", duration(time));
    }
    if !policy.context.is_empty() {
        yaml::json(out, 2, "context", &serde_json::Value::Object(policy.context.clone()));
    }
    if let Some(planning) = &policy.planning {
        yaml::field(out, 2, "planning", planning);
    }
    if !policy.validators.is_empty() {
        out.push_str("  validators:\n");
        policy.validators.iter().for_each(|validator| write_validator(out, validator));
    }
}

fn write_activation(out: &mut String, policy: &Policy) {
    let activation = &policy.activation;
    if *activation == model::Activation::default() {
        return;
    }
    out.push_str("  activation:\n");
    if activation.always {
        out.push_str("    always: true\n");
    }
    if !activation.keywords.is_empty() {
        yaml::list(out, 4, "keywords", &activation.keywords);
    }
    if let Some(when) = &activation.when {
        yaml::field(out, 4, "when", when);
    }
}

fn duration(time: Duration) -> String {
    let seconds = time.as_secs();
    if time.subsec_nanos() != 0 {
        return format!("{}ms", time.as_millis());
    }
    match (seconds % 3600, seconds % 60) {
        (0, _) if seconds > 0 => format!("{}h", seconds / 3600),
        (_, 0) if seconds > 0 => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
}

fn write_validator(out: &mut String, validator: &Validator) {
    out.push_str("    - ");
    match validator {
        Validator::Expression(text) => block(out, "expression", text),
        Validator::ArgumentDeny(text) => block(out, "argument_deny", text),
        Validator::PathPrefix(items) => nested(out, "path_prefix", items),
        Validator::HostAllow(items) => nested(out, "host_allow", items),
        Validator::ArgumentSize(size) => {
            let _ = writeln!(out, "argument_size: {size}");
        }
    }
}

/// One line, always: a literal block behind `- ` would need the indentation of the key.
fn block(out: &mut String, key: &str, text: &str) {
    let _ = writeln!(out, "{key}: {}", yaml::scalar(text));
}

fn nested(out: &mut String, key: &str, items: &[String]) {
    let mut lines = String::new();
    yaml::list(&mut lines, 6, key, items);
    out.push_str(lines.trim_start());
}
