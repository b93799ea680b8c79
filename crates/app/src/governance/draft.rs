//! What a change of a policy would do, before it is made.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use manifest::Finding;
use model::{
    AgentId, Bundle, Caller, Decision, DecisionId, DecisionKind, Digest, PolicyRef, RevisionNumber, Scope,
    SkillId, SkillName, Timestamp, UserId,
};
use policy::access::{self, Act};
use policy::constraints::analysis::{Changes, Remark, analyse as analyse_policy, changes};
use policy::constraints::{
    self, Constraints, Context as Known, Declared, Failure, Metadata, Policy, Resolution, Situation, ToolSet,
    Usage, Verdict,
};
use serde_json::Value;
use store::{DecisionFilter, Tx};
use uuid::Uuid;

use super::Call;
use super::check::Lines;
use super::decisions::task_of;
use super::force::{InForce, Kind, Snapshot, Subject, policy_id};
use crate::skills::{examine, load, load_bundle};
use crate::{Code, Context, Error};

/// How many recorded calls are read at a time.
const PAGE: u32 = 200;
/// How many agents an analysis looks at.
const AGENTS: u32 = 200;
/// How many recorded calls an analysis takes tools from.
const TOOLS_FROM: u32 = 1_000;
/// How many differences are told one by one.
const DIFFERENCES: usize = 200;

/// A policy as somebody wants it.
#[derive(Debug, Clone, Default)]
pub struct Proposal {
    /// The skill that is changed; else it is a new one.
    pub skill: Option<SkillId>,
    /// Its new content; else what is stored, such as a revision that waits for approval.
    pub bundle: Option<Bundle>,
    /// Whether the policy is taken out of force instead.
    pub remove: bool,
    /// Where a new one would stand.
    pub scope: Option<Scope>,
}

/// What an analysis says.
#[derive(Debug, Clone)]
pub struct Analysis {
    /// What is found in the content, with lines.
    pub findings: Vec<Finding>,
    /// What is odd about the policy, alone and beside those in force.
    pub remarks: Vec<Remark>,
    /// What is different while it is active: without an agent, then for each agent that it changes something for.
    pub agents: Vec<AgentChanges>,
}

/// What is different for an agent.
#[derive(Debug, Clone)]
pub struct AgentChanges {
    /// The agent; none for callers without one.
    pub agent: Option<(AgentId, SkillName)>,
    /// What is different.
    pub changes: Changes,
}

/// Which recorded calls to judge again.
#[derive(Debug, Clone, Default)]
pub struct ReplayRange {
    /// Made at this moment or later.
    pub since: Option<Timestamp>,
    /// Made before this moment.
    pub until: Option<Timestamp>,
    /// Made through this agent.
    pub agent: Option<AgentId>,
    /// The newest so many.
    pub limit: u32,
}

/// What a change would have decided otherwise.
#[derive(Debug, Clone, Default)]
pub struct Replay {
    /// How many calls were judged again.
    pub replayed: u64,
    /// How many could not be: of them only digests are kept.
    pub skipped: u64,
    /// How many come out as under the policies in force now.
    pub unchanged: u64,
    /// Those that do not, newest first, the first so many.
    pub differences: Vec<Difference>,
    /// How many more there are.
    pub more_differences: u64,
}

/// A recorded call that a change would decide otherwise.
#[derive(Debug, Clone)]
pub struct Difference {
    /// As it was decided then.
    pub recorded: Decision,
    /// As it would be decided by the policies in force now.
    pub before: Verdict,
    /// As it would be decided after the change.
    pub after: Verdict,
}

/// A proposal, read and found sound.
struct Drafted {
    /// The policies as they are.
    before: Snapshot,
    /// The policies as they would be.
    after: Snapshot,
    old: Option<Arc<InForce>>,
    new: Option<Arc<InForce>>,
    findings: Vec<Finding>,
    lines: Option<Lines>,
}

