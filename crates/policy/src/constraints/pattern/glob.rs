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

    /// The text it was made of.
    pub(super) fn text(&self) -> String {
        self.parts.join("*")
    }

    /// Whether it has no star.
    pub(super) fn is_plain(&self) -> bool {
        self.parts.len() == 1
    }

    /// What stands before the first star.
    pub(super) fn start(&self) -> &str {
        self.parts.first().map_or("", String::as_str)
    }

    /// Whether it matches everything that another one matches. A star of the other can only be taken by a star, so that
    /// what matches the text with its stars matches whatever they stand for.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.matches(&other.text())
    }

    /// Whether some text may match both; true where that cannot be excluded by how they begin and end.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        if self.is_plain() || other.is_plain() {
            return self.covers(other) || other.covers(self);
        }
        let end = |glob: &Self| glob.parts.last().cloned().unwrap_or_default();
        let (one, two) = (end(self), end(other));
        (self.start().starts_with(other.start()) || other.start().starts_with(self.start()))
            && (one.ends_with(&two) || two.ends_with(&one))
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

    #[test]
    fn what_a_glob_covers_it_meets() {
        for (one, other, covers, meets) in [
            ("mcp__*", "mcp__github__*", true, true),
            ("mcp__github__*", "mcp__*", false, true),
            ("a*", "b*", false, false),
            ("*a", "*b", false, false),
            ("a*b", "a*b*", false, true),
            ("*x*", "*x", true, true),
            ("ab", "a*", false, true),
            ("ab", "ab", true, true),
            ("*", "", true, true),
        ] {
            let (one, other) = (Glob::new(one), Glob::new(other));
            assert_eq!((one.covers(&other), one.may_meet(&other)), (covers, meets), "{one:?} {other:?}");
            assert_eq!(other.may_meet(&one), meets);
        }
    }
}
