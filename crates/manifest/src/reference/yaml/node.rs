//! Nodes: the source as a tree, before keys are compared.

use super::failure::Mark;
use super::token::Comment;

/// A node between two marks.
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) start: Mark,
    pub(crate) end: Mark,
    pub(crate) comment: Option<Comment>,
}

/// What a node holds.
pub(crate) enum Content {
    Scalar { value: String, meaning: Meaning },
    Sequence(Vec<Node>),
    Mapping(Vec<(Node, Node)>),
}

/// Plain scalars that mean something else than their text, unless they are keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Text,
    /// `<<`, which means something as a key too.
    Merge,
    /// `=`.
    Default,
}

impl Content {
    /// The name the reference gives the kind of node.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Scalar { .. } => "scalar",
            Self::Sequence(_) => "sequence",
            Self::Mapping(_) => "mapping",
        }
    }
}