async fn draft(cx: &Context, tx: &mut dyn Tx, caller: &Caller, proposal: Proposal) -> Result<Drafted, Error> {
    let register = &cx.governance.0.register;
    let before = register.current(cx, tx, caller.workspace, Kind::Reading).await?;
    let stored = match proposal.skill {
        Some(id) => Some(load(tx, caller, id, |skill| Act::ReadSkill(skill)).await?.skill),
        None => None,
    };
    let id = proposal.skill.unwrap_or(SkillId::new(Uuid::nil()));
    let mut policies = before.policies.as_ref().clone();
    let old = policies.remove(&id);
    let mut drafted =
        Drafted { before, after: Snapshot::default(), old, new: None, findings: Vec::new(), lines: None };
    if !proposal.remove {
        let bundle = match (proposal.bundle, &stored) {
            (Some(bundle), _) => bundle,
            (None, Some(skill)) => load_bundle(tx, caller.workspace, id, skill.revision).await?,
            (None, None) => {
                let message = "say which skill or give the files of a new one";
                return Err(Error::invalid(Code::InvalidRequest, message));
            }
        };
        let reading = examine(cx, &bundle)?;
        drafted.findings = reading.findings;
        let policy = reading.manifest.policy.as_ref().ok_or_else(|| {
            let message =
                "the bundle has no policy; add `policy:` to `repertoire.yaml`, or ask what removing it does";
            Error::invalid(Code::InvalidSidecar, message)
        })?;
        let name = match &stored {
            Some(skill) => skill.name.clone(),
            None => manifest::choose_name(&reading.manifest, None).0,
        };
        let scope = stored.as_ref().map(|skill| skill.scope).or(proposal.scope).unwrap_or(Scope::Workspace);
        let new =
            in_force(id, &name, scope, policy, bundle.digest(), stored.as_ref().map(|skill| skill.revision));
        let new =
            Arc::new(new.ok_or_else(|| Error::invalid(Code::InvalidSidecar, "the policy cannot be read"))?);
        if policies.values().any(|other| other.reference.id == new.reference.id) {
            let message =
                format!("`{}` is in force already; say that its skill is changed", new.reference.id);
            return Err(Error::conflict(Code::NameTaken, message));
        }
        policies.insert(id, Arc::clone(&new));
        drafted.lines = Some(Lines::of(&bundle));
        drafted.new = Some(new);
    }
    drafted.after = Snapshot { generation: 0, policies: Arc::new(policies) };
    Ok(drafted)
}

fn in_force(
    skill: SkillId,
    name: &SkillName,
    scope: Scope,
    policy: &model::Policy,
    digest: Digest,
    revision: Option<RevisionNumber>,
) -> Option<InForce> {
    let id = policy_id(name.as_str(), scope);
    let declared = Declared::compile(super::check::identity(&id), policy).ok()?;
    let revision = revision.map_or(RevisionNumber::FIRST, RevisionNumber::next);
    let reference = PolicyRef { id, skill, revision, digest };
    Some(InForce { scope, reference, declared: Arc::new(declared), broken: None })
}

/// A policy that is taken to be active, to see what it does when it is.
struct Forced(Arc<Declared>);

impl Policy for Forced {
    fn metadata(&self) -> &Metadata {
        self.0.metadata()
    }

    fn activates(&self, _situation: &Situation<'_>) -> Result<bool, Failure> {
        Ok(true)
    }

    fn constraints(&self, context: &Known) -> Result<Arc<Constraints>, Failure> {
        self.0.constraints(context)
    }

    fn plan(&self, prompt: &str, context: &Known) -> Option<String> {
        self.0.plan(prompt, context)
    }
}

