//! Idempotency keys: a create that is sent twice happens once.

use async_trait::async_trait;
use model::{Digest, Timestamp, UserId, WorkspaceId};

use crate::StoreError;

/// A key and what it is used for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyClaim {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Whose key it is.
    pub user: UserId,
    /// The key, as the client sent it.
    pub key: String,
    /// The digest of the request it came with.
    pub fingerprint: Digest,
    /// What the request makes, such as `skill:<id>`.
    pub subject: String,
    /// When.
    pub at: Timestamp,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key is new; go on.
    New,
    /// The key was used before, with this fingerprint, and made this.
    Used {
        /// The fingerprint of the first request.
        fingerprint: Digest,
        /// What it made.
        subject: String,
    },
}

/// What we may ask about idempotency keys.
#[async_trait]
pub trait IdempotencyTx {
    /// Claims a key.
    async fn claim_key(&mut self, claim: &KeyClaim) -> Result<Claim, StoreError>;
    /// Forgets keys from before a moment.
    async fn forget_keys(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError>;
}
