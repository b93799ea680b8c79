//! Workspaces.

use ::store::{StoreError, WorkspaceTx};
use async_trait::async_trait;
use model::{AuditEntry, Workspace, WorkspaceId, WorkspaceName, WorkspaceSettings};

use crate::Row;
use crate::store::SqlTx;
use crate::value::arguments;

fn read(mut row: Row) -> Result<Workspace, StoreError> {
    Ok(Workspace {
        id: WorkspaceId::new(row.uuid()?),
        name: row.parsed(WorkspaceName::parse)?,
        title: row.text()?,
        settings: WorkspaceSettings {
            hide_existence: row.bool()?,
            undelete_window_hours: row.small()?,
            draft_expiry_days: row.small()?,
        },
        created_at: row.time()?,
    })
}

#[async_trait]
impl WorkspaceTx for SqlTx {
    async fn insert_workspace(&mut self, workspace: &Workspace) -> Result<bool, StoreError> {
        let added = self
            .execute(
                "INSERT INTO workspaces
                     (id, name, title, hide_existence, undelete_window_hours, draft_expiry_days, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
                arguments![
                    workspace.id,
                    workspace.name.as_str(),
                    workspace.title.as_str(),
                    workspace.settings.hide_existence,
                    workspace.settings.undelete_window_hours,
                    workspace.settings.draft_expiry_days,
                    workspace.created_at
                ],
            )
            .await?;
        if added == 0 {
            return Ok(false);
        }
        self.execute(
            "INSERT INTO audit_heads (workspace_id, sequence, hash) VALUES ($1, $2, $3)",
            arguments![workspace.id, 0_i64, &AuditEntry::GENESIS],
        )
        .await?;
        Ok(true)
    }

    async fn workspace(&mut self, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        self.one(
            "SELECT id, name, title, hide_existence, undelete_window_hours, draft_expiry_days, created_at
             FROM workspaces WHERE id = $1",
            arguments![id],
            read,
        )
        .await
    }

    async fn workspace_by_name(&mut self, name: &WorkspaceName) -> Result<Option<Workspace>, StoreError> {
        self.one(
            "SELECT id, name, title, hide_existence, undelete_window_hours, draft_expiry_days, created_at
             FROM workspaces WHERE name = $1",
            arguments![name.as_str()],
            read,
        )
        .await
    }

    async fn workspaces(&mut self) -> Result<Vec<Workspace>, StoreError> {
        self.many(
            "SELECT id, name, title, hide_existence, undelete_window_hours, draft_expiry_days, created_at
             FROM workspaces ORDER BY name",
            vec![],
            read,
        )
        .await
    }

    async fn update_workspace(&mut self, workspace: &Workspace) -> Result<(), StoreError> {
        self.execute(
            "UPDATE workspaces
             SET title = $2, hide_existence = $3, undelete_window_hours = $4, draft_expiry_days = $5 WHERE id = $1",
            arguments![
                workspace.id,
                workspace.title.as_str(),
                workspace.settings.hide_existence,
                workspace.settings.undelete_window_hours,
                workspace.settings.draft_expiry_days
            ],
        )
        .await
        .map(drop)
    }
}
