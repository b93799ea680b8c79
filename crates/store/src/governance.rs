//! Policies in force, governed runs, and decisions.

use async_trait::async_trait;
use model::{
    AgentId, Decision, DecisionId, DecisionKind, GovernedRun, GovernedRunId, Skill, SkillId, Timestamp,
    UserId, WorkspaceId,
};

use crate::{ChangeCursor, StoreError};

/// A skill that was written, as policies are read.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyChange {
    /// The number of the transaction that wrote it last.
    pub change: u64,
    /// The skill; whether its policy is in force it says itself.
    pub skill: Skill,
}

/// Which changed skills a reader of policies is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those whose policy may be in force: who begins has no others to let go.
    Enforced,
    /// All of them.
    All,
}

/// What a list of governed runs is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GovernedRunFilter {
    /// For whom.
    pub user: Option<UserId>,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// The program.
    pub host: Option<String>,
    /// What that program calls the session.
    pub session: Option<String>,
    /// Whether it goes on.
    pub open: Option<bool>,
    /// Last heard of before this moment.
    pub untouched_since: Option<Timestamp>,
}

/// What a list of decisions is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DecisionFilter {
    /// What was decided.
    pub kind: Option<DecisionKind>,
    /// Only verdicts that denied, or only those that allowed.
    pub denied: Option<bool>,
    /// For whom.
    pub user: Option<UserId>,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// The program that asked.
    pub host: Option<String>,
    /// In which governed run.
    pub run: Option<GovernedRunId>,
    /// A skill whose policy was active.
    pub policy: Option<SkillId>,
    /// The id of a policy that denied.
    pub denied_by: Option<String>,
    /// The tool, by its common name or the host's.
    pub tool: Option<String>,
    /// What a denial rests on.
    pub cause: Option<String>,
    /// At this moment or later.
    pub since: Option<Timestamp>,
    /// Before this moment.
    pub until: Option<Timestamp>,
}

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    /// All decisions that this audit entry or an earlier one seals are gone.
    pub through: u64,
    /// How many went now.
    pub removed: u64,
    /// How many governed runs went now.
    pub runs: u64,
}

/// What we may ask about governance.
#[async_trait]
pub trait GovernanceTx {
    /// Skills that changed after a place, deleted ones included, by change and id, at most so many.
    async fn policy_changes(
        &mut self,
        workspace: WorkspaceId,
        which: Which,
        after: ChangeCursor,
        limit: u32,
    ) -> Result<Vec<PolicyChange>, StoreError>;
    /// Keeps a new governed run.
    async fn insert_governed_run(&mut self, run: &GovernedRun) -> Result<(), StoreError>;
    /// Keeps how far a governed run is: its steps, its denials, and when it was used last.
    async fn count_governed_steps(&mut self, run: &GovernedRun) -> Result<(), StoreError>;
    /// Replaces all that may change in a governed run, its texts too.
    async fn update_governed_run(&mut self, run: &GovernedRun) -> Result<(), StoreError>;
    /// One governed run.
    async fn governed_run(
        &mut self,
        workspace: WorkspaceId,
        id: GovernedRunId,
    ) -> Result<Option<GovernedRun>, StoreError>;
    /// Governed runs, newest first: those after the last of the page before, and at most so many.
    async fn governed_runs(
        &mut self,
        workspace: WorkspaceId,
        filter: &GovernedRunFilter,
        after: Option<(Timestamp, GovernedRunId)>,
        limit: u32,
    ) -> Result<Vec<GovernedRun>, StoreError>;
    /// Keeps decisions that one audit entry seals, in their order.
    async fn insert_decisions(
        &mut self,
        workspace: WorkspaceId,
        seal: u64,
        decisions: &[Decision],
    ) -> Result<(), StoreError>;
    /// One decision.
    async fn decision(
        &mut self,
        workspace: WorkspaceId,
        id: DecisionId,
    ) -> Result<Option<Decision>, StoreError>;
    /// Decisions, newest first: those after the last of the page before, and at most so many.
    async fn decisions(
        &mut self,
        workspace: WorkspaceId,
        filter: &DecisionFilter,
        after: Option<(Timestamp, DecisionId)>,
        limit: u32,
    ) -> Result<Vec<Decision>, StoreError>;
    /// The decisions that some audit entries seal, from one to another, in their order, with the number of the entry.
    async fn sealed_decisions(
        &mut self,
        workspace: WorkspaceId,
        first: u64,
        last: u64,
    ) -> Result<Vec<(u64, Decision)>, StoreError>;
    /// Forgets decisions that were made before a moment, always all that one entry seals, and the governed runs that
    /// were over by then and have none left; nothing where there were neither.
    async fn prune_decisions(
        &mut self,
        workspace: WorkspaceId,
        before: Timestamp,
    ) -> Result<Option<Pruned>, StoreError>;
}
