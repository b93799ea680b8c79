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

/// What a caller came with, and so what it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Credential {
    /// A signed-in browser, or the machine itself: all workspaces of the user.
    Person,
    /// A token: one workspace.
    Token,
    /// A token or a browser that goes back to this admin, who made it for the user: one workspace, and never the
    /// installation, whatever the user came to be since.
    Lent(UserId),
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
    /// What they came with.
    pub credential: Credential,
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
