//! May this caller do that?
//!
//! The whole table stands in `matrix.txt` beside this file, written by a test: a change of a rule shows there.

mod rules;
#[cfg(test)]
mod tests;

use model::{AgentId, Approver, Caller, GovernedRun, Scope, Session, Skill, Status, TokenScope, UserId};

pub use rules::{initial_status, may_grant, sees_everything, sees_scope};

/// Something a caller wants to do.
#[derive(Debug, Clone, Copy)]
pub enum Act<'a> {
    /// List and find skills; what is found is narrowed to what the caller can see.
    ListSkills,
    /// Read a skill, its files and its history.
    ReadSkill(&'a Skill),
    /// Put a new skill into a scope.
    CreateSkill(Scope),
    /// Change content, labels, or bring an old revision back.
    EditSkill(&'a Skill),
    /// Write, change or remove a policy facet.
    WritePolicy,
    /// Hand a draft in.
    SubmitSkill(&'a Skill),
    /// Let a skill in.
    ApproveSkill(&'a Skill, Approver),
    /// Refuse a skill.
    RejectSkill(&'a Skill),
    /// Put a skill away, or take it up again.
    ArchiveSkill(&'a Skill),
    /// Turn a skill on or off.
    SwitchSkill(&'a Skill),
    /// Ask for a wider scope.
    PromoteSkill(&'a Skill),
    /// End a skill.
    DeleteSkill(&'a Skill),
    /// Tell how a use went, or whether it helped.
    RateSkill(&'a Skill),
    /// Execute a skill's procedure.
    RunSkill(&'a Skill),
    /// List runs; what is found is narrowed to what the caller can see.
    ListRuns,
    /// Read a run that somebody made, through an agent or in person.
    ReadRun(UserId, Option<AgentId>),
    /// See how much somebody uses skills, through an agent or in all.
    ReadUses(UserId, Option<AgentId>),
    /// Forget old runs.
    PruneRuns,
    /// Execute code in one's own code sessions, and change their files.
    UseCodeSession,
    /// See one's own code sessions and their files.
    ReadCodeSession,
    /// Ask what policies demand for a task, and put one's own tool calls to them.
    Govern,
    /// See or go on with a governed run.
    UseGovernedRun(&'a GovernedRun),
    /// List decisions and governed runs; what is found is narrowed to what the caller can see.
    ListDecisions,
    /// Read a decision about what somebody did, through an agent or in person, or a governed run of theirs.
    ReadDecision(UserId, Option<AgentId>),
    /// Begin a session.
    StartSession,
    /// List sessions; what is found is narrowed to what the caller can see.
    ListSessions,
    /// Read a session and its entries.
    ReadSession(&'a Session),
    /// Add to a session, change it, or end it.
    WriteSession(&'a Session),
    /// Remove a session with all that is in it.
    DeleteSession(&'a Session),
    /// Read the workspace, its agents and its people.
    ReadWorkspace,
    /// Change the workspace's settings.
    ManageWorkspace,
    /// Make, change and remove agents.
    ManageAgents,
    /// Add people, give roles, send sign-in links, and remove people.
    ManageMembers,
    /// See or end a token.
    ManageToken(UserId),
    /// Make a token for a user.
    CreateToken(UserId),
    /// Read and verify the audit log.
    ReadAudit,
    /// Make workspaces and see them all.
    ManageWorkspaces,
    /// Disable people everywhere, and make operators.
    ManageUsers,
    /// Copy the whole database.
    TakeBackup,
}

/// Why not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// The caller may not even see it.
    #[error("this skill belongs to someone else")]
    NotVisible,
    /// A role is missing.
    #[error("this needs the role {0}")]
    Role(&'static str),
    /// Only the installation's operator may.
    #[error("only an operator of this installation may do this")]
    Operator,
    /// The token was not made for this.
    #[error("the token has no `{0}` scope")]
    TokenScope(TokenScope),
    /// The caller is not in the workspace.
    #[error("you are not a member of this workspace")]
    NotMember,
    /// A second person must decide.
    #[error("the author of a revision cannot approve it; ask another reviewer")]
    SecondPerson,
    /// A shared skill is changed by its reviewers.
    #[error("this skill is shared; copy it into your own scope and ask for promotion, or ask a reviewer")]
    Shared,
    /// What somebody did is told by them alone.
    #[error("this session is another person's; you can read it, but not add to it or change it")]
    ForeignSession,
    /// A skill built in at a provider.
    #[error("skills of origin `provider` are read-only")]
    ReadOnly,
    /// A person must decide, not the agent they use.
    #[error("an agent cannot approve or reject; the person must do it themselves")]
    ThroughAgent,
    /// Someone else's scope, or another agent's.
    #[error("you cannot put a skill into another user's or agent's scope")]
    ForeignScope,
}

/// Decides.
pub fn decide(caller: &Caller, act: Act<'_>) -> Result<(), Denial> {
    rules::decide(caller, act)
}

/// Whether a skill is in a state in which its author may still change it in a shared scope.
fn is_unreviewed(status: Status) -> bool {
    matches!(status, Status::Draft | Status::PendingApproval | Status::Rejected)
}
