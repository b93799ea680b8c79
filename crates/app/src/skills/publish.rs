//! Puts content into the library: a new skill, or a new revision of one that is there.
//!
//! Both `create` and `bulk` come through here, so that one skill and ten thousand follow the same rules.

use manifest::{Draft, Finding, Level};
use model::{
    Bundle, Caller, Facets, Label, Manifest, Origin, Provenance, Revision, RevisionNumber, Scope, SessionId,
    Skill, SkillId, SkillName, Status,
};
use policy::access::{self, Act};
use serde_json::json;
use store::{SkillRecord, Tx, Written};

use super::access::{Demands, check, demands, waits_for_approval};
use super::admission::{
    check_message, check_not_rejected, check_policy_facet, check_room, label_taken, name_taken, origin,
};
use super::bundles::{load_manifest_bundle, store_files};
use super::prepare::Prepared;
use crate::{Context, Error, audit};

/// What goes in.
#[derive(Debug, Clone)]
pub enum Content {
    /// Files as they are, perhaps with the name of the folder they stood in.
    Bundle {
        /// The files.
        bundle: Bundle,
        /// The folder's name.
        folder: Option<String>,
    },
    /// Fields, from which `SKILL.md` and the sidecar are written.
    Draft(Box<Draft>),
}

/// What to do when the name is taken in the scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnConflict {
    /// Refuse.
    #[default]
    Error,
    /// Make a new revision of the skill that has it.
    NewRevision,
    /// Leave the skill that has it alone.
    Skip,
    /// Take another name, made from the name and the source.
    Rename,
}

/// A skill to put in.
#[derive(Debug, Clone)]
pub struct CreateSkill {
    /// What goes in.
    pub content: Content,
    /// Its name, where it shall be another than the content says.
    pub name: Option<SkillName>,
    /// Its scope; when nobody says, the caller's nearest sensible one.
    pub scope: Option<Scope>,
    /// Where it comes from; when nobody says, who the caller is decides.
    pub origin: Option<Origin>,
    /// Whether it starts as a draft.
    pub draft: bool,
    /// Whether it starts switched on.
    pub enabled: bool,
    /// The place it is imported from; a second import from there finds it again.
    pub source: Option<String>,
    /// The session it was learned in.
    pub session: Option<SessionId>,
    /// A semantic version for the revision.
    pub label: Option<Label>,
    /// Why.
    pub message: String,
    /// What to do when the name is taken.
    pub on_conflict: OnConflict,
}

impl CreateSkill {
    /// This content, with everything else as it comes.
    pub fn new(content: Content) -> Self {
        Self {
            content,
            name: None,
            scope: None,
            origin: None,
            draft: false,
            enabled: true,
            source: None,
            session: None,
            label: None,
            message: String::new(),
            on_conflict: OnConflict::Error,
        }
    }
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A new skill.
    Created,
    /// A new revision of a skill that was there.
    Revised,
    /// The library had this content already; nothing was changed.
    Unchanged,
    /// The name was taken and the skill that has it was left alone.
    Skipped,
}

/// A skill that was put in.
#[derive(Debug, Clone)]
pub struct Published {
    /// What became of it.
    pub outcome: Outcome,
    /// The skill as it is now.
    pub record: SkillRecord,
    /// What was found in the files.
    pub findings: Vec<Finding>,
    /// Whether an earlier request with the same idempotency key did it.
    pub replayed: bool,
}

impl Published {
    pub(super) fn new(outcome: Outcome, record: SkillRecord, findings: Vec<Finding>) -> Self {
        Self { outcome, record, findings, replayed: false }
    }
}

/// Puts prepared content in, inside a transaction.
pub(crate) async fn publish(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    request: &CreateSkill,
    prepared: Prepared,
) -> Result<Published, Error> {
    let scope = request.scope.unwrap_or_else(|| default_scope(caller));
    access::decide(caller, Act::CreateSkill(scope))?;
    check_message(&request.message)?;
    let demands = demands(tx, caller, scope).await?;
    if let Some(owner) = scope.user() {
        tx.membership(caller.workspace, owner).await?.ok_or_else(|| Error::not_found("user", owner))?;
    }
    let mut prepared = prepared;
    if let Some(source) = &request.source
        && let Some(known) = tx.skill_from_source(caller.workspace, scope, source).await?
    {
        return revise(cx, tx, caller, known, request, prepared).await;
    }
    if let Some(taken) = tx.skill_named(caller.workspace, scope, &prepared.name).await? {
        match request.on_conflict {
            OnConflict::Error => return Err(name_taken(&prepared.name, scope)),
            OnConflict::NewRevision => return revise(cx, tx, caller, taken, request, prepared).await,
            OnConflict::Skip => {
                check(tx, caller, taken.skill.id, access::decide(caller, Act::ReadSkill(&taken.skill)))
                    .await?;
                return Ok(Published::new(Outcome::Skipped, taken, prepared.findings));
            }
            OnConflict::Rename if taken.skill.digest == prepared.bundle.digest() => {
                return Ok(Published::new(Outcome::Unchanged, taken, prepared.findings));
            }
            OnConflict::Rename => {
                let name = free_name(tx, caller, scope, &prepared, request.source.as_deref()).await?;
                let message =
                    format!("the name `{}` is taken here; the skill is kept as `{name}`", prepared.name);
                prepared.findings.push(Finding {
                    level: Level::Info,
                    code: "renamed",
                    message,
                    file: None,
                    line: None,
                });
                prepared.name = name;
            }
        }
    }
    insert(cx, tx, caller, id, scope, demands, request, prepared).await
}

