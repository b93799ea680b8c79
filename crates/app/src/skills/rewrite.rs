//! Changes the text of a skill the way a model does: one operation on its instructions, and what is said about it.

use model::{Caller, SkillId};

use super::publish::Published;
use crate::{Code, Context, Error};

/// One operation on the instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rewrite {
    /// This text in place of all of it.
    Replace(String),
    /// One text in place of another; the first place, or every one.
    FindReplace {
        /// What stands there now, to the letter.
        find: String,
        /// What shall stand there.
        replace: String,
        /// In every place.
        all: bool,
    },
    /// This text at the end.
    Append(String),
    /// This text at the beginning.
    Prepend(String),
    /// Without this text.
    Delete(String),
}

/// A change as a model asks for it.
#[derive(Debug, Clone, Default)]
pub struct RewriteSkill {
    /// The operation on the instructions; none leaves them.
    pub rewrite: Option<Rewrite>,
    /// A new title.
    pub title: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// Tags in place of those it has.
    pub tags: Option<Vec<String>>,
}

/// Changes a skill's text as a new revision.
pub async fn rewrite(
    _cx: &Context,
    _caller: &Caller,
    _id: SkillId,
    _request: RewriteSkill,
) -> Result<Published, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}
