//! What we may ask of a database.
//!
//! One small trait a resource; [`Tx`] is their sum. Dropping a [`Tx`] without [`Tx::commit`] rolls it back. A
//! back end knows nothing of rules: it stores what it is told, and says when a unique key or a version stood in
//! the way. `contract` is the suite that every back end passes.

mod agents;
mod analytics;
mod audit;
#[cfg(feature = "contract")]
pub mod contract;
mod error;
mod governance;
mod idempotency;
mod runs;
mod search;
mod sessions;
mod sign_ins;
mod skills;
mod statistics;
mod tokens;
mod users;
mod workspaces;

use async_trait::async_trait;
use model::WorkspaceId;

pub use agents::AgentTx;
pub use analytics::{AgentUses, AnalyticsTx, SkillUses, UseQuery};
pub use audit::{AuditFilter, AuditHead, AuditTx, NewAuditEntry};
pub use error::StoreError;
pub use governance::{DecisionFilter, GovernanceTx, GovernedRunFilter, PolicyChange, Pruned, Which};
pub use idempotency::{Claim, IdempotencyTx, KeyClaim};
pub use runs::{RunFilter, RunTx};
pub use search::{ChangeCursor, ChangedSkill, SearchTx, StoredVector};
pub use sessions::{OpenSession, SessionFilter, SessionTx};
pub use sign_ins::SignInTx;
pub use skills::{
    BlobTx, Facet, RevisionTx, SkillCursor, SkillFilter, SkillGroup, SkillOrder, SkillQuery, SkillRecord,
    SkillTx, Visibility, Written,
};
pub use statistics::StatisticsTx;
pub use tokens::TokenTx;
pub use users::UserTx;
pub use workspaces::WorkspaceTx;

/// A database.
#[async_trait]
pub trait Store: Send + Sync {
    /// A connection for reading; each statement sees what was committed before it.
    async fn read(&self) -> Result<Box<dyn Tx>, StoreError>;

    /// A transaction in one workspace. At most one a workspace is open at a time, on all replicas together, so a
    /// use case may read, decide and write without anything changing in between.
    async fn begin(&self, workspace: WorkspaceId) -> Result<Box<dyn Tx>, StoreError>;

    /// A transaction on what belongs to no workspace: workspaces themselves, users, sign-in.
    async fn begin_installation(&self) -> Result<Box<dyn Tx>, StoreError>;

    /// Counts commits, when every write to the database goes through this very object; else `None`. What was read
    /// at one number is still true while the number stays.
    fn generation(&self) -> Option<u64>;

    /// Whether the database answers.
    async fn check(&self) -> Result<(), StoreError>;

    /// Waits for what is under way and closes all connections.
    async fn close(&self);
}

/// Everything that can be asked in one transaction.
#[async_trait]
pub trait Tx:
    WorkspaceTx
    + UserTx
    + TokenTx
    + SignInTx
    + AgentTx
    + SkillTx
    + RevisionTx
    + BlobTx
    + StatisticsTx
    + AnalyticsTx
    + RunTx
    + SearchTx
    + GovernanceTx
    + SessionTx
    + AuditTx
    + IdempotencyTx
    + Send
{
    /// Makes it all durable and visible at once.
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
}
