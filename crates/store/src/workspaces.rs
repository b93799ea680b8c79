//! Workspaces.

use async_trait::async_trait;
use model::{Workspace, WorkspaceId, WorkspaceName};

use crate::StoreError;

/// What we may ask about workspaces.
#[async_trait]
pub trait WorkspaceTx {
    /// Adds a workspace and its empty audit chain; `false` when the name is taken.
    async fn insert_workspace(&mut self, workspace: &Workspace) -> Result<bool, StoreError>;
    /// One workspace.
    async fn workspace(&mut self, id: WorkspaceId) -> Result<Option<Workspace>, StoreError>;
    /// One workspace, by its name.
    async fn workspace_by_name(&mut self, name: &WorkspaceName) -> Result<Option<Workspace>, StoreError>;
    /// All workspaces, by name.
    async fn workspaces(&mut self) -> Result<Vec<Workspace>, StoreError>;
    /// Replaces title and settings.
    async fn update_workspace(&mut self, workspace: &Workspace) -> Result<(), StoreError>;
}