/// Says what is odd about a policy that somebody wants, and what it changes for each agent. Nothing is stored.
pub async fn analyse(cx: &Context, caller: &Caller, proposal: Proposal) -> Result<Analysis, Error> {
    access::decide(caller, Act::WritePolicy)?;
    let mut tx = cx.read().await?;
    let drafted = draft(cx, &mut *tx, caller, proposal).await?;
    let remarks = match &drafted.new {
        Some(new) => {
            let beside = drafted.before.policies.values().filter(|other| {
                other.reference.skill != new.reference.skill && may_meet(other.scope, new.scope)
            });
            let beside: Vec<Arc<Declared>> = beside.map(|other| Arc::clone(&other.declared)).collect();
            analyse_policy(&new.declared, &beside)
        }
        None => Vec::new(),
    };
    let mut findings = drafted.findings.clone();
    if let Some(lines) = &drafted.lines {
        findings.extend(
            remarks.iter().filter(|remark| !remark.skills.is_empty()).map(|remark| lines.remark(remark)),
        );
    }
    let agents = tx.agents(caller.workspace, None, AGENTS).await?;
    let mut subjects = vec![None];
    subjects.extend(agents.into_iter().map(|agent| Some((agent.id, agent.name))));
    let mut found = Vec::new();
    for agent in subjects {
        let id = agent.as_ref().map(|(id, _)| *id);
        let tools = known_tools(&mut *tx, caller, id, &drafted).await?;
        let changes = changes_for(&drafted, caller, id, &tools);
        if agent.is_none() || !changes.is_empty() {
            found.push(AgentChanges { agent, changes });
        }
    }
    Ok(Analysis { findings, remarks, agents: found })
}

/// Whether two policies can hold for one caller.
fn may_meet(one: Scope, other: Scope) -> bool {
    let agree = |left: Option<Uuid>, right: Option<Uuid>| left.is_none() || right.is_none() || left == right;
    agree(one.user().map(UserId::uuid), other.user().map(UserId::uuid))
        && agree(one.agent().map(AgentId::uuid), other.agent().map(AgentId::uuid))
}

/// What is different while the policy is active, beside those that are whatever the task.
fn changes_for(
    drafted: &Drafted,
    caller: &Caller,
    agent: Option<AgentId>,
    tools: &BTreeSet<String>,
) -> Changes {
    let user = drafted.new.as_ref().or(drafted.old.as_ref()).and_then(|policy| policy.scope.user());
    let subject = Subject { user: user.unwrap_or(caller.user), agent };
    let resolved = |snapshot: &Snapshot, changed: Option<&Arc<InForce>>| {
        let forced = |policy: &Arc<InForce>| -> Arc<dyn Policy> {
            if changed.is_some_and(|changed| Arc::ptr_eq(changed, policy)) {
                Arc::new(Forced(Arc::clone(&policy.declared)))
            } else {
                Arc::clone(&policy.declared) as Arc<dyn Policy>
            }
        };
        let policies: Vec<Arc<dyn Policy>> = snapshot.of(subject).into_iter().map(forced).collect();
        constraints::resolve(&policies, "", &Known::new())
    };
    let before = resolved(&drafted.before, drafted.old.as_ref());
    let after = resolved(&drafted.after, drafted.new.as_ref());
    let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
    changes(&before, &after, &tools)
}

/// The tools that policies name and those that an agent was seen to call.
async fn known_tools(
    tx: &mut dyn Tx,
    caller: &Caller,
    agent: Option<AgentId>,
    drafted: &Drafted,
) -> Result<BTreeSet<String>, Error> {
    let mut tools = BTreeSet::new();
    for policy in drafted.before.policies.values().chain(&drafted.new) {
        if let Ok(constraints) = policy.declared.constraints(&Known::new()) {
            let lists = constraints.allowed_tools.iter().chain([&constraints.forbidden_tools]);
            let names = lists.flat_map(ToolSet::texts).filter(|text| !text.contains(['*', '(']));
            tools.extend(names.cloned());
        }
    }
    let filter = DecisionFilter { kind: Some(DecisionKind::Verdict), agent, ..DecisionFilter::default() };
    let seen = tx.decisions(caller.workspace, &filter, None, TOOLS_FROM).await?;
    tools.extend(seen.into_iter().filter_map(|decision| decision.call.map(|call| call.tool)));
    Ok(tools)
}

