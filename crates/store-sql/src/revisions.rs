//! Revisions and their files.

use ::store::{RevisionTx, StoreError};
use async_trait::async_trait;
use model::{
    AgentId, BundlePath, Digest, FileEntry, Label, Revision, RevisionNumber, SkillId, Timestamp, UserId,
    WorkspaceId,
};

use crate::skills::read_number;
use crate::store::SqlTx;
use crate::value::arguments;
use crate::{Row, Value};

fn read_file(row: &mut Row) -> Result<FileEntry, StoreError> {
    Ok(FileEntry {
        path: row.parsed(BundlePath::parse)?,
        digest: row.digest()?,
        size: row.count()?,
        executable: row.bool()?,
    })
}

const COLUMNS: &str = "skill_id, number, digest, label, author_id, agent_id, message, created_at, approved_at, \
     file_count, size";

fn read(mut row: Row) -> Result<Revision, StoreError> {
    Ok(Revision {
        skill: SkillId::new(row.uuid()?),
        number: read_number(&mut row)?,
        digest: row.digest()?,
        label: row
            .opt_text()?
            .map(|text| Label::parse(&text).map_err(|error| StoreError::Damaged(error.to_string())))
            .transpose()?,
        author: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        message: row.text()?,
        created_at: row.time()?,
        approved_at: row.opt_time()?,
        file_count: row.small()?,
        size: row.count()?,
    })
}

impl SqlTx {
    async fn find_revision(
        &mut self,
        condition: &str,
        arguments: Vec<Value>,
    ) -> Result<Option<Revision>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM revisions WHERE workspace_id = $1 AND skill_id = $2 AND {condition}"
        );
        self.one(sql, arguments, read).await
    }
}

#[async_trait]
impl RevisionTx for SqlTx {
    async fn insert_revision(
        &mut self,
        workspace: WorkspaceId,
        revision: &Revision,
        files: &[FileEntry],
    ) -> Result<(), StoreError> {
        self.execute(
            format!(
                "INSERT INTO revisions (workspace_id, {COLUMNS})
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
            ),
            arguments![
                workspace,
                revision.skill,
                revision.number.get(),
                &revision.digest,
                revision.label.as_ref().map(Label::as_str),
                revision.author,
                revision.agent,
                revision.message.as_str(),
                revision.created_at,
                revision.approved_at,
                revision.file_count,
                revision.size
            ],
        )
        .await?;
        for file in files {
            self.execute(
                "INSERT INTO revision_files (workspace_id, skill_id, number, path, digest, size, executable)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                arguments![
                    workspace,
                    revision.skill,
                    revision.number.get(),
                    file.path.as_str(),
                    &file.digest,
                    file.size,
                    file.executable
                ],
            )
            .await?;
        }
        Ok(())
    }

    async fn revision(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Option<Revision>, StoreError> {
        self.find_revision("number = $3", arguments![workspace, skill, number.get()]).await
    }

    async fn revision_labelled(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        label: &Label,
    ) -> Result<Option<Revision>, StoreError> {
        self.find_revision("label = $3", arguments![workspace, skill, label.as_str()]).await
    }

    async fn revisions(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        before: Option<RevisionNumber>,
        limit: u32,
    ) -> Result<Vec<Revision>, StoreError> {
        self.many(
            format!(
                "SELECT {COLUMNS} FROM revisions WHERE workspace_id = $1 AND skill_id = $2 AND number < $3
                 ORDER BY number DESC LIMIT $4"
            ),
            arguments![workspace, skill, before.map_or(i64::MAX, |number| i64::from(number.get())), limit],
            read,
        )
        .await
    }

    async fn revision_with_digest(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        digest: &Digest,
    ) -> Result<Option<RevisionNumber>, StoreError> {
        self.one(
            "SELECT number FROM revisions WHERE workspace_id = $1 AND skill_id = $2 AND digest = $3
             ORDER BY number DESC LIMIT 1",
            arguments![workspace, skill, digest],
            |mut row| read_number(&mut row),
        )
        .await
    }

    async fn set_label(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
        label: Option<&Label>,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE revisions SET label = $4 WHERE workspace_id = $1 AND skill_id = $2 AND number = $3",
            arguments![workspace, skill, number.get(), label.map(Label::as_str)],
        )
        .await
        .map(drop)
    }

    async fn approve_revision(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "UPDATE revisions SET approved_at = $4
             WHERE workspace_id = $1 AND skill_id = $2 AND number = $3 AND approved_at IS NULL",
            arguments![workspace, skill, number.get(), at],
        )
        .await
        .map(drop)
    }

    async fn revision_files(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Vec<FileEntry>, StoreError> {
        self.many(
            "SELECT path, digest, size, executable FROM revision_files
             WHERE workspace_id = $1 AND skill_id = $2 AND number = $3 ORDER BY path",
            arguments![workspace, skill, number.get()],
            |mut row| read_file(&mut row),
        )
        .await
    }

    async fn revision_contents(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Vec<(FileEntry, Vec<u8>)>, StoreError> {
        // A file whose bytes are gone must show: it must not be left out.
        self.many(
            "SELECT f.path, f.digest, f.size, f.executable, b.content FROM revision_files f
             LEFT JOIN blobs b ON b.workspace_id = f.workspace_id AND b.digest = f.digest
             WHERE f.workspace_id = $1 AND f.skill_id = $2 AND f.number = $3 ORDER BY f.path",
            arguments![workspace, skill, number.get()],
            |mut row| Ok((read_file(&mut row)?, row.bytes()?)),
        )
        .await
    }
}
