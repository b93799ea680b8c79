//! Vectors from an embedder elsewhere: made in the background, kept in the store, searched as they come.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use model::{Caller, Digest, Skill, SkillId, WorkspaceId};
use policy::access::{self, Act};
use search::{EmbedError, Embedder, Vector, Vectors, scale_of};

use super::Meaning;
use super::catalogue::{self, Catalogue, document};
use crate::skills::{self, ListSkills};
use crate::{Context, Error, PageRequest};

/// Skills that are embedded at a time.
const BATCH: usize = 32;
/// A text that every embedder takes.
const PROBE: &str = "a request in plain words";

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
    /// Skills of the workspace that the embedder refuses; the built-in one stands in. Only for those who see all of
    /// them.
    pub refused: Option<u64>,
    /// What last went wrong with the embedder in this workspace. Only for those who see all of its skills.
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
        refused: None,
        failure: None,
    };
    if access::sees_everything(caller) {
        let (waiting, refused) = if waits { catalogue.counts() } else { (0, 0) };
        let failure = cx.search.own_failure().or_else(|| catalogue.failure());
        let index = catalogue.read();
        return Ok(SearchStatus {
            skills: index.len() as u64,
            waiting: Some(waiting as u64),
            bytes: Some(index.bytes() as u64),
            refused: Some(refused as u64),
            failure: failure.map(|failure| failure.to_string()),
            ..status
        });
    }
    // How much there is that a caller cannot see is not told either.
    let page = PageRequest { limit: 1, after: None };
    let (_, seen) =
        skills::list(cx, caller, ListSkills { count: true, page, ..ListSkills::default() }).await?;
    Ok(SearchStatus { skills: seen.unwrap_or_default(), ..status })
}

/// Gets one batch of missing vectors in every workspace; how many skills still wait. Without another embedder there is
/// nothing to do. Where something goes wrong with one workspace, the log says so, and the others go on.
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
        cx.search.set_failure(None);
    }
    let mut waiting = 0;
    let workspaces = cx.read().await?.workspaces().await?;
    for workspace in workspaces {
        let catalogue = cx.search.catalogue(workspace.id);
        let done = embed_in(cx, &*embedder, workspace.id).await;
        catalogue::tell(
            &catalogue.unembedded,
            workspace.id,
            done,
            "skills of a workspace cannot be embedded",
        );
        waiting += catalogue.counts().0;
    }
    Ok(waiting)
}

async fn embed_in(cx: &Context, embedder: &dyn Embedder, workspace: WorkspaceId) -> Result<(), Error> {
    let catalogue = catalogue::current(cx, workspace).await?;
    let missing = catalogue.waiting(BATCH);
    if !missing.is_empty() {
        embed_batch(cx, embedder, workspace, &catalogue, &missing).await?;
    }
    if catalogue.waiting(1).is_empty() {
        catalogue.set_failure(None);
        forget_others(cx, embedder, workspace, &catalogue).await?;
    }
    Ok(())
}

/// What former embedders made goes once, when the present one has come to everything.
async fn forget_others(
    cx: &Context,
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    catalogue: &Catalogue,
) -> Result<(), Error> {
    if catalogue.tidied.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut tx = cx.begin(workspace).await?;
    tx.forget_other_vectors(workspace, embedder.name()).await?;
    tx.commit().await?;
    catalogue.tidied.store(true, Ordering::Relaxed);
    Ok(())
}

/// Vectors by skill and text.
type Known = HashMap<(SkillId, Digest), Vector>;

async fn embed_batch(
    cx: &Context,
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    catalogue: &Catalogue,
    missing: &[SkillId],
) -> Result<(), Error> {
    let mut tx = cx.read().await?;
    let mut known = Known::new();
    for stored in tx.vectors(workspace, embedder.name(), missing).await? {
        if let Some(vector) = Vector::from_bytes(&stored.vector) {
            known.insert((stored.skill, stored.digest), vector);
        }
    }
    let mut skills: Vec<Skill> =
        tx.skills_by_id(workspace, missing).await?.into_iter().map(|record| record.skill).collect();
    drop(tx);
    skills.retain(|skill| !catalogue.is_refused(skill.id, &digests(skill)));
    let before = known.len();
    let failure = ask(embedder, workspace, catalogue, &skills, &mut known).await;
    catalogue.set_failure(failure);
    if known.len() > before {
        keep(cx, embedder, workspace, &skills, &known).await?;
    }
    put(cx, workspace, catalogue, missing, &known).await
}

/// Gets what is not known yet. Where the embedder refuses, it may be because of one text, which must not hold up the
/// others: it is then asked for each skill by itself, and those it refuses are set aside.
async fn ask(
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    catalogue: &Catalogue,
    skills: &[Skill],
    known: &mut Known,
) -> Option<EmbedError> {
    let failure = ask_for(embedder, skills, known).await.err()?;
    // An embedder that refuses everything refuses this as well.
    let fit = matches!(failure, EmbedError::Unusable(_)) && embedder.embed(&[PROBE.to_owned()]).await.is_ok();
    if !fit {
        return Some(failure);
    }
    for skill in skills {
        match ask_for(embedder, std::slice::from_ref(skill), known).await {
            Ok(()) => {}
            Err(EmbedError::Unusable(why)) => {
                tracing::warn!(%workspace, skill = %skill.id, why, "the embedder refuses a skill");
                catalogue.refuse(skill.id, digests(skill));
            }
            Err(failure) => return Some(failure),
        }
    }
    None
}

/// Asks for the texts of these skills, all at once.
async fn ask_for(embedder: &dyn Embedder, skills: &[Skill], known: &mut Known) -> Result<(), EmbedError> {
    let mut wanted: Vec<(SkillId, Digest, String)> = skills.iter().flat_map(texts).collect();
    wanted.retain(|(skill, digest, _)| !known.contains_key(&(*skill, *digest)));
    if wanted.is_empty() {
        return Ok(());
    }
    let asked: Vec<String> = wanted.iter().map(|(.., text)| text.clone()).collect();
    let vectors = embedder.embed(&asked).await?;
    for ((skill, digest, _), vector) in wanted.into_iter().zip(vectors) {
        known.insert((skill, digest), vector);
    }
    Ok(())
}

fn texts(skill: &Skill) -> Vec<(SkillId, Digest, String)> {
    let texts = document(skill, "").texts();
    texts.into_iter().map(|text| (skill.id, Digest::of(text.as_bytes()), text)).collect()
}

fn digests(skill: &Skill) -> Vec<Digest> {
    texts(skill).into_iter().map(|(_, digest, _)| digest).collect()
}

async fn keep(
    cx: &Context,
    embedder: &dyn Embedder,
    workspace: WorkspaceId,
    skills: &[Skill],
    known: &Known,
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
    catalogue: &Catalogue,
    missing: &[SkillId],
    known: &Known,
) -> Result<(), Error> {
    let _held = catalogue.hold().await;
    let skills = cx.read().await?.skills_by_id(workspace, missing).await?;
    for record in &skills {
        catalogue.settle(record.skill.id, &digests(&record.skill));
    }
    let mut index = catalogue.write();
    for record in &skills {
        let texts = digests(&record.skill);
        let vectors: Vec<_> =
            texts.iter().map(|digest| known.get(&(record.skill.id, *digest)).cloned()).collect();
        if vectors.iter().all(Option::is_some) {
            index.put_vectors(record.skill.id, &Vectors::new(vectors));
        }
    }
    Ok(())
}
