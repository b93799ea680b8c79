//! Changes a skill: every change of content is a new revision.

use manifest::{Changes, EditError};
use model::{Bundle, Caller, Label, RevisionNumber, SkillId, slugify};
use policy::access::Act;
use serde_json::json;
use store::{SkillRecord, Tx, Written};

use super::access::load;
use super::admission::label_taken;
use super::bundles::load_bundle;
use super::prepare::{examine, manifest_error};
use super::publish::{NewRevision, Outcome, Published, add_revision};
use super::read::{RevisionRef, find_revision};
use crate::{Code, Context, Error, audit};

/// How the content changes.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Some fields and files; every other byte stays.
    Changes(Box<Changes>),
    /// All of it.
    Replace(Bundle),
}

/// A change to a skill.
#[derive(Debug, Clone)]
pub struct EditSkill {
    /// How the content changes.
    pub edit: Edit,
    /// Why.
    pub message: String,
    /// A semantic version for the new revision.
    pub label: Option<Label>,
    /// The revision the change was made on; another one is in the way.
    pub expected_revision: Option<RevisionNumber>,
    /// The record's version the caller read, from an `If-Match`.
    pub if_version: Option<u64>,
}

impl EditSkill {
    /// This change, with nothing else said.
    pub fn new(edit: Edit) -> Self {
        Self { edit, message: String::new(), label: None, expected_revision: None, if_version: None }
    }
}

/// Refuses a change that was made on something else than what is stored.
pub(super) fn check_current(
    record: &SkillRecord,
    expected: Option<RevisionNumber>,
    version: Option<u64>,
) -> Result<(), Error> {
    if expected.is_some_and(|expected| expected != record.skill.revision) {
        return Err(Error::Stale { what: "skill" });
    }
    if version.is_some_and(|version| version != record.skill.version) {
        return Err(Error::Precondition { what: "skill" });
    }
    Ok(())
}

/// Changes a skill's content. The same content again changes nothing.
pub async fn edit(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: EditSkill,
) -> Result<Published, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let published = edit_in(cx, &mut *tx, caller, id, request).await?;
    if published.outcome == Outcome::Revised {
        tx.commit().await?;
    }
    Ok(published)
}

/// The same inside a transaction.
pub(crate) async fn edit_in(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    request: EditSkill,
) -> Result<Published, Error> {
    let record = load(tx, caller, id, |skill| Act::EditSkill(skill)).await?;
    check_current(&record, request.expected_revision, request.if_version)?;
    let old = load_bundle(tx, caller.workspace, id, record.skill.revision).await?;
    change(cx, tx, caller, (record, &old), request).await
}

/// Changes the content of a skill that was loaded to be edited, inside a transaction.
pub(super) async fn change(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    (record, old): (SkillRecord, &Bundle),
    request: EditSkill,
) -> Result<Published, Error> {
    let (bundle, renamed) = match request.edit {
        Edit::Changes(changes) => {
            let renamed = changes.name.clone();
            let bundle = manifest::edit(old, &changes, &cx.limits).map_err(edit_error)?;
            (bundle, renamed)
        }
        Edit::Replace(bundle) => (bundle, None),
    };
    let reading = examine(cx, &bundle)?;
    if bundle.digest() == record.skill.digest {
        return Ok(Published::new(Outcome::Unchanged, record, reading.findings));
    }
    // Frontmatter is the source of the name: when it now says another one, the skill is renamed.
    let before = examine(cx, old).ok().and_then(|reading| reading.manifest.declared_name);
    let declared = reading.manifest.declared_name.as_deref().filter(|name| Some(*name) != before.as_deref());
    let name = renamed.or_else(|| declared.and_then(slugify)).unwrap_or_else(|| record.skill.name.clone());
    let change = NewRevision {
        bundle,
        manifest: reading.manifest,
        name,
        label: request.label,
        message: request.message,
        verb: "skill.edit",
    };
    let record = add_revision(cx, tx, caller, record, change).await?;
    Ok(Published::new(Outcome::Revised, record, reading.findings))
}

fn edit_error(error: EditError) -> Error {
    match error {
        EditError::Manifest(error) => manifest_error(&error),
        EditError::Bundle(error) => Error::invalid(Code::InvalidBundle, error),
        EditError::Unfaithful(_) => Error::invalid(Code::InvalidManifest, error),
    }
}

/// Makes the content of an older revision the current one again, as a new revision.
pub async fn restore(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    which: RevisionRef,
    if_version: Option<u64>,
) -> Result<Published, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::EditSkill(skill)).await?;
    check_current(&record, None, if_version)?;
    let revision = find_revision(&mut *tx, &record.skill, &which).await?;
    let bundle = load_bundle(&mut *tx, caller.workspace, id, revision.number).await?;
    let reading = examine(cx, &bundle)?;
    if revision.digest == record.skill.digest {
        return Ok(Published::new(Outcome::Unchanged, record, reading.findings));
    }
    let change = NewRevision {
        bundle,
        manifest: reading.manifest,
        name: record.skill.name.clone(),
        label: None,
        message: format!("restore revision {}", revision.number),
        verb: "skill.restore",
    };
    let record = add_revision(cx, &mut *tx, caller, record, change).await?;
    tx.commit().await?;
    Ok(Published::new(Outcome::Revised, record, reading.findings))
}

/// Gives a revision a label, or takes it away.
pub async fn label(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    number: RevisionNumber,
    label: Option<Label>,
) -> Result<model::Revision, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let mut record = load(&mut *tx, caller, id, |skill| Act::EditSkill(skill)).await?;
    let mut revision = find_revision(&mut *tx, &record.skill, &RevisionRef::Number(number)).await?;
    if revision.label == label {
        return Ok(revision);
    }
    if let Some(label) = &label
        && tx.revision_labelled(caller.workspace, id, label).await?.is_some()
    {
        return Err(label_taken(label));
    }
    tx.set_label(caller.workspace, id, number, label.as_ref()).await?;
    record.skill.version += 1;
    if tx.update_skill(&record.skill).await? == Written::Stale {
        return Err(Error::Stale { what: "skill" });
    }
    let detail = [("revision", json!(number.get())), ("label", json!(label.as_ref().map(Label::as_str)))];
    audit::record(cx, &mut *tx, caller, "skill.label", ("skill", id.to_string()), &detail).await?;
    tx.commit().await?;
    revision.label = label;
    Ok(revision)
}
