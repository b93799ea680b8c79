//! The index of one workspace, kept in step with the store.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use model::{Digest, Skill, SkillId, WorkspaceId};
use search::{Document, EmbedError, Index, Prepared};
use store::{ChangeCursor, ChangedSkill, StoreError, Tx};
use tokio::sync::Mutex;

use crate::{Context, Error};

/// Skills that are read at a time.
const PAGE: u32 = 200;

/// The index of one workspace.
#[derive(Default)]
pub(super) struct Catalogue {
    index: RwLock<Index>,
    /// The last transaction whose changes are in the index. Held while changes are brought in.
    position: Mutex<u64>,
    /// One more than the store's count of commits when the index was last found to be in step; 0 is never.
    checked: AtomicU64,
    /// What the other embedder refuses of this workspace.
    refused: Lock<HashMap<SkillId, Refused>>,
    /// What last went wrong with the other embedder on this workspace's skills.
    failure: Lock<Option<EmbedError>>,
    /// Whether vectors of former embedders are gone.
    pub(super) tidied: AtomicBool,
    /// Whether the last round of the background work failed here, which is logged once.
    pub(super) behind: AtomicBool,
    pub(super) unembedded: AtomicBool,
}

/// A skill that the other embedder does not take.
struct Refused {
    /// Its texts at that time.
    texts: Vec<Digest>,
    /// Whether it was written since, so that its texts may be others.
    written: bool,
}

impl Catalogue {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Index> {
        self.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Index> {
        self.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody else changes the index while this is held.
    pub(super) async fn hold(&self) -> impl Drop + use<'_> {
        self.position.lock().await
    }

    pub(super) fn failure(&self) -> Option<EmbedError> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_failure(&self, failure: Option<EmbedError>) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    /// Sets a skill aside that the embedder does not take with these texts, once they are [settled](Self::settle).
    pub(super) fn refuse(&self, skill: SkillId, texts: Vec<Digest>) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.insert(skill, Refused { texts, written: true });
    }

    /// Whether a skill was set aside with these texts.
    pub(super) fn is_refused(&self, skill: SkillId, texts: &[Digest]) -> bool {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.get(&skill).is_some_and(|refused| refused.texts == texts)
    }

    /// Sets a skill aside for good if these texts, read while the index is [held](Self::hold), are still those that
    /// were refused; else it is like any other.
    pub(super) fn settle(&self, skill: SkillId, texts: &[Digest]) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = refused.get_mut(&skill) {
            known.written = false;
            if known.texts != texts {
                refused.remove(&skill);
            }
        }
    }

    /// Skills that wait for the other embedder, at most so many.
    pub(super) fn waiting(&self, most: usize) -> Vec<SkillId> {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let mut waiting = self.read().without_vectors(most.saturating_add(refused.len()));
        waiting.retain(|id| refused.get(id).is_none_or(|refused| refused.written));
        waiting.truncate(most);
        waiting
    }

    /// How many skills wait for the other embedder, and how many it refuses.
    pub(super) fn counts(&self) -> (usize, usize) {
        let without = self.read().count_without_vectors();
        if self.refused.lock().unwrap_or_else(PoisonError::into_inner).is_empty() {
            return (without, 0);
        }
        let waiting = self.waiting(usize::MAX).len();
        (waiting, without.saturating_sub(waiting))
    }

    /// Brings in everything that was committed before the call.
    async fn refresh(&self, cx: &Context, workspace: WorkspaceId) -> Result<(), Error> {
        // Read first: what is committed from here on makes the number another one.
        let generation = cx.store.generation();
        if generation.is_some_and(|number| self.checked.load(Ordering::Acquire) == number + 1) {
            return Ok(());
        }
        let mut position = self.position.lock().await;
        let mut tx = cx.read().await?;
        let head = tx.last_change(workspace).await?;
        let head = head.ok_or_else(|| Error::not_found("workspace", workspace))?;
        if head < *position {
            // Another database took the place of the one that was read: a replica that was behind, or a backup.
            tracing::warn!(%workspace, "the database went back; the search index is made anew");
            *position = 0;
        }
        if *position < head {
            if *position == 0 {
                // An attempt that failed half-way, or another database, left what may be gone by now.
                *self.write() = Index::default();
            }
            self.follow(&mut *tx, workspace, *position).await?;
            *position = head;
        }
        if let Some(number) = generation {
            self.checked.store(number + 1, Ordering::Release);
        }
        Ok(())
    }

    /// Brings in what happened after a transaction.
    async fn follow(&self, tx: &mut dyn Tx, workspace: WorkspaceId, position: u64) -> Result<(), Error> {
        let mut cursor = ChangeCursor { change: position, skill: None };
        loop {
            let changed = tx.changed_skills(workspace, cursor, PAGE).await?;
            let Some(last) = changed.last() else { break };
            cursor = ChangeCursor { change: last.change, skill: Some(last.skill.id) };
            self.bring_in(changed).await?;
        }
        // Who begins has nothing that could have gone since.
        let purged = if position == 0 { Vec::new() } else { tx.purged_since(workspace, position).await? };
        let mut index = self.write();
        for id in purged {
            index.remove(id);
        }
        Ok(())
    }

    async fn bring_in(&self, changed: Vec<ChangedSkill>) -> Result<(), Error> {
        let prepared = each(changed, |changed| changed.skill.id, prepare).await?;
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        let mut index = self.write();
        for (id, prepared) in prepared {
            if let Some(prepared) = prepared {
                refused.entry(id).and_modify(|refused| refused.written = true);
                index.put(&prepared);
            } else {
                refused.remove(&id);
                index.remove(id);
            }
        }
        Ok(())
    }
}

