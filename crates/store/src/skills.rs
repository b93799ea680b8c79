//! Skills, their revisions, and the bytes of their files.

use async_trait::async_trait;
use model::{
    AgentId, Digest, FileEntry, Handle, Label, Origin, Revision, RevisionNumber, Scope, ScopeKind, Skill,
    SkillId, SkillName, Statistics, Status, Timestamp, UserId, WorkspaceId,
};

use crate::StoreError;

/// What became of a guarded write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It was written.
    Done,
    /// The stored version is another than expected; nothing was changed.
    Stale,
}

/// Which skills a list may show at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Every skill of the workspace.
    All,
    /// What this user can see: through one agent, or (without) through any.
    Of {
        /// The user.
        user: UserId,
        /// The agent they act through.
        agent: Option<AgentId>,
    },
}

/// What a list is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(clippy::struct_excessive_bools)] // each narrows the list on its own
pub struct SkillFilter {
    /// Words that must all stand in name, title, description or tags.
    pub words: Vec<String>,
    /// A tag it must have.
    pub tag: Option<String>,
    /// Its status.
    pub status: Option<Status>,
    /// Its switch.
    pub enabled: Option<bool>,
    /// Its origin.
    pub origin: Option<Origin>,
    /// Its rung.
    pub scope: Option<ScopeKind>,
    /// The agent that owns it.
    pub agent: Option<AgentId>,
    /// The user who owns it.
    pub user: Option<UserId>,
    /// A facet it must have: `instructions`, `procedure` or `policy`.
    pub facet: Option<Facet>,
    /// Its exact name.
    pub name: Option<SkillName>,
    /// Whether it waits for someone's word: a draft, pending, or with a promotion asked for.
    pub waiting: bool,
    /// Only deleted skills that can still be brought back (else none of them).
    pub deleted: bool,
    /// Only the nearest usable skill of each name, for whoever the visibility says.
    pub nearest: bool,
    /// With `nearest`: where a name has none that is switched on, the nearest one that is switched off.
    pub or_disabled: bool,
}

/// A facet to filter by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    /// Text for a model.
    Instructions,
    /// Code to run.
    Procedure,
    /// Bounds.
    Policy,
}

/// The order of a list. Ids break ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SkillOrder {
    /// By name, A first.
    #[default]
    Name,
    /// Last changed first.
    Updated,
    /// Last created first.
    Created,
}

/// The last row of the page before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillCursor {
    /// In a list by name.
    Name(SkillName, SkillId),
    /// In a list by time.
    Time(Timestamp, SkillId),
}

/// One page of skills.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillQuery {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// What may be shown at all.
    pub visibility: Visibility,
    /// What it is narrowed to.
    pub filter: SkillFilter,
    /// In which order.
    pub order: SkillOrder,
    /// Where the page before ended.
    pub after: Option<SkillCursor>,
    /// At most so many.
    pub limit: u32,
}

/// A skill with its counters.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillRecord {
    /// The skill.
    pub skill: Skill,
    /// How it does.
    pub statistics: Statistics,
}

/// How many skills one owner has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillGroup {
    /// Where they stand.
    pub scope: Scope,
    /// The name of the scope's agent.
    pub agent: Option<SkillName>,
    /// The handle of the scope's user.
    pub user: Option<Handle>,
    /// How many.
    pub count: u64,
}

