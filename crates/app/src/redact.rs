//! Keeps secrets out of what is recorded: those with a telling name, and those that [`policy::secrets`] finds by their
//! value. What runs or is judged is never altered, only what is written.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use policy::secrets;
use serde_json::{Map, Value};

const BLANK: &str = "[redacted]";
/// Shorter values stand in too many places by chance, and numbers more so.
const SHORTEST: usize = 4;
const SHORTEST_NUMBER: usize = 6;
/// Shorter values that were found in a text are common words.
const SHORTEST_FOUND: usize = 6;
/// Longer texts are searched apart from the tasks that answer requests.
const LONG: usize = 16 << 10;
/// What stands before the secret in a header.
const SCHEMES: &[&str] = &["bearer", "basic", "token"];
/// So many secrets are looked for in other texts; all of them go where they stand by name.
const MOST: usize = 100;

/// Texts that must not be repeated elsewhere in what is remembered. The longest are first, so that one secret inside
/// another leaves nothing of it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(BTreeSet<(Reverse<usize>, String)>);

impl Secrets {
    /// Those of some data.
    pub(crate) fn of(data: &Value) -> Self {
        let mut secrets = Self::default();
        redact_data(data, &mut secrets);
        secrets
    }

    /// Text in which none of them stands.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.0.iter().take(MOST).fold(text.to_owned(), |text, (_, secret)| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), BLANK) } else { text }
        })
    }

    /// Data in whose texts none of them stands, and that has no number which is one of them.
    pub(crate) fn scrub_data(&self, data: Value) -> Value {
        match data {
            Value::String(text) => Value::String(self.scrub(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.scrub_data(item)).collect(),
            Value::Object(map) => {
                map.into_iter().map(|(name, value)| (name, self.scrub_data(value))).collect()
            }
            Value::Number(number) if self.has(&number.to_string()) => Value::from(BLANK),
            plain => plain,
        }
    }

    fn has(&self, text: &str) -> bool {
        self.0.contains(&(Reverse(text.len()), text.to_owned()))
    }

    /// Adds the texts and numbers of a value.
    fn gather(&mut self, value: &Value) {
        match value {
            Value::String(text) => {
                self.add(text);
                if let Some((scheme, rest)) = text.trim().split_once(' ')
                    && SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known))
                {
                    self.add(rest.trim());
                }
            }
            Value::Number(number) if number.to_string().len() >= SHORTEST_NUMBER => {
                self.add(&number.to_string());
            }
            Value::Array(items) => items.iter().for_each(|item| self.gather(item)),
            Value::Object(map) => map.values().for_each(|item| self.gather(item)),
            _ => {}
        }
    }

    /// Adds a text, as it is and as it stands in JSON.
    fn add(&mut self, text: &str) {
        if text.len() < SHORTEST {
            return;
        }
        let quoted = Value::from(text).to_string();
        let written = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&quoted);
        for form in [text, written] {
            self.0.insert((Reverse(form.len()), form.to_owned()));
        }
    }
}

/// The parameters as they are remembered, and the texts that must not be repeated elsewhere.
pub(crate) fn redact(parameters: &Map<String, Value>, named: &[String]) -> (Map<String, Value>, Secrets) {
    let mut secrets = Secrets::default();
    let kept = redact_map(parameters, named, &mut secrets);
    (kept, secrets)
}

/// The data as it is recorded; the texts that must not be repeated elsewhere are added to the secrets.
pub(crate) fn redact_data(data: &Value, secrets: &mut Secrets) -> Value {
    redact_value(data, &[], secrets)
}

/// The text as it is recorded; what must not be repeated elsewhere is added to the secrets.
pub(crate) fn redact_text(text: &str, secrets: &mut Secrets) -> String {
    let found = secrets::find(text);
    for one in &found {
        let secret = text.get(one.range.clone()).unwrap_or_default();
        if secret.len() >= SHORTEST_FOUND {
            secrets.add(secret);
        }
    }
    secrets::replace(text, &found).into_owned()
}

