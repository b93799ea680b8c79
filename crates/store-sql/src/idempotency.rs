//! Idempotency keys.

use ::store::{Claim, IdempotencyTx, KeyClaim, StoreError};
use async_trait::async_trait;
use model::{Timestamp, WorkspaceId};

use crate::store::SqlTx;
use crate::value::arguments;

#[async_trait]
impl IdempotencyTx for SqlTx {
    async fn claim_key(&mut self, claim: &KeyClaim) -> Result<Claim, StoreError> {
        let added = self
            .execute(
                "INSERT INTO idempotency_keys (workspace_id, user_id, key, fingerprint, subject, at)
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
                arguments![
                    claim.workspace,
                    claim.user,
                    claim.key.as_str(),
                    &claim.fingerprint,
                    claim.subject.as_str(),
                    claim.at
                ],
            )
            .await?;
        if added == 1 {
            return Ok(Claim::New);
        }
        self.one(
            "SELECT fingerprint, subject FROM idempotency_keys WHERE workspace_id = $1 AND user_id = $2 AND key = $3",
            arguments![claim.workspace, claim.user, claim.key.as_str()],
            |mut row| Ok(Claim::Used { fingerprint: row.digest()?, subject: row.text()? }),
        )
        .await?
        .ok_or_else(|| StoreError::Damaged("an idempotency key vanished".to_owned()))
    }

    async fn forget_keys(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM idempotency_keys WHERE workspace_id = $1 AND at < $2",
            arguments![workspace, before],
        )
        .await
    }
}
