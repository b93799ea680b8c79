//! Block collections, one step at a time: open ones are kept on a list, so that nesting costs no stack.

use super::Parser;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::node::{Content, Node};
use crate::reference::yaml::token::{Before, Comment, TokenKind};

/// How deep nodes may nest before Python gives up.
const DEEPEST_NODE: usize = 480;

/// A collection whose end has not come yet.
pub(super) struct Collection {
    start: Mark,
    comment: Option<Comment>,
    kind: Kind,
}

enum Kind {
    /// Indented more than what it belongs to; `opening` is where it says so.
    Sequence { opening: Mark, items: Vec<Node> },
    /// At the column of the key it belongs to.
    IndentlessSequence { items: Vec<Node> },
    /// A mapping, with a key that still waits for its value.
    Mapping { opening: Mark, entries: Vec<(Node, Node)>, key: Option<Box<Node>> },
}

/// What to do next.
enum Step {
    /// Read the beginning of a node.
    Begin(Indentless),
    /// Read on in the innermost open collection.
    Continue,
    /// Put a finished node where it belongs.
    Finish(Node),
}

/// Whether a sequence may begin at the column of its key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Indentless {
    Allowed,
    Refused,
}

impl Parser {
    /// The root node of a document.
    pub(super) fn root(&mut self) -> Result<Node, Failure> {
        let mut step = Step::Begin(Indentless::Refused);
        loop {
            step = match step {
                Step::Begin(indentless) => self.begin_node(indentless)?,
                Step::Continue => self.continue_collection()?,
                Step::Finish(node) => match self.open.last_mut() {
                    None => return Ok(node),
                    Some(collection) => {
                        collection.add(node);
                        Step::Continue
                    }
                },
            };
        }
    }

    fn begin_node(&mut self, indentless: Indentless) -> Result<Step, Failure> {
        if self.open.len() >= DEEPEST_NODE {
            return Err(Failure::Crash("the frontmatter nests too deeply"));
        }
        self.refuse_alias()?;
        self.refuse_anchor()?;
        self.refuse_tag()?;
        let start = self.scanner.peek()?.start;
        if indentless == Indentless::Allowed
            && self.scanner.check(|kind| matches!(kind, TokenKind::BlockEntry))?
        {
            return self.open_indentless_sequence(start);
        }
        if self.scanner.check(|kind| matches!(kind, TokenKind::Scalar { .. }))? {
            return Ok(Step::Finish(self.scalar(start)?));
        }
        self.refuse_flow(|kind| matches!(kind, TokenKind::FlowSequenceStart))?;
        self.refuse_flow(|kind| matches!(kind, TokenKind::FlowMappingStart))?;
        if self.scanner.check(|kind| matches!(kind, TokenKind::BlockSequenceStart))? {
            return self.open_sequence(start);
        }
        if self.scanner.check(|kind| matches!(kind, TokenKind::BlockMappingStart))? {
            return self.open_mapping(start);
        }
        let token = self.scanner.peek()?;
        Err(Failure::within(
            "while parsing a block node",
            start,
            format!("expected the node content, but found '{}'", token.kind.id()),
            token.start,
        ))
    }

    fn open_sequence(&mut self, start: Mark) -> Result<Step, Failure> {
        self.scanner.peek()?;
        let comment = match self.scanner.peek()?.comment {
            Some(comment) if comment.before == Before::Absent => comment.after.then_some(comment),
            comment => comment,
        };
        let opening = self.scanner.take()?.start;
        let kind = Kind::Sequence { opening, items: Vec::new() };
        self.open.push(Collection { start, comment, kind });
        Ok(Step::Continue)
    }

    fn open_indentless_sequence(&mut self, start: Mark) -> Result<Step, Failure> {
        let mut comment = None;
        if let Some(existing) = &mut self.scanner.peek()?.comment
            && existing.after
        {
            existing.after = false;
            comment = Some(Comment { after: true, before: Before::Empty });
        }
        self.scanner.peek()?;
        let kind = Kind::IndentlessSequence { items: Vec::new() };
        self.open.push(Collection { start, comment, kind });
        Ok(Step::Continue)
    }

    fn open_mapping(&mut self, start: Mark) -> Result<Step, Failure> {
        self.scanner.peek()?;
        let comment = self.scanner.peek()?.comment;
        let opening = self.scanner.take()?.start;
        let kind = Kind::Mapping { opening, entries: Vec::new(), key: None };
        self.open.push(Collection { start, comment, kind });
        Ok(Step::Continue)
    }

    fn continue_collection(&mut self) -> Result<Step, Failure> {
        match self.open.last().map(|collection| &collection.kind) {
            Some(Kind::Mapping { key: Some(_), .. }) => self.mapping_value(),
            Some(Kind::Mapping { key: None, opening, .. }) => {
                let opening = *opening;
                self.mapping_key(opening)
            }
            Some(Kind::Sequence { opening, .. }) => {
                let opening = *opening;
                self.sequence_item(opening)
            }
            Some(Kind::IndentlessSequence { .. }) => self.indentless_item(),
            None => Err(Failure::Crash("no collection is open")),
        }
    }

