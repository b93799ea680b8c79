//! The audit log: what was done, by whom, in a chain that shows any later change.

use sha2::{Digest as _, Sha256};

use crate::{AgentId, Digest, Timestamp, UserId, WorkspaceId};

/// The act, named as the use case that did it, such as `skill.create`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditVerb(pub String);

/// Who did it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The person; `None` for the server itself.
    pub user: Option<UserId>,
    /// The agent they acted through.
    pub agent: Option<AgentId>,
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The kind, such as `skill`.
    pub kind: String,
    /// Its id, as text.
    pub id: String,
}

/// One entry. Its hash covers every field and the hash of the entry before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// The workspace whose chain it is in.
    pub workspace: WorkspaceId,
    /// Its place in the chain, from 1, without gaps.
    pub sequence: u64,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub actor: Actor,
    /// What was done.
    pub verb: AuditVerb,
    /// To what.
    pub subject: Subject,
    /// More about it, as JSON text with sorted keys; never content or secrets.
    pub detail: String,
    /// The hash of the entry before; all zero for the first.
    pub previous: Digest,
    /// The hash of this entry.
    pub hash: Digest,
}

impl AuditEntry {
    /// What stands before the first entry.
    pub const GENESIS: Digest = Digest::new([0; 32]);

    /// Seals the entry: fills its hash in.
    #[must_use]
    pub fn sealed(mut self) -> Self {
        self.hash = self.computed_hash();
        self
    }

    /// The hash this entry must have. Every field goes in with its length, so that no two entries share an input.
    pub fn computed_hash(&self) -> Digest {
        let optional = |id: Option<String>| id.unwrap_or_default();
        let fields = [
            "repertoire-audit-1".to_owned(),
            self.workspace.to_string(),
            self.sequence.to_string(),
            (self.at.unix_timestamp_nanos() / 1_000).to_string(),
            optional(self.actor.user.map(|id| id.to_string())),
            optional(self.actor.agent.map(|id| id.to_string())),
            self.verb.0.clone(),
            self.subject.kind.clone(),
            self.subject.id.clone(),
            self.detail.clone(),
            self.previous.hex(),
        ];
        let mut hasher = Sha256::new();
        for field in fields {
            hasher.update((field.len() as u64).to_be_bytes());
            hasher.update(field.as_bytes());
        }
        Digest::new(hasher.finalize().into())
    }
}
