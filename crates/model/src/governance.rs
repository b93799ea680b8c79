//! Decisions about what agents may do, and the runs in which limits are counted.

use std::time::Duration;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::word::words;
use crate::{
    AgentId, DecisionId, Digest, GovernedRunId, RevisionNumber, SkillId, Timestamp, UserId, WorkspaceId,
};

words!(
    /// What was decided.
    DecisionKind, "kind of decision" {
        /// Which policies are active for a task, and what they demand together.
        Resolution => "resolution",
        /// Whether a tool call may be made.
        Verdict => "verdict",
    }
);

/// A policy that was active, as it was in force then.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PolicyRef {
    /// What reasons call it.
    pub id: String,
    /// The skill it is a facet of.
    pub skill: SkillId,
    /// Which revision.
    pub revision: RevisionNumber,
    /// That revision's digest.
    pub digest: Digest,
}

/// A tool call that was judged.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgedCall {
    /// The tool.
    pub tool: String,
    /// The host's own name for it, where that is another.
    pub alias: Option<String>,
    /// The digest of its arguments.
    pub arguments_digest: Digest,
    /// Its arguments as JSON text, where they are kept.
    pub arguments: Option<String>,
    /// The steps that the run had taken before.
    pub steps: u32,
    /// How long the run had taken before.
    pub elapsed: Duration,
    /// Why it was denied, if it was.
    pub denial: Option<RecordedDenial>,
}

/// Why a call was denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDenial {
    /// The stable word of what it rests on.
    pub cause: String,
    /// The reason, in the words that were given.
    pub reason: String,
    /// The ids of the policies responsible, in their order.
    pub policies: Vec<String>,
}

/// One resolution or one verdict, as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: DecisionId,
    /// When.
    pub at: Timestamp,
    /// For whom.
    pub user: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// The program that asked, such as `claude`.
    pub host: Option<String>,
    /// The governed run it belongs to.
    pub run: Option<GovernedRunId>,
    /// The digest of the task.
    pub task_digest: Digest,
    /// The task, where it is kept.
    pub task: Option<String>,
    /// What was known beside it as JSON text, where that is kept.
    pub context: Option<String>,
    /// The policies that were active, in their order.
    pub policies: Vec<PolicyRef>,
    /// Why, where that is kept; of a resolution.
    pub reasons: Vec<String>,
    /// The call that was judged; none for a resolution.
    pub call: Option<JudgedCall>,
}

impl Decision {
    /// What was decided.
    pub fn kind(&self) -> DecisionKind {
        if self.call.is_some() { DecisionKind::Verdict } else { DecisionKind::Resolution }
    }

    /// Why it was denied, if it was.
    pub fn denial(&self) -> Option<&RecordedDenial> {
        self.call.as_ref()?.denial.as_ref()
    }

    /// A digest over every field, each with its length, so that no two decisions share an input.
    pub fn digest(&self) -> Digest {
        let mut fields = vec![
            "repertoire-decision-1".to_owned(),
            self.workspace.to_string(),
            self.id.to_string(),
            (self.at.unix_timestamp_nanos() / 1_000).to_string(),
            self.user.to_string(),
            optional(self.agent),
            optional(self.host.as_ref()),
            optional(self.run),
            self.task_digest.hex(),
            optional(self.task.as_ref()),
            optional(self.context.as_ref()),
            policy_set_digest(&self.policies).hex(),
            Value::from(self.reasons.clone()).to_string(),
        ];
        if let Some(call) = &self.call {
            fields.extend([
                call.tool.clone(),
                optional(call.alias.as_ref()),
                call.arguments_digest.hex(),
                optional(call.arguments.as_ref()),
                call.steps.to_string(),
                call.elapsed.as_micros().to_string(),
            ]);
        }
        if let Some(denial) = self.denial() {
            fields.extend([
                denial.cause.clone(),
                denial.reason.clone(),
                Value::from(denial.policies.clone()).to_string(),
            ]);
        }
        digest_of(fields)
    }
}

/// `-` for nothing, else `+` and the text: nothing is not an empty text.
fn optional(value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("+{value}"))
}

/// A digest over texts, each with its length.
fn digest_of(fields: impl IntoIterator<Item = String>) -> Digest {
    let mut hasher = Sha256::new();
    for field in fields {
        hasher.update((field.len() as u64).to_be_bytes());
        hasher.update(field.as_bytes());
    }
    Digest::new(hasher.finalize().into())
}

