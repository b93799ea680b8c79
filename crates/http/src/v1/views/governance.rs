//! Resolutions, verdicts, governed runs and decisions.

use std::time::Duration;

use app::governance::{
    Active, Considered, Explained, FailedCheck, Judged, Merged, Outcome, Planned, PolicyState, Resolution,
    Resolved, Started, Verdict,
};
use model::{GovernedRun, PolicyRef};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::time;

/// A policy that is active.
#[derive(Serialize, ToSchema)]
pub(crate) struct ActivePolicyView {
    /// What reasons call it.
    pub id: String,
    /// For people.
    pub name: String,
    /// A word for grouping.
    pub scope: Option<String>,
    pub priority: i64,
    /// The skill it is a facet of.
    #[schema(format = Uuid)]
    pub skill_id: Option<String>,
    /// The revision in force.
    pub revision: Option<u32>,
    /// That revision's digest.
    pub digest: Option<String>,
    /// Why its activation could not be evaluated, if so; its restrictions hold then.
    pub unevaluated: Option<String>,
    /// Why its constraints could not be had, if so; every call is denied then.
    pub failure: Option<String>,
}

fn active(active: &Active, policies: &[PolicyRef]) -> ActivePolicyView {
    let reference = policies.iter().find(|policy| policy.id == active.metadata.id);
    ActivePolicyView {
        id: active.metadata.id.clone(),
        name: active.metadata.name.clone(),
        scope: active.metadata.scope.clone(),
        priority: active.metadata.priority,
        skill_id: reference.map(|policy| policy.skill.to_string()),
        revision: reference.map(|policy| policy.revision.get()),
        digest: reference.map(|policy| policy.digest.to_string()),
        unevaluated: active.unevaluated.as_ref().map(ToString::to_string),
        failure: active.failure.as_ref().map(ToString::to_string),
    }
}

fn all_active(resolution: &Resolution, policies: &[PolicyRef]) -> Vec<ActivePolicyView> {
    resolution.active.iter().map(|policy| active(policy, policies)).collect()
}

/// What all active policies demand together.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConstraintsView {
    /// The only tools allowed; null restricts nothing, an empty list allows nothing.
    pub allowed_tools: Option<Vec<String>>,
    /// Tools that are never allowed.
    pub forbidden_tools: Vec<String>,
    /// The most steps of a run.
    pub max_steps: Option<u32>,
    /// The longest a run may take, in milliseconds.
    pub max_execution_time_ms: Option<u64>,
    /// Values put into the agent's context.
    #[schema(value_type = Object)]
    pub context: Map<String, Value>,
    /// How many checks there are on each call.
    pub validators: usize,
}

impl From<&Merged> for ConstraintsView {
    fn from(merged: &Merged) -> Self {
        Self {
            allowed_tools: merged.allowed_tools.clone(),
            forbidden_tools: merged.forbidden_tools.clone(),
            max_steps: merged.max_steps,
            max_execution_time_ms: merged.max_execution_time.map(millis),
            context: merged.context.clone(),
            validators: merged.validators,
        }
    }
}

pub(super) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// What holds for a task, and why.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResolvedView {
    /// Under which it is kept.
    #[schema(format = Uuid)]
    pub decision_id: String,
    /// The ids of the active policies, in their order.
    pub active_ids: Vec<String>,
    /// The active policies: priority descending, then id.
    pub active: Vec<ActivePolicyView>,
    pub constraints: ConstraintsView,
    /// Why, in the order in which it was decided.
    pub reasons: Vec<String>,
    /// The context with the values that policies set.
    #[schema(value_type = Object)]
    pub context: Map<String, Value>,
}

impl From<Resolved> for ResolvedView {
    fn from(resolved: Resolved) -> Self {
        Self {
            decision_id: resolved.decision.to_string(),
            active_ids: resolved.resolution.active_ids().map(str::to_owned).collect(),
            active: all_active(&resolved.resolution, &resolved.policies),
            constraints: (&resolved.resolution.constraints).into(),
            reasons: resolved.resolution.reasons.clone(),
            context: resolved.context,
        }
    }
}

/// A tool that planning does not see.
#[derive(Serialize, ToSchema)]
pub(crate) struct RemovedToolView {
    pub tool: String,
    pub reason: String,
}

/// What planning may see.
#[derive(Serialize, ToSchema)]
pub(crate) struct PlannedView {
    /// The tools of which some call may be allowed, in the order given.
    pub tools: Vec<String>,
    /// The others, in the order given.
    pub removed: Vec<RemovedToolView>,
    /// The prompt with what the active policies say.
    pub prompt: String,
    pub resolution: ResolvedView,
}

