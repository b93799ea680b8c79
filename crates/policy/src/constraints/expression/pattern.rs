//! Regular expressions: linear in the text, and of limited size.

use regex::{Regex, RegexBuilder};

use super::MAX_PATTERN;

/// The most that searching texts for one pattern may cost, in units.
pub(in super::super) const MAX_TEXT_UNITS: u64 = 50_000_000;

/// Sizes of a compiled pattern, and what such a pattern costs a byte of text at worst: the engine may visit each of its
/// states once a byte.
const SIZES: [(usize, u64); 5] =
    [(1 << 10, 16), (4 << 10, 64), (16 << 10, 256), (64 << 10, 1024), (MAX_PATTERN, LARGEST)];
const LARGEST: u64 = 4096;
/// The most groups inside each other.
const MAX_NESTING: u32 = 50;

/// A compiled regular expression and what a search for it costs.
#[derive(Debug, Clone)]
pub(in super::super) struct TextPattern {
    regex: Regex,
    units: u64,
}

impl TextPattern {
    pub(in super::super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The most that searching this many bytes costs, in units.
    pub(in super::super) fn cost(&self, bytes: u64) -> u64 {
        bytes.saturating_mul(self.units)
    }
}

/// Compiles a regular expression.
pub(in super::super) fn compile_pattern(text: &str) -> Result<TextPattern, String> {
    match RegexBuilder::new(text).size_limit(MAX_PATTERN).nest_limit(MAX_NESTING).build() {
        Ok(regex) => Ok(TextPattern { regex, units: units(text) }),
        Err(regex::Error::CompiledTooBig(_)) => {
            Err(format!("the pattern is larger than {MAX_PATTERN} bytes when compiled; make it simpler"))
        }
        Err(error) => Err(one_line(&error.to_string())),
    }
}

/// What a byte of text costs at worst. A class such as `\w` has thousands of states, of which a few are visited at a
/// time; so it is measured without Unicode, where a class is one state.
fn units(text: &str) -> u64 {
    let fits = |size: usize| {
        let mut builder = regex::bytes::RegexBuilder::new(text);
        builder.unicode(false).size_limit(size).nest_limit(MAX_NESTING).build().is_ok()
    };
    SIZES.iter().find(|(size, _)| fits(*size)).map_or(LARGEST, |(_, units)| *units)
}

/// The crate draws a picture below the pattern; its last line says what is wrong.
fn one_line(error: &str) -> String {
    let last = error.lines().last().unwrap_or_default();
    last.strip_prefix("error: ").unwrap_or(last).trim().to_owned()
}
