//! Keywords: whether a task mentions one, whatever the case.

use unicode_normalization::UnicodeNormalization;

/// A task, with what searching it for keywords needs.
#[derive(Debug, Clone)]
pub struct Task<'a> {
    text: &'a str,
    folded: String,
    pairs: Pairs,
}

impl<'a> Task<'a> {
    /// A task as the user wrote it.
    pub fn new(text: &'a str) -> Self {
        let folded = fold(text);
        Self { text, pairs: Pairs::of(&folded), folded }
    }

    /// The task as the user wrote it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Whether it contains this, whatever the case.
    pub fn mentions(&self, keyword: &str) -> bool {
        self.contains(&fold(keyword))
    }

    /// Whether it contains a keyword that is folded already.
    pub(super) fn contains(&self, folded: &str) -> bool {
        !folded.is_empty() && self.pairs.may_have(folded) && self.folded.contains(folded)
    }
}

/// Which bytes stand side by side in a text, roughly: most keywords that are not in it have a pair that is not.
#[derive(Debug, Clone)]
struct Pairs([u64; Pairs::WORDS]);

impl Pairs {
    const WORDS: usize = 64;

    fn of(text: &str) -> Self {
        let mut pairs = Self([0; Self::WORDS]);
        for (word, bit) in Self::places(text) {
            if let Some(word) = pairs.0.get_mut(word) {
                *word |= bit;
            }
        }
        pairs
    }

    /// Whether a text may be in the one it was made of.
    fn may_have(&self, text: &str) -> bool {
        Self::places(text).all(|(word, bit)| self.0.get(word).is_some_and(|word| word & bit != 0))
    }

    /// A word and a bit in it for each pair; several pairs share one.
    fn places(text: &str) -> impl Iterator<Item = (usize, u64)> {
        let bytes = text.as_bytes();
        bytes
            .iter()
            .zip(bytes.iter().skip(1))
            .map(|(one, next)| (usize::from(*one) % Self::WORDS, 1 << (next % 64)))
    }
}

/// Text without the differences of case, in composed form: `STRASSE` and `straße`, `Σ` and `ς` become the same.
///
/// Each character on its own is put in upper case and then in lower case, which is Unicode's case folding but for a few
/// letters of Cherokee; unlike `str::to_lowercase` it does not depend on the neighbours, so that a part of a text folds
/// to a part of the folded text.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_is_found_whatever_the_case() {
        for (task, keyword) in [
            ("Please REVIEW this", "review"),
            ("review", "Review"),
            ("in der STRASSE", "straße"),
            ("in der Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("οδός μου", "ΟΔΌΣ"),
            ("Cafe\u{301} au lait", "CAFÉ"),
            ("İstanbul", "i\u{307}stanbul"),
            ("300 \u{212a}", "300 k"),
            ("レビューして", "レビュー"),
        ] {
            assert!(Task::new(task).mentions(keyword), "{task} should mention {keyword}");
        }
    }

    #[test]
    fn every_part_of_a_text_is_found() {
        let text = "Prüfe die ÄNDERUNG, run its tests; レビューして 1/2";
        let ends: Vec<usize> = text.char_indices().map(|(place, _)| place).chain([text.len()]).collect();
        for (index, start) in ends.iter().enumerate() {
            for end in ends.iter().skip(index + 1) {
                assert!(Task::new(text).mentions(&text[*start..*end]), "{}", &text[*start..*end]);
            }
        }
    }

    #[test]
    fn what_is_not_there_is_not_found() {
        for (task, keyword) in
            [("preview", "reviews"), ("café", "cafe"), ("a", ""), ("", ""), ("", "a"), ("r e v", "rev")]
        {
            assert!(!Task::new(task).mentions(keyword), "{task} should not mention {keyword}");
        }
    }
}
