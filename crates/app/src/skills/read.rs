//! Reads a skill: itself, its revisions, its files.

use manifest::Finding;
use model::{
    Caller, Digest, FileEntry, Label, Manifest, Revision, RevisionNumber, Skill, SkillId, SkillName,
};
use policy::access::Act;
use store::{SkillRecord, Tx};

use super::access::load;
use super::bundles::{content, hidden_texts, load_manifest_bundle};
use crate::paging::page;
use crate::{Code, Context, Cursor, Error, Page, PageRequest};

/// Which revision.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RevisionRef {
    /// The one in use.
    #[default]
    Current,
    /// By number.
    Number(RevisionNumber),
    /// By label.
    Label(Label),
}

impl RevisionRef {
    /// Reads `current`, a number, or a label.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text == "current" {
            return Ok(Self::Current);
        }
        if let Some(number) = text.parse().ok().and_then(RevisionNumber::new) {
            return Ok(Self::Number(number));
        }
        Label::parse(text).map(Self::Label).map_err(|_| Error::not_found("revision", text))
    }
}

/// A skill with what its current revision holds.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The skill and its counters.
    pub record: SkillRecord,
    /// The revision.
    pub revision: Revision,
    /// Its files.
    pub files: Vec<FileEntry>,
    /// What its files say.
    pub manifest: Manifest,
    /// `SKILL.md` as it is.
    pub skill_file: String,
    /// What was found in the files.
    pub findings: Vec<Finding>,
    /// The agents it is assigned to.
    pub agents: Vec<SkillName>,
}

/// Reads a skill at its current revision.
pub async fn read(cx: &Context, caller: &Caller, id: SkillId) -> Result<Detail, Error> {
    revision(cx, caller, id, RevisionRef::Current).await
}

/// Reads a skill at the revision that the caller uses: the one its agent is pinned to, else the current one.
pub async fn read_in_use(cx: &Context, caller: &Caller, id: SkillId) -> Result<Detail, Error> {
    let mut which = RevisionRef::Current;
    if let Some(agent) = caller.agent {
        let mut tx = cx.read().await?;
        let agent = tx.agent(caller.workspace, agent).await?;
        if let Some(pin) = agent.and_then(|agent| agent.pin_of(id)) {
            let skill = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?.skill;
            usable_digest(&mut *tx, &skill, pin).await?;
            which = RevisionRef::Number(pin);
        }
    }
    revision(cx, caller, id, which).await
}

/// The digest of a revision that may be used: the current one, and an older one that was let in and that no reviewer
/// refused since.
pub(crate) async fn usable_digest(
    tx: &mut dyn Tx,
    skill: &Skill,
    number: RevisionNumber,
) -> Result<Digest, Error> {
    if number == skill.revision {
        return Ok(skill.digest);
    }
    let revision = tx.revision(skill.workspace, skill.id, number).await?;
    let revision = revision.ok_or_else(|| Error::not_found("revision", number))?;
    if tx.rejection(skill.workspace, &revision.digest).await?.is_some() {
        let message = format!("revision {number} of `{}` was rejected; use another one", skill.name);
        return Err(Error::conflict(Code::RejectedContent, message));
    }
    if revision.approved_at.is_none() {
        let message = format!("revision {number} of `{}` was never let in; use another one", skill.name);
        return Err(Error::conflict(Code::SkillNotActive, message));
    }
    Ok(revision.digest)
}

/// Reads a skill as it was at a revision.
pub async fn revision(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    which: RevisionRef,
) -> Result<Detail, Error> {
    let mut tx = cx.read().await?;
    let record = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let revision = find_revision(&mut *tx, &record.skill, &which).await?;
    let files = tx.revision_files(caller.workspace, id, revision.number).await?;
    let bundle = load_manifest_bundle(&mut *tx, caller.workspace, &files).await?;
    let agents = tx.assigned_agents(caller.workspace, id).await?;
    // What was let in can be read again; only tighter limits since then could say otherwise.
    let (manifest, mut findings) = match manifest::read(&bundle, &cx.limits) {
        Ok(reading) => (reading.manifest, reading.findings),
        Err(error) => (Manifest::default(), error.findings().to_vec()),
    };
    findings.extend(hidden_texts(&mut *tx, caller.workspace, &files).await?);
    let skill_file = String::from_utf8_lossy(bundle.skill_file().1).into_owned();
    Ok(Detail { record, revision, files, manifest, skill_file, findings, agents })
}

pub(super) async fn find_revision(
    tx: &mut dyn Tx,
    skill: &Skill,
    which: &RevisionRef,
) -> Result<Revision, Error> {
    let (found, asked) = match which {
        RevisionRef::Current => {
            (tx.revision(skill.workspace, skill.id, skill.revision).await?, skill.revision.to_string())
        }
        RevisionRef::Number(number) => {
            (tx.revision(skill.workspace, skill.id, *number).await?, number.to_string())
        }
        RevisionRef::Label(label) => {
            (tx.revision_labelled(skill.workspace, skill.id, label).await?, label.as_str().to_owned())
        }
    };
    found.ok_or_else(|| Error::not_found("revision", asked))
}

/// The revisions of a skill, newest first.
pub async fn revisions(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: PageRequest,
) -> Result<Page<Revision>, Error> {
    let limit = request.checked_limit()?;
    let before = match &request.after {
        Some(cursor) => {
            let number = u32::try_from(cursor.number()?).ok().and_then(RevisionNumber::new);
            Some(number.ok_or_else(Cursor::invalid)?)
        }
        None => None,
    };
    let mut tx = cx.read().await?;
    load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let revisions = tx.revisions(caller.workspace, id, before, limit + 1).await?;
    Ok(page(revisions, limit, |revision| Cursor::of_number(u64::from(revision.number.get()))))
}

/// The files of a revision.
pub async fn files(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    which: RevisionRef,
) -> Result<(Revision, Vec<FileEntry>), Error> {
    let mut tx = cx.read().await?;
    let record = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let revision = find_revision(&mut *tx, &record.skill, &which).await?;
    let files = tx.revision_files(caller.workspace, id, revision.number).await?;
    Ok((revision, files))
}

/// One file of a revision, with its bytes.
pub async fn file(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    which: RevisionRef,
    path: &str,
) -> Result<(FileEntry, Vec<u8>), Error> {
    let (_, files) = files(cx, caller, id, which).await?;
    let entry = files.into_iter().find(|entry| entry.path.as_str() == path);
    let entry = entry.ok_or_else(|| Error::not_found("file", path))?;
    let bytes = content(&mut *cx.read().await?, caller.workspace, &entry).await?;
    Ok((entry, bytes))
}
