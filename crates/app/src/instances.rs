//! Skills the way procedural memory's first design shows them: whole, with their code and the names of their owners.

use model::{AgentId, Caller, Manifest, SkillId, UserId};
use policy::access::{self, Act};
use store::{SkillRecord, Tx};

use crate::object_ids::{self, ObjectIds};
use crate::skills::{self, ListSkills, file_content, load, load_manifest_bundle};
use crate::{Context, Error, PageRequest};

/// How many skills are read at a time.
const PAGE: u32 = 200;

/// A skill, whole.
#[derive(Debug, Clone)]
pub struct Whole {
    /// The skill and its counters.
    pub record: SkillRecord,
    /// What it and its owners are called.
    pub called: ObjectIds,
    /// What its files say.
    pub manifest: Manifest,
    /// The code of its procedure, if it has one.
    pub code: Option<String>,
    /// Who brought it, by handle.
    pub created_by: String,
    /// Who last changed it, by handle.
    pub updated_by: String,
}

/// Refuses whoever may not manage the skills of others.
pub fn administer(caller: &Caller) -> Result<(), Error> {
    Ok(access::decide(caller, Act::ManageAgents)?)
}

/// One skill.
pub async fn read(cx: &Context, caller: &Caller, id: SkillId) -> Result<Whole, Error> {
    let record = load(&mut *cx.read().await?, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let gone = || Error::not_found("skill", id);
    wholes(cx, caller, vec![record]).await?.pop().ok_or_else(gone)
}

/// Every skill with these owners that the caller can see, by name.
pub async fn list(
    cx: &Context,
    caller: &Caller,
    agent: Option<AgentId>,
    user: Option<UserId>,
) -> Result<Vec<Whole>, Error> {
    let mut all = Vec::new();
    let mut page = PageRequest { limit: PAGE, after: None };
    loop {
        let request = ListSkills { agent, user, page, ..ListSkills::default() };
        let (found, _) = skills::list(cx, caller, request).await?;
        all.extend(wholes(cx, caller, found.items).await?);
        match found.next {
            Some(next) => page = PageRequest { limit: PAGE, after: Some(next) },
            None => return Ok(all),
        }
    }
}

/// These skills, whole, in their order; one that was purged since is left out. Whether the caller may see them was
/// asked before.
pub async fn wholes(cx: &Context, caller: &Caller, records: Vec<SkillRecord>) -> Result<Vec<Whole>, Error> {
    let called =
        object_ids::of_skills(cx, caller.workspace, records.iter().map(|record| &record.skill)).await?;
    let mut tx = cx.read().await?;
    let mut all = Vec::with_capacity(records.len());
    for (record, called) in records.into_iter().zip(called) {
        all.extend(whole(cx, &mut *tx, record, called).await?);
    }
    Ok(all)
}

async fn whole(
    cx: &Context,
    tx: &mut dyn Tx,
    record: SkillRecord,
    called: ObjectIds,
) -> Result<Option<Whole>, Error> {
    let skill = &record.skill;
    let entries = tx.revision_files(skill.workspace, skill.id, skill.revision).await?;
    if entries.is_empty() {
        return Ok(None);
    }
    let bundle = load_manifest_bundle(tx, skill.workspace, &entries).await?;
    // What was let in can be read again; only tighter limits since then could say otherwise.
    let manifest = manifest::read(&bundle, &cx.limits).map(|reading| reading.manifest).unwrap_or_default();
    let file = manifest.procedure.as_ref().map(|procedure| &procedure.file);
    let code = match entries.iter().find(|entry| Some(&entry.path) == file) {
        Some(entry) => {
            let bytes = file_content(tx, skill.workspace, entry).await?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        None => None,
    };
    let created_by = handle(tx, skill.provenance.user).await?;
    let updated_by = handle(tx, skill.updated_by).await?;
    Ok(Some(Whole { record, called, manifest, code, created_by, updated_by }))
}

async fn handle(tx: &mut dyn Tx, id: UserId) -> Result<String, Error> {
    Ok(tx.user(id).await?.map_or_else(|| id.to_string(), |user| user.handle.to_string()))
}
