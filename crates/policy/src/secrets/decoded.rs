//! A text as its reader would see it: escapes of JSON and of shells are resolved, also where they are escaped again.

use std::borrow::Cow;
use std::ops::Range;

/// Bytes to look at, and where each is in the original text.
pub(super) struct Decoded<'a> {
    bytes: Cow<'a, [u8]>,
    /// The place of each byte, and at last the length; empty where every byte is at its own place.
    places: Vec<usize>,
}

impl<'a> Decoded<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        if !text.contains('\\') {
            return Self { bytes: Cow::Borrowed(text.as_bytes()), places: Vec::new() };
        }
        let original = text.as_bytes();
        let mut bytes = Vec::with_capacity(original.len());
        let mut places = Vec::with_capacity(original.len() + 1);
        let mut at = 0;
        while let Some(&byte) = original.get(at) {
            let (resolved, length) = if byte == b'\\' { escape(original, at) } else { (Some(byte), 1) };
            if let Some(resolved) = resolved {
                bytes.push(resolved);
                places.push(at);
            }
            at += length;
        }
        places.push(original.len());
        Self { bytes: Cow::Owned(bytes), places }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a range of the bytes is in the original text.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        if self.places.is_empty() {
            return range.clone();
        }
        let place = |at: usize| self.places.get(at).or(self.places.last()).copied().unwrap_or_default();
        place(range.start)..place(range.end)
    }
}

/// What an escape means, and how many bytes it takes. Several backslashes are one escape that was escaped again.
fn escape(text: &[u8], at: usize) -> (Option<u8>, usize) {
    let slashes = text.iter().skip(at).take_while(|byte| **byte == b'\\').count();
    let next = at + slashes;
    match text.get(next) {
        Some(b'n' | b'r') => (Some(b'\n'), slashes + 1),
        Some(b't') => (Some(b'\t'), slashes + 1),
        Some(quote @ (b'"' | b'\'' | b'/')) => (Some(*quote), slashes + 1),
        Some(b'\n') => (None, slashes + 1),
        Some(b'u') => match ascii(text, next + 1) {
            Some(byte) => (Some(byte), slashes + 5),
            None => (Some(b'\\'), slashes),
        },
        _ => (Some(b'\\'), slashes),
    }
}

/// The ASCII character of four hexadecimal digits.
fn ascii(text: &[u8], at: usize) -> Option<u8> {
    let digits = std::str::from_utf8(text.get(at..at + 4)?).ok()?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    u8::try_from(code).ok().filter(u8::is_ascii)
}