impl From<Planned> for PlannedView {
    fn from(planned: Planned) -> Self {
        let removed = planned.removed.into_iter().map(|(tool, reason)| RemovedToolView { tool, reason });
        Self {
            tools: planned.tools,
            removed: removed.collect(),
            prompt: planned.prompt,
            resolution: planned.resolved.into(),
        }
    }
}

/// What a denied call answers in its place.
#[derive(Serialize, ToSchema)]
pub(crate) struct DenialMetadataView {
    pub skill_constraint_violation: bool,
    pub denial_reason: String,
}

/// A check that did not pass.
#[derive(Serialize, ToSchema)]
pub(crate) struct FailedCheckView {
    /// The policy it belongs to.
    pub policy: String,
    /// Its place among that policy's checks, from 1.
    pub number: usize,
    /// What it is called, such as `path_prefix`.
    pub name: String,
    /// Why it could not be evaluated, if so.
    pub error: Option<String>,
}

impl From<&FailedCheck> for FailedCheckView {
    fn from(check: &FailedCheck) -> Self {
        let error = match &check.outcome {
            Outcome::Refused => None,
            Outcome::Error(failure) => Some(failure.to_string()),
        };
        Self { policy: check.skill.clone(), number: check.number, name: check.name.to_owned(), error }
    }
}

/// What is decided about a call. For a denied one `error` and `metadata` are the result to give the agent.
#[derive(Serialize, ToSchema)]
pub(crate) struct VerdictView {
    pub tool: String,
    pub allowed: bool,
    /// The text of every denied result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<DenialMetadataView>,
    /// What the denial rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The ids of all policies responsible, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub denied_by: Vec<String>,
    /// The checks that did not pass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_checks: Vec<FailedCheckView>,
}

impl From<Verdict> for VerdictView {
    fn from(verdict: Verdict) -> Self {
        let error = verdict.error();
        let denial = verdict.denial.as_ref();
        Self {
            allowed: verdict.is_allowed(),
            error,
            metadata: denial.map(|denial| DenialMetadataView {
                skill_constraint_violation: true,
                denial_reason: denial.reason.clone(),
            }),
            cause: denial.map(|denial| denial.cause.as_str().to_owned()),
            denied_by: denial.map(|denial| denial.skills.clone()).unwrap_or_default(),
            failed_checks: denial
                .map(|denial| denial.failed.iter().map(Into::into).collect())
                .unwrap_or_default(),
            tool: verdict.tool,
        }
    }
}

/// What a run had used before a call, and how much there is.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsageView {
    pub steps: u32,
    pub elapsed_ms: u64,
    pub max_steps: Option<u32>,
    pub max_execution_time_ms: Option<u64>,
}

/// What was decided about a call.
#[derive(Serialize, ToSchema)]
pub(crate) struct JudgedView {
    /// Under which it is kept.
    #[schema(format = Uuid)]
    pub decision_id: String,
    #[serde(flatten)]
    pub verdict: VerdictView,
    /// The ids of the active policies, in their order.
    pub active_ids: Vec<String>,
    /// What the run had used before.
    pub usage: UsageView,
    /// The governed run, as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<GovernedRunView>,
}

impl From<Judged> for JudgedView {
    fn from(judged: Judged) -> Self {
        Self {
            decision_id: judged.decision.to_string(),
            verdict: judged.verdict.into(),
            active_ids: judged.policies.into_iter().map(|policy| policy.id).collect(),
            usage: UsageView {
                steps: judged.usage.steps,
                elapsed_ms: millis(judged.usage.elapsed),
                max_steps: judged.max_steps,
                max_execution_time_ms: judged.max_execution_time.map(millis),
            },
            run: judged.run.map(Into::into),
        }
    }
}

/// A run in which steps and time are counted.
#[derive(Serialize, ToSchema)]
pub(crate) struct GovernedRunView {
    #[schema(format = Uuid)]
    pub id: String,
    #[schema(format = Uuid)]
    pub user_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub host: Option<String>,
    pub session: Option<String>,
    pub task_digest: String,
    /// The task, where it is kept.
    pub task: Option<String>,
    /// The calls that were allowed.
    pub steps: u32,
    /// The calls that were denied.
    pub denied: u32,
    #[schema(format = DateTime)]
    pub started_at: String,
    #[schema(format = DateTime)]
    pub finished_at: Option<String>,
    pub outcome: Option<String>,
}

