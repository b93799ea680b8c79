//! Who asks.

use crate::{AgentId, Roles, Scope, TokenScopes, UserId, WorkspaceId};

/// Whether a caller is in a workspace or above all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reach {
    /// In their workspaces.
    Member,
    /// Runs the installation.
    Operator,
}

/// Who asks: a user in a workspace, perhaps through an agent, with these roles, for these purposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The person.
    pub user: UserId,
    /// The agent they act through.
    pub agent: Option<AgentId>,
    /// Their roles in the workspace.
    pub roles: Roles,
    /// Whether they run the installation.
    pub reach: Reach,
    /// What their credential may be used for.
    pub token_scopes: TokenScopes,
}

impl Caller {
    /// The scopes whose skills this caller can use, nearest first.
    pub fn ladder(&self) -> Vec<Scope> {
        match self.agent {
            Some(agent) => vec![
                Scope::AgentUser(agent, self.user),
                Scope::User(self.user),
                Scope::Agent(agent),
                Scope::Workspace,
            ],
            None => vec![Scope::User(self.user), Scope::Workspace],
        }
    }
}
