//! Text with `*` in it, which stands for any text.

/// A text in which `*` stands for any text. Matching takes time in proportion to the length of both at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Glob {
    /// What stands between the stars; one part more than there are stars.
    parts: Vec<String>,
}

impl Glob {
    pub(super) fn new(text: &str) -> Self {
        Self { parts: text.split('*').map(str::to_owned).collect() }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let [first, between @ .., last] = self.parts.as_slice() else {
            return self.parts.first().is_some_and(|whole| whole == text);
        };
        let Some(mut rest) =
            text.strip_prefix(first.as_str()).and_then(|rest| rest.strip_suffix(last.as_str()))
        else {
            return false;
        };
        // Taking the first place of each part leaves the most for those behind it.
        for part in between.iter().filter(|part| !part.is_empty()) {
            let Some(place) = rest.find(part.as_str()) else { return false };
            rest = rest.get(place + part.len()..).unwrap_or_default();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn a_star_is_any_text() {
        for (glob, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("*", "anything", true),
            ("mcp__github__*", "mcp__github__create", true),
            ("mcp__github__*", "mcp__gitlab__create", false),
            ("a*b", "ab", true),
            ("a*b", "axxb", true),
            ("a*b", "axxbx", false),
            ("ab*ba", "aba", false),
            ("*a*b*", "xaxbx", true),
            ("*a*b*", "xbxax", false),
            ("a**b", "a-b", true),
            ("*.rs", "main.rs", true),
        ] {
            assert_eq!(Glob::new(glob).matches(text), expected, "{glob} {text}");
        }
    }
}
