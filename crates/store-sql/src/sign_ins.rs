//! Signed-in browsers and the links that sign them in.

use ::store::{SignInTx, StoreError};
use async_trait::async_trait;
use model::{Digest, SignIn, SignInId, SignInLink, Timestamp, UserId, WorkspaceId};

use crate::store::SqlTx;
use crate::value::arguments;

#[async_trait]
impl SignInTx for SqlTx {
    async fn insert_sign_in(&mut self, sign_in: &SignIn) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sign_ins (digest, id, user_id, workspace_id, created_by, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            arguments![
                &sign_in.digest,
                sign_in.id,
                sign_in.user,
                sign_in.workspace,
                sign_in.created_by,
                sign_in.created_at,
                sign_in.expires_at
            ],
        )
        .await
        .map(drop)
    }

    async fn sign_in_by_digest(&mut self, digest: &Digest) -> Result<Option<SignIn>, StoreError> {
        self.one(
            "SELECT digest, id, user_id, workspace_id, created_by, created_at, expires_at FROM sign_ins
             WHERE digest = $1",
            arguments![digest],
            |mut row| {
                Ok(SignIn {
                    digest: row.digest()?,
                    id: SignInId::new(row.uuid()?),
                    user: UserId::new(row.uuid()?),
                    workspace: WorkspaceId::new(row.uuid()?),
                    created_by: row.opt_uuid()?.map(UserId::new),
                    created_at: row.time()?,
                    expires_at: row.time()?,
                })
            },
        )
        .await
    }

    async fn delete_sign_in(&mut self, id: SignInId) -> Result<(), StoreError> {
        self.execute("DELETE FROM sign_ins WHERE id = $1", arguments![id]).await.map(drop)
    }

    async fn delete_sign_ins_of(&mut self, user: UserId) -> Result<(), StoreError> {
        self.execute("DELETE FROM sign_ins WHERE user_id = $1", arguments![user]).await?;
        self.execute("DELETE FROM sign_in_links WHERE user_id = $1", arguments![user]).await.map(drop)
    }

    async fn insert_sign_in_link(&mut self, link: &SignInLink) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO sign_in_links (digest, user_id, workspace_id, created_by, expires_at)
             VALUES ($1, $2, $3, $4, $5)",
            arguments![&link.digest, link.user, link.workspace, link.created_by, link.expires_at],
        )
        .await
        .map(drop)
    }

    async fn take_sign_in_link(&mut self, digest: &Digest) -> Result<Option<SignInLink>, StoreError> {
        self.one(
            "DELETE FROM sign_in_links WHERE digest = $1
             RETURNING digest, user_id, workspace_id, created_by, expires_at",
            arguments![digest],
            |mut row| {
                Ok(SignInLink {
                    digest: row.digest()?,
                    user: UserId::new(row.uuid()?),
                    workspace: WorkspaceId::new(row.uuid()?),
                    created_by: row.opt_uuid()?.map(UserId::new),
                    expires_at: row.time()?,
                })
            },
        )
        .await
    }

    async fn delete_expired_sign_ins(&mut self, now: Timestamp) -> Result<u64, StoreError> {
        let ended = self.execute("DELETE FROM sign_ins WHERE expires_at <= $1", arguments![now]).await?;
        let unused =
            self.execute("DELETE FROM sign_in_links WHERE expires_at <= $1", arguments![now]).await?;
        Ok(ended + unused)
    }
}
