//! Values that are assigned to names such as `PASSWORD`, `--token` or `"api_key"`.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::Found;
use super::names::{Holds, holds};
use super::scan::{at, before, skip, text};
use super::value::{is_chosen, is_identifier, is_placeholder, is_random, is_reference};

static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "pass|pwd|pw|secret|token|key|auth|jwt|credential|sig|webhook_?url|connection_?string";
    Regex::new(&format!("(?i)(?:{words})")).ok()
});

/// How far a name goes to each side, and how many spaces are around a sign.
const NAME: usize = 64;
const SPACES: usize = 8;
/// The longest value in quotes.
const VALUE: usize = 4_096;
/// How much of a value is judged.
const JUDGED: usize = 128;

/// A name, and how a value is assigned to it.
struct Assignment {
    /// The name is in capitals, as variables of an environment are.
    capitals: bool,
    /// The name is quoted, as in JSON.
    quoted_name: bool,
    sign: Sign,
    /// The quote around the value; 0 for none.
    quote: u8,
    value: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// `NAME=value`
    Tight,
    /// `--name value` and `--name=value`
    Flag,
    /// `name = value`, `name: value`, `name := value`, `name => value`
    Spaced,
    /// `name is value`
    Prose,
    /// `<name>value</name>`
    Element,
}

/// The secrets among the bytes.
pub(super) fn find(bytes: &[u8]) -> Vec<Found> {
    let Some(words) = WORDS.as_ref() else { return Vec::new() };
    let mut found = Vec::new();
    let mut bare = Bare::default();
    let mut done = 0;
    while let Some(hit) = words.find_at(bytes, done) {
        let name = name_around(bytes, hit.range(), done);
        done = name.end.max(hit.end());
        let Some(kind) = holds(text(bytes, name.clone())) else { continue };
        let Some(assignment) = assignment(bytes, &mut bare, name) else { continue };
        if let Some(range) = secret(bytes, kind, &assignment) {
            done = range.end.max(done);
            let quoted = assignment.quoted_name && assignment.quote == 0 && assignment.sign == Sign::Spaced;
            found.push(Found { range, kind: kind.kind(), quoted });
        }
    }
    found
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The whole name around a word of it, not reaching into what was done before.
fn name_around(bytes: &[u8], word: Range<usize>, done: usize) -> Range<usize> {
    let head = bytes.get(done..word.start).unwrap_or_default();
    let start = word.start - head.iter().rev().take(NAME).take_while(|byte| is_name(**byte)).count();
    start..skip(bytes, word.end, NAME, is_name)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn assignment(bytes: &[u8], known: &mut Bare, name: Range<usize>) -> Option<Assignment> {
    let is_flag = at(bytes, name.start) == b'-';
    let opening = before(bytes, name.start);
    let mut place = name.end;
    let closing = at(bytes, place);
    let quoted_name = matches!(closing, b'"' | b'\'' | b'`') && opening == closing;
    if quoted_name {
        place += 1;
        // `env["TOKEN"] = …`
        place += usize::from(at(bytes, place) == b']');
    }
    let spaced = skip(bytes, place, SPACES, is_space);
    let (sign, after) = sign(bytes, (place, spaced), is_flag, opening == b'<')?;
    let value = skip(bytes, after, SPACES, is_space);
    let sign = if sign == Sign::Tight && value > after { Sign::Spaced } else { sign };
    let quote = Some(at(bytes, value)).filter(|quote| matches!(quote, b'"' | b'\'' | b'`')).unwrap_or(0);
    let start = value + usize::from(quote != 0);
    let end = match quote {
        0 => known.end(bytes, start, sign),
        quote => skip(bytes, start, VALUE, |byte| byte != quote && byte != b'\n'),
    };
    let capitals = text(bytes, name).bytes().all(|byte| !byte.is_ascii_lowercase());
    Some(Assignment { capitals, quoted_name, sign, quote, value: start..end })
}

/// The sign behind a name, and where it ends.
fn sign(bytes: &[u8], (place, spaced): (usize, usize), is_flag: bool, is_tag: bool) -> Option<(Sign, usize)> {
    let next = at(bytes, spaced);
    let second = at(bytes, spaced + 1);
    match next {
        b'>' if is_tag && spaced == place => Some((Sign::Element, spaced + 1)),
        b'=' if second == b'>' => Some((Sign::Spaced, spaced + 2)),
        b'=' if matches!(second, b'=' | b'~') => None,
        b'=' if is_flag => Some((Sign::Flag, spaced + 1)),
        b'=' if spaced == place => Some((Sign::Tight, spaced + 1)),
        b':' if second == b'=' => Some((Sign::Spaced, spaced + 2)),
        b':' if second == b':' => None,
        b'=' | b':' => Some((Sign::Spaced, spaced + 1)),
        _ if is_flag
            && spaced > place
            && !matches!(before(bytes, place), b'`' | b'"' | b'\'')
            && next != b'-' =>
        {
            Some((Sign::Flag, spaced))
        }
        b'i' if spaced > place && second == b's' && matches!(at(bytes, spaced + 2), b' ' | b'\t' | b':') => {
            let colon = usize::from(at(bytes, spaced + 2) == b':');
            Some((Sign::Prose, spaced + 2 + colon))
        }
        _ => None,
    }
}

/// Where values without quotes end. One is walked once, however many names are in it.
#[derive(Default)]
struct Bare {
    spaced: Range<usize>,
    tight: Range<usize>,
}

impl Bare {
    fn end(&mut self, bytes: &[u8], start: usize, sign: Sign) -> usize {
        let known = if sign == Sign::Spaced { &mut self.spaced } else { &mut self.tight };
        if !known.contains(&start) {
            *known = start..skip(bytes, start, usize::MAX, |byte| is_bare(byte, sign));
        }
        known.end
    }
}

/// Whether a value without quotes goes on.
fn is_bare(byte: u8, sign: Sign) -> bool {
    let ends = byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'}' | b']' | b'<' | b'>' | b'|' | b'\\'
        );
    // In a query string the next parameter begins.
    !ends && (byte != b'&' || sign == Sign::Spaced)
}

/// Where the secret of an assignment is, if its value is one.
fn secret(bytes: &[u8], kind: Holds, assignment: &Assignment) -> Option<Range<usize>> {
    let range = match assignment.quote {
        0 => trimmed(bytes, &assignment.value),
        _ => behind_scheme(bytes, assignment.value.clone()),
    };
    let value = beginning(bytes, &range);
    let length = value.chars().count();
    if length < 4 || value.contains(char::is_whitespace) || is_placeholder(value) {
        return None;
    }
    let bare = assignment.quote == 0;
    if bare && is_reference(value) && !(assignment.sign == Sign::Flag && is_random(value)) {
        return None;
    }
    let holds = match (kind, assignment.sign) {
        (Holds::Password, Sign::Element | Sign::Flag) => true,
        (Holds::Password, Sign::Tight) => {
            !bare || assignment.capitals || is_parameter(bytes, assignment) || is_chosen(value)
        }
        (Holds::Password, Sign::Spaced) if !bare => is_chosen(value) || !is_identifier(value) || length >= 12,
        (Holds::Password, Sign::Spaced) if assignment.quoted_name => !is_identifier(value),
        (Holds::Password, Sign::Spaced) => is_chosen(value) && ends_line(bytes, range.end),
        (Holds::Password, Sign::Prose) => is_chosen(value),
        (Holds::Key, Sign::Tight) => {
            is_random(value) || (assignment.capitals && length >= 8 && is_whole(value))
        }
        (Holds::Key, Sign::Flag | Sign::Element) => is_random(value),
        (Holds::Key, Sign::Spaced) if !bare || assignment.quoted_name => is_random(value),
        (Holds::Key, Sign::Spaced) => is_random(value) && ends_line(bytes, range.end),
        (Holds::Key, Sign::Prose) => is_random(value) && length >= 12,
    };
    holds.then_some(range)
}

/// As much of a value as is judged.
fn beginning<'a>(bytes: &'a [u8], value: &Range<usize>) -> &'a str {
    let end = value.end.min(value.start + JUDGED);
    let part = bytes.get(value.start..end).unwrap_or_default();
    // A character may be cut at the end.
    part.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}