/// A text as it is recorded on its own.
pub(crate) fn without_secrets(text: &str) -> String {
    secrets::redact(text).into_owned()
}

/// Data without the secrets that its texts show by their value, whatever its fields are called.
pub(crate) fn without_found(data: &Value) -> Value {
    match data {
        Value::String(text) => Value::String(without_secrets(text)),
        Value::Array(items) => items.iter().map(without_found).collect(),
        Value::Object(map) => map.iter().map(|(name, value)| (name.clone(), without_found(value))).collect(),
        plain => plain.clone(),
    }
}

/// How many bytes of text some data has.
pub(crate) fn text_size(data: &Value) -> usize {
    match data {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_size).sum(),
        Value::Object(map) => map.iter().map(|(name, value)| name.len() + text_size(value)).sum(),
        _ => 0,
    }
}

/// Does work on so many bytes of text where it holds up nobody else.
pub(crate) async fn apart<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, crate::Error> {
    if size < LONG {
        return Ok(work());
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| store::StoreError::Unavailable(error.into()).into())
}

fn redact_map(map: &Map<String, Value>, named: &[String], secrets: &mut Secrets) -> Map<String, Value> {
    let is_pair = names_a_secret(map);
    map.iter()
        .map(|(name, value)| {
            let by_pair = is_pair && name.eq_ignore_ascii_case("value");
            let kept = if named.contains(name) || by_pair || is_secret(name, value) {
                secrets.gather(value);
                Value::String(BLANK.to_owned())
            } else {
                redact_value(value, named, secrets)
            };
            (redact_text(name, secrets), kept)
        })
        .collect()
}

/// `{"name": "API_KEY", "value": "…"}`, as variables of an environment are often written.
fn names_a_secret(map: &Map<String, Value>) -> bool {
    let named =
        map.iter().find(|(field, _)| ["name", "key"].iter().any(|known| field.eq_ignore_ascii_case(known)));
    let Some((_, Value::String(name))) = named else { return false };
    map.iter().any(|(field, value)| field.eq_ignore_ascii_case("value") && is_secret(name, value))
}

fn redact_value(value: &Value, named: &[String], secrets: &mut Secrets) -> Value {
    match value {
        Value::Object(map) => Value::Object(redact_map(map, named, secrets)),
        Value::Array(items) => redact_items(items, named, secrets),
        Value::String(text) => Value::String(redact_text(text, secrets)),
        plain => plain.clone(),
    }
}

/// The items of a list; one that follows a flag such as `--token` is its value.
fn redact_items(items: &[Value], named: &[String], secrets: &mut Secrets) -> Value {
    let mut behind_flag = false;
    let kept = items.iter().map(|item| {
        let text = item.as_str().unwrap_or_default();
        let is_value = std::mem::take(&mut behind_flag) && !text.is_empty() && !text.starts_with(['-', '$']);
        if is_value {
            secrets.gather(item);
            return Value::String(BLANK.to_owned());
        }
        behind_flag = text.starts_with("--") && !text.contains([' ', '=']) && is_secret(text, &Value::Null);
        redact_value(item, named, secrets)
    });
    Value::Array(kept.collect())
}

/// Whether a value is a secret by its name.
fn is_secret(name: &str, value: &Value) -> bool {
    secrets::is_secret_name(name, || has_text(value))
}

