//! What a conversation shows a person about a skill: that one was saved, used or proposed.
//!
//! The fields and titles are those of procedural memory's first design, so that its clients can show them; object ids
//! and the spelling of a status are its own too. `skill_id` is ours: it stays when a skill is renamed. Every door shows
//! an artifact as [`Artifact::fields`] gives it.

use model::{EntryKind, SessionEntry, SkillId, Statistics};
use serde_json::{Map, Value, json};

use crate::{Context, Error, SkillRecord, object_ids};

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

impl ArtifactKind {
    /// The word for it on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SkillSaved => "skill_saved",
            Self::SkillUsed => "skill_used",
            Self::SkillProposal => "skill_proposal",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::SkillSaved => "Skill Saved",
            Self::SkillUsed => "Skill Used",
            Self::SkillProposal => "Skill Proposal",
        }
    }
}

impl Artifact {
    /// What is shown of a skill as it stands, with the code of its procedure.
    pub async fn new(
        cx: &Context,
        kind: ArtifactKind,
        record: &SkillRecord,
        code: String,
    ) -> Result<Self, Error> {
        let skill = &record.skill;
        let called = object_ids::of_skill(cx, skill).await?;
        Ok(Self {
            id: cx.id().to_string(),
            kind,
            skill: skill.id,
            skill_object_id: called.object_id,
            skill_name: called.name,
            skill_description: skill.description.clone(),
            skill_code: code,
            skill_status: object_ids::status_word(skill).to_owned(),
            agent_object_id: called.agent_object_id,
            user_id: called.user.map(|user| user.to_string()),
            statistics: (kind == ArtifactKind::SkillUsed).then(|| record.statistics.clone()),
        })
    }

    /// Its entry in the session in which a tool made it.
    pub(crate) fn entry(&self, cx: &Context, tool: &str) -> SessionEntry {
        SessionEntry {
            number: 0,
            kind: EntryKind::Artifact,
            speaker: None,
            tool: Some(tool.to_owned()),
            call: None,
            text: self.title(),
            data: Some(Value::Object(self.fields())),
            failed: false,
            at: cx.now(),
        }
    }

    fn title(&self) -> String {
        format!("{}: {}", self.kind.title(), self.skill_name)
    }

    /// Its fields as every door shows them: `id`, `title`, `type`, `filepath`, `skill_id`, `metadata`.
    pub fn fields(&self) -> Map<String, Value> {
        let mut metadata = object([
            ("skill_object_id", json!(self.skill_object_id)),
            ("skill_name", json!(self.skill_name)),
            ("skill_description", json!(self.skill_description)),
            ("skill_code", json!(self.skill_code)),
            ("skill_status", json!(self.skill_status)),
            ("agent_object_id", json!(self.agent_object_id)),
            ("user_id", json!(self.user_id)),
        ]);
        if let Some(statistics) = &self.statistics {
            metadata.extend(object([
                ("execution_count", json!(statistics.execution_count())),
                ("success_rate", json!(statistics.success_rate())),
            ]));
        }
        object([
            ("id", json!(self.id)),
            ("title", json!(self.title())),
            ("type", json!(self.kind.as_str())),
            ("filepath", json!(self.skill_object_id)),
            ("skill_id", json!(self.skill.to_string())),
            ("metadata", Value::Object(metadata)),
        ])
    }
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Map<String, Value> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
