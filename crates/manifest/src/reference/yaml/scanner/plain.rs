//! Scalars without quotes.

use super::Scanner;
use crate::reference::yaml::reader::{is_break, is_end_or_blank};
use crate::reference::yaml::token::{Token, TokenKind};

impl Scanner {
    /// Scans a plain scalar, over several lines where they are indented enough.
    pub(super) fn scan_plain(&mut self) -> Token {
        let start = self.reader.mark();
        let mut end = start;
        let mut value = String::new();
        let mut gap = String::new();
        while self.reader.peek(0) != '#' {
            let length = self.plain_length();
            if length == 0 {
                break;
            }
            self.allow_simple_key = false;
            value.push_str(&gap);
            self.reader.take(length, &mut value);
            end = self.reader.mark();
            gap = self.scan_plain_gap();
            let outdented = self.flow.is_empty() && self.reader.column() < self.level;
            if gap.is_empty() || outdented {
                break;
            }
        }
        let mut token = Token::new(TokenKind::Scalar { value, plain: true }, start, end);
        if gap.starts_with('\n') {
            token.add_comment_after();
        }
        token
    }

    fn plain_length(&self) -> usize {
        let in_flow = !self.flow.is_empty();
        let mut length = 0;
        loop {
            let goes_on = match self.reader.peek(length) {
                ':' => !is_end_or_blank(self.reader.peek(length + 1)),
                '?' => !in_flow || self.version() != (1, 1),
                ',' | '[' | ']' | '{' | '}' => !in_flow,
                c => !is_end_or_blank(c),
            };
            if !goes_on {
                return length;
            }
            length += 1;
        }
    }

    /// What stands between two runs of a plain scalar, folded; empty where the scalar cannot go on.
    fn scan_plain_gap(&mut self) -> String {
        let mut spaces = String::new();
        self.reader.take(self.reader.count_while(|c| c == ' '), &mut spaces);
        let Some(first) = self.reader.take_break() else { return spaces };
        self.allow_simple_key = true;
        if self.reader.at_document_end() {
            return String::new();
        }
        let mut breaks = String::new();
        loop {
            match self.reader.peek(0) {
                ' ' => self.reader.skip(1),
                c if is_break(c) => {
                    breaks.extend(self.reader.take_break());
                    if self.reader.at_document_end() {
                        return String::new();
                    }
                }
                _ => return fold(first, breaks),
            }
        }
    }
}

/// Folds a line break and the blank lines after it: a lone `\n` becomes a space, other breaks stay.
pub(super) fn fold(first: char, mut breaks: String) -> String {
    if first != '\n' {
        breaks.insert(0, first);
    } else if breaks.is_empty() {
        breaks.push(' ');
    }
    breaks
}
