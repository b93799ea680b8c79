//! Anchors, aliases and tags: scanned in full, because a mistake inside them is reported before they are refused.

use super::Scanner;
use crate::reference::python::repr_char;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::reader::{END, is_end_or_blank, is_end_or_space};
use crate::reference::yaml::token::{Token, TokenKind};

impl Scanner {
    /// Scans `&anchor` or `*alias`.
    pub(super) fn scan_anchor(&mut self) -> Result<Token, Failure> {
        let start = self.reader.mark();
        let is_alias = self.reader.peek(0) == '*';
        self.reader.skip(1);
        let mut name = String::new();
        self.reader.take(self.reader.count_while(is_anchor_character), &mut name);
        let next = self.reader.peek(0);
        let ends_here = is_end_or_blank(next)
            || matches!(next, '?' | ':' | ',' | '[' | ']' | '{' | '}' | '%' | '@' | '`');
        if name.is_empty() || !ends_here {
            return Err(Failure::within(
                if is_alias { "while scanning an alias" } else { "while scanning an anchor" },
                start,
                format!("expected alphabetic or numeric character, but found {}", repr_char(next)),
                self.reader.mark(),
            ));
        }
        let kind = if is_alias { TokenKind::Alias(name) } else { TokenKind::Anchor };
        Ok(Token::new(kind, start, self.reader.mark()))
    }

    /// Scans `!tag`, `!handle!tag`, `!<uri>` or a lone `!`.
    pub(super) fn scan_tag(&mut self) -> Result<Token, Failure> {
        let start = self.reader.mark();
        match self.reader.peek(1) {
            '<' => {
                self.reader.skip(2);
                self.scan_tag_uri("tag", start)?;
                if self.reader.peek(0) != '>' {
                    return Err(self.expected("while parsing a tag", start, "'>'"));
                }
                self.reader.skip(1);
            }
            c if is_end_or_blank(c) => self.reader.skip(1),
            _ => {
                if self.tag_has_handle() {
                    self.scan_tag_handle("tag", start)?;
                } else {
                    self.reader.skip(1);
                }
                self.scan_tag_uri("tag", start)?;
            }
        }
        if !is_end_or_space(self.reader.peek(0)) {
            return Err(self.expected("while scanning a tag", start, "' '"));
        }
        Ok(Token::new(TokenKind::Tag, start, self.reader.mark()))
    }

    fn tag_has_handle(&self) -> bool {
        let mut ahead = 1;
        loop {
            match self.reader.peek(ahead) {
                '!' => return true,
                c if is_end_or_space(c) => return false,
                _ => ahead += 1,
            }
        }
    }

    /// Scans `!`, `!!` or `!name!`.
    pub(super) fn scan_tag_handle(&mut self, what: &str, start: Mark) -> Result<String, Failure> {
        let context = format!("while scanning a {what}");
        if self.reader.peek(0) != '!' {
            return Err(self.expected(&context, start, "'!'"));
        }
        let mut handle = String::new();
        self.reader.take(1, &mut handle);
        if self.reader.peek(0) == ' ' {
            return Ok(handle);
        }
        self.reader.take(self.reader.count_while(is_name_character), &mut handle);
        if self.reader.peek(0) != '!' {
            return Err(self.expected(&context, start, "'!'"));
        }
        self.reader.take(1, &mut handle);
        Ok(handle)
    }

    /// Scans the characters of a URI, which may hold `%` escapes.
    pub(super) fn scan_tag_uri(&mut self, what: &str, start: Mark) -> Result<(), Failure> {
        let begin = self.reader.index();
        let hash_allowed = self.version() > (1, 1);
        loop {
            self.reader.skip_while(|c| is_uri_character(c) || (hash_allowed && c == '#'));
            if self.reader.peek(0) != '%' {
                break;
            }
            self.scan_uri_escapes(what, start)?;
        }
        if self.reader.index() == begin {
            return Err(self.expected(&format!("while parsing a {what}"), start, "URI"));
        }
        Ok(())
    }

    fn scan_uri_escapes(&mut self, what: &str, start: Mark) -> Result<(), Failure> {
        let context = format!("while scanning a {what}");
        let begin = self.reader.mark();
        let mut bytes = Vec::new();
        while self.reader.peek(0) == '%' {
            self.reader.skip(1);
            let mut byte = 0_u8;
            for ahead in 0..2 {
                let c = self.reader.peek(ahead);
                let Some(digit) = c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()) else {
                    return Err(Failure::within(
                        &context,
                        start,
                        format!(
                            "expected URI escape sequence of 2 hexdecimal numbers, but found {}",
                            repr_char(c)
                        ),
                        self.reader.mark(),
                    ));
                };
                byte = (byte << 4) | digit;
            }
            bytes.push(byte);
            self.reader.skip(2);
        }
        match utf8_problem(&bytes) {
            Some(problem) => Err(Failure::within(&context, start, problem, begin)),
            None => Ok(()),
        }
    }

    /// "expected …, but found …" at the cursor.
    pub(super) fn expected(&self, context: &str, start: Mark, wanted: &str) -> Failure {
        let found = repr_char(self.reader.peek(0));
        Failure::within(context, start, format!("expected {wanted}, but found {found}"), self.reader.mark())
    }
}

/// The characters of a tag handle.
fn is_name_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn is_uri_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-;/?:@&=+$,_.!~*'()[]".contains(c)
}

fn is_anchor_character(c: char) -> bool {
    match c {
        ',' | '[' | ']' | '{' | '}' | '\u{feff}' | END => false,
        '!'..='~' => true,
        _ => c >= '\u{a0}',
    }
}

/// Python's words for bytes that are not UTF-8.
fn utf8_problem(bytes: &[u8]) -> Option<String> {
    let error = std::str::from_utf8(bytes).err()?;
    let first = error.valid_up_to();
    let byte = bytes.get(first).copied().unwrap_or_default();
    let (length, reason) = match error.error_len() {
        None => (bytes.len() - first, "unexpected end of data"),
        Some(length) if matches!(byte, 0xc2..=0xf4) => (length, "invalid continuation byte"),
        Some(length) => (length, "invalid start byte"),
    };
    Some(if length == 1 {
        format!("'utf-8' codec can't decode byte 0x{byte:02x} in position {first}: {reason}")
    } else {
        let last = first + length - 1;
        format!("'utf-8' codec can't decode bytes in position {first}-{last}: {reason}")
    })
}
