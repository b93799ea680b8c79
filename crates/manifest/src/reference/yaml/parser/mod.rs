//! Tokens to a document: directives, the end of the stream, and the refusal of what strictyaml does not allow.
//!
//! Each look at the next token may make the scanner read on, so their number and order are part of the contract.

mod collections;

use std::collections::HashSet;

use self::collections::Collection;
use super::failure::{Failure, Mark};
use super::node::{Content, Meaning, Node};
use super::scanner::Scanner;
use super::token::{Comment, Directive, TokenKind};
use crate::reference::python::repr;

/// The parser of one source.
pub(crate) struct Parser {
    scanner: Scanner,
    /// The collections that are open, outermost first.
    open: Vec<Collection>,
}

impl Parser {
    pub(crate) fn new(source: &str) -> Self {
        Self { scanner: Scanner::new(source), open: Vec::new() }
    }

    pub(crate) fn source(&self) -> &[char] {
        self.scanner.source()
    }

    /// The only document of the source; `None` if there is nothing in it.
    pub(crate) fn document(&mut self) -> Result<Option<Node>, Failure> {
        let mut start = self.scanner.take()?;
        self.scanner.pass_comment(&mut start)?;
        if self.begins_implicit_document()?.is_none() {
            self.end_of_stream()?;
            return Ok(None);
        }
        let root = self.root()?;

        self.scanner.peek()?;
        if self.scanner.check(|kind| matches!(kind, TokenKind::DocumentEnd))? {
            self.scanner.take()?;
        }
        let other = if self.scanner.version() == (1, 1) { None } else { self.begins_implicit_document()? };
        match other {
            None => self.end_of_stream()?,
            Some(mark) => {
                return Err(Failure::within(
                    "expected a single document in the stream",
                    root.start,
                    "but found another document",
                    mark,
                ));
            }
        }
        Ok(Some(root))
    }

    /// The mark of the next token, if a document begins with it.
    fn begins_implicit_document(&mut self) -> Result<Option<Mark>, Failure> {
        if self.scanner.check(|kind| matches!(kind, TokenKind::Directive(_) | TokenKind::StreamEnd))? {
            return Ok(None);
        }
        Ok(Some(self.scanner.peek()?.start))
    }

    /// Nothing may follow but `...`; directives need a `---` behind them, which cannot come.
    fn end_of_stream(&mut self) -> Result<(), Failure> {
        while self.scanner.check(|kind| matches!(kind, TokenKind::DocumentEnd))? {
            self.scanner.take()?;
        }
        if self.scanner.check(|kind| matches!(kind, TokenKind::StreamEnd))? {
            self.scanner.take()?;
            return Ok(());
        }
        self.scanner.peek()?;
        self.directives()?;
        let token = self.scanner.peek()?;
        Err(Failure::at(format!("expected '<document start>', but found '{}'", token.kind.id()), token.start))
    }

    fn directives(&mut self) -> Result<(), Failure> {
        let mut has_version = false;
        let mut handles = HashSet::new();
        while self.scanner.check(|kind| matches!(kind, TokenKind::Directive(_)))? {
            let token = self.scanner.take()?;
            let problem = match token.kind {
                TokenKind::Directive(Directive::Yaml { .. }) if has_version => {
                    "found duplicate YAML directive".to_owned()
                }
                TokenKind::Directive(Directive::Yaml { major: 1 }) => {
                    has_version = true;
                    continue;
                }
                TokenKind::Directive(Directive::Yaml { .. }) => {
                    "found incompatible YAML document (version 1.* is required)".to_owned()
                }
                TokenKind::Directive(Directive::Tag { handle }) if handles.contains(&handle) => {
                    format!("duplicate tag handle {}", repr(&handle))
                }
                TokenKind::Directive(Directive::Tag { handle }) => {
                    handles.insert(handle);
                    continue;
                }
                _ => continue,
            };
            return Err(Failure::at(problem, token.start));
        }
        // The reference looks for `---` here, which makes it read on once more.
        self.scanner.peek()?;
        Ok(())
    }

    fn refuse_alias(&mut self) -> Result<(), Failure> {
        if !self.scanner.check(|kind| matches!(kind, TokenKind::Alias(_)))? {
            return Ok(());
        }
        let token = self.scanner.take()?;
        let name = match &token.kind {
            TokenKind::Alias(name) => repr(name),
            _ => String::new(),
        };
        Err(Failure::at(format!("found undefined alias {name}"), token.start))
    }

    fn refuse_anchor(&mut self) -> Result<(), Failure> {
        if !self.scanner.check(|kind| matches!(kind, TokenKind::Anchor))? {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        Err(Failure::within(
            "While scanning",
            token.start,
            "Found confusing disallowed anchor token (surround with ' and ' to make text appear literally)",
            token.end,
        ))
    }

    fn refuse_tag(&mut self) -> Result<(), Failure> {
        if !self.scanner.check(|kind| matches!(kind, TokenKind::Tag))? {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        Err(Failure::within(
            "While scanning",
            token.end,
            "Found disallowed tag tokens (do not specify types in markup)",
            token.start,
        ))
    }

    fn refuse_flow(&mut self, test: fn(&TokenKind) -> bool) -> Result<(), Failure> {
        if !self.scanner.check(test)? {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        Err(Failure::within(
            "While scanning",
            token.start,
            "Found ugly disallowed JSONesque flow mapping (surround with ' and ' to make text appear literally)",
            token.end,
        ))
    }

    fn scalar(&mut self, start: Mark) -> Result<Node, Failure> {
        let token = self.scanner.take()?;
        let TokenKind::Scalar { value, plain } = token.kind else {
            return Err(Failure::Crash("a scalar was expected"));
        };
        let meaning = if plain { self.resolve(&value)? } else { Meaning::Text };
        Ok(Node {
            content: Content::Scalar { value, meaning },
            start,
            end: token.end,
            comment: token.comment,
        })
    }

    /// What a plain scalar means. The reference has no rules for other versions than these two.
    fn resolve(&self, value: &str) -> Result<Meaning, Failure> {
        if !matches!(self.scanner.version(), (1, 1 | 2)) {
            return Err(Failure::Crash("the YAML directive names an unknown version"));
        }
        Ok(match value {
            "<<" => Meaning::Merge,
            "=" => Meaning::Default,
            _ => Meaning::Text,
        })
    }

    fn empty_scalar(&self, mark: Mark, comment: Option<Comment>) -> Result<Node, Failure> {
        let meaning = self.resolve("")?;
        let content = Content::Scalar { value: String::new(), meaning };
        Ok(Node { content, start: mark, end: mark, comment })
    }
}
