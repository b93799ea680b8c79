//! Uses of skills by day.

use async_trait::async_trait;
use model::{AgentId, Day, SkillId, SkillName, SkillUse, Status, UserId, Uses, WorkspaceId};

use crate::{SkillRecord, StoreError, Visibility};

/// Which uses are meant: of skills that are seen and not deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UseQuery {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Which skills are seen.
    pub visibility: Visibility,
    /// The first day.
    pub since: Day,
    /// The last day.
    pub until: Day,
    /// Only what this user did.
    pub user: Option<UserId>,
    /// Only what was done through this agent.
    pub agent: Option<AgentId>,
}

/// How much a skill was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillUses {
    /// The skill.
    pub skill: SkillId,
    /// How much.
    pub uses: Uses,
}

/// How much was done through an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUses {
    /// The agent; `None` is what people did without one.
    pub agent: Option<AgentId>,
    /// Its name, while it is there.
    pub name: Option<SkillName>,
    /// How much.
    pub uses: Uses,
}

/// What we may ask about the use of skills by day.
#[async_trait]
pub trait AnalyticsTx {
    /// Counts a use on its day.
    async fn count_use(&mut self, workspace: WorkspaceId, one: &SkillUse) -> Result<(), StoreError>;
    /// Forgets the days before one; how many counters that were.
    async fn prune_days(&mut self, workspace: WorkspaceId, before: Day) -> Result<u64, StoreError>;
    /// The uses of each day that has some, by day.
    async fn uses_by_day(&mut self, query: &UseQuery) -> Result<Vec<(Day, Uses)>, StoreError>;
    /// The uses through each agent that has some, most first, at most so many.
    async fn uses_by_agent(&mut self, query: &UseQuery, limit: u32) -> Result<Vec<AgentUses>, StoreError>;
    /// The uses of each skill that has some, most first, then by name.
    async fn uses_by_skill(&mut self, query: &UseQuery) -> Result<Vec<SkillUses>, StoreError>;
    /// Active, enabled skills without a use, those that were not used for the longest time first, at most so many.
    async fn unused_skills(&mut self, query: &UseQuery, limit: u32) -> Result<Vec<SkillRecord>, StoreError>;
    /// How many skills there are in each status that has some.
    async fn count_by_status(
        &mut self,
        workspace: WorkspaceId,
        visibility: Visibility,
    ) -> Result<Vec<(Status, u64)>, StoreError>;
}
