//! Users and their places in workspaces.

use ::store::{StoreError, UserTx};
use async_trait::async_trait;
use model::{Handle, Membership, Role, Roles, User, UserId, WorkspaceId};

use crate::Row;
use crate::store::SqlTx;
use crate::value::arguments;

fn read_user(row: &mut Row) -> Result<User, StoreError> {
    Ok(User {
        id: UserId::new(row.uuid()?),
        handle: row.parsed(Handle::parse)?,
        display_name: row.text()?,
        operator: row.bool()?,
        disabled: row.bool()?,
        created_at: row.time()?,
    })
}

fn read_membership(row: &mut Row) -> Result<Membership, StoreError> {
    Ok(Membership {
        workspace: WorkspaceId::new(row.uuid()?),
        user: UserId::new(row.uuid()?),
        roles: row.parsed(|text| text.split_whitespace().map(Role::parse).collect::<Result<Roles, _>>())?,
        created_at: row.time()?,
    })
}

#[async_trait]
impl UserTx for SqlTx {
    async fn insert_user(&mut self, user: &User) -> Result<bool, StoreError> {
        let added = self
            .execute(
                "INSERT INTO users (id, handle, display_name, operator, disabled, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
                arguments![
                    user.id,
                    user.handle.as_str(),
                    user.display_name.as_str(),
                    user.operator,
                    user.disabled,
                    user.created_at
                ],
            )
            .await?;
        Ok(added == 1)
    }

    async fn user(&mut self, id: UserId) -> Result<Option<User>, StoreError> {
        self.one(
            "SELECT id, handle, display_name, operator, disabled, created_at FROM users WHERE id = $1",
            arguments![id],
            |mut row| read_user(&mut row),
        )
        .await
    }

    async fn user_by_handle(&mut self, handle: &Handle) -> Result<Option<User>, StoreError> {
        self.one(
            "SELECT id, handle, display_name, operator, disabled, created_at FROM users WHERE handle = $1",
            arguments![handle.as_str()],
            |mut row| read_user(&mut row),
        )
        .await
    }

    async fn update_user(&mut self, user: &User) -> Result<(), StoreError> {
        self.execute(
            "UPDATE users SET display_name = $2, operator = $3, disabled = $4 WHERE id = $1",
            arguments![user.id, user.display_name.as_str(), user.operator, user.disabled],
        )
        .await
        .map(drop)
    }

    async fn count_users(&mut self) -> Result<u64, StoreError> {
        self.number("SELECT COUNT(*) FROM users", vec![]).await
    }

    async fn put_membership(&mut self, membership: &Membership) -> Result<(), StoreError> {
        let roles: Vec<_> = membership.roles.iter().map(Role::as_str).collect();
        self.execute(
            "INSERT INTO memberships (workspace_id, user_id, roles, created_at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (workspace_id, user_id) DO UPDATE SET roles = excluded.roles",
            arguments![membership.workspace, membership.user, roles.join(" "), membership.created_at],
        )
        .await
        .map(drop)
    }

    async fn membership(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
    ) -> Result<Option<Membership>, StoreError> {
        self.one(
            "SELECT workspace_id, user_id, roles, created_at FROM memberships
             WHERE workspace_id = $1 AND user_id = $2",
            arguments![workspace, user],
            |mut row| read_membership(&mut row),
        )
        .await
    }

    async fn members(&mut self, workspace: WorkspaceId) -> Result<Vec<(User, Membership)>, StoreError> {
        self.many(
            "SELECT u.id, u.handle, u.display_name, u.operator, u.disabled, u.created_at,
                    m.workspace_id, m.user_id, m.roles, m.created_at
             FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = $1 ORDER BY u.handle",
            arguments![workspace],
            |mut row| Ok((read_user(&mut row)?, read_membership(&mut row)?)),
        )
        .await
    }

    async fn memberships_of(&mut self, user: UserId) -> Result<Vec<Membership>, StoreError> {
        self.many(
            "SELECT workspace_id, user_id, roles, created_at FROM memberships WHERE user_id = $1
             ORDER BY created_at, workspace_id",
            arguments![user],
            |mut row| read_membership(&mut row),
        )
        .await
    }

    async fn delete_membership(&mut self, workspace: WorkspaceId, user: UserId) -> Result<bool, StoreError> {
        let removed = self
            .execute(
                "DELETE FROM memberships WHERE workspace_id = $1 AND user_id = $2",
                arguments![workspace, user],
            )
            .await?;
        Ok(removed == 1)
    }
}
