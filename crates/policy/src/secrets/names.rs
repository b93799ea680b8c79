//! Names whose values are secrets.

/// Words that make the name of a secret, wherever in it they are.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "credential",
    "authorization",
    "bearer",
    "cookie",
    "jwt",
    "connectionstring",
    "apikey",
    "accesskey",
    "accountkey",
    "clientkey",
    "encryptionkey",
    "privatekey",
    "signingkey",
];
/// Words that make one at its end: elsewhere they mean too much else.
const LAST_WORDS: &[&str] = &["token", "pwd"];

/// Whether a field of this name holds a secret, however its words are joined: `api_key`, `Api-Key`, `apiKey`. What is
/// counted in tokens is a number, so that `has_text` decides for other names with that word.
pub fn is_secret_name(name: &str, has_text: impl FnOnce() -> bool) -> bool {
    let name = letters(name);
    WORDS.iter().any(|word| name.contains(word))
        || LAST_WORDS.iter().any(|word| name.ends_with(word))
        || (name.contains("token") && !name.contains("tokeni") && has_text())
}

fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// What a name in free text says about the value that is assigned to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// Chosen by a person: it need not look random.
    Password,
    /// Made by a machine: it looks random.
    Key,
}

impl Holds {
    pub(super) fn kind(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Key => "secret",
        }
    }
}

const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "pwd", "pass", "pw"];
const KEYS: &[&str] = &[
    "secret",
    "secretkey",
    "secretaccesskey",
    "token",
    "apikey",
    "accesskey",
    "accountkey",
    "clientkey",
    "encryptionkey",
    "privatekey",
    "signingkey",
    "sharedaccesskey",
    "sessionkey",
    "masterkey",
    "authkey",
    "amzsignature",
    "googsignature",
    "sig",
    "auth",
    "authorization",
    "jwt",
    "credential",
    "credentials",
    "webhookurl",
    "connectionstring",
];

/// Tokens that are no secrets: they say where to go on.
const PLAIN_TOKENS: &[&str] = &[
    "pagetoken",
    "doctoken",
    "nexttoken",
    "continuationtoken",
    "cancellationtoken",
    "synctoken",
    "stoptoken",
];

/// What a name in free text holds. Only the end of a name counts, so that `password_file`, `token_count` and
/// `secretName` hold nothing.
pub(super) fn holds(name: &str) -> Option<Holds> {
    let name = letters(name);
    let numbered = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let value = numbered.strip_suffix("value").filter(|rest| !rest.is_empty()).unwrap_or(numbered);
    let ends_with = |words: &[&str]| words.iter().any(|word| value.ends_with(word));
    if ends_with(PLAIN_TOKENS) {
        return None;
    }
    // Whole words only for the short ones: `compass` and `bypass` are no passwords.
    if ["pass", "pw", "sig", "auth"].iter().any(|short| value.ends_with(short)) && !is_short_word(value) {
        return None;
    }
    if ends_with(PASSWORDS) {
        return Some(Holds::Password);
    }
    ends_with(KEYS).then_some(Holds::Key)
}

/// Whether a name that ends with a short word is that word, or one of the usual names with it.
fn is_short_word(name: &str) -> bool {
    const BEFORE: &[&str] = &[
        "", "db", "database", "user", "admin", "root", "mysql", "pg", "postgres", "redis", "smtp", "mail",
        "ftp", "ssh", "basic", "http", "proxy", "x", "my", "app", "ldap", "svc", "service", "test", "login",
        "sudo",
    ];
    ["pass", "pw", "sig", "auth"]
        .iter()
        .any(|short| name.strip_suffix(short).is_some_and(|start| BEFORE.contains(&start)))
}
