//! Text that must not appear in a log, an error or a listing.

use serde::Deserialize;

/// A secret. `Debug` and `Display` hide it; only [`Secret::reveal`] gives it away.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Secret(String);

impl Secret {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The secret itself.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl std::fmt::Display for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("(hidden)")
    }
}

/// A database URL as it may be shown: without its password.
pub(crate) fn without_password(url: &str) -> String {
    let Ok(mut parsed) = reqwest::Url::parse(url) else { return "(hidden)".to_owned() };
    if parsed.password().is_some() && parsed.set_password(Some("…")).is_err() {
        return "(hidden)".to_owned();
    }
    // Some drivers take the password as a parameter.
    let kept: Vec<_> = parsed
        .query_pairs()
        .filter(|(key, _)| !key.to_ascii_lowercase().contains("password"))
        .map(|(key, value)| (key.into_owned(), value.into_owned()))
        .collect();
    parsed.set_query(None);
    if !kept.is_empty() {
        parsed.query_pairs_mut().extend_pairs(kept);
    }
    parsed.to_string().replace("%E2%80%A6", "…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_never_printed() {
        let secret = Secret::new("hunter2");
        assert_eq!(format!("{secret:?} {secret}"), "Secret(…) (hidden)");
    }

    #[test]
    fn a_database_url_is_shown_without_its_password() {
        assert_eq!(without_password("postgres://me:pw@db/x?a=1&password=y"), "postgres://me:…@db/x?a=1");
        assert_eq!(without_password("postgres://db/x"), "postgres://db/x");
        assert_eq!(without_password("not a url pw"), "(hidden)");
    }
}
