//! Literal (`|`) and folded (`>`) scalars.

use super::Scanner;
use crate::reference::python::repr_char;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::reader::{END, is_break, is_end, is_end_or_space};
use crate::reference::yaml::token::{Token, TokenKind};

/// What happens to the line breaks at the end of a block scalar.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomping {
    Clip,
    Keep,
    Strip,
}

struct Header {
    chomping: Chomping,
    indent: Option<usize>,
}

/// Line breaks before a line of text, and the mark behind the last of them.
struct Breaks {
    text: String,
    end: Mark,
}

impl Scanner {
    /// Scans a block scalar with its header; where blank lines follow, the comments behind them too.
    pub(super) fn scan_block_scalar(&mut self) -> Result<Token, Failure> {
        let start = self.reader.mark();
        let folded = self.reader.peek(0) == '>';
        self.reader.skip(1);
        let header = self.scan_block_header(start)?;
        let header_has_comment = self.scan_block_header_rest(start)?;

        let (indent, mut breaks) = match header.indent {
            None => self.detect_block_indent(),
            Some(indent) => {
                let indent = self.level.max(1) + indent - 1;
                (indent, self.scan_block_breaks(indent))
            }
        };
        let outermost = self.level == 0 && header.indent.is_none();

        let mut value = String::new();
        let mut last_break = None;
        while self.reader.column() == indent && self.reader.peek(0) != END {
            value.push_str(&breaks.text);
            let starts_with_text = !is_blank(self.reader.peek(0));
            self.reader.take(self.reader.count_while(|c| !is_end(c)), &mut value);
            last_break = self.reader.take_break();
            breaks = self.scan_block_breaks(indent);
            if outermost && self.reader.column() == 0 && self.reader.at_document_end() {
                break;
            }
            if self.reader.column() != indent || self.reader.peek(0) == END {
                break;
            }
            let joins_next = starts_with_text && !is_blank(self.reader.peek(0));
            if folded && last_break == Some('\n') && joins_next {
                if breaks.text.is_empty() {
                    value.push(' ');
                }
            } else {
                value.extend(last_break);
            }
        }

        if header.chomping != Chomping::Strip {
            value.extend(last_break);
        }
        if header.chomping == Chomping::Keep {
            value.push_str(&breaks.text);
        }
        let mut token = Token::new(TokenKind::Scalar { value, plain: false }, start, breaks.end);
        if header_has_comment {
            token.add_comments_before()?;
        }
        if header.chomping != Chomping::Keep && !breaks.text.is_empty() {
            while self.skip_to_next_token().is_some() {}
            token.add_comment_after();
        }
        Ok(token)
    }

    fn scan_block_header(&mut self, start: Mark) -> Result<Header, Failure> {
        let mut header = Header { chomping: Chomping::Clip, indent: None };
        if self.scan_chomping(&mut header) {
            self.scan_block_indent(&mut header, start)?;
        } else if self.scan_block_indent(&mut header, start)? {
            self.scan_chomping(&mut header);
        }
        let c = self.reader.peek(0);
        if is_end_or_space(c) {
            return Ok(header);
        }
        let problem = format!("expected chomping or indentation indicators, but found {}", repr_char(c));
        Err(self.block_failure(start, problem))
    }

    fn scan_chomping(&mut self, header: &mut Header) -> bool {
        header.chomping = match self.reader.peek(0) {
            '+' => Chomping::Keep,
            '-' => Chomping::Strip,
            _ => return false,
        };
        self.reader.skip(1);
        true
    }

    fn scan_block_indent(&mut self, header: &mut Header, start: Mark) -> Result<bool, Failure> {
        let Some(digit) = self.reader.peek(0).to_digit(10) else { return Ok(false) };
        if digit == 0 {
            let problem = "expected indentation indicator in the range 1-9, but found 0";
            return Err(self.block_failure(start, problem));
        }
        header.indent = usize::try_from(digit).ok();
        self.reader.skip(1);
        Ok(true)
    }

    /// Scans what is left of the header line, and says whether that is a comment.
    fn scan_block_header_rest(&mut self, start: Mark) -> Result<bool, Failure> {
        self.reader.skip_while(|c| c == ' ');
        let has_comment = self.reader.peek(0) == '#';
        if has_comment {
            self.reader.skip_while(|c| !is_end(c));
        }
        let c = self.reader.peek(0);
        if !is_end(c) {
            let problem = format!("expected a comment or a line break, but found {}", repr_char(c));
            return Err(self.block_failure(start, problem));
        }
        self.reader.take_break();
        Ok(has_comment)
    }

    /// Goes to the first line of text; the deepest column on the way is the indentation.
    fn detect_block_indent(&mut self) -> (usize, Breaks) {
        let mut deepest = 0;
        let mut breaks = Breaks { text: String::new(), end: self.reader.mark() };
        loop {
            match self.reader.peek(0) {
                ' ' => {
                    self.reader.skip(1);
                    deepest = deepest.max(self.reader.column());
                }
                c if is_break(c) => {
                    breaks.text.extend(self.reader.take_break());
                    breaks.end = self.reader.mark();
                }
                _ => return (self.level.max(deepest), breaks),
            }
        }
    }

    fn scan_block_breaks(&mut self, indent: usize) -> Breaks {
        let mut breaks = Breaks { text: String::new(), end: self.reader.mark() };
        loop {
            while self.reader.column() < indent && self.reader.peek(0) == ' ' {
                self.reader.skip(1);
            }
            let Some(c) = self.reader.take_break() else { return breaks };
            breaks.text.push(c);
            breaks.end = self.reader.mark();
        }
    }

    fn block_failure(&self, start: Mark, problem: impl Into<String>) -> Failure {
        Failure::within("while scanning a block scalar", start, problem, self.reader.mark())
    }
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}
