//! The audit chain of a workspace.

use async_trait::async_trait;
use model::{Actor, AuditEntry, AuditVerb, Digest, Subject, Timestamp, WorkspaceId};

use crate::StoreError;

/// An entry before it has its place in the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAuditEntry {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What was done.
    pub verb: AuditVerb,
    /// To what.
    pub subject: Subject,
    /// More about it, as JSON text with sorted keys.
    pub detail: String,
}

/// The end of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditHead {
    /// The last entry's place; 0 when there is none.
    pub sequence: u64,
    /// The last entry's hash.
    pub hash: Digest,
}

/// What a list of entries is narrowed to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditFilter {
    /// An exact verb, or all of a kind: `skill.`.
    pub verb: Option<String>,
    /// A verb that is left out.
    pub except: Option<String>,
    /// The kind of the subject.
    pub subject_kind: Option<String>,
    /// The subject's id.
    pub subject_id: Option<String>,
    /// The person who did it.
    pub user: Option<model::UserId>,
}

/// What we may ask of the audit chain. There is no way to change or remove an entry.
#[async_trait]
pub trait AuditTx {
    /// Puts an entry at the end of the chain and seals it.
    async fn append_audit(
        &mut self,
        workspace: WorkspaceId,
        entry: NewAuditEntry,
    ) -> Result<AuditEntry, StoreError>;
    /// Where the chain ends.
    async fn audit_head(&mut self, workspace: WorkspaceId) -> Result<Option<AuditHead>, StoreError>;
    /// Entries after a place, oldest first, at most so many.
    async fn audit_after(
        &mut self,
        workspace: WorkspaceId,
        sequence: u64,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;
    /// Entries before a place (or from the end), newest first, at most so many.
    async fn audit_before(
        &mut self,
        workspace: WorkspaceId,
        filter: &AuditFilter,
        sequence: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;
}
