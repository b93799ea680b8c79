//! Resolving, judging and planning outside of governed runs.

use std::sync::Arc;

use model::{Caller, DenialCause, Role, WorkspaceId};
use policy::access::{self, Act};
use policy::constraints::{self, Context as Known, Policy, Resolution, ToolCall, Usage};
use serde_json::{Value, json};

use super::desk::{Answer, Batch, Work, submit};
use super::force::{Snapshot, Subject};
use super::record::{Record, Recordable};
use super::{Ask, Call, Judged, Resolved};
use crate::redact::without_secrets;
use crate::{Code, Context, Error};

/// The most bytes of a task and of a context.
const LONGEST: usize = 1 << 20;
/// The longest name of a tool.
const LONGEST_TOOL: usize = 256;

/// Says which policies are active for a task, what they demand together, and why; and keeps that it was asked.
pub async fn resolve(cx: &Context, caller: &Caller, ask: Ask) -> Result<Resolved, Error> {
    access::decide(caller, Act::Govern)?;
    ask.check()?;
    let recordable = Recordable::of(&ask.task, &Value::Null).await?;
    match submit(cx, caller, Work::Resolve(ask, recordable)).await? {
        Answer::Resolved(resolved) => Ok(*resolved),
        _ => Err(super::desk::broken()),
    }
}

/// Puts one tool call to the policies that are active for a task, outside of any run; the caller counts steps and time.
pub async fn judge(
    cx: &Context,
    caller: &Caller,
    ask: Ask,
    call: Call,
    usage: Usage,
) -> Result<Judged, Error> {
    access::decide(caller, Act::Govern)?;
    ask.check()?;
    call.check()?;
    let recordable = Recordable::of(&ask.task, &call.arguments).await?;
    match submit(cx, caller, Work::Judge(ask, call, usage, recordable)).await? {
        Answer::Judged(judged) => Ok(*judged),
        _ => Err(super::desk::broken()),
    }
}

/// What planning starts from.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// The names of the tools that there are.
    pub tools: Vec<String>,
    /// The prompt.
    pub prompt: String,
}

/// What planning may see.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What holds.
    pub resolved: Resolved,
    /// The tools of which some call may be allowed, in the order given.
    pub tools: Vec<String>,
    /// The others with the reason, in the order given.
    pub removed: Vec<(String, String)>,
    /// The prompt with what the active policies say.
    pub prompt: String,
}

/// The tools and the prompt that an agent should plan with.
pub async fn plan(cx: &Context, caller: &Caller, ask: Ask, plan: Plan) -> Result<Planned, Error> {
    let known = ask.context.clone();
    let resolved = resolve(cx, caller, ask).await?;
    Ok(planned(resolved, &known, &plan))
}

/// Filters tools and prompt by what holds.
fn planned(resolved: Resolved, known: &Known, plan: &Plan) -> Planned {
    let filtered = resolved.resolution.filter_tools(plan.tools.iter().map(String::as_str));
    if !filtered.removed.is_empty() {
        tracing::info!("{}", filtered.summary());
    }
    let reason = |tool: &str| resolved.resolution.denial_reason(tool).unwrap_or_default();
    let removed = filtered.removed.iter().map(|tool| ((*tool).to_owned(), reason(tool))).collect();
    let tools = filtered.allowed.iter().map(|tool| (*tool).to_owned()).collect();
    let prompt = resolved.resolution.plan(&plan.prompt, known);
    Planned { resolved, tools, removed, prompt }
}

impl Ask {
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.task.len() > LONGEST {
            return Err(Error::invalid(Code::TooLarge, "a task has at most 1 MiB"));
        }
        check_context(&self.context)
    }
}

pub(super) fn check_context(context: &Known) -> Result<(), Error> {
    let length = serde_json::to_string(context).map_or(usize::MAX, |text| text.len());
    if length > LONGEST {
        return Err(Error::invalid(Code::TooLarge, "a context has at most 1 MiB as JSON"));
    }
    Ok(())
}

impl Call {
    pub(super) fn check(&self) -> Result<(), Error> {
        let names = [Some(&self.tool), self.alias.as_ref()];
        if names.into_iter().flatten().any(|name| name.trim().is_empty() || name.len() > LONGEST_TOOL) {
            let message = format!("the name of a tool has 1 to {LONGEST_TOOL} bytes");
            return Err(Error::invalid(Code::InvalidRequest, message));
        }
        Ok(())
    }

    /// As the pure core takes it.
    pub(super) fn as_tool_call(&self) -> ToolCall<'_> {
        ToolCall { tool: &self.tool, alias: self.alias.as_deref(), arguments: &self.arguments }
    }
}

/// The key of a context that is ours: nobody can claim to be another there.
pub(super) const CALLER: &str = "caller";