/// A value without quotes may end a sentence.
fn trimmed(bytes: &[u8], value: &Range<usize>) -> Range<usize> {
    let part = bytes.get(value.clone()).unwrap_or_default();
    let ends = part
        .iter()
        .rev()
        .take(SPACES)
        .take_while(|byte| matches!(byte, b'.' | b':' | b'!' | b'?' | b',' | b'*'))
        .count();
    value.start..value.end - ends
}

/// `"Authorization": "Token abc"`: the secret is the second word.
fn behind_scheme(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let whole = text(bytes, value.clone());
    match whole.split_once(' ') {
        Some((scheme, rest))
            if ["token", "apikey", "key"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) =>
        {
            value.end - rest.len()..value.end
        }
        _ => value,
    }
}

/// Whether it may be a whole secret: neither a path, nor the beginning of one, nor several settings.
fn is_whole(value: &str) -> bool {
    let is_path = value.contains('/') && !value.contains(['+', '=']);
    let is_beginning = value.ends_with(['_', '-']);
    let is_setting = value.trim_end_matches('=').contains('=');
    let is_variable = value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    !is_path && !is_beginning && !is_setting && !is_variable
}

/// Whether an assignment is one of several in a query string or a form.
fn is_parameter(bytes: &[u8], assignment: &Assignment) -> bool {
    at(bytes, assignment.value.end) == b'&'
}

/// Whether nothing but a comment follows on the line.
fn ends_line(bytes: &[u8], end: usize) -> bool {
    let next = skip(bytes, end, SPACES, |byte| is_space(byte) || matches!(byte, b',' | b';'));
    next >= bytes.len()
        || matches!(at(bytes, next), b'\n' | b'\r' | b'#' | b'"' | b'\'' | b'`' | b'}' | b'<' | b')' | b'/')
}
