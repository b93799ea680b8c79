//! The rules.

use model::{
    AgentId, Approver, Caller, Origin, Reach, Role, Scope, Session, Skill, Status, TokenScope, UserId,
};

use super::{Act, Denial, is_unreviewed};

pub(super) fn decide(caller: &Caller, act: Act<'_>) -> Result<(), Denial> {
    if caller.roles.is_empty() && caller.reach != Reach::Operator {
        return Err(Denial::NotMember);
    }
    let needed = token_scope(act);
    if !caller.token_scopes.has(needed) {
        return Err(Denial::TokenScope(needed));
    }
    if let Some(skill) = governed(act) {
        visible(caller, skill)?;
        role(caller, Role::PolicyAdmin)?;
    }
    match act {
        Act::ListSkills
        | Act::ListRuns
        | Act::ReadWorkspace
        | Act::UseCodeSession
        | Act::ReadCodeSession
        | Act::Govern
        | Act::ListDecisions
        | Act::StartSession
        | Act::ListSessions => Ok(()),
        Act::ReadSkill(skill) | Act::RateSkill(skill) | Act::RunSkill(skill) => visible(caller, skill),
        // A run shows what somebody put in.
        Act::ReadRun(user, agent) if sees_everything(caller) || is_own(caller, user, agent) => Ok(()),
        Act::UseGovernedRun(run) if is_own(caller, run.user, run.agent) => Ok(()),
        Act::ReadRun(..) | Act::UseGovernedRun(_) => Err(Denial::NotVisible),
        Act::ReadUses(user, agent) if sees_everything(caller) || is_own(caller, user, agent) => Ok(()),
        Act::ReadUses(..) => Err(Denial::Role("reviewer or admin, in person")),
        Act::ReadDecision(user, agent) if is_own(caller, user, agent) => Ok(()),
        Act::ReadDecision(..) => decide(caller, Act::ReadAudit).map_err(|_| Denial::NotVisible),
        Act::ReadSession(session) => visible_session(caller, session),
        Act::WriteSession(session) => write_session(caller, session),
        Act::DeleteSession(session) => {
            visible_session(caller, session)?;
            own_or_admin(caller, session.user)
        }
        Act::CreateSkill(scope) => create(caller, scope),
        Act::EditSkill(skill) | Act::ArchiveSkill(skill) | Act::SubmitSkill(skill) => edit(caller, skill),
        Act::PromoteSkill(skill) => promote(caller, skill),
        Act::DeleteSkill(skill) => delete(caller, skill),
        Act::SwitchSkill(skill) => switch(caller, skill),
        Act::ApproveSkill(skill, approver) => approve(caller, skill, approver),
        Act::RejectSkill(skill) => reject(caller, skill),
        Act::WritePolicy => role(caller, Role::PolicyAdmin),
        Act::ReadAudit if caller.roles.has(Role::PolicyAdmin) => Ok(()),
        Act::ReadAudit | Act::ManageWorkspace | Act::ManageAgents | Act::ManageMembers | Act::PruneRuns => {
            admin(caller)
        }
        Act::ManageToken(user) | Act::CreateToken(user) => own_or_admin(caller, user),
        Act::ManageWorkspaces | Act::ManageUsers | Act::TakeBackup => operator(caller),
    }
}

/// The skill whose policy facet an act would put into force or out of it: not only writing it takes a policy admin.
fn governed(act: Act<'_>) -> Option<&Skill> {
    match act {
        Act::ApproveSkill(skill, _)
        | Act::ArchiveSkill(skill)
        | Act::SwitchSkill(skill)
        | Act::PromoteSkill(skill)
        | Act::DeleteSkill(skill) => {
            Some(skill).filter(|skill| skill.facets.policy || skill.enforced.is_some())
        }
        // Refusing what waits takes a reviewer; refusing what is in force ends it.
        Act::RejectSkill(skill) => Some(skill).filter(|skill| skill.enforced == Some(skill.revision)),
        _ => None,
    }
}

fn token_scope(act: Act<'_>) -> TokenScope {
    match act {
        Act::ListSkills
        | Act::ReadSkill(_)
        | Act::ListRuns
        | Act::ReadRun(..)
        | Act::ReadUses(..)
        | Act::ReadWorkspace
        | Act::ReadCodeSession
        | Act::Govern
        | Act::UseGovernedRun(_)
        | Act::ListDecisions
        | Act::ReadDecision(..)
        // As with governance, what a caller does is recorded whatever their token may change.
        | Act::StartSession
        | Act::ListSessions
        | Act::ReadSession(_)
        | Act::WriteSession(_) => TokenScope::Read,
        Act::CreateSkill(_)
        | Act::EditSkill(_)
        | Act::SubmitSkill(_)
        | Act::ArchiveSkill(_)
        | Act::SwitchSkill(_)
        | Act::PromoteSkill(_)
        | Act::DeleteSkill(_)
        | Act::RateSkill(_)
        | Act::RunSkill(_)
        | Act::UseCodeSession
        | Act::DeleteSession(_) => TokenScope::Write,
        Act::ApproveSkill(..) | Act::RejectSkill(_) => TokenScope::Review,
        Act::WritePolicy
        | Act::ManageWorkspace
        | Act::ManageAgents
        | Act::ManageMembers
        | Act::ManageToken(_)
        | Act::CreateToken(_)
        | Act::ReadAudit
        | Act::PruneRuns
        | Act::ManageWorkspaces
        | Act::ManageUsers
        | Act::TakeBackup => TokenScope::Admin,
    }
}

