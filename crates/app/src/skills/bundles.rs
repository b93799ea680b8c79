//! From stored files to bundles and back.

use std::collections::BTreeMap;

use manifest::{Finding, LOOKED_THROUGH, MOST_HIDDEN, hidden_text};
use model::{
    Bundle, BundleFile, Caller, Digest, FileEntry, Revision, RevisionNumber, SKILL_FILE, SkillId, WorkspaceId,
};
use policy::access::Act;
use store::{StoreError, Tx};

use super::read::{RevisionRef, find_revision};
use crate::skills::access::load;
use crate::{Context, Error};

/// Stores the bytes of a bundle's files and gives the entries that name them.
pub(super) async fn store_files(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    bundle: &Bundle,
) -> Result<Vec<FileEntry>, Error> {
    let mut entries = Vec::with_capacity(bundle.files().len());
    for (path, file) in bundle.files() {
        let digest = Digest::of(&file.content);
        tx.put_blob(workspace, &digest, &file.content).await?;
        entries.push(FileEntry {
            path: path.clone(),
            digest,
            size: file.content.len() as u64,
            executable: file.executable,
        });
    }
    Ok(entries)
}

/// The bytes of one file.
pub(crate) async fn content(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    entry: &FileEntry,
) -> Result<Vec<u8>, Error> {
    let content = tx.blob(workspace, &entry.digest).await?;
    content.ok_or_else(|| StoreError::Damaged(format!("the bytes of `{}` are missing", entry.path)).into())
}

/// The whole bundle of a revision.
pub(crate) async fn load_bundle(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    skill: SkillId,
    number: RevisionNumber,
) -> Result<Bundle, Error> {
    let mut files = BTreeMap::new();
    for (entry, content) in tx.revision_contents(workspace, skill, number).await? {
        files.insert(entry.path, BundleFile { content: content.into(), executable: entry.executable });
    }
    Ok(Bundle::stored(files).map_err(|error| StoreError::Damaged(error.to_string()))?)
}

/// Whether a manifest is read from this file.
fn is_told(entry: &FileEntry) -> bool {
    [SKILL_FILE, "skill.md", model::SIDECAR_FILE].contains(&entry.path.as_str())
}

/// What nobody sees in the files that a manifest is not read from. They are looked at one by one: a large bundle takes
/// time, not memory.
pub(super) async fn hidden_texts(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    entries: &[FileEntry],
) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for entry in entries.iter().filter(|entry| !is_told(entry) && entry.size <= LOOKED_THROUGH) {
        let content = content(tx, workspace, entry).await?;
        findings.extend(hidden_text(entry.path.as_str(), &content));
        if findings.len() == MOST_HIDDEN {
            break;
        }
    }
    Ok(findings)
}

/// A bundle with only what a manifest is read from: `SKILL.md` and the sidecar, and the names of the rest.
pub(crate) async fn load_manifest_bundle(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    entries: &[FileEntry],
) -> Result<Bundle, Error> {
    let mut files = BTreeMap::new();
    for entry in entries {
        let content = if is_told(entry) { content(tx, workspace, entry).await? } else { Vec::new() };
        files
            .insert(entry.path.clone(), BundleFile { content: content.into(), executable: entry.executable });
    }
    Ok(Bundle::stored(files).map_err(|error| StoreError::Damaged(error.to_string()))?)
}

/// A revision's bundle, byte for byte as it came in.
pub async fn export(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    revision: RevisionRef,
) -> Result<(store::SkillRecord, Revision, Bundle), Error> {
    let mut tx = cx.read().await?;
    let record = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let revision = find_revision(&mut *tx, &record.skill, &revision).await?;
    let bundle = load_bundle(&mut *tx, caller.workspace, id, revision.number).await?;
    Ok((record, revision, bundle))
}
