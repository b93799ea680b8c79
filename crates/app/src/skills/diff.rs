//! What changed between two revisions.

use std::collections::BTreeMap;

use model::{BundlePath, Caller, FileEntry, Revision, SkillId};
use policy::access::Act;
use similar::TextDiff;

use super::access::load;
use super::bundles::content;
use super::read::{RevisionRef, find_revision};
use crate::{Context, Error};

/// Texts larger than this are compared by their digests only.
const MAX_TEXT: u64 = 1024 * 1024;

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Its bytes or its mode changed.
    Modified,
}

/// One file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path.
    pub path: BundlePath,
    /// How it changed.
    pub change: Change,
    /// The lines that changed, as a unified diff; `None` when it is not text, or too long.
    pub unified: Option<String>,
}

/// What changed from one revision of a skill to another, file by file.
pub async fn diff(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    from: RevisionRef,
    to: RevisionRef,
) -> Result<(Revision, Revision, Vec<FileDiff>), Error> {
    let mut tx = cx.read().await?;
    let record = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let from = find_revision(&mut *tx, &record.skill, &from).await?;
    let to = find_revision(&mut *tx, &record.skill, &to).await?;
    let mut pairs: BTreeMap<BundlePath, (Option<FileEntry>, Option<FileEntry>)> = BTreeMap::new();
    for entry in tx.revision_files(caller.workspace, id, from.number).await? {
        let path = entry.path.clone();
        pairs.entry(path).or_default().0 = Some(entry);
    }
    for entry in tx.revision_files(caller.workspace, id, to.number).await? {
        let path = entry.path.clone();
        pairs.entry(path).or_default().1 = Some(entry);
    }
    let mut files = Vec::new();
    for (path, (old, new)) in pairs {
        let change = match (&old, &new) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            (Some(old), Some(new)) if old.digest == new.digest && old.executable == new.executable => {
                continue;
            }
            _ => Change::Modified,
        };
        let mut texts = [String::new(), String::new()];
        let mut is_text = true;
        for (text, entry) in texts.iter_mut().zip([&old, &new]) {
            if let Some(entry) = entry {
                match String::from_utf8(content(&mut *tx, caller.workspace, entry).await?) {
                    Ok(read) if entry.size <= MAX_TEXT && !read.contains('\0') => *text = read,
                    _ => is_text = false,
                }
            }
        }
        let [before, after] = texts;
        let unified = is_text.then(|| unified(&path, old.is_some(), new.is_some(), &before, &after));
        files.push(FileDiff { path, change, unified });
    }
    Ok((from, to, files))
}

fn unified(path: &BundlePath, was: bool, is: bool, before: &str, after: &str) -> String {
    let header =
        |there: bool, side: &str| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    TextDiff::from_lines(before, after)
        .unified_diff()
        .context_radius(3)
        .header(&header(was, "a"), &header(is, "b"))
        .to_string()
}