/// What the caller said with what is known of them.
pub(super) fn known(caller: &Caller, subject: Subject, said: &Known) -> Known {
    let roles: Vec<&str> = caller.roles.iter().map(Role::as_str).collect();
    let strongest = roles.first().copied().unwrap_or("none");
    let mut known = said.clone();
    known.entry("user_role").or_insert_with(|| json!(strongest));
    let agent = subject.agent.map(|agent| agent.to_string());
    known.insert(
        CALLER.to_owned(),
        json!({"user_id": subject.user.to_string(), "agent_id": agent, "roles": roles}),
    );
    known
}

/// Resolves, and says so in the log.
pub(super) fn resolve_for(
    cx: &Context,
    policies: &[Arc<dyn Policy>],
    task: &str,
    known: &Known,
) -> Arc<Resolution> {
    let resolution = constraints::resolve(policies, task, known);
    if cx.governance.settings().keep_reasons {
        tracing::info!("{}", without_secrets(&resolution.summary()));
        for reason in resolution.reasons.iter().filter(|reason| reason.starts_with("Conflict resolution")) {
            tracing::warn!("{}", without_secrets(reason));
        }
    } else {
        let ids: Vec<&str> = resolution.active_ids().collect();
        tracing::info!("Skill resolution completed. Activated {} skill(s): {}", ids.len(), ids.join(", "));
    }
    Arc::new(resolution)
}

/// What holds for an ask, without keeping it.
pub(super) fn resolved(
    cx: &Context,
    policies: &Snapshot,
    subject: Subject,
    task: &str,
    known: &Known,
) -> (Arc<Resolution>, Vec<model::PolicyRef>) {
    let resolution = resolve_for(cx, &policies.policies_of(subject), task, known);
    let references = policies.references(subject, resolution.active_ids());
    (resolution, references)
}

pub(super) fn resolve_at(
    batch: &mut Batch<'_>,
    caller: &Caller,
    ask: &Ask,
    recordable: &Recordable,
) -> Result<Resolved, Error> {
    let subject = Subject::of(caller, ask.agent)?;
    let known = known(caller, subject, &ask.context);
    let (resolution, policies) = resolved(batch.cx, &batch.policies, subject, &ask.task, &known);
    let record = record_of(caller.workspace, subject, (ask, recordable), &known, policies.clone());
    let decision = record.resolution(batch.cx, &resolution);
    let id = decision.id;
    batch.decisions.push(decision);
    let context = resolution.enhance(&known);
    Ok(Resolved { decision: id, resolution, policies, context })
}

pub(super) fn judge_at(
    batch: &mut Batch<'_>,
    caller: &Caller,
    ask: &Ask,
    (call, recordable): (&Call, &Recordable),
    usage: Usage,
) -> Result<Judged, Error> {
    let subject = Subject::of(caller, ask.agent)?;
    let known = known(caller, subject, &ask.context);
    let (resolution, policies) = resolved(batch.cx, &batch.policies, subject, &ask.task, &known);
    let record = record_of(caller.workspace, subject, (ask, recordable), &known, policies);
    Ok(judge_and_keep(batch, record, &resolution, call, usage))
}

fn record_of<'a>(
    workspace: WorkspaceId,
    subject: Subject,
    (ask, recordable): (&'a Ask, &'a Recordable),
    known: &'a Known,
    policies: Vec<model::PolicyRef>,
) -> Record<'a> {
    Record {
        workspace,
        subject,
        host: ask.host.as_deref(),
        run: None,
        task: &recordable.task,
        context: known,
        recordable,
        policies,
    }
}

/// Judges a call by what holds, and keeps the verdict with the batch.
pub(super) fn judge_and_keep(
    batch: &mut Batch<'_>,
    record: Record<'_>,
    resolution: &Resolution,
    call: &Call,
    usage: Usage,
) -> Judged {
    let verdict = constraints::judge(resolution, call.as_tool_call(), record.context, usage);
    log(&verdict);
    let policies = record.policies.clone();
    let decision = record.verdict(batch.cx, call, usage, &verdict);
    let id = decision.id;
    batch.decisions.push(decision);
    Judged {
        decision: id,
        verdict,
        policies,
        usage,
        max_steps: resolution.constraints.max_steps,
        max_execution_time: resolution.constraints.max_execution_time,
        run: None,
    }
}

fn log(verdict: &constraints::Verdict) {
    let Some(denial) = &verdict.denial else { return };
    let reason = without_secrets(&denial.reason);
    match denial.cause {
        DenialCause::Validation | DenialCause::EvaluationError => {
            tracing::error!(skills = denial.skills.join(", "), "{reason}");
        }
        _ => tracing::info!(skills = denial.skills.join(", "), "{reason}"),
    }
}
