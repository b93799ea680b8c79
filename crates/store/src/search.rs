//! What an index in memory is built from, and how it keeps in step.
//!
//! The transactions of a workspace are numbered. A skill carries the number of the transaction that wrote it last, a
//! purged one leaves its id with a number; so whoever stands at a number reads only what happened since. Numbers become
//! visible in their order. Counters and vectors are no change of a skill.

use async_trait::async_trait;
use model::{Digest, Skill, SkillId, WorkspaceId};

use crate::{SkillRecord, StoreError};

/// A skill as search reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedSkill {
    /// The number of the transaction that wrote it last.
    pub change: u64,
    /// The skill.
    pub skill: Skill,
    /// The first 32 KiB of `SKILL.md` of the current revision; none when they are not there.
    pub text: Vec<u8>,
}

/// Where a reader of changes stands; the default is before the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeCursor {
    /// The last transaction of which something was read.
    pub change: u64,
    /// The last skill that was read of it; `None` when all of it was.
    pub skill: Option<SkillId>,
}

/// A vector of one text of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVector {
    /// The skill.
    pub skill: SkillId,
    /// The digest of the text.
    pub digest: Digest,
    /// The vector, as the embedder wrote it down.
    pub vector: Vec<u8>,
}

/// What we may ask on behalf of search. A reader first asks for the last change, then for what changed and what was
/// purged since it asked the time before; what happens meanwhile is read once more at worst.
#[async_trait]
pub trait SearchTx {
    /// The number of the last transaction in a workspace; `None` when there is no such workspace.
    async fn last_change(&mut self, workspace: WorkspaceId) -> Result<Option<u64>, StoreError>;
    /// Skills that changed after a place, deleted ones included, by change and id, at most so many.
    async fn changed_skills(
        &mut self,
        workspace: WorkspaceId,
        after: ChangeCursor,
        limit: u32,
    ) -> Result<Vec<ChangedSkill>, StoreError>;
    /// Skills that were purged in transactions after a number.
    async fn purged_since(&mut self, workspace: WorkspaceId, after: u64) -> Result<Vec<SkillId>, StoreError>;
    /// Some skills, in no order; those that are not there are left out. Deleted ones included.
    async fn skills_by_id(
        &mut self,
        workspace: WorkspaceId,
        ids: &[SkillId],
    ) -> Result<Vec<SkillRecord>, StoreError>;
    /// The vectors that an embedder made for these skills.
    async fn vectors(
        &mut self,
        workspace: WorkspaceId,
        embedder: &str,
        skills: &[SkillId],
    ) -> Result<Vec<StoredVector>, StoreError>;
    /// Replaces what an embedder made for one skill. Nothing happens when the skill is gone.
    async fn put_vectors(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        embedder: &str,
        vectors: &[(Digest, Vec<u8>)],
    ) -> Result<(), StoreError>;
    /// Forgets the vectors of every other embedder; says how many rows went.
    async fn forget_other_vectors(
        &mut self,
        workspace: WorkspaceId,
        embedder: &str,
    ) -> Result<u64, StoreError>;
}