/// The digest of the policies that were active together, in their order.
pub fn policy_set_digest(policies: &[PolicyRef]) -> Digest {
    digest_of(policies.iter().flat_map(|policy| {
        [policy.id.clone(), policy.skill.to_string(), policy.revision.to_string(), policy.digest.hex()]
    }))
}

/// The digest that seals decisions which were written together, in their order.
pub fn seal_digest(decisions: &[Decision]) -> Digest {
    digest_of(decisions.iter().map(|decision| decision.digest().hex()))
}

/// A run of an agent in which steps and time are counted.
#[derive(Debug, Clone, PartialEq)]
pub struct GovernedRun {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: GovernedRunId,
    /// For whom it runs.
    pub user: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// The program that runs it, such as `claude`.
    pub host: Option<String>,
    /// What that program calls the session.
    pub session: Option<String>,
    /// The digest of the task.
    pub task_digest: Digest,
    /// The task. While the run goes on it is always kept: policies are asked about it.
    pub task: Option<String>,
    /// What is known beside it; kept like the task.
    pub context: Option<Map<String, Value>>,
    /// The calls that were allowed.
    pub steps: u32,
    /// The calls that were denied.
    pub denied: u32,
    /// When it began.
    pub started_at: Timestamp,
    /// When it was last heard of.
    pub touched_at: Timestamp,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// How it ended, in the words of whoever ended it.
    pub outcome: Option<String>,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn decision() -> Decision {
        Decision {
            workspace: WorkspaceId::new(Uuid::from_u128(1)),
            id: DecisionId::new(Uuid::from_u128(2)),
            at: Timestamp::UNIX_EPOCH,
            user: UserId::new(Uuid::from_u128(3)),
            agent: None,
            host: None,
            run: None,
            task_digest: Digest::of(b"task"),
            task: None,
            context: None,
            policies: Vec::new(),
            reasons: Vec::new(),
            call: None,
        }
    }

    #[test]
    fn every_field_is_in_the_digest() {
        let policy = PolicyRef {
            id: "p".to_owned(),
            skill: SkillId::new(Uuid::from_u128(4)),
            revision: RevisionNumber::FIRST,
            digest: Digest::of(b"revision"),
        };
        let call = JudgedCall {
            tool: "t".to_owned(),
            alias: None,
            arguments_digest: Digest::of(b"{}"),
            arguments: None,
            steps: 0,
            elapsed: Duration::ZERO,
            denial: None,
        };
        let denial =
            RecordedDenial { cause: "forbidden".to_owned(), reason: "no".to_owned(), policies: Vec::new() };
        let base = decision();
        let judged = |call: JudgedCall| Decision { call: Some(call), ..decision() };
        let changed = [
            Decision { id: DecisionId::new(Uuid::from_u128(9)), ..decision() },
            Decision { workspace: WorkspaceId::new(Uuid::from_u128(9)), ..decision() },
            Decision { at: Timestamp::UNIX_EPOCH + Duration::from_micros(1), ..decision() },
            Decision { user: UserId::new(Uuid::from_u128(9)), ..decision() },
            Decision { agent: Some(AgentId::new(Uuid::from_u128(9))), ..decision() },
            Decision { host: Some(String::new()), ..decision() },
            Decision { run: Some(GovernedRunId::new(Uuid::from_u128(9))), ..decision() },
            Decision { task_digest: Digest::of(b"other"), ..decision() },
            Decision { task: Some(String::new()), ..decision() },
            Decision { context: Some(String::new()), ..decision() },
            Decision { policies: vec![policy.clone()], ..decision() },
            Decision {
                policies: vec![PolicyRef { revision: policy.revision.next(), ..policy }],
                ..decision()
            },
            Decision { reasons: vec!["a".to_owned()], ..decision() },
            judged(call.clone()),
            judged(JudgedCall { alias: Some("t".to_owned()), ..call.clone() }),
            judged(JudgedCall { arguments: Some(String::new()), ..call.clone() }),
            judged(JudgedCall { steps: 1, ..call.clone() }),
            judged(JudgedCall { elapsed: Duration::from_micros(1), ..call.clone() }),
            judged(JudgedCall { denial: Some(denial), ..call }),
        ];
        let mut digests: Vec<Digest> = changed.iter().map(Decision::digest).collect();
        digests.push(base.digest());
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), changed.len() + 1);
        assert_eq!(base.digest(), decision().digest());
    }
}