impl From<GovernedRun> for GovernedRunView {
    fn from(run: GovernedRun) -> Self {
        Self {
            id: run.id.to_string(),
            user_id: run.user.to_string(),
            agent_id: run.agent.map(|agent| agent.to_string()),
            host: run.host,
            session: run.session,
            task_digest: run.task_digest.to_string(),
            task: run.task,
            steps: run.steps,
            denied: run.denied,
            started_at: time(run.started_at),
            finished_at: run.finished_at.map(time),
            outcome: run.outcome,
        }
    }
}

/// A run that began.
#[derive(Serialize, ToSchema)]
pub(crate) struct StartedView {
    pub run: GovernedRunView,
    pub resolution: ResolvedView,
    /// What the active policies have to say to the agent; empty where they say nothing.
    pub planning: String,
}

impl From<Started> for StartedView {
    fn from(started: Started) -> Self {
        Self { run: started.run.into(), resolution: started.resolved.into(), planning: started.planning }
    }
}

/// A run with what holds in it now.
#[derive(Serialize, ToSchema)]
pub(crate) struct GovernedRunDetailView {
    #[serde(flatten)]
    pub run: GovernedRunView,
    /// The active policies; null where the task is not kept.
    pub active: Option<Vec<ActivePolicyView>>,
    pub constraints: Option<ConstraintsView>,
    pub reasons: Option<Vec<String>>,
}

impl From<app::governance::GovernedRunView> for GovernedRunDetailView {
    fn from(view: app::governance::GovernedRunView) -> Self {
        let resolution = view.resolution.as_deref();
        Self {
            active: resolution.map(|resolution| all_active(resolution, &view.policies)),
            constraints: resolution.map(|resolution| (&resolution.constraints).into()),
            reasons: resolution.map(|resolution| resolution.reasons.clone()),
            run: view.run.into(),
        }
    }
}

/// A policy in force.
#[derive(Serialize, ToSchema)]
pub(crate) struct PolicyStateView {
    /// What reasons call it.
    pub id: String,
    /// For people.
    pub name: String,
    /// A word for grouping.
    pub group: Option<String>,
    pub priority: i64,
    /// For whom it holds: `workspace`, `agent`, `user` or `agent_user`.
    pub scope: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    #[schema(format = Uuid)]
    pub user_id: Option<String>,
    #[schema(format = Uuid)]
    pub skill_id: String,
    pub revision: u32,
    pub digest: String,
    /// What is wrong with it, where it cannot be read; it denies every call then.
    pub broken: Option<String>,
}

impl From<PolicyState> for PolicyStateView {
    fn from(state: PolicyState) -> Self {
        Self {
            id: state.reference.id,
            name: state.metadata.name,
            group: state.metadata.scope,
            priority: state.metadata.priority,
            scope: state.scope.kind().as_str().to_owned(),
            agent_id: state.scope.agent().map(|agent| agent.to_string()),
            user_id: state.scope.user().map(|user| user.to_string()),
            skill_id: state.reference.skill.to_string(),
            revision: state.reference.revision.get(),
            digest: state.reference.digest.to_string(),
            broken: state.broken,
        }
    }
}

/// A policy in force, beside what was asked.
#[derive(Serialize, ToSchema)]
pub(crate) struct ConsideredView {
    #[serde(flatten)]
    pub state: PolicyStateView,
    /// Whether it is active for what was asked.
    pub active: bool,
}

impl From<Considered> for ConsideredView {
    fn from(considered: Considered) -> Self {
        Self { state: considered.state.into(), active: considered.active }
    }
}

/// What would be decided.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExplainedView {
    /// The active policies: priority descending, then id.
    pub active: Vec<ActivePolicyView>,
    pub constraints: ConstraintsView,
    /// Why, in the order in which it would be decided.
    pub reasons: Vec<String>,
    /// The context with the values that policies set.
    #[schema(value_type = Object)]
    pub context: Map<String, Value>,
    /// Every policy that could be active, by id.
    pub policies: Vec<ConsideredView>,
    /// What would be decided about the call.
    pub verdict: Option<VerdictView>,
    /// What the active policies add to a planning prompt.
    pub planning: String,
}

impl From<Explained> for ExplainedView {
    fn from(explained: Explained) -> Self {
        Self {
            active: all_active(&explained.resolution, &explained.active),
            constraints: (&explained.resolution.constraints).into(),
            reasons: explained.resolution.reasons.clone(),
            context: explained.context,
            policies: explained.policies.into_iter().map(Into::into).collect(),
            verdict: explained.verdict.map(Into::into),
            planning: explained.planning,
        }
    }
}
