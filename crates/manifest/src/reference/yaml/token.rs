//! Tokens, and the comments that travel on them.

use super::failure::{Failure, Mark};

/// A token between two marks.
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    pub(crate) comment: Option<Comment>,
}

/// What a token is, with the value the parser needs from it.
pub(crate) enum TokenKind {
    StreamStart,
    StreamEnd,
    Directive(Directive),
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowMappingStart,
    FlowSequenceEnd,
    FlowMappingEnd,
    Key,
    Value,
    BlockEntry,
    FlowEntry,
    Alias(String),
    Anchor,
    Tag,
    Scalar { value: String, plain: bool },
    Comment,
}

/// A `%` line at the top of a document.
pub(crate) enum Directive {
    Yaml { major: u64 },
    Tag { handle: String },
    Other,
}

impl TokenKind {
    /// The name the reference gives the token in messages.
    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::StreamStart => "<stream start>",
            Self::StreamEnd => "<stream end>",
            Self::Directive(_) => "<directive>",
            Self::DocumentEnd => "<document end>",
            Self::BlockSequenceStart => "<block sequence start>",
            Self::BlockMappingStart => "<block mapping start>",
            Self::BlockEnd => "<block end>",
            Self::FlowSequenceStart => "[",
            Self::FlowMappingStart => "{",
            Self::FlowSequenceEnd => "]",
            Self::FlowMappingEnd => "}",
            Self::Key => "?",
            Self::Value => ":",
            Self::BlockEntry => "-",
            Self::FlowEntry => ",",
            Self::Alias(_) => "<alias>",
            Self::Anchor => "<anchor>",
            Self::Tag => "<tag>",
            Self::Scalar { .. } => "<scalar>",
            Self::Comment => "<comment>",
        }
    }
}

impl Token {
    pub(crate) fn new(kind: TokenKind, start: Mark, end: Mark) -> Self {
        Self { kind, start, end, comment: None }
    }

    /// Hangs a comment that follows the token on it.
    pub(crate) fn add_comment_after(&mut self) {
        self.comment.get_or_insert_default().after = true;
    }

    /// Hangs the comments that precede the token on it.
    pub(crate) fn add_comments_before(&mut self) -> Result<(), Failure> {
        let comment = self.comment.get_or_insert_default();
        if comment.before != Before::Absent {
            return Err(Failure::Crash("two groups of comments belong to one value"));
        }
        comment.before = Before::Lines;
        Ok(())
    }

    /// Moves the comment of this token to `target`, unless that is the end of the stream.
    pub(crate) fn move_comment(&mut self, target: &mut Self) -> Result<(), Failure> {
        if matches!(target.kind, TokenKind::StreamEnd) {
            return Ok(());
        }
        let Some(moved) = self.comment.take() else { return Ok(()) };
        match &mut target.comment {
            None => target.comment = Some(moved),
            Some(existing) => existing.merge(moved)?,
        }
        Ok(())
    }
}

/// Which comments hang on a token. Their text never matters, but where they collide the reference crashes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Comment {
    pub(crate) after: bool,
    pub(crate) before: Before,
}

/// The comments before a token; an empty group counts as one that is there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Before {
    #[default]
    Absent,
    Empty,
    Lines,
}

impl Comment {
    fn merge(&mut self, moved: Self) -> Result<(), Failure> {
        let both_after = moved.after && self.after;
        let both_before = moved.before == Before::Lines && self.before == Before::Lines;
        if both_after || both_before {
            return Err(Failure::Crash("two comments belong to one place"));
        }
        self.after |= moved.after;
        if moved.before == Before::Lines {
            self.before = moved.before;
        }
        Ok(())
    }
}
