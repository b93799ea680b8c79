//! Runs, and how single revisions do.

use async_trait::async_trait;
use model::{
    AgentId, RevisionNumber, RevisionStatistics, Run, RunId, RunStatus, SkillId, Timestamp, UserId,
    WorkspaceId,
};

use crate::StoreError;

/// What a list of runs is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunFilter {
    /// The skill.
    pub skill: Option<SkillId>,
    /// Who ran it.
    pub user: Option<UserId>,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// How it ended.
    pub status: Option<RunStatus>,
    /// The code of its error.
    pub error_code: Option<String>,
    /// Begun at this moment or later.
    pub since: Option<Timestamp>,
    /// Begun before this moment.
    pub until: Option<Timestamp>,
}

/// What we may ask about runs.
#[async_trait]
pub trait RunTx {
    /// Keeps a run.
    async fn insert_run(&mut self, run: &Run) -> Result<(), StoreError>;
    /// One run.
    async fn run(&mut self, workspace: WorkspaceId, id: RunId) -> Result<Option<Run>, StoreError>;
    /// Runs, newest first: those after the last of the page before, and at most so many.
    async fn runs(
        &mut self,
        workspace: WorkspaceId,
        filter: &RunFilter,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Vec<Run>, StoreError>;
    /// Forgets the runs that began before a moment; how many.
    async fn prune_runs(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError>;
    /// Replaces the counters of a revision.
    async fn put_revision_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        statistics: &RevisionStatistics,
    ) -> Result<(), StoreError>;
    /// The counters of the revisions that were executed, newest revision first: of one of them, or of all.
    async fn revision_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        revision: Option<RevisionNumber>,
    ) -> Result<Vec<RevisionStatistics>, StoreError>;
}
