//! Personal access tokens. Only the digest of a token's secret is ever stored.

use crate::word::words;
use crate::{AgentId, Digest, Timestamp, TokenId, UserId, WorkspaceId};

words!(
    /// What a token may be used for; never more than its user may do.
    TokenScope, "token scope" {
        /// Reading.
        Read => "read",
        /// Creating, changing and deleting skills, and giving feedback.
        Write => "write",
        /// Approving, rejecting, promoting.
        Review => "review",
        /// Managing agents, users, tokens, settings, policies and backups.
        Admin => "admin",
    }
);

/// A set of token scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenScopes(u8);

impl TokenScopes {
    /// Everything the user may do; what a browser session has.
    pub const ALL: Self = Self(0b1111);

    /// Whether the set has the scope.
    pub fn has(self, scope: TokenScope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// The scopes in order.
    pub fn iter(self) -> impl Iterator<Item = TokenScope> {
        TokenScope::ALL.iter().copied().filter(move |&scope| self.has(scope))
    }
}

impl FromIterator<TokenScope> for TokenScopes {
    fn from_iter<T: IntoIterator<Item = TokenScope>>(scopes: T) -> Self {
        Self(scopes.into_iter().fold(0, |set, scope| set | 1 << scope as u8))
    }
}

/// A token's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its id.
    pub id: TokenId,
    /// The digest of its secret.
    pub digest: Digest,
    /// The workspace it opens.
    pub workspace: WorkspaceId,
    /// Whose it is.
    pub user: UserId,
    /// The agent its bearer acts through.
    pub agent: Option<AgentId>,
    /// What it is called.
    pub name: String,
    /// What it may be used for.
    pub scopes: TokenScopes,
    /// The admin who made it for its user; `None` where the user did, or an operator.
    pub created_by: Option<UserId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

impl Token {
    /// Whether it opens anything at this moment.
    pub fn is_valid(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }
}
