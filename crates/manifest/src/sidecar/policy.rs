//! The `policy` field: when it is active, and which tools and limits then hold.

use std::time::Duration;

use model::{Activation, Policy, Validator};
use serde_json::Value as Json;

use super::bounds;
use super::cursor::Cursor;
use crate::finding::shown;
use crate::yaml::{Entry, Node, Value};

pub(super) const FIELDS: [&str; 10] = [
    "scope",
    "priority",
    "activation",
    "allowed_tools",
    "forbidden_tools",
    "max_steps",
    "max_execution_time",
    "context",
    "planning",
    "validators",
];
pub(super) const ACTIVATION_FIELDS: [&str; 3] = ["always", "keywords", "when"];
pub(super) const VALIDATORS: [&str; 5] =
    ["expression", "argument_deny", "path_prefix", "host_allow", "argument_size"];

/// The largest priority, and with a minus the smallest.
pub(super) const MAX_PRIORITY: i64 = 1_000_000_000;
/// The most steps, seconds or bytes that can be written.
pub(super) const MAX_COUNT: i64 = 999_999_999;

pub(super) fn read(place: &Entry, cursor: &mut Cursor<'_>) -> Option<Policy> {
    let entries = cursor.map("policy", &place.value)?;
    cursor.only(entries, "policy", &FIELDS);
    let mut policy = Policy::default();
    for entry in entries {
        match entry.key.as_str() {
            "scope" => policy.scope = cursor.text(entry, bounds::NAME),
            "priority" => {
                policy.priority = cursor.integer(entry, -MAX_PRIORITY, MAX_PRIORITY).unwrap_or_default();
            }
            "activation" => policy.activation = read_activation(entry, cursor),
            // A list that cannot be read must not become "everything is allowed".
            "allowed_tools" => {
                policy.allowed_tools = Some(cursor.list(entry, bounds::TOOLS).unwrap_or_default());
            }
            "forbidden_tools" => {
                policy.forbidden_tools = cursor.list(entry, bounds::TOOLS).unwrap_or_default();
            }
            "max_steps" => {
                policy.max_steps =
                    cursor.integer(entry, 1, MAX_COUNT).and_then(|steps| u32::try_from(steps).ok());
            }
            "max_execution_time" => policy.max_execution_time = read_duration(entry, cursor),
            "context" => {
                if cursor.map("context", &entry.value).is_some()
                    && let Json::Object(context) = entry.value.to_json()
                {
                    policy.context = context;
                }
            }
            "planning" => policy.planning = cursor.text(entry, bounds::PROSE),
            "validators" => policy.validators = read_validators(entry, cursor),
            _ => {}
        }
    }
    if policy.activation == Activation::default() {
        let message =
            "this policy is never active; add `activation` with `always: true`, `keywords` or `when`";
        cursor.warning("policy_never_active", place.line, message);
    }
    Some(policy)
}

fn read_activation(place: &Entry, cursor: &mut Cursor<'_>) -> Activation {
    let mut activation = Activation::default();
    let entries = cursor.map("activation", &place.value).unwrap_or_default();
    cursor.only(entries, "activation", &ACTIVATION_FIELDS);
    for entry in entries {
        match entry.key.as_str() {
            "always" => activation.always = cursor.boolean(entry).unwrap_or_default(),
            "keywords" => activation.keywords = cursor.list(entry, bounds::WORDS).unwrap_or_default(),
            "when" => activation.when = cursor.text(entry, bounds::PROSE),
            _ => {}
        }
    }
    activation
}

/// Seconds as a number, or a number with `ms`, `s`, `m` or `h`.
pub(super) fn read_duration(entry: &Entry, cursor: &mut Cursor<'_>) -> Option<Duration> {
    if entry.value.to_json().is_number() {
        let seconds = cursor.integer(entry, 1, MAX_COUNT)?;
        return u64::try_from(seconds).ok().map(Duration::from_secs);
    }
    let text = cursor.text(entry, bounds::NAME)?;
    let duration = parse_duration(&text);
    if duration.is_none() {
        let message =
            format!("`{}` is not a time; write `90s`, `5m`, `1h` or seconds as a number", shown(&text));
        cursor.error("sidecar_value", entry.line, message);
    }
    duration
}

fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at_checked(digits)?;
    if number.starts_with('0') || number.len() > 9 {
        return None;
    }
    let number: u64 = number.parse().ok()?;
    match unit {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => Some(Duration::from_secs(number * 60)),
        "h" => Some(Duration::from_secs(number * 3600)),
        _ => None,
    }
}

fn read_validators(place: &Entry, cursor: &mut Cursor<'_>) -> Vec<Validator> {
    let items = cursor.items(place, bounds::PARTS).unwrap_or_default();
    items.iter().filter_map(|item| read_validator(item, cursor)).collect()
}

fn read_validator(item: &Node, cursor: &mut Cursor<'_>) -> Option<Validator> {
    let entry = match &item.value {
        Value::Map(entries) if entries.len() == 1 => entries.first()?,
        _ => {
            let message = format!("a validator is a map with one of: {}", VALIDATORS.join(", "));
            cursor.error("sidecar_type", item.line, message);
            return None;
        }
    };
    match entry.key.as_str() {
        "expression" => cursor.text(entry, bounds::PROSE).map(Validator::Expression),
        "argument_deny" => cursor.text(entry, bounds::PROSE).map(Validator::ArgumentDeny),
        "path_prefix" => cursor.list(entry, bounds::WORDS).map(Validator::PathPrefix),
        "host_allow" => cursor.list(entry, bounds::WORDS).map(Validator::HostAllow),
        "argument_size" => {
            let size = cursor.integer(entry, 1, MAX_COUNT)?;
            u64::try_from(size).ok().map(Validator::ArgumentSize)
        }
        _ => {
            cursor.only(std::slice::from_ref(entry), "a validator", &VALIDATORS);
            None
        }
    }
}
