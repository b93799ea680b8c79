//! Audit entries and what a verification found.

use app::audit::Verification;
use model::AuditEntry;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::time;

/// One entry of the audit log.
#[derive(Serialize, ToSchema)]
pub(crate) struct AuditEntryView {
    pub sequence: u64,
    #[schema(format = DateTime)]
    pub at: String,
    /// Null when the server itself did it.
    #[schema(format = Uuid)]
    pub user_id: Option<String>,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub verb: String,
    pub subject_kind: String,
    pub subject_id: String,
    #[schema(value_type = Object)]
    pub detail: Value,
    pub previous: String,
    pub hash: String,
}

impl From<AuditEntry> for AuditEntryView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            sequence: entry.sequence,
            at: time(entry.at),
            user_id: entry.actor.user.map(|id| id.to_string()),
            agent_id: entry.actor.agent.map(|id| id.to_string()),
            verb: entry.verb.0,
            subject_kind: entry.subject.kind,
            subject_id: entry.subject.id,
            detail: serde_json::from_str(&entry.detail).unwrap_or_default(),
            previous: entry.previous.to_string(),
            hash: entry.hash.to_string(),
        }
    }
}

/// What a verification of the chain found.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerificationView {
    /// Whether the chain is whole.
    pub valid: bool,
    /// How many entries were checked.
    pub entries: u64,
    /// How many decisions that it seals were checked.
    pub decisions: u64,
    /// The hash of the last entry: keep it elsewhere, and compare.
    pub head: String,
    /// What is wrong, in the order of the chain.
    pub problems: Vec<String>,
}

impl From<Verification> for VerificationView {
    fn from(found: Verification) -> Self {
        Self {
            valid: found.problems.is_empty(),
            entries: found.entries,
            decisions: found.decisions,
            head: found.head.to_string(),
            problems: found.problems,
        }
    }
}
