//! Scalars in single or double quotes.

use super::Scanner;
use super::plain::fold;
use crate::reference::python::repr_char;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::reader::{END, is_break, is_end_or_blank};
use crate::reference::yaml::token::{Token, TokenKind};

const DOUBLE: char = '"';

impl Scanner {
    /// Scans a quoted scalar up to its closing quote, whatever the indentation.
    pub(super) fn scan_quoted(&mut self) -> Result<Token, Failure> {
        let start = self.reader.mark();
        let quote = self.reader.peek(0);
        self.reader.skip(1);
        let mut value = String::new();
        self.scan_quoted_text(quote, start, &mut value)?;
        while self.reader.peek(0) != quote {
            self.scan_quoted_blanks(start, &mut value)?;
            self.scan_quoted_text(quote, start, &mut value)?;
        }
        self.reader.skip(1);
        Ok(Token::new(TokenKind::Scalar { value, plain: false }, start, self.reader.mark()))
    }

    fn scan_quoted_text(&mut self, quote: char, start: Mark, value: &mut String) -> Result<(), Failure> {
        loop {
            let length = self.reader.count_while(|c| !is_end_or_blank(c) && !matches!(c, '\'' | '"' | '\\'));
            self.reader.take(length, value);
            match self.reader.peek(0) {
                '\'' if quote == '\'' && self.reader.peek(1) == '\'' => {
                    value.push('\'');
                    self.reader.skip(2);
                }
                '\\' if quote == DOUBLE => {
                    self.reader.skip(1);
                    self.scan_escape(start, value)?;
                }
                c @ ('\'' | '"' | '\\') if c != quote => {
                    value.push(c);
                    self.reader.skip(1);
                }
                _ => return Ok(()),
            }
        }
    }

    fn scan_escape(&mut self, start: Mark, value: &mut String) -> Result<(), Failure> {
        let c = self.reader.peek(0);
        if let Some(replacement) = escape_replacement(c) {
            value.push(replacement);
            self.reader.skip(1);
            return Ok(());
        }
        match c {
            'x' => self.scan_escape_code(2, start, value),
            'u' => self.scan_escape_code(4, start, value),
            'U' => self.scan_escape_code(8, start, value),
            _ if is_break(c) => {
                self.reader.skip(1);
                value.push_str(&self.scan_quoted_breaks(start)?);
                Ok(())
            }
            _ => Err(Failure::within(
                "while scanning a double-quoted scalar",
                start,
                format!("found unknown escape character {}", repr_char(c)),
                self.reader.mark(),
            )),
        }
    }

    fn scan_escape_code(&mut self, length: usize, start: Mark, value: &mut String) -> Result<(), Failure> {
        self.reader.skip(1);
        let mut code = 0_u64;
        for ahead in 0..length {
            let c = self.reader.peek(ahead);
            let Some(digit) = c.to_digit(16) else {
                return Err(Failure::within(
                    "while scanning a double-quoted scalar",
                    start,
                    format!(
                        "expected escape sequence of {length} hexdecimal numbers, but found {}",
                        repr_char(c)
                    ),
                    self.reader.mark(),
                ));
            };
            code = code * 16 + u64::from(digit);
        }
        value.push(character(code).ok_or(Failure::Crash("an escape names no character"))?);
        self.reader.skip(length);
        Ok(())
    }

    fn scan_quoted_blanks(&mut self, start: Mark, value: &mut String) -> Result<(), Failure> {
        let mut blanks = String::new();
        self.reader.take(self.reader.count_while(|c| c == ' ' || c == '\t'), &mut blanks);
        if self.reader.peek(0) == END {
            return Err(Failure::within(
                "while scanning a quoted scalar",
                start,
                "found unexpected end of stream",
                self.reader.mark(),
            ));
        }
        match self.reader.take_break() {
            Some(first) => value.push_str(&fold(first, self.scan_quoted_breaks(start)?)),
            None => value.push_str(&blanks),
        }
        Ok(())
    }

    fn scan_quoted_breaks(&mut self, start: Mark) -> Result<String, Failure> {
        let mut breaks = String::new();
        loop {
            if self.reader.at_document_end() {
                return Err(Failure::within(
                    "while scanning a quoted scalar",
                    start,
                    "found unexpected document separator",
                    self.reader.mark(),
                ));
            }
            self.reader.skip_while(|c| c == ' ' || c == '\t');
            match self.reader.take_break() {
                Some(c) => breaks.push(c),
                None => return Ok(breaks),
            }
        }
    }
}

fn escape_replacement(c: char) -> Option<char> {
    Some(match c {
        '0' => '\0',
        'a' => '\x07',
        'b' => '\x08',
        't' | '\t' => '\t',
        'n' => '\n',
        'v' => '\x0b',
        'f' => '\x0c',
        'r' => '\r',
        'e' => '\x1b',
        ' ' | '"' | '/' | '\\' => c,
        'N' => '\u{85}',
        '_' => '\u{a0}',
        'L' => '\u{2028}',
        'P' => '\u{2029}',
        _ => return None,
    })
}

/// The character of a code point. A lone surrogate, which Python can hold and we cannot, becomes U+FFFD:
/// like it one character, no letter, no white space.
fn character(code: u64) -> Option<char> {
    let code = u32::try_from(code).ok()?;
    match code {
        0xd800..=0xdfff => Some(char::REPLACEMENT_CHARACTER),
        _ => char::from_u32(code),
    }
}
