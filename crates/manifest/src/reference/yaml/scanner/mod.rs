//! Source to tokens, one at a time and with exactly the lookahead of the reference.
//!
//! The lookahead is part of the contract: of two mistakes, the one met first is the one reported.
//! Comments and blank lines are tokens as well, because they take part in that lookahead.

mod block;
mod directives;
mod fetch;
mod plain;
mod quoted;
mod simple_keys;
mod tags;

use std::collections::{BTreeMap, VecDeque};

use self::simple_keys::SimpleKey;
use super::failure::{Failure, Mark};
use super::reader::{Reader, is_break, is_end};
use super::token::{Token, TokenKind};

/// The version of YAML that holds where no directive says otherwise.
const DEFAULT_VERSION: (u64, u64) = (1, 2);

/// A bracket of flow style that is still open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Sequence,
    Mapping,
}

/// The scanner: a cursor, a queue of tokens, and what may still become a key.
pub(crate) struct Scanner {
    reader: Reader,
    tokens: VecDeque<Token>,
    /// How many tokens have left the queue, comments included.
    taken: usize,
    done: bool,
    /// One more than the column of the open block collection; 0 outside of any.
    level: usize,
    outer_levels: Vec<usize>,
    flow: Vec<Flow>,
    allow_simple_key: bool,
    simple_keys: BTreeMap<usize, SimpleKey>,
    version: Option<(u64, u64)>,
}

impl Scanner {
    pub(crate) fn new(source: &str) -> Self {
        let reader = Reader::new(source);
        let start = reader.mark();
        Self {
            reader,
            tokens: VecDeque::from([Token::new(TokenKind::StreamStart, start, start)]),
            taken: 0,
            done: false,
            level: 0,
            outer_levels: Vec::new(),
            flow: Vec::new(),
            allow_simple_key: true,
            simple_keys: BTreeMap::new(),
            version: None,
        }
    }

    pub(crate) fn source(&self) -> &[char] {
        self.reader.source()
    }

    /// The version of YAML in force: that of the last directive read, even by lookahead.
    pub(crate) fn version(&self) -> (u64, u64) {
        self.version.unwrap_or(DEFAULT_VERSION)
    }

    /// Whether the next token passes the test.
    pub(crate) fn check(&mut self, test: impl Fn(&TokenKind) -> bool) -> Result<bool, Failure> {
        Ok(test(&self.peek()?.kind))
    }

    /// The next token, left in the queue.
    pub(crate) fn peek(&mut self) -> Result<&mut Token, Failure> {
        self.look_ahead()?;
        self.gather_comments()?;
        self.tokens.front_mut().ok_or(Failure::Crash("the source ended too early"))
    }

    /// The next token, taken out of the queue.
    pub(crate) fn take(&mut self) -> Result<Token, Failure> {
        self.look_ahead()?;
        self.gather_comments()?;
        self.attach_following_comments()?;
        self.taken += 1;
        self.tokens.pop_front().ok_or(Failure::Crash("the source ended too early"))
    }

    /// Moves the comment of a taken token to the next one.
    pub(crate) fn pass_comment(&mut self, from: &mut Token) -> Result<(), Failure> {
        from.move_comment(self.peek()?)
    }

    fn look_ahead(&mut self) -> Result<(), Failure> {
        while self.needs_more_tokens()? {
            self.fetch_more_tokens()?;
        }
        Ok(())
    }

    fn needs_more_tokens(&mut self) -> Result<bool, Failure> {
        if self.done {
            return Ok(false);
        }
        if self.tokens.is_empty() {
            return Ok(true);
        }
        self.drop_stale_keys()?;
        Ok(self.first_key_number() == Some(self.taken))
    }

    /// Hangs comment tokens at the front of the queue on the token behind them.
    fn gather_comments(&mut self) -> Result<(), Failure> {
        let mut found = self.drop_comment_at(0);
        while self.needs_more_tokens()? {
            self.fetch_more_tokens()?;
            found |= self.drop_comment_at(0);
        }
        if found && let Some(token) = self.tokens.front_mut() {
            token.add_comments_before()?;
        }
        if !self.done && self.tokens.len() < 2 {
            self.fetch_more_tokens()?;
        }
        Ok(())
    }

    /// Hangs comment tokens behind a scalar, or on the line of a `:`, on that token.
    fn attach_following_comments(&mut self) -> Result<(), Failure> {
        let (Some(first), Some(second)) = (self.tokens.front(), self.tokens.get(1)) else { return Ok(()) };
        let same_line = first.end.line == second.start.line;
        let wanted = match first.kind {
            TokenKind::Scalar { .. } => true,
            TokenKind::Value => same_line,
            _ => false,
        };
        if !wanted || !self.drop_comment_at(1) {
            return Ok(());
        }
        if let Some(token) = self.tokens.front_mut() {
            token.add_comment_after();
        }
        self.fetch_more_tokens()?;
        while self.drop_comment_at(1) {
            self.fetch_more_tokens()?;
        }
        Ok(())
    }

    fn drop_comment_at(&mut self, position: usize) -> bool {
        let is_comment =
            self.tokens.get(position).is_some_and(|token| matches!(token.kind, TokenKind::Comment));
        if is_comment {
            self.tokens.remove(position);
            self.taken += 1;
        }
        is_comment
    }

    /// Skips spaces and single line breaks; a comment or a blank line stops it, and where that began is returned.
    fn skip_to_next_token(&mut self) -> Option<Mark> {
        if self.reader.index() == 0 && self.reader.peek(0) == '\u{feff}' {
            self.reader.skip(1);
        }
        loop {
            self.reader.skip_while(|c| c == ' ');
            if self.reader.peek(0) == '#' {
                return Some(self.skip_comment());
            }
            self.reader.take_break()?;
            self.allow_key_on_new_line();
            if self.reader.peek(0) == '\n' {
                let start = self.reader.mark();
                self.reader.skip_while(|c| is_break(c) || c == ' ' || c == '\t');
                return Some(start);
            }
        }
    }

    fn skip_comment(&mut self) -> Mark {
        let start = self.reader.mark();
        self.reader.skip_while(|c| !is_end(c));
        self.reader.skip_while(is_break);
        self.allow_key_on_new_line();
        start
    }

    fn allow_key_on_new_line(&mut self) {
        if self.flow.is_empty() {
            self.allow_simple_key = true;
        }
    }
}
