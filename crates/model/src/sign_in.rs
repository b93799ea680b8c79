//! Browsers that are signed in, and the links that let them.

use crate::{Digest, SignInId, Timestamp, UserId, WorkspaceId};

/// A browser that is signed in. Only the digest of its cookie is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignIn {
    /// Its id.
    pub id: SignInId,
    /// The digest of its cookie's secret.
    pub digest: Digest,
    /// Who is signed in.
    pub user: UserId,
    /// The workspace they look at.
    pub workspace: WorkspaceId,
    /// The admin to whose link or token it goes back; `None` where it is the user's own, or an operator's.
    pub created_by: Option<UserId>,
    /// When they signed in.
    pub created_at: Timestamp,
    /// When that ends.
    pub expires_at: Timestamp,
}

/// A link that signs someone in once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInLink {
    /// The digest of its secret.
    pub digest: Digest,
    /// Whom it signs in.
    pub user: UserId,
    /// The workspace they then look at.
    pub workspace: WorkspaceId,
    /// The admin who made it for the user; `None` where the user did, or an operator.
    pub created_by: Option<UserId>,
    /// When it ends unused.
    pub expires_at: Timestamp,
}