/// Does work for each of many away from this thread, where hundreds of long texts would hold up everybody else. If it
/// breaks down for one of them there is no result: an index with a gap would be taken for whole.
async fn each<T: Send + 'static, R: Send + 'static>(
    all: Vec<T>,
    id: fn(&T) -> SkillId,
    work: fn(&T) -> R,
) -> Result<Vec<R>, Error> {
    let broken = |what: String| StoreError::Damaged(format!("{what} cannot be made ready for search"));
    let one = move |item: &T| {
        catch_unwind(AssertUnwindSafe(|| work(item))).map_err(|_| broken(format!("the skill `{}`", id(item))))
    };
    let work = move || all.iter().map(one).collect::<Result<Vec<_>, _>>();
    let done = tokio::task::spawn_blocking(work).await;
    Ok(done.map_err(|_| broken("a skill".to_owned()))??)
}

fn prepare(changed: &ChangedSkill) -> (SkillId, Option<Prepared>) {
    let skill = &changed.skill;
    let text = String::from_utf8_lossy(&changed.text);
    let prepared = skill.deleted_at.is_none().then(|| Prepared::new(&document(skill, manifest::body(&text))));
    (skill.id, prepared)
}

/// A skill as search sees it.
pub(super) fn document<'a>(skill: &'a Skill, body: &'a str) -> Document<'a> {
    Document {
        id: skill.id,
        name: skill.name.as_str(),
        title: &skill.title,
        description: &skill.description,
        tags: &skill.tags,
        examples: &skill.example_prompts,
        body,
        scope: skill.scope,
        status: skill.status,
        enabled: skill.enabled,
        origin: skill.origin,
        facets: skill.facets,
    }
}

/// The index of a workspace, in step with the store.
pub(super) async fn current(cx: &Context, workspace: WorkspaceId) -> Result<Arc<Catalogue>, Error> {
    let catalogue = cx.search.catalogue(workspace);
    catalogue.refresh(cx, workspace).await?;
    Ok(catalogue)
}

/// Brings the indexes of all workspaces into step ahead of the next search. The number of skills in them. Where one
/// workspace cannot be read, the log says so, and the others go on.
pub async fn refresh_all(cx: &Context) -> Result<usize, Error> {
    let workspaces = cx.read().await?.workspaces().await?;
    let mut skills = 0;
    for workspace in workspaces {
        let catalogue = cx.search.catalogue(workspace.id);
        let done = catalogue.refresh(cx, workspace.id).await;
        tell(&catalogue.behind, workspace.id, done, "the search index of a workspace falls behind");
        skills += catalogue.read().len();
    }
    Ok(skills)
}

/// Logs what went wrong in a workspace, once until it goes well again.
pub(super) fn tell(failing: &AtomicBool, workspace: WorkspaceId, done: Result<(), Error>, what: &str) {
    match done {
        Ok(()) => failing.store(false, Ordering::Relaxed),
        Err(error) => {
            if !failing.swap(true, Ordering::Relaxed) {
                tracing::error!(%workspace, error = &error as &dyn std::error::Error, "{what}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_that_breaks_down_is_an_error_that_names_the_skill() {
        let ids: Vec<SkillId> = (0..3).map(|number| SkillId::new(uuid::Uuid::from_u128(number))).collect();
        let all = each(ids.clone(), |id| *id, |id| *id).await.unwrap();
        assert_eq!(all, ids);
        let broken =
            |id: &SkillId| assert_ne!(id.to_string(), SkillId::new(uuid::Uuid::from_u128(1)).to_string());
        let error = each(ids.clone(), |id| *id, broken).await.unwrap_err();
        assert!(error.to_string().contains(&format!("the skill `{}`", ids[1])), "{error}");
    }
}
