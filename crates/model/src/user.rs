//! People and what they may do in a workspace.

use crate::word::words;
use crate::{Timestamp, UserId, WorkspaceId};

words!(
    /// A role in a workspace. Everyone in it is a member; the others add to that.
    Role, "role" {
        /// Manages users, agents, settings and any skill.
        Admin => "admin",
        /// Writes policy facets.
        PolicyAdmin => "policy_admin",
        /// Approves and rejects.
        Reviewer => "reviewer",
        /// Uses and writes skills.
        Member => "member",
    }
);

/// A set of roles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Roles(u8);

impl Roles {
    /// No role at all: not in the workspace.
    pub const NONE: Self = Self(0);

    /// This set and one more role.
    #[must_use]
    pub fn with(self, role: Role) -> Self {
        Self(self.0 | 1 << role as u8)
    }

    /// Whether the set has the role.
    pub fn has(self, role: Role) -> bool {
        self.0 & (1 << role as u8) != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The roles in order.
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.iter().copied().filter(move |&role| self.has(role))
    }
}

impl FromIterator<Role> for Roles {
    fn from_iter<T: IntoIterator<Item = Role>>(roles: T) -> Self {
        roles.into_iter().fold(Self::NONE, Self::with)
    }
}

/// What a user is called at sign-in: 1 to 128 of letters, digits and `.-_@+`, lower case; an e-mail address fits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(String);

/// Text that is not a handle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a user handle (1 to 128 of a-z, 0-9 and . - _ @ +, starting with a letter or digit)")]
pub struct HandleError(String);

impl Handle {
    /// Reads a handle; upper case is folded.
    pub fn parse(text: &str) -> Result<Self, HandleError> {
        let handle = text.trim().to_ascii_lowercase();
        let fits = handle.len() <= 128
            && handle.starts_with(|c: char| c.is_ascii_alphanumeric())
            && handle.bytes().all(|b| b.is_ascii_alphanumeric() || b".-_@+".contains(&b));
        if fits { Ok(Self(handle)) } else { Err(HandleError(text.chars().take(64).collect())) }
    }

    /// The handle as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A person, known to the whole installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Their id.
    pub id: UserId,
    /// What they are called at sign-in, unique.
    pub handle: Handle,
    /// For people.
    pub display_name: String,
    /// Whether they run the installation: create workspaces and add people to any of them.
    pub operator: bool,
    /// A disabled user cannot sign in or use a token.
    pub disabled: bool,
    /// When they were added.
    pub created_at: Timestamp,
}

/// A user's place in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The user.
    pub user: UserId,
    /// Their roles there.
    pub roles: Roles,
    /// When they joined.
    pub created_at: Timestamp,
}
