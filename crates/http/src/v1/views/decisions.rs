//! Decisions as they are kept.

use model::{Decision, PolicyRef};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::governance::millis;
use super::time;

/// A policy that was active, as it was in force then.
#[derive(Serialize, ToSchema)]
pub(crate) struct PolicyRefView {
    /// What reasons call it.
    pub id: String,
    #[schema(format = Uuid)]
    pub skill_id: String,
    pub revision: u32,
    pub digest: String,
}

/// One resolution or one verdict, as it is kept.
#[derive(Serialize, ToSchema)]
pub(crate) struct DecisionView {
    #[schema(format = Uuid)]
    pub id: String,
    #[schema(format = DateTime)]
    pub at: String,
    /// `resolution` or `verdict`.
    pub kind: String,
    #[schema(format = Uuid)]
    pub user_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub host: Option<String>,
    #[schema(format = Uuid)]
    pub run_id: Option<String>,
    pub task_digest: String,
    /// The task, where it is kept.
    pub task: Option<String>,
    /// What was known beside it, where that is kept.
    #[schema(value_type = Option<Object>)]
    pub context: Option<Value>,
    /// The policies that were active, in their order.
    pub policies: Vec<PolicyRefView>,
    /// Why, of a resolution.
    pub reasons: Vec<String>,
    /// The tool of the call that was judged.
    pub tool: Option<String>,
    /// The host's own name for it, where that is another.
    pub alias: Option<String>,
    /// Whether it was allowed; null for a resolution.
    pub allowed: Option<bool>,
    pub arguments_digest: Option<String>,
    /// Its arguments, where they are kept, without what looks like a secret.
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<Value>,
    /// The steps that the run had taken before.
    pub steps: Option<u32>,
    /// How long the run had taken before.
    pub elapsed_ms: Option<u64>,
    /// What a denial rests on.
    pub cause: Option<String>,
    pub reason: Option<String>,
    /// The ids of the policies responsible.
    pub denied_by: Vec<String>,
}

impl From<Decision> for DecisionView {
    fn from(decision: Decision) -> Self {
        let parsed = |text: Option<&String>| text.and_then(|text| serde_json::from_str(text).ok());
        let policy = |policy: &PolicyRef| PolicyRefView {
            id: policy.id.clone(),
            skill_id: policy.skill.to_string(),
            revision: policy.revision.get(),
            digest: policy.digest.to_string(),
        };
        let (call, denial) = (decision.call.as_ref(), decision.denial());
        Self {
            id: decision.id.to_string(),
            at: time(decision.at),
            kind: decision.kind().as_str().to_owned(),
            user_id: decision.user.to_string(),
            agent_id: decision.agent.map(|agent| agent.to_string()),
            run_id: decision.run.map(|run| run.to_string()),
            task_digest: decision.task_digest.to_string(),
            context: parsed(decision.context.as_ref()),
            policies: decision.policies.iter().map(policy).collect(),
            tool: call.map(|call| call.tool.clone()),
            alias: call.and_then(|call| call.alias.clone()),
            allowed: call.map(|call| call.denial.is_none()),
            arguments_digest: call.map(|call| call.arguments_digest.to_string()),
            arguments: parsed(call.and_then(|call| call.arguments.as_ref())),
            steps: call.map(|call| call.steps),
            elapsed_ms: call.map(|call| millis(call.elapsed)),
            cause: denial.map(|denial| denial.cause.clone()),
            reason: denial.map(|denial| denial.reason.clone()),
            denied_by: denial.map(|denial| denial.policies.clone()).unwrap_or_default(),
            host: decision.host,
            task: decision.task,
            reasons: decision.reasons,
        }
    }
}
