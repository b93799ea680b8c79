//! Decisions about a skill: its status, its switch, its scope.

use model::{Caller, Scope, ScopeKind, Skill, SkillId, Status, Transition};
use policy::access::{self, Act};
use serde_json::json;
use store::{SkillRecord, Tx, Written};

use super::access::{check, demands, load};
use super::admission::{check_free, check_not_rejected};
use super::edit::check_current;
use crate::{Code, Context, Error, audit};

/// A decision.
#[derive(Debug, Clone)]
pub struct Decision {
    /// The step.
    pub transition: Transition,
    /// Why.
    pub reason: Option<String>,
    /// Refuse to approve what is not waiting, instead of saying that nothing changed.
    pub only_if_pending: bool,
    /// The record's version the caller read.
    pub if_version: Option<u64>,
}

impl Decision {
    /// This step, with nothing else said.
    pub fn new(transition: Transition) -> Self {
        Self { transition, reason: None, only_if_pending: false, if_version: None }
    }
}

/// A skill after a decision.
#[derive(Debug, Clone)]
pub struct Reviewed {
    /// The skill as it is now.
    pub record: SkillRecord,
    /// Whether anything changed.
    pub changed: bool,
}

/// Takes a skill a step further in its life. A promotion that waits is granted or refused by the same step.
pub async fn decide(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    decision: Decision,
) -> Result<Reviewed, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let reviewed = decide_in(cx, &mut *tx, caller, id, decision).await?;
    keep(tx, reviewed).await
}

/// Commits what changed.
async fn keep(tx: Box<dyn Tx>, reviewed: Reviewed) -> Result<Reviewed, Error> {
    if reviewed.changed {
        tx.commit().await?;
    }
    Ok(reviewed)
}

/// The same inside a transaction.
pub(crate) async fn decide_in(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    decision: Decision,
) -> Result<Reviewed, Error> {
    let reason = decision.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.chars().count() > 2_000) {
        return Err(Error::invalid(Code::InvalidRequest, "a reason has at most 2000 characters"));
    }
    let record = load(tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let skill = &record.skill;
    let act = match decision.transition {
        Transition::Submit => Act::SubmitSkill(skill),
        Transition::Approve => Act::ApproveSkill(skill, demands(tx, caller, skill.scope).await?.approver),
        Transition::Reject => Act::RejectSkill(skill),
        Transition::Archive | Transition::Reopen => Act::ArchiveSkill(skill),
    };
    check(tx, caller, id, access::decide(caller, act)).await?;
    check_current(&record, None, decision.if_version)?;
    let waits = matches!(skill.status, Status::Draft | Status::PendingApproval) || skill.promotion.is_some();
    if decision.only_if_pending && !waits {
        return Err(Error::invalid(Code::NotPending, format!("the skill is {}, not pending", skill.status)));
    }
    let next = after(tx, skill, decision.transition, reason).await?;
    if matches!(decision.transition, Transition::Submit | Transition::Approve) {
        check_not_rejected(tx, caller, &skill.digest).await?;
    }
    match next.status {
        Status::Rejected => tx.put_rejection(caller.workspace, &next.digest, id, cx.now()).await?,
        Status::Active if access::may_grant(caller) => {
            tx.delete_rejection(caller.workspace, &next.digest).await?;
        }
        _ => {}
    }
    if next == *skill {
        return Ok(Reviewed { record, changed: false });
    }
    let verb = format!("skill.{}", decision.transition);
    let detail = [
        ("name", json!(next.name.as_str())),
        ("status", json!(next.status.as_str())),
        ("scope", json!((next.scope != skill.scope).then(|| next.scope.key()))),
        ("digest", json!(next.digest.to_string())),
        ("reason", json!(reason)),
    ];
    write(cx, tx, caller, record, next, &verb, &detail).await
}

/// The skill after a step.
async fn after(
    tx: &mut dyn Tx,
    skill: &Skill,
    transition: Transition,
    reason: Option<&str>,
) -> Result<Skill, Error> {
    let mut next = skill.clone();
    // Refusing a promotion leaves the skill as it is, where it is.
    if transition == Transition::Reject && skill.status == Status::Active && skill.promotion.is_some() {
        next.promotion = None;
        next.status_reason = reason.map(str::to_owned);
        return Ok(next);
    }
    next.status = skill
        .after(transition)
        .map_err(|error| Error::conflict(Code::InvalidTransition, error.to_string()))?;
    let refusal = matches!(transition, Transition::Reject | Transition::Archive);
    if next.status != skill.status || (refusal && reason.is_some()) {
        next.status_reason = reason.map(str::to_owned);
    }
    if let (Transition::Approve, Some(wider)) = (transition, skill.promotion) {
        move_to(tx, &mut next, wider).await?;
    }
    if refusal {
        next.promotion = None;
    }
    Ok(next)
}

