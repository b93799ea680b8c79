//! Agents and the skills assigned to them.

use async_trait::async_trait;
use model::{Agent, AgentId, SkillName, WorkspaceId};

use crate::{StoreError, Written};

/// What we may ask about agents.
#[async_trait]
pub trait AgentTx {
    /// Adds an agent with its assignments; `false` when the name is taken.
    async fn insert_agent(&mut self, agent: &Agent) -> Result<bool, StoreError>;
    /// One agent.
    async fn agent(&mut self, workspace: WorkspaceId, id: AgentId) -> Result<Option<Agent>, StoreError>;
    /// One agent, by name.
    async fn agent_by_name(
        &mut self,
        workspace: WorkspaceId,
        name: &SkillName,
    ) -> Result<Option<Agent>, StoreError>;
    /// The agents of a workspace by name: those after a name, and at most so many.
    async fn agents(
        &mut self,
        workspace: WorkspaceId,
        after: Option<&SkillName>,
        limit: u32,
    ) -> Result<Vec<Agent>, StoreError>;
    /// Replaces an agent whose stored version is one less than the given one.
    async fn update_agent(&mut self, agent: &Agent) -> Result<Written, StoreError>;
    /// Removes an agent and its assignments; `false` when it is unknown.
    async fn delete_agent(&mut self, workspace: WorkspaceId, id: AgentId) -> Result<bool, StoreError>;
}
