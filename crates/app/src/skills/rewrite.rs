//! Changes the text of a skill the way a model does: one operation on its instructions, and what is said about it.
//!
//! Reading, changing and writing are one transaction, so that of two changes at once neither is lost.

use manifest::{Change, Changes};
use model::{Caller, Manifest, Skill, SkillId};
use policy::access::Act;

use super::access::load;
use super::bundles::load_bundle;
use super::edit::{Edit, EditSkill, change};
use super::prepare::examine;
use super::publish::{Outcome, Published};
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
    /// This text at the end, on a line of its own.
    Append(String),
    /// This text at the beginning, on a line of its own.
    Prepend(String),
    /// Without this text, in the first place where it stands.
    Delete(String),
}

/// An operation as a model writes it down: its name, and fields of which it needs some.
#[derive(Debug, Clone, Default)]
pub struct Operation {
    /// `replace`, `find_replace`, `append`, `prepend` or `delete`.
    pub operation: String,
    /// The text to put; `delete` takes the text to remove from here too.
    pub content: Option<String>,
    /// The text to find.
    pub find: Option<String>,
    /// The text to put in its place; it may be empty.
    pub replace: Option<String>,
    /// In every place, not only in the first.
    pub replace_all: bool,
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

impl TryFrom<Operation> for Rewrite {
    type Error = Error;

    fn try_from(given: Operation) -> Result<Self, Error> {
        let Operation { operation, content, find, replace, replace_all } = given;
        let needs = |field: &str, text: Option<String>| {
            text.ok_or_else(|| invalid(format!("the operation `{operation}` needs `{field}`")))
        };
        let rewrite = match operation.as_str() {
            "replace" => Self::Replace(needs("content", content)?),
            "find_replace" => Self::FindReplace {
                find: needs("find", find)?,
                replace: needs("replace", replace)?,
                all: replace_all,
            },
            "append" => Self::Append(needs("content", content)?),
            "prepend" => Self::Prepend(needs("content", content)?),
            "delete" => {
                if find.is_some() && content.is_some() && find != content {
                    return Err(invalid(
                        "the operation `delete` takes the text from `find`; leave `content` out",
                    ));
                }
                let find = needs("find", find.or(content))?;
                if replace_all {
                    Self::FindReplace { find, replace: String::new(), all: true }
                } else {
                    Self::Delete(find)
                }
            }
            other => {
                return Err(invalid(format!(
                    "there is no operation `{other}`; use replace, find_replace, append, prepend or delete"
                )));
            }
        };
        rewrite.check()?;
        Ok(rewrite)
    }
}

impl Rewrite {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Replace(text) | Self::Append(text) | Self::Prepend(text) if text.trim().is_empty() => {
                Err(invalid("`content` is empty; give the text to put"))
            }
            Self::FindReplace { find, .. } | Self::Delete(find) if find.is_empty() => {
                Err(invalid("`find` is empty; give the text as it stands in the skill"))
            }
            _ => Ok(()),
        }
    }

    /// The text after the operation.
    fn apply(&self, text: &str) -> Result<String, Error> {
        match self {
            Self::Replace(new) => Ok(new.clone()),
            Self::FindReplace { find, replace, all } => substitute(text, find, replace, *all),
            Self::Delete(find) => substitute(text, find, "", false),
            Self::Append(more) => Ok(joined(text, more)),
            Self::Prepend(more) => Ok(joined(more, text)),
        }
    }
}

fn substitute(text: &str, find: &str, replace: &str, all: bool) -> Result<String, Error> {
    if !text.contains(find) {
        let shown: String = find.chars().take(80).collect();
        let message = format!(
            "the text `{shown}` is not in the skill; read the skill and give the text exactly as it stands there"
        );
        return Err(Error::invalid(Code::TextNotFound, message));
    }
    Ok(if all { text.replace(find, replace) } else { text.replacen(find, replace, 1) })
}

/// Two texts, each on lines of its own.
fn joined(first: &str, second: &str) -> String {
    let apart =
        first.is_empty() || second.is_empty() || first.ends_with('\n') || second.starts_with(['\n', '\r']);
    let between = match (apart, first.contains("\r\n") || second.contains("\r\n")) {
        (true, _) => "",
        (false, true) => "\r\n",
        (false, false) => "\n",
    };
    format!("{first}{between}{second}")
}

impl RewriteSkill {
    fn check(&self) -> Result<(), Error> {
        if self.rewrite.is_none() && self.title.is_none() && self.description.is_none() && self.tags.is_none()
        {
            return Err(invalid("nothing to change; give an operation, a title, a description or tags"));
        }
        if self.title.as_ref().is_some_and(|title| title.trim().is_empty()) {
            return Err(invalid("`title` is empty; leave it out to keep the title"));
        }
        if self.description.as_ref().is_some_and(|description| description.trim().is_empty()) {
            return Err(invalid("`description` is empty; say what the skill does and when to use it"));
        }
        self.rewrite.as_ref().map_or(Ok(()), Rewrite::check)
    }

    /// What of it is another than what the skill says already.
    fn changes(self, skill: &Skill, manifest: &Manifest) -> Result<Changes, Error> {
        let body = self.rewrite.map(|rewrite| rewrite.apply(&manifest.body)).transpose()?;
        let trimmed = |text: Option<String>| text.map(|text| text.trim().to_owned());
        let title = trimmed(self.title).filter(|title| *title != skill.title);
        let description = trimmed(self.description);
        Ok(Changes {
            body: body.filter(|body| *body != manifest.body),
            title: title.map_or(Change::Keep, Change::Set),
            description: description.filter(|description| *description != manifest.description),
            tags: self.tags.filter(|tags| *tags != manifest.tags),
            ..Changes::default()
        })
    }
}

fn invalid(message: impl std::fmt::Display) -> Error {
    Error::invalid(Code::InvalidRequest, message)
}

/// Changes a skill's text as a new revision. What changes nothing makes none.
pub async fn rewrite(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: RewriteSkill,
) -> Result<Published, Error> {
    request.check()?;
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::EditSkill(skill)).await?;
    let old = load_bundle(&mut *tx, caller.workspace, id, record.skill.revision).await?;
    let changes = request.changes(&record.skill, &examine(cx, &old)?.manifest)?;
    let request = EditSkill::new(Edit::Changes(Box::new(changes)));
    let published = change(cx, &mut *tx, caller, (record, &old), request).await?;
    if published.outcome == Outcome::Revised {
        tx.commit().await?;
    }
    Ok(published)
}
