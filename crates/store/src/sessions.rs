//! Sessions and their entries.

use async_trait::async_trait;
use model::{AgentId, Session, SessionEntry, SessionId, SessionOutcome, Timestamp, UserId, WorkspaceId};

use crate::{StoreError, Written};

/// What a list of sessions is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionFilter {
    /// For whom.
    pub user: Option<UserId>,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// The host's own name for it.
    pub key: Option<String>,
    /// The program it happened in.
    pub source: Option<String>,
    /// Whether it goes on.
    pub open: Option<bool>,
    /// How it ended.
    pub outcome: Option<SessionOutcome>,
    /// Begun at this moment or later.
    pub since: Option<Timestamp>,
    /// Begun before this moment.
    pub until: Option<Timestamp>,
}

/// Which of the sessions that go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenSession<'a> {
    /// For whom.
    pub user: UserId,
    /// Through this agent, or through none.
    pub agent: Option<AgentId>,
    /// With this key, or without one.
    pub key: Option<&'a str>,
    /// Last added to at this moment or later; whenever, where there is none.
    pub used_since: Option<Timestamp>,
    /// With at most so many entries; however many, where there is none.
    pub most_entries: Option<u64>,
}

/// What we may ask about sessions.
#[async_trait]
pub trait SessionTx {
    /// Keeps a new session.
    async fn insert_session(&mut self, session: &Session) -> Result<(), StoreError>;
    /// Replaces what changes in a session whose stored version is one less than the given one.
    async fn update_session(&mut self, session: &Session) -> Result<Written, StoreError>;
    /// One session.
    async fn session(&mut self, workspace: WorkspaceId, id: SessionId)
    -> Result<Option<Session>, StoreError>;
    /// The session that goes on and was added to last.
    async fn open_session(
        &mut self,
        workspace: WorkspaceId,
        which: OpenSession<'_>,
    ) -> Result<Option<Session>, StoreError>;
    /// Sessions, newest first: those after the last of the page before, and at most so many.
    async fn sessions(
        &mut self,
        workspace: WorkspaceId,
        filter: &SessionFilter,
        after: Option<(Timestamp, SessionId)>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError>;
    /// Sessions that were changed or added to at a moment or later, the latest first, with their versions: those of a
    /// user, or of everyone; at most so many.
    async fn sessions_used_since(
        &mut self,
        workspace: WorkspaceId,
        user: Option<UserId>,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<(SessionId, u64)>, StoreError>;
    /// Removes a session with its entries; `false` when it is unknown.
    async fn delete_session(&mut self, workspace: WorkspaceId, id: SessionId) -> Result<bool, StoreError>;
    /// Forgets the sessions that nothing was added to since a moment; how many.
    async fn prune_sessions(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError>;
    /// Keeps entries of a session, each at its place.
    async fn insert_session_entries(
        &mut self,
        workspace: WorkspaceId,
        session: SessionId,
        entries: &[SessionEntry],
    ) -> Result<(), StoreError>;
    /// Entries of a session in their order: those after a place, and at most so many.
    async fn session_entries(
        &mut self,
        workspace: WorkspaceId,
        session: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEntry>, StoreError>;
}