/// Whether a caller sees every skill of the workspace: those who manage or review, unless they act through an agent.
pub fn sees_everything(caller: &Caller) -> bool {
    caller.agent.is_none() && may_grant(caller)
}

/// Whether a caller may let things into shared scopes.
pub fn may_grant(caller: &Caller) -> bool {
    is_admin(caller) || caller.roles.has(Role::Reviewer)
}

/// The status a new skill starts with: in a shared scope it waits for a reviewer unless its author is one; in the
/// author's own scope it waits only where approval is required.
pub fn initial_status(caller: &Caller, scope: Scope, approval_required: bool) -> Status {
    let shared = scope.user().is_none();
    if (shared && !may_grant(caller)) || approval_required { Status::PendingApproval } else { Status::Active }
}

/// Whether a caller sees the skills of a scope.
pub fn sees_scope(caller: &Caller, scope: Scope) -> bool {
    let through_another_agent =
        caller.agent.is_some() && scope.agent().is_some_and(|agent| caller.agent != Some(agent));
    let foreign = scope.user().is_some_and(|owner| owner != caller.user);
    sees_everything(caller) || (!foreign && !through_another_agent)
}

fn visible(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    if sees_scope(caller, skill.scope) { Ok(()) } else { Err(Denial::NotVisible) }
}

/// Whether something is the caller's own: made by them, through the same agent or in person.
fn is_own(caller: &Caller, user: UserId, agent: Option<AgentId>) -> bool {
    user == caller.user && (caller.agent.is_none() || agent == caller.agent)
}

/// A session is its user's, through whichever agent it came about.
fn visible_session(caller: &Caller, session: &Session) -> Result<(), Denial> {
    let seen = session.user == caller.user || sees_everything(caller);
    if seen { Ok(()) } else { Err(Denial::NotVisible) }
}

fn write_session(caller: &Caller, session: &Session) -> Result<(), Denial> {
    visible_session(caller, session)?;
    if session.user == caller.user { Ok(()) } else { Err(Denial::ForeignSession) }
}

fn create(caller: &Caller, scope: Scope) -> Result<(), Denial> {
    let foreign_user = scope.user().is_some_and(|user| user != caller.user);
    let foreign_agent =
        caller.agent.is_some() && scope.agent().is_some_and(|agent| caller.agent != Some(agent));
    if (foreign_user && !(is_admin(caller) && caller.agent.is_none())) || foreign_agent {
        return Err(Denial::ForeignScope);
    }
    Ok(())
}

fn edit(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    visible(caller, skill)?;
    if skill.origin == Origin::Provider {
        return Err(Denial::ReadOnly);
    }
    match skill.scope.user() {
        Some(owner) if owner == caller.user => Ok(()),
        Some(_) => admin(caller),
        None if may_grant(caller) => Ok(()),
        None if skill.provenance.user == caller.user && is_unreviewed(skill.status) => Ok(()),
        None => Err(Denial::Shared),
    }
}

fn delete(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    visible(caller, skill)?;
    match skill.scope.user() {
        Some(owner) if owner == caller.user => Ok(()),
        None if skill.provenance.user == caller.user && is_unreviewed(skill.status) => Ok(()),
        _ => admin(caller),
    }
}

fn switch(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    visible(caller, skill)?;
    match skill.scope.user() {
        Some(owner) if owner == caller.user => Ok(()),
        Some(_) => admin(caller),
        None => reviews(caller),
    }
}

fn promote(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    visible(caller, skill)?;
    let own = skill.scope.user() == Some(caller.user)
        || (skill.scope.user().is_none() && skill.provenance.user == caller.user);
    if own { Ok(()) } else { reviews(caller) }
}

fn reject(caller: &Caller, skill: &Skill) -> Result<(), Denial> {
    visible(caller, skill)?;
    in_person(caller)?;
    reviews(caller)
}

fn in_person(caller: &Caller) -> Result<(), Denial> {
    if caller.agent.is_none() { Ok(()) } else { Err(Denial::ThroughAgent) }
}

fn approve(caller: &Caller, skill: &Skill, approver: Approver) -> Result<(), Denial> {
    visible(caller, skill)?;
    in_person(caller)?;
    let owner = skill.scope.user() == Some(caller.user);
    // Widening a scope is never the owner's own decision.
    if owner && approver == Approver::Owner && skill.promotion.is_none() {
        return Ok(());
    }
    reviews(caller)?;
    if approver == Approver::TwoPerson && skill.updated_by == caller.user {
        return Err(Denial::SecondPerson);
    }
    Ok(())
}

fn own_or_admin(caller: &Caller, user: UserId) -> Result<(), Denial> {
    if user == caller.user { Ok(()) } else { admin(caller) }
}

fn is_admin(caller: &Caller) -> bool {
    caller.roles.has(Role::Admin) || caller.reach == Reach::Operator
}

fn admin(caller: &Caller) -> Result<(), Denial> {
    if is_admin(caller) { Ok(()) } else { Err(Denial::Role("admin")) }
}

fn reviews(caller: &Caller) -> Result<(), Denial> {
    if may_grant(caller) { Ok(()) } else { Err(Denial::Role("reviewer or admin")) }
}

fn role(caller: &Caller, role: Role) -> Result<(), Denial> {
    if caller.roles.has(role) { Ok(()) } else { Err(Denial::Role(role.as_str())) }
}

fn operator(caller: &Caller) -> Result<(), Denial> {
    if caller.reach == Reach::Operator { Ok(()) } else { Err(Denial::Operator) }
}