    fn sequence_item(&mut self, opening: Mark) -> Result<Step, Failure> {
        if self.scanner.check(|kind| matches!(kind, TokenKind::BlockEntry))? {
            return self.item(|kind| matches!(kind, TokenKind::BlockEntry | TokenKind::BlockEnd));
        }
        self.expect_block_end("while parsing a block collection", opening)?;
        let closing = self.scanner.take()?;
        self.close(closing.comment, closing.end)
    }

    fn indentless_item(&mut self) -> Result<Step, Failure> {
        if self.scanner.check(|kind| matches!(kind, TokenKind::BlockEntry))? {
            return self.item(|kind| matches!(kind, TokenKind::BlockEntry) || ends_entry(kind));
        }
        let next = self.scanner.peek()?;
        let (closing, end) = (next.comment, next.start);
        if let Some(existing) = &mut next.comment
            && existing.before == Before::Lines
        {
            existing.before = Before::Absent;
        }
        self.close(closing, end)
    }

    fn item(&mut self, ends: impl Fn(&TokenKind) -> bool) -> Result<Step, Failure> {
        let mut entry = self.scanner.take()?;
        self.scanner.pass_comment(&mut entry)?;
        if self.scanner.check(ends)? {
            return Ok(Step::Finish(self.empty_scalar(entry.end, None)?));
        }
        Ok(Step::Begin(Indentless::Refused))
    }

    fn mapping_key(&mut self, opening: Mark) -> Result<Step, Failure> {
        if self.scanner.check(|kind| matches!(kind, TokenKind::Key))? {
            let mut token = self.scanner.take()?;
            self.scanner.pass_comment(&mut token)?;
            if self.scanner.check(ends_entry)? {
                return Ok(Step::Finish(self.empty_scalar(token.end, None)?));
            }
            return Ok(Step::Begin(Indentless::Allowed));
        }
        if self.scanner.version() > (1, 1) && self.scanner.check(|kind| matches!(kind, TokenKind::Value))? {
            let mark = self.scanner.peek()?.start;
            return Ok(Step::Finish(self.empty_scalar(mark, None)?));
        }
        self.expect_block_end("while parsing a block mapping", opening)?;
        let mut closing = self.scanner.take()?;
        self.scanner.pass_comment(&mut closing)?;
        self.close(closing.comment, closing.end)
    }

    fn mapping_value(&mut self) -> Result<Step, Failure> {
        if !self.scanner.check(|kind| matches!(kind, TokenKind::Value))? {
            let mark = self.scanner.peek()?.start;
            return Ok(Step::Finish(self.empty_scalar(mark, None)?));
        }
        let mut token = self.scanner.take()?;
        let next_is_value = self.scanner.check(|kind| matches!(kind, TokenKind::Value))?;
        if next_is_value || !self.scanner.check(|kind| matches!(kind, TokenKind::Key))? {
            self.scanner.pass_comment(&mut token)?;
        }
        if !self.scanner.check(ends_entry)? {
            return Ok(Step::Begin(Indentless::Allowed));
        }
        if let Some(comment) = token.comment {
            return Ok(Step::Finish(self.empty_scalar(token.end, Some(comment))?));
        }
        // The reference marks an empty value at the end of whatever follows it.
        let next = self.scanner.peek()?;
        let (mark, comment) = (next.end, next.comment);
        if let Some(existing) = &mut next.comment {
            existing.after = false;
        }
        let comment = comment.map(|comment| Comment { before: Before::Absent, ..comment });
        Ok(Step::Finish(self.empty_scalar(mark, comment)?))
    }

    fn expect_block_end(&mut self, context: &str, opening: Mark) -> Result<(), Failure> {
        if self.scanner.check(|kind| matches!(kind, TokenKind::BlockEnd))? {
            return Ok(());
        }
        let token = self.scanner.peek()?;
        let problem = format!("expected <block end>, but found '{}'", token.kind.id());
        Err(Failure::within(context, opening, problem, token.start))
    }

    /// Closes the innermost collection, which has a comment if comments of its own stand at its end.
    fn close(&mut self, closing: Option<Comment>, end: Mark) -> Result<Step, Failure> {
        let collection = self.open.pop().ok_or(Failure::Crash("no collection is open"))?;
        let comment = match closing {
            Some(closing) if closing.before == Before::Lines => Some(collection.comment.unwrap_or_default()),
            _ => collection.comment,
        };
        let content = match collection.kind {
            Kind::Sequence { items, .. } | Kind::IndentlessSequence { items } => Content::Sequence(items),
            Kind::Mapping { entries, .. } => Content::Mapping(entries),
        };
        Ok(Step::Finish(Node { content, start: collection.start, end, comment }))
    }
}

impl Collection {
    fn add(&mut self, node: Node) {
        match &mut self.kind {
            Kind::Sequence { items, .. } | Kind::IndentlessSequence { items } => items.push(node),
            Kind::Mapping { entries, key, .. } => match key.take() {
                None => *key = Some(Box::new(node)),
                Some(key) => entries.push((*key, node)),
            },
        }
    }
}

fn ends_entry(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd)
}