/// Judges recorded calls again, by the policies in force now and by those that would be, and says which differ.
pub async fn replay(
    cx: &Context,
    caller: &Caller,
    proposal: Proposal,
    range: ReplayRange,
) -> Result<Replay, Error> {
    access::decide(caller, Act::ReadAudit)?;
    if !(1..=10_000).contains(&range.limit) {
        return Err(Error::invalid(Code::InvalidRequest, "limit must be between 1 and 10000"));
    }
    let mut tx = cx.read().await?;
    let drafted = draft(cx, &mut *tx, caller, proposal).await?;
    let (calls, skipped) = recorded_calls(&mut *tx, caller, &range).await?;
    let (before, after) = (drafted.before, drafted.after);
    // Away from this thread: thousands of calls hold it up.
    let judged = tokio::task::spawn_blocking(move || judge_again(calls, &before, &after)).await;
    let mut replay = judged.map_err(|_| super::desk::broken())?;
    replay.skipped = skipped;
    Ok(replay)
}

/// A recorded call with all that it takes to judge it again.
struct RecordedCall {
    decision: Decision,
    task: String,
    context: Known,
    call: Call,
    usage: Usage,
}

/// The newest verdicts of a range, and how many of them cannot be judged again.
async fn recorded_calls(
    tx: &mut dyn Tx,
    caller: &Caller,
    range: &ReplayRange,
) -> Result<(Vec<RecordedCall>, u64), Error> {
    let filter = DecisionFilter {
        kind: Some(DecisionKind::Verdict),
        agent: range.agent,
        since: range.since,
        until: range.until,
        ..DecisionFilter::default()
    };
    let (mut calls, mut skipped) = (Vec::new(), 0);
    let mut tasks: HashMap<model::GovernedRunId, Option<String>> = HashMap::new();
    let (mut after, mut left): (Option<(Timestamp, DecisionId)>, u32) = (None, range.limit);
    while left > 0 {
        let page = tx.decisions(caller.workspace, &filter, after, left.min(PAGE)).await?;
        let Some(last) = page.last() else { break };
        after = Some((last.at, last.id));
        left = left.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        for decision in page {
            let task = match decision.run {
                Some(run) => {
                    let known = match tasks.entry(run) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => new.insert(task_of(tx, &decision).await?),
                    };
                    known.clone()
                }
                None => decision.task.clone(),
            };
            match recorded_call(decision, task) {
                Some(call) => calls.push(call),
                None => skipped += 1,
            }
        }
    }
    Ok((calls, skipped))
}

fn recorded_call(decision: Decision, task: Option<String>) -> Option<RecordedCall> {
    let call = decision.call.as_ref()?;
    let arguments: Value = serde_json::from_str(call.arguments.as_deref()?).ok()?;
    let context = serde_json::from_str(decision.context.as_deref()?).ok()?;
    let usage = Usage { steps: call.steps, elapsed: call.elapsed };
    let call = Call { tool: call.tool.clone(), alias: call.alias.clone(), arguments };
    Some(RecordedCall { task: task?, context, call, usage, decision })
}

fn judge_again(calls: Vec<RecordedCall>, before: &Snapshot, after: &Snapshot) -> Replay {
    let mut replay = Replay::default();
    let mut known: HashMap<(String, String, Subject), (Resolution, Resolution)> = HashMap::new();
    for recorded in calls {
        let subject = Subject { user: recorded.decision.user, agent: recorded.decision.agent };
        let context = recorded.decision.context.clone().unwrap_or_default();
        let key = (recorded.task.clone(), context, subject);
        let (was, is) = known.entry(key).or_insert_with(|| {
            let resolve = |snapshot: &Snapshot| {
                constraints::resolve(&snapshot.policies_of(subject), &recorded.task, &recorded.context)
            };
            (resolve(before), resolve(after))
        });
        let judge = |resolution: &Resolution| {
            constraints::judge(resolution, recorded.call.as_tool_call(), &recorded.context, recorded.usage)
        };
        let (before, after) = (judge(was), judge(is));
        replay.replayed += 1;
        if before == after {
            replay.unchanged += 1;
        } else if replay.differences.len() < DIFFERENCES {
            replay.differences.push(Difference { recorded: recorded.decision, before, after });
        } else {
            replay.more_differences += 1;
        }
    }
    replay
}
