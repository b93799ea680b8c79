//! Passwords in URLs: `scheme://user:password@host`.

use super::Found;
use super::scan::{at, before, skip, text};
use super::value::{is_placeholder, is_random};

/// The longest part of a URL before the host.
const LONGEST: usize = 1_024;

/// The passwords among the bytes.
pub(super) fn find(bytes: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(colon) = bytes.get(from..).and_then(|rest| rest.windows(3).position(|part| part == b"://"))
    {
        let start = from + colon + 3;
        let end = skip(bytes, start, LONGEST, is_part);
        found.extend(password(bytes, start, end));
        // What was walked over is not walked over again.
        from = end.max(start);
    }
    found
}

fn is_part(byte: u8) -> bool {
    !byte.is_ascii_whitespace()
        && !matches!(byte, b'"' | b'\'' | b'`' | b'<' | b'>' | b'/' | b'?' | b'#' | b'\\' | b')')
}

fn password(bytes: &[u8], start: usize, end: usize) -> Option<Found> {
    let part = bytes.get(start..end)?;
    let sign = part.iter().rposition(|byte| *byte == b'@')?;
    if !before(bytes, start - 3).is_ascii_alphanumeric() || !is_host(at(part, sign + 1)) {
        return None;
    }
    if let Some(colon) = part.get(..sign)?.iter().position(|byte| *byte == b':') {
        let value = text(part, colon + 1..sign);
        // Where both are the same there is nothing to keep secret.
        let fits = !value.is_empty() && !is_placeholder(value) && value != text(part, 0..colon);
        fits.then(|| Found::new(start + colon + 1..start + sign, "password"))
    } else {
        let user = text(part, 0..sign);
        let fits = user.len() >= 16 && is_random(user) && !is_placeholder(user);
        fits.then(|| Found::new(start..start + sign, "token"))
    }
}

fn is_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'[' | b'$' | b'{' | b'%' | b'_')
}
