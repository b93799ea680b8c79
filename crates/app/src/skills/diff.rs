//! What changed between two revisions.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::{BundlePath, Caller, FileEntry, Revision, SkillId};
use policy::access::Act;
use similar::TextDiff;
use store::{StoreError, Tx};

use super::access::load;
use super::bundles::content;
use super::read::{RevisionRef, find_revision};
use crate::{Context, Error};

/// Texts larger than this are compared by their digests only.
const MAX_TEXT: u64 = 1024 * 1024;
/// And so are those that come when the texts before them, on both sides, fill this.
const MAX_TEXTS: u64 = 8 * MAX_TEXT;
/// How long the fewest changed lines are looked for, in all files together.
const PATIENCE: Duration = Duration::from_millis(500);

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
    /// The lines that changed, as a unified diff; `None` when it is not text, or too long by itself or after others.
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
    let mut pairs: BTreeMap<BundlePath, Sides> = BTreeMap::new();
    for entry in tx.revision_files(caller.workspace, id, from.number).await? {
        let path = entry.path.clone();
        pairs.entry(path).or_default().0 = Some(entry);
    }
    for entry in tx.revision_files(caller.workspace, id, to.number).await? {
        let path = entry.path.clone();
        pairs.entry(path).or_default().1 = Some(entry);
    }
    let (mut changed, mut room) = (Vec::new(), MAX_TEXTS);
    for (path, sides) in pairs {
        let Some(change) = change(&sides) else { continue };
        let texts = texts(&mut *tx, caller, &sides, &mut room).await?;
        changed.push((path, change, texts));
    }
    // Comparing takes long; nobody waits for the database, or for this thread, meanwhile.
    drop(tx);
    let compared = tokio::task::spawn_blocking(move || compare(changed)).await;
    let files = compared.map_err(|_| StoreError::Damaged("the revisions cannot be compared".to_owned()))?;
    Ok((from, to, files))
}

type Sides = (Option<FileEntry>, Option<FileEntry>);
type Texts = Option<[String; 2]>;

fn change(sides: &Sides) -> Option<Change> {
    match sides {
        (None, _) => Some(Change::Added),
        (_, None) => Some(Change::Removed),
        (Some(old), Some(new)) if old.digest == new.digest && old.executable == new.executable => None,
        _ => Some(Change::Modified),
    }
}

/// What a file says on each side, if that is text and there is room for it.
async fn texts(tx: &mut dyn Tx, caller: &Caller, sides: &Sides, room: &mut u64) -> Result<Texts, Error> {
    let entries = [&sides.0, &sides.1];
    let bytes = entries.map(|entry| entry.as_ref().map_or(0, |entry| entry.size));
    let size: u64 = bytes.iter().sum();
    if bytes.iter().any(|size| *size > MAX_TEXT) || size > *room {
        return Ok(None);
    }
    let mut texts = [String::new(), String::new()];
    for (text, entry) in texts.iter_mut().zip(entries) {
        let Some(entry) = entry else { continue };
        match String::from_utf8(content(tx, caller.workspace, entry).await?) {
            Ok(read) if !read.contains('\0') => *text = read,
            _ => return Ok(None),
        }
    }
    *room -= size;
    Ok(Some(texts))
}

fn compare(changed: Vec<(BundlePath, Change, Texts)>) -> Vec<FileDiff> {
    let deadline = Instant::now() + PATIENCE;
    let told = changed.into_iter().map(|(path, change, texts)| {
        let unified = texts.map(|texts| unified(&path, change, &texts, deadline));
        FileDiff { path, change, unified }
    });
    told.collect()
}

/// The lines that changed. After the deadline they are not the fewest, but still all of them.
fn unified(path: &BundlePath, change: Change, [before, after]: &[String; 2], deadline: Instant) -> String {
    let header =
        |there: bool, side: &str| if there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    TextDiff::configure()
        .deadline(deadline)
        .diff_lines(before.as_str(), after.as_str())
        .unified_diff()
        .context_radius(3)
        .header(&header(change != Change::Added, "a"), &header(change != Change::Removed, "b"))
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comparison_that_runs_out_of_time_still_tells_every_change() {
        let path = BundlePath::parse("a.txt").unwrap();
        let lines = |step: u32| -> String {
            let mut state = step;
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ['a', 'b', 'c'][(state >> 16) as usize % 3]
            };
            (0..20_000).flat_map(|_| [next(), '\n']).collect()
        };
        let texts = [lines(1), lines(2)];
        let told = unified(&path, Change::Modified, &texts, Instant::now());
        let side = |mark: char| -> String {
            let body = told.lines().skip(2).filter(|line| !line.starts_with("@@"));
            let own = body.filter(|line| line.starts_with([' ', mark]));
            own.flat_map(|line| [&line[1..], "\n"]).collect()
        };
        assert_eq!([side('-'), side('+')], texts);
    }
}
