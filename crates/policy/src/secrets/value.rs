//! Whether a value looks like a secret, a placeholder, or a reference to something else.

use std::sync::LazyLock;

use regex::Regex;

/// Values are judged by their beginning.
const LOOKED_AT: usize = 128;

/// Words that documentation and code have in place of a secret.
const PLACEHOLDERS: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "api_key",
    "api-key",
    "key",
    "string",
    "str",
    "text",
    "bool",
    "boolean",
    "number",
    "integer",
    "int",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "required",
    "optional",
    "bearer",
    "basic",
    "user",
    "username",
    "value",
    "credential",
    "credentials",
    "include",
    "same-origin",
    "omit",
    "prompt",
    "default",
    "any",
    "object",
    "test",
    "secret_key",
    "include",
    "auto",
    "manual",
    "enabled",
    "disabled",
    "unset",
    "empty",
    "hidden",
    "masked",
    "env",
    "stdin",
];
/// Parts that only placeholders have.
static PARTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let parts = [
        "your",
        "example",
        "placeholder",
        "change[-_]?me",
        "redacted",
        "xxx",
        r"\.\.",
        r"\*\*\*\*",
        "insert",
        "replace",
        "dummy",
        "sample",
        "<",
        r"\$\{",
        r"\{\{",
        "…",
        "goes[-_]here",
        "todo",
        "fake",
        "[-_]here",
        "123456789",
        "abcdef",
        "input#",
        "not[-_]?a?[-_]?real",
        "my[-_]?secret",
        "my[-_]?token",
        "my[-_]?api",
    ];
    Regex::new(&format!("(?i){}", parts.join("|"))).ok()
});

fn beginning(value: &str) -> &str {
    value.get(..value.floor_char_boundary(LOOKED_AT)).unwrap_or(value)
}

/// Whether it is in place of a secret: a word of documentation, a variable, a template.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = beginning(value).trim_start_matches(['\'', '"']);
    let first = value.chars().next().unwrap_or(' ');
    if matches!(first, '$' | '<' | '{' | '[' | '%' | '`' | '(' | '*') {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    PLACEHOLDERS.contains(&lower.as_str())
        || PARTS.as_ref().is_some_and(|parts| parts.is_match(value))
        || lower.bytes().all(|byte| byte == lower.bytes().next().unwrap_or_default())
        || (is_identifier(&lower)
            && ["pass", "secret", "token", "key"].iter().any(|word| lower.contains(word)))
        || is_address(&lower)
}

/// The address of an account or a contract on a blockchain: public, although it is called a token.
fn is_address(value: &str) -> bool {
    value
        .strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether it names something rather than being it: a path, a URL, a field, a call.
pub(super) fn is_reference(value: &str) -> bool {
    let value = beginning(value);
    let path = value.starts_with(['/', '~', '.', '@']) || value.contains("://");
    let call = value.contains(['(', '[', '{', '<', '$']);
    path || call || is_field(value)
}

/// `self.password`, `process.env.TOKEN`, `Foo::bar`: names joined by dots or colons, at least two.
fn is_field(value: &str) -> bool {
    let parts: Vec<&str> = value.split("::").flat_map(|part| part.split(['.', ':'])).collect();
    let is_name = |part: &&str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            && changes(part) < 2
    };
    parts.len() > 1 && parts.iter().all(is_name)
}

/// `user_password`, `DB_PASSWORD`, `apiKey`: one name without digits.
pub(super) fn is_identifier(value: &str) -> bool {
    beginning(value).bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
}

/// How often letters and digits follow each other directly.
fn changes(value: &str) -> usize {
    let bytes = value.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs
        .filter(|(one, next)| {
            (one.is_ascii_alphabetic() && next.is_ascii_digit())
                || (one.is_ascii_digit() && next.is_ascii_alphabetic())
        })
        .count()
}

/// Whether a machine made it: letters and digits mixed, and no few characters repeated.
pub(super) fn is_random(value: &str) -> bool {
    let value = beginning(value);
    let bytes = value.as_bytes();
    let has = |class: fn(&u8) -> bool| bytes.iter().any(class);
    let mut seen = [false; 256];
    for byte in bytes {
        if let Some(mark) = seen.get_mut(usize::from(*byte)) {
            *mark = true;
        }
    }
    let distinct = seen.iter().filter(|mark| **mark).count();
    let mixed = changes(value) >= 2
        || (bytes.len() >= 20
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_digit));
    bytes.len() >= 8 && distinct >= 6 && mixed && !is_measure(value)
}

/// A date, a time or a version: digits and separators with hardly a letter.
fn is_measure(value: &str) -> bool {
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let separators = value.bytes().filter(|byte| matches!(byte, b'-' | b':' | b'.' | b'/' | b',')).count();
    letters <= 3 && separators >= 2
}

/// Whether a person may have chosen it as a password: not one plain word.
pub(super) fn is_chosen(value: &str) -> bool {
    let value = beginning(value);
    let has = |class: fn(&u8) -> bool| value.as_bytes().iter().any(class);
    let symbol = |byte: &u8| {
        matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'?' | b'~')
    };
    value.len() >= 6
        && has(u8::is_ascii_alphabetic)
        && (has(u8::is_ascii_digit) || has(symbol))
        && !is_measure(value)
}
