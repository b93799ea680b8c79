//! An agent proposes a skill: a draft that waits for the person it is for.

use model::{Caller, SessionId};

use crate::artifacts::Artifact;
use crate::{Code, Context, Error, SkillRecord};

/// What is proposed.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// How it is done.
    pub instructions: String,
    /// Requests it would serve.
    pub example_queries: Vec<String>,
    /// Tools it needs.
    pub suggested_tools: Vec<String>,
    /// The session it comes from.
    pub session: Option<SessionId>,
}

/// A proposal that waits.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// The draft.
    pub record: SkillRecord,
    /// What the conversation shows the person.
    pub artifact: Artifact,
}

/// Proposes a skill.
pub async fn propose(_cx: &Context, _caller: &Caller, _proposal: Proposal) -> Result<Proposed, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}
