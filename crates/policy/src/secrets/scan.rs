//! Walking over bytes: classes of characters, runs of them, and searching.

use std::ops::Range;

/// A class of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// `A-Z0-9`
    Upper,
    /// `A-Za-z0-9`
    Alphanumeric,
    /// `A-Za-z0-9_-`
    Word,
    /// Hexadecimal digits
    Hex,
    /// `A-Za-z0-9_.-`
    Dotted,
    /// `A-Za-z0-9+/=`
    Base64,
    /// What a private key block consists of
    Block,
}

const CLASSES: usize = 7;

impl Class {
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Dotted => Self::Word.has(byte) || byte == b'.',
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Block => {
                Self::Base64.has(byte) || byte.is_ascii_whitespace() || matches!(byte, b':' | b',' | b'-')
            }
        }
    }
}

/// Where runs of a class end. A run is walked once, however many places in it are asked about.
pub(super) struct Runs<'a> {
    bytes: &'a [u8],
    known: [Range<usize>; CLASSES],
}

impl<'a> Runs<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, known: std::array::from_fn(|_| 0..0) }
    }

    /// The end of the run that begins at a place, or goes through it.
    pub(super) fn end(&mut self, class: Class, from: usize) -> usize {
        let Some(known) = self.known.get_mut(class as usize) else { return from };
        if !known.contains(&from) {
            let length = self.bytes.iter().skip(from).take_while(|byte| class.has(**byte)).count();
            *known = from..from + length;
        }
        known.end
    }
}

/// The byte at a place; 0 outside.
pub(super) fn at(bytes: &[u8], place: usize) -> u8 {
    bytes.get(place).copied().unwrap_or_default()
}

/// The byte before a place; 0 at the beginning.
pub(super) fn before(bytes: &[u8], place: usize) -> u8 {
    place.checked_sub(1).map_or(0, |place| at(bytes, place))
}

/// The bytes of a range as text; empty where they are none.
pub(super) fn text(bytes: &[u8], range: Range<usize>) -> &str {
    bytes.get(range).and_then(|part| std::str::from_utf8(part).ok()).unwrap_or_default()
}

/// The first place at or after `from` for which this does not hold, at most `most` further.
pub(super) fn skip(bytes: &[u8], from: usize, most: usize, holds: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take(most).take_while(|byte| holds(**byte)).count()
}
