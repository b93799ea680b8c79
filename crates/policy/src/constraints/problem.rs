//! What is wrong with a declared policy, and where.

use model::PolicyPlace;

use super::checks::CheckError;
use super::expression::ExpressionError;
use super::pattern::PatternError;

/// Something in a declared policy that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {wrong}")]
pub struct Problem {
    /// Where it stands.
    pub place: PolicyPlace,
    /// What is wrong.
    pub wrong: Wrong,
}

/// What is wrong at a place of a declared policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// A keyword would be found in every task.
    #[error("a keyword is empty; write a word or remove it")]
    Keyword,
    /// An expression is wrong.
    #[error(transparent)]
    Expression(#[from] ExpressionError),
    /// An entry of a list of tools is wrong.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// A validator is wrong.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// A limit that nothing can keep.
    #[error("nothing can keep this limit; write a greater one, or forbid the tools")]
    Limit,
    /// A whitelist of which nothing is left.
    #[error(
        "`forbidden_tools` has all of it, so that no tool is left; remove what is meant to be used there, or write `[]` here"
    )]
    AllForbidden,
    /// Two validators that nothing passes.
    #[error("no {what} passes this and validator {other} as well; make them agree, or remove one")]
    Contradiction {
        /// What cannot pass: `path` or `host`.
        what: &'static str,
        /// The number of the other one, from 1.
        other: usize,
    },
}

impl Problem {
    pub(super) fn new(place: PolicyPlace, wrong: impl Into<Wrong>) -> Self {
        Self { place, wrong: wrong.into() }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match &self.wrong {
            Wrong::Keyword => "policy_keyword",
            Wrong::Expression(_) => "policy_expression",
            Wrong::Pattern(_) => "policy_pattern",
            Wrong::Check(_) => "policy_validator",
            Wrong::Limit => "policy_limit",
            Wrong::AllForbidden | Wrong::Contradiction { .. } => "policy_impossible",
        }
    }
}
