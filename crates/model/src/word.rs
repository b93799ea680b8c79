//! Closed vocabularies: enums that are written as one lower-case word.

/// A word that is not in the vocabulary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not a {kind}; use one of: {allowed}")]
pub struct UnknownWord {
    /// What was expected, such as `status`.
    pub kind: &'static str,
    /// What was given.
    pub word: String,
    /// The vocabulary, comma separated.
    pub allowed: String,
}

/// Defines an enum whose variants are words, with `ALL`, `as_str`, `parse` (case-insensitive) and `Display`.
macro_rules! words {
    ($(#[$meta:meta])* $name:ident, $kind:literal { $($(#[$vmeta:meta])* $variant:ident => $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$vmeta])* $variant),+ }

        impl $name {
            /// Every word of the vocabulary, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word as it is written everywhere.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// Reads the word, whatever its case.
            pub fn parse(word: &str) -> Result<Self, $crate::UnknownWord> {
                Self::ALL.iter().copied().find(|known| known.as_str().eq_ignore_ascii_case(word)).ok_or_else(|| {
                    $crate::UnknownWord {
                        kind: $kind,
                        word: word.to_owned(),
                        allowed: Self::ALL.iter().map(|known| known.as_str()).collect::<Vec<_>>().join(", "),
                    }
                })
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}
pub(crate) use words;
