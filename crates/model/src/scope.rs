//! Who can see a skill: the scope ladder.

use crate::word::words;
use crate::{AgentId, UserId};

words!(
    /// The rungs of the ladder, widest first.
    ScopeKind, "scope" {
        /// Everyone in the workspace.
        Workspace => "workspace",
        /// Whoever acts through one agent.
        Agent => "agent",
        /// One user, through any agent.
        User => "user",
        /// One user through one agent.
        AgentUser => "agent_user",
    }
);

/// A rung with its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Everyone in the workspace.
    Workspace,
    /// Whoever acts through this agent.
    Agent(AgentId),
    /// This user, through any agent.
    User(UserId),
    /// This user through this agent.
    AgentUser(AgentId, UserId),
}

impl Scope {
    /// Puts a rung and its owners together; `None` when an owner is missing or one too many is given.
    pub fn from_parts(kind: ScopeKind, agent: Option<AgentId>, user: Option<UserId>) -> Option<Self> {
        match (kind, agent, user) {
            (ScopeKind::Workspace, None, None) => Some(Self::Workspace),
            (ScopeKind::Agent, Some(agent), None) => Some(Self::Agent(agent)),
            (ScopeKind::User, None, Some(user)) => Some(Self::User(user)),
            (ScopeKind::AgentUser, Some(agent), Some(user)) => Some(Self::AgentUser(agent, user)),
            _ => None,
        }
    }

    /// The rung.
    pub fn kind(self) -> ScopeKind {
        match self {
            Self::Workspace => ScopeKind::Workspace,
            Self::Agent(_) => ScopeKind::Agent,
            Self::User(_) => ScopeKind::User,
            Self::AgentUser(..) => ScopeKind::AgentUser,
        }
    }

    /// The agent that owns it, if one does.
    pub fn agent(self) -> Option<AgentId> {
        match self {
            Self::Agent(agent) | Self::AgentUser(agent, _) => Some(agent),
            _ => None,
        }
    }

    /// The user who owns it, if one does.
    pub fn user(self) -> Option<UserId> {
        match self {
            Self::User(user) | Self::AgentUser(_, user) => Some(user),
            _ => None,
        }
    }

    /// How near it is to a caller: on the same name the greatest wins.
    pub fn nearness(self) -> u8 {
        match self {
            Self::Workspace => 0,
            Self::Agent(_) => 1,
            Self::User(_) => 2,
            Self::AgentUser(..) => 3,
        }
    }

    /// Whether a skill may move from here to there: up the ladder, and never to another owner.
    pub fn can_be_promoted_to(self, to: Self) -> bool {
        match (self, to) {
            (Self::AgentUser(agent, _), Self::Agent(wider)) => agent == wider,
            (Self::AgentUser(_, user), Self::User(wider)) => user == wider,
            (Self::Agent(_) | Self::User(_) | Self::AgentUser(..), Self::Workspace) => true,
            _ => false,
        }
    }

    /// One text for unique keys: two skills clash when their names and these are equal.
    pub fn key(self) -> String {
        match self {
            Self::Workspace => "workspace".to_owned(),
            Self::Agent(agent) => format!("agent:{agent}"),
            Self::User(user) => format!("user:{user}"),
            Self::AgentUser(agent, user) => format!("agent_user:{agent}:{user}"),
        }
    }

    /// The scope that such a text is the key of.
    pub fn parse_key(key: &str) -> Option<Self> {
        let (kind, owners) = key.split_once(':').unwrap_or((key, ""));
        match (ScopeKind::parse(kind).ok()?, owners.split_once(':')) {
            (ScopeKind::Workspace, None) => owners.is_empty().then_some(Self::Workspace),
            (ScopeKind::Agent, None) => AgentId::parse(owners).ok().map(Self::Agent),
            (ScopeKind::User, None) => UserId::parse(owners).ok().map(Self::User),
            (ScopeKind::AgentUser, Some((agent, user))) => {
                Some(Self::AgentUser(AgentId::parse(agent).ok()?, UserId::parse(user).ok()?))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn the_nearest_scope_is_agent_and_user_then_user_then_agent_then_workspace() {
        let (agent, user) = (AgentId::new(Uuid::from_u128(1)), UserId::new(Uuid::from_u128(2)));
        let mut scopes =
            [Scope::Agent(agent), Scope::AgentUser(agent, user), Scope::Workspace, Scope::User(user)];
        scopes.sort_by_key(|scope| std::cmp::Reverse(scope.nearness()));
        let kinds: Vec<_> = scopes.iter().map(|scope| scope.kind().as_str()).collect();
        assert_eq!(kinds, ["agent_user", "user", "agent", "workspace"]);
    }

    #[test]
    fn a_key_says_which_scope_it_is_of() {
        let (agent, user) = (AgentId::new(Uuid::from_u128(1)), UserId::new(Uuid::from_u128(2)));
        for scope in [Scope::Workspace, Scope::Agent(agent), Scope::User(user), Scope::AgentUser(agent, user)]
        {
            assert_eq!(Scope::parse_key(&scope.key()), Some(scope));
        }
        let (one, two) = (format!("agent_user:{agent}"), format!("user:{agent}:{user}"));
        for wrong in ["", "agent", "agent:", "agent:x", "nobody", "workspace:x", one.as_str(), two.as_str()] {
            assert_eq!(Scope::parse_key(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn promotion_only_goes_up_and_keeps_the_owner() {
        let (a, b) = (AgentId::new(Uuid::from_u128(1)), AgentId::new(Uuid::from_u128(3)));
        let u = UserId::new(Uuid::from_u128(2));
        assert!(Scope::AgentUser(a, u).can_be_promoted_to(Scope::Agent(a)));
        assert!(Scope::AgentUser(a, u).can_be_promoted_to(Scope::User(u)));
        assert!(Scope::User(u).can_be_promoted_to(Scope::Workspace));
        assert!(!Scope::AgentUser(a, u).can_be_promoted_to(Scope::Agent(b)));
        assert!(!Scope::Workspace.can_be_promoted_to(Scope::User(u)));
        assert!(!Scope::Workspace.can_be_promoted_to(Scope::Workspace));
    }
}
