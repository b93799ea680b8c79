//! Users and their places in workspaces.

use async_trait::async_trait;
use model::{Handle, Membership, User, UserId, WorkspaceId};

use crate::StoreError;

/// What we may ask about users.
#[async_trait]
pub trait UserTx {
    /// Adds a user; `false` when the handle is taken.
    async fn insert_user(&mut self, user: &User) -> Result<bool, StoreError>;
    /// One user.
    async fn user(&mut self, id: UserId) -> Result<Option<User>, StoreError>;
    /// One user, by handle.
    async fn user_by_handle(&mut self, handle: &Handle) -> Result<Option<User>, StoreError>;
    /// Replaces everything but id and handle.
    async fn update_user(&mut self, user: &User) -> Result<(), StoreError>;
    /// How many users there are.
    async fn count_users(&mut self) -> Result<u64, StoreError>;
    /// Adds or replaces a membership.
    async fn put_membership(&mut self, membership: &Membership) -> Result<(), StoreError>;
    /// A user's place in a workspace.
    async fn membership(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
    ) -> Result<Option<Membership>, StoreError>;
    /// The people of a workspace, by handle.
    async fn members(&mut self, workspace: WorkspaceId) -> Result<Vec<(User, Membership)>, StoreError>;
    /// The workspaces of a user.
    async fn memberships_of(&mut self, user: UserId) -> Result<Vec<Membership>, StoreError>;
    /// Takes a user out of a workspace; `false` when they were not in it.
    async fn delete_membership(&mut self, workspace: WorkspaceId, user: UserId) -> Result<bool, StoreError>;
}