/// Whether something in a value is neither a number nor written like one.
fn has_text(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(|letter: char| !letter.is_ascii_digit()),
        Value::Array(items) => items.iter().any(has_text),
        Value::Object(map) => map.values().any(has_text),
        _ => false,
    }
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
            secrets.scrub("no such user: hunter2 at DE00 1234"),
            "no such user: [redacted] at [redacted]"
        );
        assert_eq!(secrets.scrub("ada spent 3"), "ada spent 3");
    }

    #[test]
    fn secrets_go_by_many_names() {
        for name in [
            "Authorization",
            "proxy-authorization",
            "cookie",
            "Set-Cookie",
            "credentials",
            "aws_credential",
            "passphrase",
            "passcode",
            "pwd",
            "dbPwd",
            "access_key",
            "AWS Access Key",
            "accessKey",
            "clientKey",
            "privateKey",
            "ssh.private.key",
            "bearer",
            "id_jwt",
            "connectionString",
            "token",
            "refreshToken",
            "token_value",
            "tokens",
            "api_tokens",
        ] {
            let given = json!({name: ["s3cret-value"]});
            let mut secrets = Secrets::default();
            assert_eq!(redact_data(&given, &mut secrets), json!({name: BLANK}));
            assert_eq!(secrets.scrub("of s3cret-value!"), "of [redacted]!", "{name}");
        }
        for plain in [
            json!({"max_tokens": 500}),
            json!({"max_tokens": "500"}),
            json!({"token_count": 7, "tokens": {"in": 5, "out": 7}}),
            json!({"tokenizer": "words"}),
            json!({"author": "ada", "passage": "Psalm", "key": "a", "keyboard": "qwerty", "cwd": "/srv"}),
        ] {
            assert_eq!(redact_data(&plain, &mut Secrets::default()), plain);
        }
    }

    #[test]
    fn a_header_is_a_secret_without_its_scheme_too_and_a_number_if_it_is_long() {
        let headers = json!({"headers": {"Authorization": "Bearer sk-12345"}, "password": [123_456, 12_345]});
        let secrets = Secrets::of(&headers);
        assert_eq!(secrets.scrub("curl with sk-12345"), "curl with [redacted]");
        assert_eq!(secrets.scrub("pin 123456 of 12345"), "pin [redacted] of 12345");
        assert_eq!(secrets.scrub_data(json!([123_456, 12_345])), json!([BLANK, 12_345]));
    }

    #[test]
    fn secrets_are_found_by_their_value_and_not_repeated_elsewhere() {
        let mut secrets = Secrets::default();
        let kept = redact_data(
            &json!({
                "command": "PGPASSWORD=tulips-42 psql && curl -u ada:roses-77 https://h",
                "argv": ["deploy", "--token", "blue-sky", "--yes"],
                "env": [{"name": "API_KEY", "value": "green-hill"}, {"name": "PATH", "value": "/usr/bin"}],
                "note": "ok",
            }),
            &mut secrets,
        );
        assert_eq!(
            kept,
            json!({
                "command": "PGPASSWORD=[redacted: password] psql && curl -u ada:[redacted: password] https://h",
                "argv": ["deploy", "--token", BLANK, "--yes"],
                "env": [{"name": "API_KEY", "value": BLANK}, {"name": "PATH", "value": "/usr/bin"}],
                "note": "ok",
            })
        );
        assert_eq!(
            secrets.scrub("tulips-42 roses-77 blue-sky green-hill /usr/bin"),
            format!("{BLANK} {BLANK} {BLANK} {BLANK} /usr/bin")
        );
    }

    #[test]
    fn a_secret_is_found_as_it_is_and_as_it_stands_in_json() {
        let secrets = Secrets::of(&json!({"password": ["\"two\nlines\"", "abc", "abcdef", "abcdefgh"]}));
        assert_eq!(secrets.scrub("is \"two\nlines\""), "is [redacted]");
        assert_eq!(secrets.scrub(&json!(["\"two\nlines\""]).to_string()), r#"["[redacted]"]"#);
        assert_eq!(secrets.scrub("abc abcdefgh abcdef"), "abc [redacted] [redacted]");
        assert_eq!(secrets.scrub_data(json!({"a": ["abcdef", 1]})), json!({"a": ["[redacted]", 1]}));
    }
}
