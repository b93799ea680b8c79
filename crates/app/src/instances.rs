//! Skills the way procedural memory's first design shows them: whole, with their code and the names of their owners.

mod content;

use model::{AgentId, Caller, Manifest, Scope, ScopeKind, Skill, SkillId, Status, Transition, UserId};
use policy::access::{self, Act};
use store::{SkillRecord, Tx};

use crate::object_ids::{self, ObjectIds};
use crate::search::{self, Filter, SearchSkills};
use crate::skills::{
    self, Content, CreateSkill, Decision, ListSkills, Outcome, decide_in, edit_in, file_content, load,
    load_manifest_bundle, prepare, publish, set_enabled_in,
};
use crate::{Context, Error, PageRequest};

use content::edit;
pub use content::{Said, draft};

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
async fn wholes(cx: &Context, caller: &Caller, records: Vec<SkillRecord>) -> Result<Vec<Whole>, Error> {
    let skills = records.iter().map(|record| &record.skill);
    let names = object_ids::of_skills(cx, caller.workspace, skills).await?;
    let mut tx = cx.read().await?;
    let mut all = Vec::with_capacity(records.len());
    for (record, called) in records.into_iter().zip(names) {
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

/// Where a skill stands or shall stand, in one word: that design knows no switch beside the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Switched on, with this status.
    Status(Status),
    /// Switched off.
    Disabled,
}

impl Place {
    fn of(skill: &Skill) -> Self {
        if skill.enabled { Self::Status(skill.status) } else { Self::Disabled }
    }

    /// The step of its status that brings a skill here.
    fn step_from(self, status: Status) -> Option<Transition> {
        match self {
            Self::Disabled => None,
            Self::Status(wanted) if wanted == status => None,
            Self::Status(Status::Active) => Some(Transition::Approve),
            Self::Status(Status::PendingApproval) => Some(Transition::Submit),
            Self::Status(Status::Rejected) => Some(Transition::Reject),
            Self::Status(Status::Archived) => Some(Transition::Archive),
            Self::Status(Status::Draft) => Some(Transition::Reopen),
        }
    }
}

/// Puts a skill in for a user on an agent, where it shall stand. If it cannot get there it is not put in.
pub async fn create(
    cx: &Context,
    caller: &Caller,
    owners: (AgentId, UserId),
    said: Said,
    place: Option<Place>,
) -> Result<SkillId, Error> {
    let content = Content::Draft(Box::new(draft(cx, caller, said).await?));
    let request = CreateSkill {
        scope: Some(Scope::AgentUser(owners.0, owners.1)),
        // From a draft every other place can be reached.
        draft: matches!(place, Some(Place::Status(status)) if status != Status::Active),
        enabled: place != Some(Place::Disabled),
        ..CreateSkill::new(content)
    };
    let prepared = prepare(cx, request.content.clone(), None)?;
    let id = SkillId::new(cx.id());
    let mut tx = cx.begin(caller.workspace).await?;
    let published = publish(cx, &mut *tx, caller, id, &request, prepared).await?;
    if let Some(place) = place {
        go(cx, &mut *tx, caller, &published.record.skill, place).await?;
    }
    tx.commit().await?;
    Ok(id)
}

/// Changes what a skill says and where it stands, both or nothing; whether anything changed. To a place where it stood
/// before it is not brought back: new content may have to wait.
pub async fn change(
    cx: &Context,
    caller: &Caller,
    whole: &Whole,
    said: Said,
    place: Option<Place>,
) -> Result<bool, Error> {
    let id = whole.record.skill.id;
    let edit = edit(cx, caller, whole, said).await?;
    let mut tx = cx.begin(caller.workspace).await?;
    let before = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?.skill;
    let published = edit_in(cx, &mut *tx, caller, id, edit).await?;
    let mut changed = published.outcome == Outcome::Revised;
    if let Some(place) = place.filter(|place| *place != Place::of(&before)) {
        changed |= go(cx, &mut *tx, caller, &published.record.skill, place).await?;
    }
    if changed {
        tx.commit().await?;
    }
    Ok(changed)
}

/// Brings a skill to a place: its switch, then its status. Whether that took a step.
async fn go(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    skill: &Skill,
    place: Place,
) -> Result<bool, Error> {
    let enabled = place != Place::Disabled;
    let mut changed = skill.enabled != enabled;
    if changed {
        set_enabled_in(cx, tx, caller, skill.id, (enabled, None)).await?;
    }
    if let Some(transition) = place.step_from(skill.status) {
        changed |= decide_in(cx, tx, caller, skill.id, Decision::new(transition)).await?.changed;
    }
    Ok(changed)
}

/// What is looked for among the skills of one agent and one user.
#[derive(Debug, Clone)]
pub struct FindSkills {
    /// The request, in plain words.
    pub query: String,
    /// The agent.
    pub agent: AgentId,
    /// The user.
    pub user: UserId,
    /// Tags they must all have.
    pub tags: Vec<String>,
    /// The least similarity.
    pub min_similarity: f64,
    /// At most so many.
    pub limit: u32,
    /// Where they must stand; nothing is anywhere. Only those who manage skills are heard on it: everyone else, and
    /// so every agent, finds active ones.
    pub place: Option<Place>,
}

/// Finds skills of one agent and one user, best first, with their similarities. Others' are for admins.
pub async fn find(cx: &Context, caller: &Caller, request: FindSkills) -> Result<Vec<(Whole, f64)>, Error> {
    let manages = administer(caller);
    let place = if manages.is_ok() { request.place } else { Some(Place::Status(Status::Active)) };
    if request.user != caller.user {
        manages?;
    }
    let (status, enabled) = match place {
        Some(Place::Status(status)) => (Some(status), Some(true)),
        Some(Place::Disabled) => (None, Some(false)),
        None => (None, None),
    };
    let request = SearchSkills {
        query: request.query,
        nearest: Some(false),
        filter: Filter {
            tags: request.tags,
            status,
            enabled,
            scope: Some(ScopeKind::AgentUser),
            agent: Some(request.agent),
            user: Some(request.user),
            ..Filter::default()
        },
        min_similarity: Some(request.min_similarity),
        limit: Some(request.limit),
        ..SearchSkills::default()
    };
    let found = search::find(cx, caller, request).await?.skills;
    let mut all = Vec::with_capacity(found.len());
    for one in found {
        let whole = wholes(cx, caller, vec![one.record]).await?;
        all.extend(whole.into_iter().map(|whole| (whole, one.similarity)));
    }
    Ok(all)
}
