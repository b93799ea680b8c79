//! Counters and feedback.

use async_trait::async_trait;
use model::{Feedback, SkillId, Statistics, WorkspaceId};

use crate::StoreError;

/// What we may ask about how skills do.
#[async_trait]
pub trait StatisticsTx {
    /// Replaces the counters of executions and uses (not of feedback).
    async fn put_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        statistics: &Statistics,
    ) -> Result<(), StoreError>;
    /// Adds or replaces a person's feedback and counts anew.
    async fn put_feedback(&mut self, workspace: WorkspaceId, feedback: &Feedback) -> Result<(), StoreError>;
    /// The feedback on a skill, newest first, at most so many.
    async fn feedback(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        limit: u32,
    ) -> Result<Vec<Feedback>, StoreError>;
}