fn default_scope(caller: &Caller) -> Scope {
    match caller.agent {
        Some(agent) => Scope::AgentUser(agent, caller.user),
        None if access::may_grant(caller) => Scope::Workspace,
        None => Scope::User(caller.user),
    }
}

/// A name that is free: the wanted one and a few digits that depend only on where the content comes from, so that
/// another machine importing the same folders gets the same names.
async fn free_name(
    tx: &mut dyn Tx,
    caller: &Caller,
    scope: Scope,
    prepared: &Prepared,
    source: Option<&str>,
) -> Result<SkillName, Error> {
    let seed = source.map_or_else(|| prepared.bundle.digest().hex(), str::to_owned);
    let digest = model::Digest::of(seed.as_bytes()).hex();
    for length in [4, 8, 16] {
        let suffix: String = digest.chars().take(length).collect();
        if let Some(name) = prepared.name.with_suffix(&suffix)
            && tx.skill_named(caller.workspace, scope, &name).await?.is_none()
        {
            return Ok(name);
        }
    }
    Err(name_taken(&prepared.name, scope))
}

#[allow(clippy::too_many_arguments)] // one call site; each is a different thing
async fn insert(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    scope: Scope,
    demands: Demands,
    request: &CreateSkill,
    prepared: Prepared,
) -> Result<Published, Error> {
    let Prepared { bundle, manifest, name, findings, origin: given } = prepared;
    check_policy_facet(caller, None, &manifest)?;
    check_room(tx, caller, scope, demands).await?;
    let digest = bundle.digest();
    check_not_rejected(tx, caller, &digest).await?;
    let waits = access::initial_status(caller, scope, waits_for_approval(tx, caller, scope).await?);
    let origin = given.map_or_else(|| origin(caller, scope, request), Ok)?;
    // What was learned is a proposal until someone confirms it.
    let draft = request.draft || origin == Origin::Learned;
    let now = cx.now();
    let skill = described(
        Skill {
            workspace: caller.workspace,
            id,
            name,
            scope,
            promotion: None,
            origin,
            status: if draft { Status::Draft } else { waits },
            status_reason: None,
            enabled: request.enabled,
            revision: RevisionNumber::FIRST,
            digest,
            version: 1,
            title: String::new(),
            description: String::new(),
            icon: None,
            tags: Vec::new(),
            example_prompts: Vec::new(),
            suggested_tools: Vec::new(),
            extends: None,
            facets: Facets::default(),
            enforced: None,
            approved: None,
            provenance: Provenance {
                user: caller.user,
                agent: caller.agent,
                session: request.session,
                source: request.source.clone(),
            },
            created_at: now,
            updated_at: now,
            updated_by: caller.user,
            deleted_at: None,
        },
        &manifest,
    );
    if !tx.insert_skill(&skill).await? {
        return Err(name_taken(&skill.name, scope));
    }
    insert_revision(cx, tx, caller, &skill, &bundle, request.label.clone(), &request.message).await?;
    let detail = [
        ("name", json!(skill.name.as_str())),
        ("scope", json!(scope.key())),
        ("status", json!(skill.status.as_str())),
        ("origin", json!(skill.origin.as_str())),
        ("digest", json!(digest.to_string())),
        ("source", json!(request.source)),
    ];
    audit::record(cx, tx, caller, "skill.create", ("skill", id.to_string()), &detail).await?;
    let record = SkillRecord { skill, statistics: model::Statistics::default() };
    Ok(Published::new(Outcome::Created, record, findings))
}

/// Makes a new revision of a skill that is there, unless it had this content before.
async fn revise(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    known: SkillRecord,
    request: &CreateSkill,
    prepared: Prepared,
) -> Result<Published, Error> {
    let id = known.skill.id;
    check(tx, caller, id, access::decide(caller, Act::EditSkill(&known.skill))).await?;
    let seen = tx.revision_with_digest(caller.workspace, id, &prepared.bundle.digest()).await?;
    // Content from a source that was seen before is old news, even if people have changed the skill since.
    if seen.is_some_and(|seen| request.source.is_some() || seen == known.skill.revision) {
        return Ok(Published::new(Outcome::Unchanged, known, prepared.findings));
    }
    let findings = prepared.findings.clone();
    let change = NewRevision {
        bundle: prepared.bundle,
        manifest: prepared.manifest,
        name: known.skill.name.clone(),
        label: request.label.clone(),
        message: request.message.clone(),
        verb: "skill.revise",
    };
    let record = add_revision(cx, tx, caller, known, change).await?;
    Ok(Published::new(Outcome::Revised, record, findings))
}

