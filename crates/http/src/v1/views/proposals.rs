//! Proposals.

use app::skills::Proposed;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::skills::{SkillView, outcome_word};

/// A proposal that waits for the person it is for.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProposedView {
    /// `created`, `revised` or `unchanged`.
    pub outcome: &'static str,
    pub skill: SkillView,
    /// What the agent is told.
    pub message: &'static str,
    /// What the conversation shows the person: `id`, `title`, `type`, `filepath` and `metadata`.
    #[schema(value_type = Object)]
    pub artifact: Map<String, Value>,
}

impl From<Proposed> for ProposedView {
    fn from(proposed: Proposed) -> Self {
        let artifact = proposed.artifact.fields();
        let Proposed { outcome, record, message, .. } = proposed;
        Self { outcome: outcome_word(outcome), skill: record.into(), message, artifact }
    }
}
