//! What content must pass before it goes in. Everything here refuses or lets through; nothing is written.

use model::{Caller, Digest, Label, Manifest, Origin, Scope, Skill, SkillName, counted};
use policy::access::{self, Act};
use store::{SkillFilter, SkillOrder, SkillQuery, Tx, Visibility};

use super::access::Demands;
use super::publish::CreateSkill;
use crate::{Code, Error};

pub(super) fn name_taken(name: &SkillName, scope: Scope) -> Error {
    let message = format!(
        "there is a skill `{name}` in the {} scope already; edit it, or put it in as a new revision",
        scope.kind()
    );
    Error::conflict(Code::NameTaken, message)
}

pub(super) fn label_taken(label: &Label) -> Error {
    let message = format!("another revision of this skill is labelled `{}`", label.as_str());
    Error::conflict(Code::LabelTaken, message)
}

/// Refuses a scope in which another skill has this one's name or comes from the same place.
pub(super) async fn check_free(tx: &mut dyn Tx, skill: &Skill, scope: Scope) -> Result<(), Error> {
    if tx.skill_named(skill.workspace, scope, &skill.name).await?.is_some() {
        return Err(name_taken(&skill.name, scope));
    }
    if let Some(source) = &skill.provenance.source
        && let Some(other) = tx.skill_from_source(skill.workspace, scope, source).await?
    {
        let (name, kind) = (&other.skill.name, scope.kind());
        let message = format!("`{name}` in the {kind} scope comes from the same place, `{source}`");
        return Err(Error::conflict(Code::NameTaken, message));
    }
    Ok(())
}

pub(super) fn check_message(message: &str) -> Result<(), Error> {
    if message.chars().count() > 2_000 {
        return Err(Error::invalid(Code::InvalidRequest, "a message has at most 2000 characters"));
    }
    Ok(())
}

/// Only a policy admin may write, change or remove a policy facet.
pub(super) fn check_policy_facet(
    caller: &Caller,
    before: Option<&Manifest>,
    after: &Manifest,
) -> Result<(), Error> {
    if before.and_then(|manifest| manifest.policy.as_ref()) != after.policy.as_ref() {
        access::decide(caller, Act::WritePolicy)?;
    }
    Ok(())
}

/// Content that a reviewer rejected does not come in again through someone who cannot review.
pub(super) async fn check_not_rejected(
    tx: &mut dyn Tx,
    caller: &Caller,
    digest: &Digest,
) -> Result<(), Error> {
    if access::may_grant(caller) {
        return Ok(());
    }
    match tx.rejection(caller.workspace, digest).await? {
        Some(id) => {
            let message = format!("this very content was rejected before, as skill `{id}`; change it first");
            Err(Error::conflict(Code::RejectedContent, message))
        }
        None => Ok(()),
    }
}

/// The agent's limit of skills a user.
pub(super) async fn check_room(
    tx: &mut dyn Tx,
    caller: &Caller,
    scope: Scope,
    demands: Demands,
) -> Result<(), Error> {
    let Scope::AgentUser(agent, user) = scope else { return Ok(()) };
    let limit = demands.max_skills_per_user;
    if limit == 0 {
        return Ok(());
    }
    let mine = SkillQuery {
        workspace: caller.workspace,
        visibility: Visibility::All,
        filter: SkillFilter { agent: Some(agent), user: Some(user), ..SkillFilter::default() },
        order: SkillOrder::Name,
        after: None,
        limit: 200,
    };
    if tx.count_skills(&mine).await? < u64::from(limit) {
        return Ok(());
    }
    let mut records = tx.skills(&mine).await?;
    records.sort_by_key(|record| (record.statistics.use_count, record.statistics.last_used_at));
    let least: Vec<_> = records.iter().take(3).map(|record| format!("`{}`", record.skill.name)).collect();
    let are = if least.len() == 1 { "is" } else { "are" };
    let message = format!(
        "this agent keeps at most {} a user; the least used {are} {}: remove one first",
        counted(limit.into(), "skill"),
        least.join(", ")
    );
    Err(Error::conflict(Code::LimitReached, message))
}

pub(super) fn origin(caller: &Caller, scope: Scope, request: &CreateSkill) -> Result<Origin, Error> {
    let natural = match (caller.agent, scope.user()) {
        (Some(_), _) => Origin::Agent,
        (None, None) if access::may_grant(caller) => Origin::Admin,
        _ => Origin::User,
    };
    match request.origin {
        None if request.source.is_some() => Ok(Origin::Imported),
        None => Ok(natural),
        Some(origin) if origin == natural || matches!(origin, Origin::User | Origin::Imported) => Ok(origin),
        Some(origin) if access::may_grant(caller) => Ok(origin),
        Some(origin) => {
            let message = format!("only an admin or reviewer can put in skills of origin `{origin}`");
            Err(Error::invalid(Code::InvalidRequest, message))
        }
    }
}