/// What we may ask about skills.
#[async_trait]
pub trait SkillTx {
    /// Adds a skill; `false` when its name (or import source) is taken in its scope.
    async fn insert_skill(&mut self, skill: &Skill) -> Result<bool, StoreError>;
    /// One skill, deleted ones included.
    async fn skill(&mut self, workspace: WorkspaceId, id: SkillId)
    -> Result<Option<SkillRecord>, StoreError>;
    /// The skill that has this name in this very scope.
    async fn skill_named(
        &mut self,
        workspace: WorkspaceId,
        scope: Scope,
        name: &SkillName,
    ) -> Result<Option<SkillRecord>, StoreError>;
    /// The skill that was imported from this source into this very scope.
    async fn skill_from_source(
        &mut self,
        workspace: WorkspaceId,
        scope: Scope,
        source: &str,
    ) -> Result<Option<SkillRecord>, StoreError>;
    /// A page of skills.
    async fn skills(&mut self, query: &SkillQuery) -> Result<Vec<SkillRecord>, StoreError>;
    /// How many skills the query finds on all its pages.
    async fn count_skills(&mut self, query: &SkillQuery) -> Result<u64, StoreError>;
    /// How many skills the query finds on all its pages in each scope that has some, in no order.
    async fn group_skills(&mut self, query: &SkillQuery) -> Result<Vec<SkillGroup>, StoreError>;
    /// The tags of the skills a caller can see, with how many have each, by tag.
    async fn tags(
        &mut self,
        workspace: WorkspaceId,
        visibility: Visibility,
    ) -> Result<Vec<(String, u64)>, StoreError>;
    /// Replaces a skill whose stored version is one less than the given one.
    async fn update_skill(&mut self, skill: &Skill) -> Result<Written, StoreError>;
    /// Removes a skill with its revisions, files, counters and assignments, and every blob nothing else needs.
    async fn purge_skill(&mut self, workspace: WorkspaceId, id: SkillId) -> Result<bool, StoreError>;
    /// Remembers that content was refused, and as which skill, whatever becomes of that skill.
    async fn put_rejection(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
        skill: SkillId,
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// As which skill this content was refused, if it was.
    async fn rejection(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
    ) -> Result<Option<SkillId>, StoreError>;
    /// Forgets that content was refused.
    async fn delete_rejection(&mut self, workspace: WorkspaceId, digest: &Digest) -> Result<(), StoreError>;
    /// Drafts that nobody touched since a moment.
    async fn drafts_untouched_since(
        &mut self,
        workspace: WorkspaceId,
        moment: Timestamp,
    ) -> Result<Vec<SkillId>, StoreError>;
    /// Skills that were deleted before a moment and wait to be purged.
    async fn deleted_before(
        &mut self,
        workspace: WorkspaceId,
        moment: Timestamp,
    ) -> Result<Vec<SkillId>, StoreError>;
    /// The names of the agents a skill is assigned to.
    async fn assigned_agents(
        &mut self,
        workspace: WorkspaceId,
        id: SkillId,
    ) -> Result<Vec<SkillName>, StoreError>;
}

/// What we may ask about revisions.
#[async_trait]
pub trait RevisionTx {
    /// Adds a revision with its files, whose blobs are stored already.
    async fn insert_revision(
        &mut self,
        workspace: WorkspaceId,
        revision: &Revision,
        files: &[FileEntry],
    ) -> Result<(), StoreError>;
    /// One revision.
    async fn revision(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Option<Revision>, StoreError>;
    /// The revision that carries a label.
    async fn revision_labelled(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        label: &Label,
    ) -> Result<Option<Revision>, StoreError>;
    /// Revisions, newest first: those before a number, and at most so many.
    async fn revisions(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        before: Option<RevisionNumber>,
        limit: u32,
    ) -> Result<Vec<Revision>, StoreError>;
    /// The newest revision of a skill that has this digest.
    async fn revision_with_digest(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        digest: &Digest,
    ) -> Result<Option<RevisionNumber>, StoreError>;
    /// Gives a revision a label, or takes it away.
    async fn set_label(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
        label: Option<&Label>,
    ) -> Result<(), StoreError>;
    /// Says when a revision was let in; the first time stays.
    async fn approve_revision(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
        at: Timestamp,
    ) -> Result<(), StoreError>;
    /// The files of a revision, in path order.
    async fn revision_files(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Vec<FileEntry>, StoreError>;
    /// The files of a revision with their bytes, in path order.
    async fn revision_contents(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        number: RevisionNumber,
    ) -> Result<Vec<(FileEntry, Vec<u8>)>, StoreError>;
}

/// What we may ask about the bytes of files.
#[async_trait]
pub trait BlobTx {
    /// Stores bytes under their digest, once.
    async fn put_blob(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
        content: &[u8],
    ) -> Result<(), StoreError>;
    /// The bytes with this digest.
    async fn blob(&mut self, workspace: WorkspaceId, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError>;
    /// How many blobs a workspace has, and how many bytes.
    async fn count_blobs(&mut self, workspace: WorkspaceId) -> Result<(u64, u64), StoreError>;
}
