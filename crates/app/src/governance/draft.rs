//! What a change of a policy would do, before it is made.

use std::collections::BTreeSet;
use std::sync::Arc;

use manifest::Finding;
use model::{
    AgentId, Bundle, Caller, DecisionKind, Digest, PolicyRef, RevisionNumber, Scope, SkillId, SkillName,
    UserId,
};
use policy::access::{self, Act};
use policy::constraints::analysis::{Changes, Remark, analyse as analyse_policy, changes};
use policy::constraints::{
    self, Constraints, Context as Known, Declared, Failure, Metadata, Policy, Situation, ToolSet,
};
use store::{DecisionFilter, Tx};
use uuid::Uuid;

use super::check::Lines;
use super::force::{InForce, Kind, Snapshot, Subject, policy_id};
use crate::skills::{examine, load, load_bundle};
use crate::{Code, Context, Error};

/// How many agents an analysis looks at.
const AGENTS: u32 = 200;
/// How many recorded calls an analysis takes tools from.
const TOOLS_FROM: u32 = 1_000;

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

/// A proposal, read and found sound.
pub(super) struct Drafted {
    /// The policies as they are.
    pub before: Snapshot,
    /// The policies as they would be.
    pub after: Snapshot,
    old: Option<Arc<InForce>>,
    new: Option<Arc<InForce>>,
    findings: Vec<Finding>,
    lines: Option<Lines>,
}

/// Reads a proposal.
pub(super) async fn draft(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    proposal: Proposal,
) -> Result<Drafted, Error> {
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
