//! Tokens, really counted.

use std::sync::OnceLock;

use tiktoken_rs::CoreBPE;

/// How many tokens a text has, in the vocabulary `o200k_base`, which current models use. Other models count a little
/// differently; nobody publishes how.
pub fn count_tokens(text: &str) -> usize {
    static VOCABULARY: OnceLock<Option<CoreBPE>> = OnceLock::new();
    match VOCABULARY.get_or_init(|| tiktoken_rs::o200k_base().ok()) {
        Some(vocabulary) => vocabulary.encode_ordinary(text).len(),
        // It is part of the program. If it were not, a byte is never less than a token.
        None => text.len(),
    }
}
