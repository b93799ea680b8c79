//! Credentials in HTTP headers: `Bearer`, `Basic`, and cookies.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Found;
use super::scan::{Class, Runs, at, before, skip, text};
use super::value::{is_chosen, is_placeholder, is_random};

static SCHEMES: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)(bearer|basic)[ \t]+|((?:set-)?cookie)[ \t]*:[ \t]*").ok());

/// The longest header.
const LONGEST: usize = 8_192;

/// The credentials among the bytes.
pub(super) fn find(bytes: &[u8]) -> Vec<Found> {
    let Some(schemes) = SCHEMES.as_ref() else { return Vec::new() };
    let mut runs = Runs::new(bytes);
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(hit) = schemes.find_at(bytes, from) {
        from = hit.end();
        if before(bytes, hit.start()).is_ascii_alphanumeric() {
            continue;
        }
        let one = match at(bytes, hit.start()) | 0x20 {
            b'b' if at(bytes, hit.start() + 1) | 0x20 == b'e' => bearer(bytes, &mut runs, hit.end()),
            b'b' => basic(bytes, &mut runs, hit.end()),
            _ => {
                from = line_end(bytes, hit.end());
                cookie(bytes, hit.end()..from)
            }
        };
        from = one.as_ref().map_or(from, |one| one.range.end);
        found.extend(one);
    }
    found
}

fn bearer(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    let word = runs.end(Class::Dotted, start);
    // The rest of what a token may have.
    let end =
        skip(bytes, word, 4_096, |byte| Class::Base64.has(byte) || Class::Dotted.has(byte) || byte == b'~');
    let end = if at(bytes, end.max(1) - 1) == b'.' { end - 1 } else { end };
    let value = text(bytes, start..end);
    let fits = value.len() >= 12 && is_random(value) && !is_placeholder(value);
    fits.then(|| Found::new(start..end, "bearer token"))
}

/// Base64 of `user:password`.
fn basic(bytes: &[u8], runs: &mut Runs<'_>, start: usize) -> Option<Found> {
    let end = runs.end(Class::Base64, start);
    let value = bytes.get(start..end).filter(|value| (8..=1_024).contains(&value.len()))?;
    let decoded = base64(value)?;
    let colon = decoded.iter().position(|byte| *byte == b':')?;
    let printable =
        decoded.iter().all(|byte| !byte.is_ascii_control()) && std::str::from_utf8(&decoded).is_ok();
    (printable && decoded.len() > colon + 1).then(|| Found::new(start..end, "basic credentials"))
}

fn base64(value: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(value.len());
    let (mut bits, mut count) = (0_u32, 0);
    for byte in value.iter().take_while(|byte| **byte != b'=') {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = (bits << 6 | u32::from(six)) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push(u8::try_from(bits >> count & 0xff).unwrap_or_default());
        }
    }
    Some(decoded)
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    skip(bytes, start, LONGEST, |byte| !matches!(byte, b'\n' | b'"' | b'\'' | b'`' | b'<' | b'>' | b'\\'))
}

/// All cookies of a header.
fn cookie(bytes: &[u8], header: Range<usize>) -> Option<Found> {
    let value = text(bytes, header.clone());
    let (_, first) = value.split_once('=')?;
    let first = first.split(';').next().unwrap_or_default().trim();
    let fits = is_chosen(first) && !first.contains(' ') && !is_placeholder(first);
    fits.then(|| Found::new(header, "cookie"))
}
