//! Finding a skill for a caller, and saying no in the way the workspace wants it said.

use model::{Approver, Caller, Scope, SkillId};
use policy::access::{self, Act, Denial};
use store::{SkillRecord, Tx};

use crate::Error;

/// Loads a skill and asks whether the caller may do this to it.
pub(crate) async fn load(
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    act: for<'a> fn(&'a model::Skill) -> Act<'a>,
) -> Result<SkillRecord, Error> {
    let record = tx.skill(caller.workspace, id).await?.filter(|record| record.skill.deleted_at.is_none());
    let record = record.ok_or_else(|| Error::not_found("skill", id))?;
    check(tx, caller, id, access::decide(caller, act(&record.skill))).await?;
    Ok(record)
}

/// Turns a denial into "not found" where the workspace hides what a caller may not see.
pub(super) async fn check(
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SkillId,
    decision: Result<(), Denial>,
) -> Result<(), Error> {
    match decision {
        Err(Denial::NotVisible) => {
            let workspace = tx.workspace(caller.workspace).await?;
            if workspace.is_some_and(|workspace| workspace.settings.hide_existence) {
                Err(Error::not_found("skill", id))
            } else {
                Err(Denial::NotVisible.into())
            }
        }
        decision => Ok(decision?),
    }
}

/// What the agent of a scope demands of the skills in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demands {
    /// Whether a new or changed skill waits for approval.
    pub approval: bool,
    /// Who may approve.
    pub approver: Approver,
    /// How many skills one user may have on the agent; 0 is no limit.
    pub max_skills_per_user: u32,
}

/// Whether what this caller writes into the scope waits: the agent of the scope may demand it, and so may the agent
/// that does the writing, whichever scope it chooses.
pub(super) async fn waits_for_approval(
    tx: &mut dyn Tx,
    caller: &Caller,
    scope: Scope,
) -> Result<bool, Error> {
    let through = caller.agent.map_or(Scope::Workspace, Scope::Agent);
    Ok(demands(tx, caller, scope).await?.approval || demands(tx, caller, through).await?.approval)
}

pub(super) async fn demands(tx: &mut dyn Tx, caller: &Caller, scope: Scope) -> Result<Demands, Error> {
    let agent = match scope.agent() {
        Some(id) => Some(tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?),
        None => None,
    };
    let settings = agent.and_then(|agent| agent.procedural_memory).filter(|settings| settings.enabled);
    Ok(settings.map_or(
        Demands { approval: false, approver: Approver::Owner, max_skills_per_user: 0 },
        |settings| Demands {
            approval: settings.require_skill_approval,
            approver: settings.approver,
            max_skills_per_user: settings.max_skills_per_user,
        },
    ))
}