/// A revision to add to a skill.
pub(super) struct NewRevision {
    pub bundle: Bundle,
    pub manifest: Manifest,
    pub name: SkillName,
    pub label: Option<Label>,
    pub message: String,
    pub verb: &'static str,
}

/// Adds a revision and makes it the current one. The caller may edit the skill; that was asked before.
pub(super) async fn add_revision(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    known: SkillRecord,
    change: NewRevision,
) -> Result<SkillRecord, Error> {
    let SkillRecord { skill: old, statistics } = known;
    let entries = tx.revision_files(caller.workspace, old.id, old.revision).await?;
    let before = load_manifest_bundle(tx, caller.workspace, &entries).await?;
    match manifest::read(&before, &cx.limits) {
        Ok(before) => check_policy_facet(caller, Some(&before.manifest), &change.manifest)?,
        // What it says can no longer be read; that it had a policy is known.
        Err(_) if old.facets.policy => access::decide(caller, Act::WritePolicy)?,
        Err(_) => check_policy_facet(caller, None, &change.manifest)?,
    }
    check_message(&change.message)?;
    if let Some(label) = &change.label
        && tx.revision_labelled(caller.workspace, old.id, label).await?.is_some()
    {
        return Err(label_taken(label));
    }
    let digest = change.bundle.digest();
    check_not_rejected(tx, caller, &digest).await?;
    if change.name != old.name && tx.skill_named(caller.workspace, old.scope, &change.name).await?.is_some() {
        return Err(name_taken(&change.name, old.scope));
    }
    let status = status_after_change(tx, caller, &old).await?;
    let newest = tx.revisions(caller.workspace, old.id, None, 1).await?;
    let number = newest.first().map_or(old.revision, |revision| revision.number).next();
    let skill = described(
        Skill {
            name: change.name,
            status,
            status_reason: if status == old.status { old.status_reason.clone() } else { None },
            revision: number,
            digest,
            version: old.version + 1,
            updated_at: cx.now(),
            updated_by: caller.user,
            ..old.clone()
        },
        &change.manifest,
    );
    insert_revision(cx, tx, caller, &skill, &change.bundle, change.label, &change.message).await?;
    if tx.update_skill(&skill).await? == Written::Stale {
        return Err(Error::Stale { what: "skill" });
    }
    let detail = [
        ("name", json!(skill.name.as_str())),
        ("revision", json!(number.get())),
        ("digest", json!(digest.to_string())),
        ("status", json!((status != old.status).then(|| status.as_str()))),
    ];
    audit::record(cx, tx, caller, change.verb, ("skill", skill.id.to_string()), &detail).await?;
    Ok(SkillRecord { skill, statistics })
}

/// New content of a skill that needs approval waits again, unless its author may approve it; a rejected skill that
/// was mended is handed in anew.
async fn status_after_change(tx: &mut dyn Tx, caller: &Caller, old: &Skill) -> Result<Status, Error> {
    let demands = demands(tx, caller, old.scope).await?;
    let changed = Skill { updated_by: caller.user, ..old.clone() };
    let approves = access::decide(caller, Act::ApproveSkill(&changed, demands.approver)).is_ok();
    let waits = !approves && waits_for_approval(tx, caller, old.scope).await?;
    Ok(match old.status {
        Status::Active if waits => Status::PendingApproval,
        Status::Rejected => Status::PendingApproval,
        status => status,
    })
}

/// Writes a revision. Nothing may be refused from here on: in a bulk, what was written before a refusal would stay.
async fn insert_revision(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    skill: &Skill,
    bundle: &Bundle,
    label: Option<Label>,
    message: &str,
) -> Result<(), Error> {
    let entries = store_files(tx, caller.workspace, bundle).await?;
    let revision = Revision {
        skill: skill.id,
        number: skill.revision,
        digest: skill.digest,
        label,
        author: caller.user,
        agent: caller.agent,
        message: message.to_owned(),
        created_at: cx.now(),
        approved_at: (skill.approved == Some(skill.revision)).then(|| cx.now()),
        file_count: u32::try_from(entries.len()).unwrap_or(u32::MAX),
        size: bundle.size(),
    };
    Ok(tx.insert_revision(caller.workspace, &revision, &entries).await?)
}

/// The skill with what its bundle says about itself.
fn described(skill: Skill, manifest: &Manifest) -> Skill {
    let mut tags: Vec<String> =
        manifest.tags.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    tags.sort();
    tags.dedup();
    // A declared name that is no slug is still what its author calls it.
    let called = manifest.declared_name.as_ref().filter(|name| SkillName::parse(name).is_err());
    Skill {
        title: manifest.title.as_ref().or(called).cloned().unwrap_or_else(|| skill.name.to_string()),
        description: manifest.description.clone(),
        icon: manifest.icon.clone(),
        tags,
        example_prompts: manifest.example_prompts.clone(),
        suggested_tools: manifest.suggested_tools.clone(),
        extends: manifest.extends.clone(),
        facets: manifest.facets(),
        ..skill
    }
    .settled()
}
