//! The index of one workspace, kept in step with the store.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use model::{Skill, WorkspaceId};
use search::{Document, Index, Prepared};
use store::{ChangeCursor, ChangedSkill};
use tokio::sync::Mutex;

use crate::{Context, Error};

/// Skills that are read at a time.
const PAGE: u32 = 500;

/// The index of one workspace.
#[derive(Default)]
pub(super) struct Catalogue {
    index: RwLock<Index>,
    /// The last transaction whose changes are in the index. Held while changes are brought in.
    position: Mutex<u64>,
    /// One more than the store's count of commits when the index was last found to be in step; 0 is never.
    checked: AtomicU64,
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
        if *position < head {
            let mut cursor = ChangeCursor { change: *position, skill: None };
            loop {
                let changed = tx.changed_skills(workspace, cursor, PAGE).await?;
                let Some(last) = changed.last() else { break };
                cursor = ChangeCursor { change: last.change, skill: Some(last.skill.id) };
                self.bring_in(changed).await;
            }
            let purged = tx.purged_since(workspace, *position).await?;
            let mut index = self.write();
            for id in purged {
                index.remove(id);
            }
            drop(index);
            *position = head;
        }
        if let Some(number) = generation {
            self.checked.store(number + 1, Ordering::Release);
        }
        Ok(())
    }

    async fn bring_in(&self, changed: Vec<ChangedSkill>) {
        // Reading hundreds of long texts would hold up everybody else on this thread.
        let work = move || changed.iter().map(prepare).collect::<Vec<_>>();
        let prepared = tokio::task::spawn_blocking(work).await.unwrap_or_default();
        let mut index = self.write();
        for (id, prepared) in prepared {
            match prepared {
                Some(prepared) => index.put(&prepared),
                None => index.remove(id),
            }
        }
    }
}

fn prepare(changed: &ChangedSkill) -> (model::SkillId, Option<Prepared>) {
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

/// Brings the indexes of all workspaces into step ahead of the next search. The number of skills in them.
pub async fn refresh_all(cx: &Context) -> Result<usize, Error> {
    let workspaces = cx.read().await?.workspaces().await?;
    let mut skills = 0;
    for workspace in workspaces {
        let catalogue = current(cx, workspace.id).await?;
        skills += catalogue.read().len();
    }
    Ok(skills)
}
