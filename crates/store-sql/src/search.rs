//! What search reads of skills, by change numbers, and the vectors kept for it.

use ::store::{ChangeCursor, ChangedSkill, SearchTx, SkillRecord, StoreError, StoredVector};
use async_trait::async_trait;
use model::{Digest, SkillId, WorkspaceId};
use uuid::Uuid;

use crate::skills::{FROM, RECORD, SKILL, read_record, read_skill};
use crate::store::SqlTx;
use crate::value::arguments;
use crate::{Row, Value};

/// How many ids one statement names at most; databases limit its arguments.
const MOST_IDS: usize = 512;

/// How many bytes of a text are read, so that a page of many skills is never much.
const LONGEST_TEXT: usize = 32 << 10;

fn read_changed(mut row: Row) -> Result<ChangedSkill, StoreError> {
    Ok(ChangedSkill {
        change: row.count()?,
        text: row.opt_bytes()?.unwrap_or_default(),
        skill: read_skill(&mut row)?,
    })
}

fn read_vector(mut row: Row) -> Result<StoredVector, StoreError> {
    Ok(StoredVector { skill: SkillId::new(row.uuid()?), digest: row.digest()?, vector: row.bytes()? })
}

/// Adds ids to the arguments and gives their places. The last is repeated up to a power of two, so that lists of all
/// lengths are few statements to prepare.
fn places(ids: &[SkillId], arguments: &mut Vec<Value>) -> String {
    let padding = ids.last().into_iter().cycle().take(ids.len().next_power_of_two() - ids.len());
    let places = ids.iter().chain(padding).map(|&id| {
        arguments.push(id.into());
        format!("${}", arguments.len())
    });
    places.collect::<Vec<_>>().join(", ")
}

#[async_trait]
impl SearchTx for SqlTx {
    async fn last_change(&mut self, workspace: WorkspaceId) -> Result<Option<u64>, StoreError> {
        self.one(
            "SELECT transactions FROM audit_heads WHERE workspace_id = $1",
            arguments![workspace],
            |mut row| row.count(),
        )
        .await
    }

    async fn changed_skills(
        &mut self,
        workspace: WorkspaceId,
        after: ChangeCursor,
        limit: u32,
    ) -> Result<Vec<ChangedSkill>, StoreError> {
        // A bundle has one of the two spellings, never both.
        let sql = format!(
            "SELECT s.changed_in, SUBSTR(b.content, 1, {LONGEST_TEXT}), {SKILL} FROM skills s
             LEFT JOIN revision_files f ON f.workspace_id = s.workspace_id AND f.skill_id = s.id
                 AND f.number = s.revision AND f.path IN ('SKILL.md', 'skill.md')
             LEFT JOIN blobs b ON b.workspace_id = f.workspace_id AND b.digest = f.digest
             WHERE s.workspace_id = $1 AND (s.changed_in, s.id) > ($2, $3)
             ORDER BY s.changed_in, s.id LIMIT $4"
        );
        // No id is greater than the greatest, so nothing of that transaction is left.
        let skill = after.skill.unwrap_or(SkillId::new(Uuid::max()));
        self.many(sql, arguments![workspace, after.change, skill, limit], read_changed).await
    }

    async fn purged_since(&mut self, workspace: WorkspaceId, after: u64) -> Result<Vec<SkillId>, StoreError> {
        // An id that was taken again is a skill as any other.
        self.many(
            "SELECT p.skill_id FROM purged_skills p WHERE p.workspace_id = $1 AND p.changed_in > $2 AND NOT EXISTS
                 (SELECT 1 FROM skills s WHERE s.workspace_id = p.workspace_id AND s.id = p.skill_id)
             ORDER BY p.changed_in, p.skill_id",
            arguments![workspace, after],
            |mut row| row.uuid().map(SkillId::new),
        )
        .await
    }

    async fn skills_by_id(
        &mut self,
        workspace: WorkspaceId,
        ids: &[SkillId],
    ) -> Result<Vec<SkillRecord>, StoreError> {
        let mut found = Vec::with_capacity(ids.len());
        for ids in ids.chunks(MOST_IDS) {
            let mut arguments = arguments![workspace];
            let places = places(ids, &mut arguments);
            let sql = format!("SELECT {RECORD} FROM {FROM} WHERE s.workspace_id = $1 AND s.id IN ({places})");
            found.extend(self.many(sql, arguments, read_record).await?);
        }
        Ok(found)
    }

    async fn vectors(
        &mut self,
        workspace: WorkspaceId,
        embedder: &str,
        skills: &[SkillId],
    ) -> Result<Vec<StoredVector>, StoreError> {
        let mut found = Vec::new();
        for skills in skills.chunks(MOST_IDS) {
            let mut arguments = arguments![workspace, embedder];
            let places = places(skills, &mut arguments);
            let sql = format!(
                "SELECT skill_id, digest, vector FROM skill_embeddings
                 WHERE workspace_id = $1 AND embedder = $2 AND skill_id IN ({places})"
            );
            found.extend(self.many(sql, arguments, read_vector).await?);
        }
        Ok(found)
    }

    async fn put_vectors(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        embedder: &str,
        vectors: &[(Digest, Vec<u8>)],
    ) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM skill_embeddings WHERE workspace_id = $1 AND skill_id = $2 AND embedder = $3",
            arguments![workspace, skill, embedder],
        )
        .await?;
        for (digest, vector) in vectors {
            self.execute(
                "INSERT INTO skill_embeddings (workspace_id, skill_id, embedder, digest, vector)
                 SELECT s.workspace_id, s.id, $3, $4, $5 FROM skills s WHERE s.workspace_id = $1 AND s.id = $2
                 ON CONFLICT DO NOTHING",
                arguments![workspace, skill, embedder, digest, vector.as_slice()],
            )
            .await?;
        }
        Ok(())
    }

    async fn forget_other_vectors(
        &mut self,
        workspace: WorkspaceId,
        embedder: &str,
    ) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM skill_embeddings WHERE workspace_id = $1 AND embedder <> $2",
            arguments![workspace, embedder],
        )
        .await
    }
}
