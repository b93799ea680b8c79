//! Keys without a `?`: recognised only when their `:` comes, on the same line and soon enough.

use super::Scanner;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::token::{Token, TokenKind};

/// How many characters a key may be away from its `:`.
const LONGEST_KEY: usize = 1024;

/// A place where a key may have begun.
pub(super) struct SimpleKey {
    number: usize,
    required: bool,
    mark: Mark,
}

impl Scanner {
    /// The number of the earliest token that may still turn out to be a key.
    pub(super) fn first_key_number(&self) -> Option<usize> {
        self.simple_keys.values().map(|key| key.number).min()
    }

    /// Forgets candidates that are on an earlier line or too far back.
    pub(super) fn drop_stale_keys(&mut self) -> Result<(), Failure> {
        let (line, index) = (self.reader.line(), self.reader.index());
        let is_stale = |key: &SimpleKey| key.mark.line != line || index - key.mark.index > LONGEST_KEY;
        if let Some(key) = self.simple_keys.values().find(|key| key.required && is_stale(key)) {
            return Err(missing_colon(key, self.reader.mark()));
        }
        self.simple_keys.retain(|_, key| !is_stale(key));
        Ok(())
    }

    /// Notes that the token about to be scanned may be a key.
    pub(super) fn save_simple_key(&mut self) -> Result<(), Failure> {
        if !self.allow_simple_key {
            return Ok(());
        }
        self.remove_simple_key()?;
        let key = SimpleKey {
            number: self.taken + self.tokens.len(),
            required: self.flow.is_empty() && self.level == self.reader.column() + 1,
            mark: self.reader.mark(),
        };
        self.simple_keys.insert(self.flow.len(), key);
        Ok(())
    }

    /// Gives up the candidate of the current flow level.
    pub(super) fn remove_simple_key(&mut self) -> Result<(), Failure> {
        match self.simple_keys.remove(&self.flow.len()) {
            Some(key) if key.required => Err(missing_colon(&key, self.reader.mark())),
            _ => Ok(()),
        }
    }

    /// Turns the candidate of the current flow level into a key, and says whether there was one.
    pub(super) fn confirm_simple_key(&mut self) -> bool {
        let Some(key) = self.simple_keys.remove(&self.flow.len()) else { return false };
        self.insert_token(key.number, TokenKind::Key, key.mark);
        if self.flow.is_empty() && self.open_level(key.mark.column) {
            self.insert_token(key.number, TokenKind::BlockMappingStart, key.mark);
        }
        true
    }

    /// Inserts before the token with the given number; a number already taken counts from the back, as in Python.
    fn insert_token(&mut self, number: usize, kind: TokenKind, mark: Mark) {
        let length = self.tokens.len();
        let position = match number.checked_sub(self.taken) {
            Some(position) => position.min(length),
            None => length.saturating_sub(self.taken - number),
        };
        self.tokens.insert(position, Token::new(kind, mark, mark));
    }
}

fn missing_colon(key: &SimpleKey, found: Mark) -> Failure {
    Failure::within("while scanning a simple key", key.mark, "could not find expected ':'", found)
}
