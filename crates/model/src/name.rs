//! Skill names: the slug of the Agent Skills standard, in its ASCII reading.

use unicode_normalization::UnicodeNormalization as _;

/// A skill's name: 1 to 64 of `a-z`, `0-9` and `-`, no hyphen at an end, no two in a row.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillName(String);

/// Why a text is not a skill name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing was given.
    #[error("a name cannot be empty")]
    Empty,
    /// More than 64 characters.
    #[error("the name has {0} characters; the limit is 64")]
    TooLong(usize),
    /// A character outside `a-z`, `0-9`, `-`.
    #[error("the name `{name}` contains `{character}`; use a-z, 0-9 and hyphens, for example `{suggestion}`")]
    Character {
        /// What was given.
        name: String,
        /// The first character that does not belong.
        character: char,
        /// A valid name close to it.
        suggestion: String,
    },
    /// A hyphen at an end, or two in a row.
    #[error("the name `{0}` has a hyphen at an end or two in a row")]
    Hyphens(String),
}

impl SkillName {
    /// The longest name.
    pub const MAX: usize = 64;

    /// Reads a name that must already be a slug.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.is_empty() {
            return Err(NameError::Empty);
        }
        let length = text.chars().count();
        if length > Self::MAX {
            return Err(NameError::TooLong(length));
        }
        if let Some(character) = text.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-')) {
            let suggestion = slugify(text).map_or_else(|| "my-skill".to_owned(), |name| name.0);
            return Err(NameError::Character { name: text.to_owned(), character, suggestion });
        }
        if text.starts_with('-') || text.ends_with('-') || text.contains("--") {
            return Err(NameError::Hyphens(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// This name with `-suffix` behind it, shortened so that both fit.
    #[must_use]
    pub fn with_suffix(&self, suffix: &str) -> Option<Self> {
        let room = Self::MAX.checked_sub(suffix.len() + 1)?;
        let stem: String = self.0.chars().take(room).collect();
        Self::parse(&format!("{}-{suffix}", stem.trim_end_matches('-'))).ok()
    }
}

impl std::fmt::Display for SkillName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The slug nearest to a free text (`Calculate_Revenue Growth` gives `calculate-revenue-growth`), if any is left.
pub fn slugify(text: &str) -> Option<SkillName> {
    let mut slug = String::new();
    for character in text.nfkd().flat_map(char::to_lowercase) {
        if slug.len() >= SkillName::MAX {
            break;
        }
        match character {
            'a'..='z' | '0'..='9' => slug.push(character),
            _ if unicode_normalization::char::is_combining_mark(character) => {}
            _ if !slug.is_empty() && !slug.ends_with('-') => slug.push('-'),
            _ => {}
        }
    }
    SkillName::parse(slug.trim_end_matches('-')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ascii_slug_is_a_name() {
        for good in ["a", "a1", "code-review", "x".repeat(64).as_str()] {
            assert!(SkillName::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "a b", "é", "x".repeat(65).as_str(), "a/b", ".."] {
            assert!(SkillName::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn slugify_keeps_what_it_can() {
        let table = [
            ("calculate_revenue_growth", Some("calculate-revenue-growth")),
            ("  Code   Review! ", Some("code-review")),
            ("Café Zürich", Some("cafe-zurich")),
            ("--a--b--", Some("a-b")),
            ("技能", None),
            ("", None),
        ];
        for (given, wanted) in table {
            assert_eq!(slugify(given).as_ref().map(SkillName::as_str), wanted, "{given}");
        }
        assert!(slugify(&"ab ".repeat(60)).is_some_and(|name| name.as_str().len() <= 64));
    }

    #[test]
    fn a_suffix_always_fits() {
        let long = SkillName::parse(&"x".repeat(64)).unwrap();
        assert_eq!(long.with_suffix("1f3a").unwrap().as_str().len(), 64);
    }
}
