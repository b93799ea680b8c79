//! Personal access tokens.

use ::store::{StoreError, TokenTx};
use async_trait::async_trait;
use model::{AgentId, Digest, Timestamp, Token, TokenId, TokenScope, TokenScopes, UserId, WorkspaceId};

use crate::Row;
use crate::store::SqlTx;
use crate::value::arguments;

const COLUMNS: &str = "digest, id, workspace_id, user_id, agent_id, name, scopes, created_by, created_at, expires_at, revoked_at";

fn read(mut row: Row) -> Result<Token, StoreError> {
    Ok(Token {
        digest: row.digest()?,
        id: TokenId::new(row.uuid()?),
        workspace: WorkspaceId::new(row.uuid()?),
        user: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        name: row.text()?,
        scopes: row.parsed(|text| {
            text.split_whitespace().map(TokenScope::parse).collect::<Result<TokenScopes, _>>()
        })?,
        created_by: row.opt_uuid()?.map(UserId::new),
        created_at: row.time()?,
        expires_at: row.opt_time()?,
        revoked_at: row.opt_time()?,
    })
}

#[async_trait]
impl TokenTx for SqlTx {
    async fn insert_token(&mut self, token: &Token) -> Result<(), StoreError> {
        let scopes: Vec<_> = token.scopes.iter().map(TokenScope::as_str).collect();
        self.execute(
            format!("INSERT INTO tokens ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"),
            arguments![
                &token.digest,
                token.id,
                token.workspace,
                token.user,
                token.agent,
                token.name.as_str(),
                scopes.join(" "),
                token.created_by,
                token.created_at,
                token.expires_at,
                token.revoked_at
            ],
        )
        .await
        .map(drop)
    }

    async fn token_by_digest(&mut self, digest: &Digest) -> Result<Option<Token>, StoreError> {
        self.one(format!("SELECT {COLUMNS} FROM tokens WHERE digest = $1"), arguments![digest], read).await
    }

    async fn token(&mut self, workspace: WorkspaceId, id: TokenId) -> Result<Option<Token>, StoreError> {
        self.one(
            format!("SELECT {COLUMNS} FROM tokens WHERE workspace_id = $1 AND id = $2"),
            arguments![workspace, id],
            read,
        )
        .await
    }

    async fn tokens(
        &mut self,
        workspace: WorkspaceId,
        user: Option<UserId>,
    ) -> Result<Vec<Token>, StoreError> {
        let mut sql = format!("SELECT {COLUMNS} FROM tokens WHERE workspace_id = $1");
        let mut arguments = arguments![workspace];
        if let Some(user) = user {
            sql.push_str(" AND user_id = $2");
            arguments.push(user.into());
        }
        sql.push_str(" ORDER BY created_at DESC, id DESC");
        self.many(sql, arguments, read).await
    }

    async fn revoke_token(
        &mut self,
        workspace: WorkspaceId,
        id: TokenId,
        at: Timestamp,
    ) -> Result<bool, StoreError> {
        let ended = self
            .execute(
                "UPDATE tokens SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL",
                arguments![workspace, id, at],
            )
            .await?;
        Ok(ended == 1)
    }

    async fn revoke_tokens_of(
        &mut self,
        workspace: WorkspaceId,
        user: UserId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE tokens SET revoked_at = $3 WHERE workspace_id = $1 AND user_id = $2 AND revoked_at IS NULL",
            arguments![workspace, user, at],
        )
        .await
        .map(drop)
    }

    async fn forget_tokens(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM tokens WHERE workspace_id = $1 AND (revoked_at < $2 OR expires_at < $2)",
            arguments![workspace, before],
        )
        .await
    }
}
