//! The audit chain of a workspace.

use ::store::{AuditFilter, AuditHead, AuditTx, NewAuditEntry, StoreError};
use async_trait::async_trait;
use model::{Actor, AgentId, AuditEntry, AuditVerb, Subject, UserId, WorkspaceId};

use crate::Row;
use crate::store::SqlTx;
use crate::value::arguments;

const COLUMNS: &str =
    "workspace_id, sequence, at, user_id, agent_id, verb, subject_kind, subject_id, detail, previous, hash";

fn read(mut row: Row) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        workspace: WorkspaceId::new(row.uuid()?),
        sequence: row.count()?,
        at: row.time()?,
        actor: Actor { user: row.opt_uuid()?.map(UserId::new), agent: row.opt_uuid()?.map(AgentId::new) },
        verb: AuditVerb(row.text()?),
        subject: Subject { kind: row.text()?, id: row.text()? },
        detail: row.text()?,
        previous: row.digest()?,
        hash: row.digest()?,
    })
}

#[async_trait]
impl AuditTx for SqlTx {
    async fn append_audit(
        &mut self,
        workspace: WorkspaceId,
        entry: NewAuditEntry,
    ) -> Result<AuditEntry, StoreError> {
        let head = self.audit_head(workspace).await?.ok_or(StoreError::NoWorkspace)?;
        let entry = AuditEntry {
            workspace,
            sequence: head.sequence + 1,
            at: entry.at.truncate_to_microsecond(),
            actor: entry.actor,
            verb: entry.verb,
            subject: entry.subject,
            detail: entry.detail,
            previous: head.hash,
            hash: head.hash,
        }
        .sealed();
        self.execute(
            format!(
                "INSERT INTO audit_entries ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
            ),
            arguments![
                workspace,
                entry.sequence,
                entry.at,
                entry.actor.user,
                entry.actor.agent,
                entry.verb.0.as_str(),
                entry.subject.kind.as_str(),
                entry.subject.id.as_str(),
                entry.detail.as_str(),
                &entry.previous,
                &entry.hash
            ],
        )
        .await?;
        self.execute(
            "UPDATE audit_heads SET sequence = $2, hash = $3 WHERE workspace_id = $1",
            arguments![workspace, entry.sequence, &entry.hash],
        )
        .await?;
        Ok(entry)
    }

    async fn audit_head(&mut self, workspace: WorkspaceId) -> Result<Option<AuditHead>, StoreError> {
        self.one(
            "SELECT sequence, hash FROM audit_heads WHERE workspace_id = $1",
            arguments![workspace],
            |mut row| Ok(AuditHead { sequence: row.count()?, hash: row.digest()? }),
        )
        .await
    }

    async fn audit_after(
        &mut self,
        workspace: WorkspaceId,
        sequence: u64,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        self.many(
            format!(
                "SELECT {COLUMNS} FROM audit_entries WHERE workspace_id = $1 AND sequence > $2
                 ORDER BY sequence LIMIT $3"
            ),
            arguments![workspace, sequence, limit],
            read,
        )
        .await
    }

    async fn audit_before(
        &mut self,
        workspace: WorkspaceId,
        filter: &AuditFilter,
        sequence: Option<u64>,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        let mut conditions = vec!["workspace_id = $1 AND sequence < $2".to_owned()];
        let mut arguments = arguments![workspace, sequence.unwrap_or(i64::MAX as u64)];
        if let Some(verb) = &filter.verb {
            arguments.push(verb.as_str().into());
            let n = arguments.len();
            // `skill.` stands for every verb of that kind.
            conditions.push(if verb.ends_with('.') {
                format!("substr(verb, 1, length(${n})) = ${n}")
            } else {
                format!("verb = ${n}")
            });
        }
        if let Some(verb) = &filter.except {
            arguments.push(verb.as_str().into());
            conditions.push(format!("verb <> ${}", arguments.len()));
        }
        for (column, value) in [("subject_kind", &filter.subject_kind), ("subject_id", &filter.subject_id)] {
            if let Some(value) = value {
                arguments.push(value.as_str().into());
                conditions.push(format!("{column} = ${}", arguments.len()));
            }
        }
        if let Some(user) = filter.user {
            arguments.push(user.into());
            conditions.push(format!("user_id = ${}", arguments.len()));
        }
        arguments.push(limit.into());
        let sql = format!(
            "SELECT {COLUMNS} FROM audit_entries WHERE {} ORDER BY sequence DESC LIMIT ${}",
            conditions.join(" AND "),
            arguments.len()
        );
        self.many(sql, arguments, read).await
    }
}
