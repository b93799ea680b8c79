//! The few text rules of Python that the reference leans on: `repr`, `strip`, `isalnum`, `lower`, `pathlib`.
//!
//! They follow the Unicode tables of our crates; the reference follows those of the Python that runs it.

use std::borrow::Cow;
use std::fmt::Write as _;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Writes a text the way Python's `repr` does: quoted, with what cannot be printed escaped.
pub(crate) fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        push_repr(&mut out, c, quote);
    }
    out.push(quote);
    out
}

/// Writes one character the way Python's `repr` writes a text of length one.
pub(crate) fn repr_char(c: char) -> String {
    repr(c.encode_utf8(&mut [0; 4]))
}

fn push_repr(out: &mut String, c: char, quote: char) {
    let code = u32::from(c);
    // Writing to a String cannot fail.
    let _ = match c {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\\' => out.write_str("\\\\"),
        _ if c == quote => write!(out, "\\{c}"),
        _ if is_printable(c) => out.write_char(c),
        _ if code < 0x100 => write!(out, "\\x{code:02x}"),
        _ if code < 0x1_0000 => write!(out, "\\u{code:04x}"),
        _ => write!(out, "\\U{code:08x}"),
    };
}

fn is_printable(c: char) -> bool {
    use GeneralCategory::{
        Control, Format, LineSeparator, ParagraphSeparator, PrivateUse, SpaceSeparator, Surrogate, Unassigned,
    };
    c == ' '
        || !matches!(
            get_general_category(c),
            Control
                | Format
                | LineSeparator
                | ParagraphSeparator
                | PrivateUse
                | SpaceSeparator
                | Surrogate
                | Unassigned
        )
}

/// Whether Python's `str.isalnum` holds for the character: a letter or a number, never a combining mark.
pub(crate) fn is_alphanumeric(c: char) -> bool {
    use GeneralCategory::{
        DecimalNumber, LetterNumber, LowercaseLetter, ModifierLetter, OtherLetter, OtherNumber,
        TitlecaseLetter, UppercaseLetter,
    };
    matches!(
        get_general_category(c),
        LowercaseLetter
            | UppercaseLetter
            | TitlecaseLetter
            | ModifierLetter
            | OtherLetter
            | DecimalNumber
            | LetterNumber
            | OtherNumber
    )
}

/// Whether Python's `str.lower` would leave the text as it is.
pub(crate) fn is_lowercase(text: &str) -> bool {
    text.chars().all(|c| c.to_lowercase().eq(std::iter::once(c)))
}

/// Strips what Python's `str.strip` strips, which is Unicode white space and U+001C to U+001F.
pub(crate) fn strip(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// Turns `\r\n` and a lone `\r` into `\n`, as Python does when it reads a text file.
pub(crate) fn universal_newlines(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    }
}

/// Writes a path the way `str(pathlib.PurePosixPath(path))` does: no `.` parts, no doubled or final slashes.
pub(crate) fn display_path(path: &str) -> String {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/");
    // POSIX gives exactly two leading slashes a meaning of their own, and pathlib keeps them.
    let root = match path.bytes().take_while(|byte| *byte == b'/').count() {
        0 => "",
        2 => "//",
        _ => "/",
    };
    match (root, parts.as_str()) {
        ("", "") => ".".to_owned(),
        (root, parts) => format!("{root}{parts}"),
    }
}
