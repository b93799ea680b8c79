//! Vectors from an embedder elsewhere: made in the background, kept in the store, searched as they come.

use std::collections::HashMap;
use std::sync::Arc;

use model::{Caller, Digest, Skill, SkillId, WorkspaceId};
use policy::access::{self, Act};
use search::{Embedder, Vector, Vectors, scale_of};

use super::Meaning;
use super::catalogue::{self, Catalogue, document};
use crate::skills::{self, ListSkills};
use crate::{Context, Error, PageRequest};

/// Skills that are embedded at a time.
const BATCH: usize = 32;

/// How search stands in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchStatus {
    /// What makes the vectors.
    pub embedder: String,
    /// Skills that the caller can find.
    pub skills: u64,
    /// Skills of the workspace that wait for the embedder; until then the built-in one stands in. Only for those who
    /// see all of them.
    pub waiting: Option<u64>,
    /// What the workspace's index takes in memory, about. Only for those who see all of its skills.
    pub bytes: Option<u64>,
    /// What last went wrong with the embedder.
    pub failure: Option<String>,
}

/// How search stands in the caller's workspace.
pub async fn status(cx: &Context, caller: &Caller) -> Result<SearchStatus, Error> {
    access::decide(caller, Act::ListSkills)?;
    let catalogue = catalogue::current(cx, caller.workspace).await?;
    let (embedder, waits) = match &cx.search.0.meaning {
        Meaning::BuiltIn => ("built-in", false),
        Meaning::None => ("none", false),
        Meaning::Other { skills, .. } => (skills.name(), true),
    };
    let status = SearchStatus {
        embedder: embedder.to_owned(),
        skills: 0,
        waiting: None,
        bytes: None,
        failure: cx.search.failure().map(|failure| failure.to_string()),
    };
    if access::sees_everything(caller) {
        let index = catalogue.read();
        let waiting = if waits { index.count_without_vectors() } else { 0 };
        let (waiting, bytes) = (Some(waiting as u64), Some(index.bytes() as u64));
        return Ok(SearchStatus { skills: index.len() as u64, waiting, bytes, ..status });
    }
    // How much there is that a caller cannot see is not told either.
    let page = PageRequest { limit: 1, after: None };
    let (_, seen) =
        skills::list(cx, caller, ListSkills { count: true, page, ..ListSkills::default() }).await?;
    Ok(SearchStatus { skills: seen.unwrap_or_default(), ..status })
}

/// Gets one batch of missing vectors in every workspace; how many skills still wait. Without another embedder there is
/// nothing to do.
pub async fn embed_missing(cx: &Context) -> Result<usize, Error> {
    let Some(embedder) = cx.search.other().cloned() else { return Ok(0) };
    if cx.search.scale().is_none() {
        match scale_of(&*embedder).await {
            Ok(scale) => cx.search.set_scale(scale),
            Err(failure) => {
                cx.search.set_failure(Some(failure));
                return Ok(usize::MAX);
            }
        }
    }
    let mut waiting = 0;
    let workspaces = cx.read().await?.workspaces().await?;
    for workspace in workspaces {
        let catalogue = catalogue::current(cx, workspace.id).await?;
        waiting += embed_batch(cx, &*embedder, workspace.id, &catalogue).await?;
    }
    Ok(waiting)
}

async fn embed_batch(
    cx: &Context,
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    catalogue: &Arc<Catalogue>,
) -> Result<usize, Error> {
    let missing = catalogue.read().without_vectors(BATCH);
    if missing.is_empty() {
        return Ok(0);
    }
    let mut tx = cx.read().await?;
    let mut known: HashMap<(SkillId, Digest), Vector> = HashMap::new();
    for stored in tx.vectors(workspace, embedder.name(), &missing).await? {
        if let Some(vector) = Vector::from_bytes(&stored.vector) {
            known.insert((stored.skill, stored.digest), vector);
        }
    }
    let skills: Vec<Skill> =
        tx.skills_by_id(workspace, &missing).await?.into_iter().map(|record| record.skill).collect();
    drop(tx);
    let texts: Vec<(SkillId, Digest, String)> = skills.iter().flat_map(texts).collect();
    let wanted: Vec<&(SkillId, Digest, String)> =
        texts.iter().filter(|(skill, digest, _)| !known.contains_key(&(*skill, *digest))).collect();
    if !wanted.is_empty() {
        let asked: Vec<String> = wanted.iter().map(|(.., text)| text.clone()).collect();
        let vectors = match embedder.embed(&asked).await {
            Ok(vectors) => vectors,
            Err(failure) => {
                cx.search.set_failure(Some(failure));
                return Ok(catalogue.read().count_without_vectors());
            }
        };
        cx.search.set_failure(None);
        for ((skill, digest, _), vector) in wanted.into_iter().zip(vectors) {
            known.insert((*skill, *digest), vector);
        }
        keep(cx, embedder, workspace, &skills, &known).await?;
    }
    put(cx, workspace, catalogue, &missing, &known).await?;
    Ok(catalogue.read().count_without_vectors())
}

fn texts(skill: &Skill) -> Vec<(SkillId, Digest, String)> {
    let texts = document(skill, "").texts();
    texts.into_iter().map(|text| (skill.id, Digest::of(text.as_bytes()), text)).collect()
}

async fn keep(
    cx: &Context,
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    skills: &[Skill],
    known: &HashMap<(SkillId, Digest), Vector>,
) -> Result<(), Error> {
    let mut tx = cx.begin(workspace).await?;
    for skill in skills {
        let mut vectors: Vec<(Digest, Vec<u8>)> = texts(skill)
            .into_iter()
            .filter_map(|(id, digest, _)| Some((digest, known.get(&(id, digest))?.to_bytes())))
            .collect();
        vectors.sort_unstable();
        vectors.dedup();
        tx.put_vectors(workspace, skill.id, embedder.name(), &vectors).await?;
    }
    Ok(tx.commit().await?)
}

/// Puts vectors into the index, where the skill still has the text they were made of.
async fn put(
    cx: &Context,
    workspace: WorkspaceId,
    catalogue: &Arc<Catalogue>,
    missing: &[SkillId],
    known: &HashMap<(SkillId, Digest), Vector>,
) -> Result<(), Error> {
    let _held = catalogue.hold().await;
    let skills = cx.read().await?.skills_by_id(workspace, missing).await?;
    let mut index = catalogue.write();
    for record in &skills {
        let texts = texts(&record.skill);
        let vectors: Vec<_> =
            texts.iter().map(|(id, digest, _)| known.get(&(*id, *digest)).cloned()).collect();
        if vectors.iter().all(Option::is_some) {
            index.put_vectors(record.skill.id, &Vectors::new(vectors));
        }
    }
    Ok(())
}
