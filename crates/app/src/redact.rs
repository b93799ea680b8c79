//! Keeps secrets out of what is remembered of runs, decisions and sessions.

use serde_json::{Map, Value};

const BLANK: &str = "[redacted]";
/// Shorter values stand in too many places by chance.
const SHORTEST: usize = 4;

/// The parameters as they are remembered, and the texts that must not be repeated elsewhere.
pub(crate) fn redact(parameters: &Map<String, Value>, named: &[String]) -> (Map<String, Value>, Vec<String>) {
    let mut secrets = Vec::new();
    let kept = redact_map(parameters, named, &mut secrets);
    // The longest first, so that one secret inside another leaves nothing of it.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    (kept, secrets)
}

/// Text in which no secret stands.
pub(crate) fn scrub(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| {
        if text.contains(secret.as_str()) { text.replace(secret.as_str(), BLANK) } else { text }
    })
}

/// The data as it is remembered; the texts that must not be repeated elsewhere are added to the secrets.
pub(crate) fn redact_data(data: &Value, secrets: &mut Vec<String>) -> Value {
    redact_value(data, &[], secrets)
}

/// Data in whose texts no secret stands.
pub(crate) fn scrub_data(data: Value, secrets: &[String]) -> Value {
    match data {
        Value::String(text) => Value::String(scrub(&text, secrets)),
        Value::Array(items) => items.into_iter().map(|item| scrub_data(item, secrets)).collect(),
        Value::Object(map) => {
            map.into_iter().map(|(name, value)| (name, scrub_data(value, secrets))).collect()
        }
        plain => plain,
    }
}

fn redact_map(map: &Map<String, Value>, named: &[String], secrets: &mut Vec<String>) -> Map<String, Value> {
    map.iter()
        .map(|(name, value)| {
            let kept = if named.contains(name) || looks_secret(name) {
                gather(value, secrets);
                Value::String(BLANK.to_owned())
            } else {
                redact_value(value, named, secrets)
            };
            (name.clone(), kept)
        })
        .collect()
}

fn redact_value(value: &Value, named: &[String], secrets: &mut Vec<String>) -> Value {
    match value {
        Value::Object(map) => Value::Object(redact_map(map, named, secrets)),
        Value::Array(items) => {
            Value::Array(items.iter().map(|item| redact_value(item, named, secrets)).collect())
        }
        plain => plain.clone(),
    }
}

fn gather(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() >= SHORTEST => secrets.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| gather(item, secrets)),
        Value::Object(map) => map.values().for_each(|item| gather(item, secrets)),
        _ => {}
    }
}

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace(['-', ' '], "_");
    ["password", "passwd", "secret", "api_key", "apikey", "private_key"]
        .iter()
        .any(|word| name.contains(word))
        || name.ends_with("token")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_named_or_looks_like_a_secret_is_not_remembered() {
        let Value::Object(given) = json!({
            "amount": 3, "iban": "DE00 1234", "api_key": "key-1", "accessToken": "tok-22", "max_tokens": 5,
            "login": {"user": "ada", "Password": "hunter2", "hosts": [{"secret": ["inner"]}]},
        }) else {
            panic!("not a map")
        };
        let (kept, secrets) = redact(&given, &["iban".to_owned()]);
        assert_eq!(
            Value::Object(kept),
            json!({
                "amount": 3, "iban": BLANK, "api_key": BLANK, "accessToken": BLANK, "max_tokens": 5,
                "login": {"user": "ada", "Password": BLANK, "hosts": [{"secret": BLANK}]},
            })
        );
        assert_eq!(
            scrub("no such user: hunter2 at DE00 1234", &secrets),
            "no such user: [redacted] at [redacted]"
        );
        assert_eq!(scrub("ada spent 3", &secrets), "ada spent 3");
    }
}
