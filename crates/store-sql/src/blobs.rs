//! The bytes of files, stored once a workspace.

use ::store::{BlobTx, StoreError};
use async_trait::async_trait;
use model::{Digest, WorkspaceId};

use crate::store::SqlTx;
use crate::value::arguments;

#[async_trait]
impl BlobTx for SqlTx {
    async fn put_blob(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
        content: &[u8],
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO blobs (workspace_id, digest, size, content) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            arguments![workspace, digest, content.len() as u64, content],
        )
        .await
        .map(drop)
    }

    async fn blob(&mut self, workspace: WorkspaceId, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        self.one(
            "SELECT content FROM blobs WHERE workspace_id = $1 AND digest = $2",
            arguments![workspace, digest],
            |mut row| row.bytes(),
        )
        .await
    }

    async fn count_blobs(&mut self, workspace: WorkspaceId) -> Result<(u64, u64), StoreError> {
        let counted = self
            .one(
                "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM blobs WHERE workspace_id = $1",
                arguments![workspace],
                |mut row| Ok((row.count()?, row.count()?)),
            )
            .await?;
        Ok(counted.unwrap_or((0, 0)))
    }
}
