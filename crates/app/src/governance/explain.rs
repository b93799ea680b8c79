//! What would be decided, and why; without deciding it.

use std::sync::Arc;

use model::{AgentId, Caller, PolicyRef, Scope, UserId};
use policy::access::{self, Act};
use policy::constraints::{self, Metadata, Policy as _, Resolution, Usage, Verdict};

use super::decide::{known, resolved};
use super::force::{InForce, Kind, Subject};
use super::{Ask, Call};
use crate::{Context, Error};

/// What is to be explained.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// The task and what is known beside it.
    pub ask: Ask,
    /// For whom, if not for the caller; for who may read the audit log.
    pub user: Option<UserId>,
    /// A call to judge.
    pub call: Option<Call>,
    /// What the run has used before it.
    pub usage: Usage,
}

/// A policy in force.
#[derive(Debug, Clone)]
pub struct PolicyState {
    /// What is known of it.
    pub metadata: Metadata,
    /// As it is in force.
    pub reference: PolicyRef,
    /// For whom it holds.
    pub scope: Scope,
    /// What is wrong with it, where it cannot be made ready; it denies everything then.
    pub broken: Option<String>,
}

/// A policy in force, beside what was asked.
#[derive(Debug, Clone)]
pub struct Considered {
    /// The policy.
    pub state: PolicyState,
    /// Whether it is active for what was asked.
    pub active: bool,
}

/// What would be decided.
#[derive(Debug, Clone)]
pub struct Explained {
    /// What holds, and why.
    pub resolution: Arc<Resolution>,
    /// The active policies as they are in force, in their order.
    pub active: Vec<PolicyRef>,
    /// The context with the values that policies set.
    pub context: constraints::Context,
    /// Every policy that could be active for this caller, by id.
    pub policies: Vec<Considered>,
    /// What would be decided about the call.
    pub verdict: Option<Verdict>,
    /// What the active policies add to a planning prompt.
    pub planning: String,
}

/// Says what would be decided, and why. Nothing of it is kept or counted.
pub async fn explain(cx: &Context, caller: &Caller, question: Question) -> Result<Explained, Error> {
    access::decide(caller, Act::Govern)?;
    question.ask.check()?;
    if let Some(call) = &question.call {
        call.check()?;
    }
    let mut subject = Subject::of(caller, question.ask.agent)?;
    let mut tx = cx.read().await?;
    let mut asked_for = caller.clone();
    if let Some(user) = question.user.filter(|user| *user != caller.user) {
        access::decide(caller, Act::ReadAudit)?;
        let membership = tx.membership(caller.workspace, user).await?;
        asked_for.roles = membership.ok_or_else(|| Error::not_found("user", user))?.roles;
        subject.user = user;
    }
    let register = &cx.governance.0.register;
    let snapshot = register.current(cx, &mut *tx, caller.workspace, Kind::Reading).await?;
    let known = known(&asked_for, subject, &question.ask.context);
    let (resolution, active) = resolved(cx, &snapshot, subject, &question.ask.task, &known);
    let verdict = question
        .call
        .as_ref()
        .map(|call| constraints::judge(&resolution, call.as_tool_call(), &known, question.usage));
    let mut policies: Vec<Considered> =
        snapshot.of(subject).into_iter().map(|policy| considered(policy, &active)).collect();
    policies.sort_by(|left, right| left.state.reference.id.cmp(&right.state.reference.id));
    let planning = resolution.plan("", &known);
    let context = resolution.enhance(&known);
    Ok(Explained { resolution, active, context, policies, verdict, planning })
}

fn considered(policy: &InForce, active: &[PolicyRef]) -> Considered {
    let active = active.iter().any(|other| other.id == policy.reference.id);
    Considered { state: state(policy), active }
}

fn state(policy: &InForce) -> PolicyState {
    PolicyState {
        metadata: policy.declared.metadata().clone(),
        reference: policy.reference.clone(),
        scope: policy.scope,
        broken: policy.broken.clone(),
    }
}

/// The policies in force, by what is known of them alone: for the caller; for who may read the audit log all. Which of
/// them are active depends on a task; [`explain`] says that.
pub async fn in_force(
    cx: &Context,
    caller: &Caller,
    agent: Option<AgentId>,
) -> Result<Vec<PolicyState>, Error> {
    access::decide(caller, Act::Govern)?;
    let subject = Subject::of(caller, agent)?;
    let mut tx = cx.read().await?;
    let register = &cx.governance.0.register;
    let snapshot = register.current(cx, &mut *tx, caller.workspace, Kind::Reading).await?;
    let sees_all = agent.is_none() && access::decide(caller, Act::ReadAudit).is_ok();
    let shown = if sees_all { snapshot.policies.values().collect() } else { snapshot.of(subject) };
    let mut policies: Vec<PolicyState> = shown.into_iter().map(|policy| state(policy)).collect();
    policies.sort_by(|left, right| {
        let key =
            |state: &PolicyState| (std::cmp::Reverse(state.metadata.priority), state.reference.id.clone());
        key(left).cmp(&key(right))
    });
    Ok(policies)
}
