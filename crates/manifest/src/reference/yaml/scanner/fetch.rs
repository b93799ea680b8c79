//! The next token, by its first character.

use super::{Flow, Scanner};
use crate::reference::python::repr_char;
use crate::reference::yaml::failure::Failure;
use crate::reference::yaml::reader::{END, is_end_or_blank};
use crate::reference::yaml::token::{Token, TokenKind};

impl Scanner {
    /// Appends at least one token to the queue.
    pub(super) fn fetch_more_tokens(&mut self) -> Result<(), Failure> {
        if let Some(start) = self.skip_to_next_token() {
            let end = self.reader.mark();
            self.tokens.push_back(Token::new(TokenKind::Comment, start, end));
            return Ok(());
        }
        self.drop_stale_keys()?;
        if self.flow.is_empty() {
            self.close_levels(self.reader.column() + 1);
        }
        let at_line_start = self.reader.column() == 0;
        match self.reader.peek(0) {
            END => self.fetch_stream_end(),
            '%' if at_line_start => self.fetch_directive(),
            '.' if at_line_start && self.reader.at_document_end() => self.fetch_document_end(),
            '[' => self.fetch_flow_start(TokenKind::FlowSequenceStart, Flow::Sequence),
            '{' => self.fetch_flow_start(TokenKind::FlowMappingStart, Flow::Mapping),
            ']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if self.is_indicator() => self.fetch_block_entry(),
            '?' if !self.flow.is_empty() || self.is_indicator() => self.fetch_key(),
            ':' if self.is_value_indicator() => self.fetch_value(),
            '*' | '&' => self.fetch_scanned(Self::scan_anchor),
            '!' => self.fetch_scanned(Self::scan_tag),
            '|' | '>' if self.flow.is_empty() => self.fetch_block_scalar(),
            '\'' | '"' => self.fetch_scanned(Self::scan_quoted),
            c if self.starts_plain(c) => self.fetch_scanned(|scanner| Ok(scanner.scan_plain())),
            c => Err(Failure::during(
                "while scanning for the next token",
                format!("found character {} that cannot start any token", repr_char(c)),
                self.reader.mark(),
            )),
        }
    }

    /// Opens a block collection at the column if it is deeper than the present one.
    pub(super) fn open_level(&mut self, column: usize) -> bool {
        let deeper = self.level < column + 1;
        if deeper {
            self.outer_levels.push(self.level);
            self.level = column + 1;
        }
        deeper
    }

    fn close_levels(&mut self, level: usize) {
        let mark = self.reader.mark();
        while self.level > level {
            self.level = self.outer_levels.pop().unwrap_or(0);
            self.tokens.push_back(Token::new(TokenKind::BlockEnd, mark, mark));
        }
    }

    fn is_indicator(&self) -> bool {
        is_end_or_blank(self.reader.peek(1))
    }

    fn is_value_indicator(&self) -> bool {
        let may_touch_the_value = match self.flow.last() {
            Some(_) if self.version() == (1, 1) => true,
            None | Some(Flow::Sequence) => false,
            Some(Flow::Mapping) => {
                !self.tokens.back().is_some_and(|token| matches!(token.kind, TokenKind::Value))
            }
        };
        may_touch_the_value || self.is_indicator()
    }

    fn starts_plain(&self, c: char) -> bool {
        let next = self.reader.peek(1);
        match c {
            '-' => !is_end_or_blank(next),
            '?' => self.flow.is_empty() && !is_end_or_blank(next),
            ':' if self.flow.is_empty() => !is_end_or_blank(next),
            ':' => self.version() != (1, 1) && next != ' ' && next != '\t',
            ',' | '[' | ']' | '{' | '}' | '#' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
            | '`' => false,
            _ => !is_end_or_blank(c),
        }
    }

    /// Ends all blocks: the stream, a document or a directive comes.
    fn close_all(&mut self) -> Result<(), Failure> {
        if self.flow.is_empty() {
            self.close_levels(0);
        }
        self.remove_simple_key()?;
        self.allow_simple_key = false;
        Ok(())
    }

    fn fetch_stream_end(&mut self) -> Result<(), Failure> {
        self.close_all()?;
        self.simple_keys.clear();
        self.push_indicator(TokenKind::StreamEnd, 0);
        self.done = true;
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Failure> {
        self.close_all()?;
        let token = self.scan_directive()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_document_end(&mut self) -> Result<(), Failure> {
        self.close_all()?;
        self.push_indicator(TokenKind::DocumentEnd, 3);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind, flow: Flow) -> Result<(), Failure> {
        self.save_simple_key()?;
        self.flow.push(flow);
        self.allow_simple_key = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), Failure> {
        self.remove_simple_key()?;
        self.flow.pop();
        self.allow_simple_key = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), Failure> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.push_indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Failure> {
        self.start_block_item("sequence entries are not allowed here", TokenKind::BlockSequenceStart)?;
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Failure> {
        self.start_block_item("mapping keys are not allowed here", TokenKind::BlockMappingStart)?;
        self.allow_simple_key = self.flow.is_empty();
        self.remove_simple_key()?;
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Failure> {
        if self.confirm_simple_key() {
            self.allow_simple_key = false;
        } else {
            self.start_block_item("mapping values are not allowed here", TokenKind::BlockMappingStart)?;
            self.allow_simple_key = self.flow.is_empty();
            self.remove_simple_key()?;
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }

    /// In block style, an indicator needs the start of a line or another indicator before it, and may open a block.
    fn start_block_item(&mut self, complaint: &str, opening: TokenKind) -> Result<(), Failure> {
        if !self.flow.is_empty() {
            return Ok(());
        }
        if !self.allow_simple_key {
            return Err(Failure::at(complaint, self.reader.mark()));
        }
        if self.open_level(self.reader.column()) {
            self.push_indicator(opening, 0);
        }
        Ok(())
    }

    fn fetch_scanned(&mut self, scan: fn(&mut Self) -> Result<Token, Failure>) -> Result<(), Failure> {
        self.save_simple_key()?;
        self.allow_simple_key = false;
        let token = scan(self)?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn fetch_block_scalar(&mut self) -> Result<(), Failure> {
        self.allow_simple_key = true;
        self.remove_simple_key()?;
        let token = self.scan_block_scalar()?;
        self.tokens.push_back(token);
        Ok(())
    }

    fn push_indicator(&mut self, kind: TokenKind, length: usize) {
        let start = self.reader.mark();
        self.reader.skip(length);
        self.tokens.push_back(Token::new(kind, start, self.reader.mark()));
    }
}