async fn move_to(tx: &mut dyn Tx, skill: &mut Skill, scope: Scope) -> Result<(), Error> {
    check_free(tx, skill, scope).await?;
    skill.scope = scope;
    skill.promotion = None;
    Ok(())
}

/// Turns a skill on or off.
pub async fn set_enabled(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    enabled: bool,
    if_version: Option<u64>,
) -> Result<Reviewed, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let reviewed = set_enabled_in(cx, &mut *tx, caller, id, (enabled, if_version)).await?;
    keep(tx, reviewed).await
}

/// The same inside a transaction.
pub(crate) async fn set_enabled_in(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    (enabled, if_version): (bool, Option<u64>),
) -> Result<Reviewed, Error> {
    let record = load(tx, caller, id, |skill| Act::SwitchSkill(skill)).await?;
    check_current(&record, None, if_version)?;
    if record.skill.enabled == enabled {
        return Ok(Reviewed { record, changed: false });
    }
    let next = Skill { enabled, ..record.skill.clone() };
    let verb = if enabled { "skill.enable" } else { "skill.disable" };
    let detail = [("name", json!(next.name.as_str()))];
    write(cx, tx, caller, record, next, verb, &detail).await
}

/// Moves a skill up the ladder, or asks a reviewer to.
pub async fn promote(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    to: ScopeKind,
    if_version: Option<u64>,
) -> Result<Reviewed, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::PromoteSkill(skill)).await?;
    check_current(&record, None, if_version)?;
    let scope = record.skill.scope;
    let wider = match to {
        ScopeKind::Workspace => Some(Scope::Workspace),
        ScopeKind::Agent => scope.agent().map(Scope::Agent),
        ScopeKind::User => scope.user().map(Scope::User),
        ScopeKind::AgentUser => None,
    };
    let wider = wider.filter(|wider| scope.can_be_promoted_to(*wider)).ok_or_else(|| {
        let message = format!("a skill in the {} scope cannot be promoted to {to}", scope.kind());
        Error::invalid(Code::InvalidScope, message)
    })?;
    let mut next = record.skill.clone();
    let asked = Skill { promotion: Some(wider), ..next.clone() };
    let approver = demands(&mut *tx, caller, scope).await?.approver;
    let grants = access::decide(caller, Act::ApproveSkill(&asked, approver)).is_ok();
    // To one's own wider scope nobody else's consent is needed.
    if grants || wider.user() == Some(caller.user) {
        move_to(&mut *tx, &mut next, wider).await?;
    } else {
        next.promotion = Some(wider);
    }
    // A new request, or a granted one, leaves an earlier refusal behind.
    if next.status == Status::Active && next != record.skill {
        next.status_reason = None;
    }
    if next == record.skill {
        return Ok(Reviewed { record, changed: false });
    }
    let verb = if next.promotion.is_some() { "skill.ask_promotion" } else { "skill.promote" };
    let detail = [("name", json!(next.name.as_str())), ("to", json!(wider.key()))];
    let reviewed = write(cx, &mut *tx, caller, record, next, verb, &detail).await?;
    keep(tx, reviewed).await
}

async fn write(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    record: SkillRecord,
    next: Skill,
    verb: &str,
    detail: &[(&str, serde_json::Value)],
) -> Result<Reviewed, Error> {
    // Deciding about a skill is not writing it: `updated_by` stays the author of the revision.
    let skill = Skill { version: record.skill.version + 1, updated_at: cx.now(), ..next }.settled();
    if tx.update_skill(&skill).await? == Written::Stale {
        return Err(Error::Stale { what: "skill" });
    }
    if skill.approved == Some(skill.revision) {
        tx.approve_revision(skill.workspace, skill.id, skill.revision, skill.updated_at).await?;
    }
    audit::record(cx, tx, caller, verb, ("skill", skill.id.to_string()), detail).await?;
    Ok(Reviewed { record: SkillRecord { skill, statistics: record.statistics }, changed: true })
}
