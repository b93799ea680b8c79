//! Personal access tokens.

use async_trait::async_trait;
use model::{Digest, Timestamp, Token, TokenId, UserId, WorkspaceId};

use crate::StoreError;

/// What we may ask about tokens.
#[async_trait]
pub trait TokenTx {
    /// Adds a token.
    async fn insert_token(&mut self, token: &Token) -> Result<(), StoreError>;
    /// The token whose secret has this digest.
    async fn token_by_digest(&mut self, digest: &Digest) -> Result<Option<Token>, StoreError>;
    /// One token.
    async fn token(&mut self, workspace: WorkspaceId, id: TokenId) -> Result<Option<Token>, StoreError>;
    /// The tokens of a workspace, of one user if given, newest first.
    async fn tokens(
        &mut self,
        workspace: WorkspaceId,
        user: Option<UserId>,
    ) -> Result<Vec<Token>, StoreError>;
    /// Ends a token; `false` when it is unknown or ended already.
    async fn revoke_token(
        &mut self,
        workspace: WorkspaceId,
        id: TokenId,
        at: Timestamp,
    ) -> Result<bool, StoreError>;
    /// Ends every token a user has in a workspace.
    async fn revoke_tokens_of(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// Removes the tokens of a workspace that were revoked or over before a moment; says how many.
    async fn forget_tokens(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError>;
}
