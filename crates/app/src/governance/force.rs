//! The policies in force, made ready once and kept in step with the store.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex as Lock, PoisonError};

use model::{Caller, PolicyRef, Scope, Skill, SkillId, UserId, WorkspaceId};
use policy::constraints::{Declared, Identity, Policy};
use store::{ChangeCursor, StoreError, Tx, Which};
use tokio::sync::Mutex;

use crate::skills::load_manifest_bundle;
use crate::{Context, Error};

/// Skills that are read at a time.
const PAGE: u32 = 200;

/// A policy in force.
#[derive(Debug)]
pub(super) struct InForce {
    pub(super) scope: Scope,
    pub(super) reference: PolicyRef,
    pub(super) declared: Arc<Declared>,
    /// What is wrong with it, where it cannot be made ready; it denies everything then.
    pub(super) broken: Option<String>,
}

/// The policies in force in a workspace at one moment.
#[derive(Debug, Clone, Default)]
pub(super) struct Snapshot {
    /// Counts the changes of the set.
    pub(super) generation: u64,
    pub(super) policies: Arc<BTreeMap<SkillId, Arc<InForce>>>,
}

/// Whom policies are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Subject {
    pub(super) user: UserId,
    pub(super) agent: Option<model::AgentId>,
}

impl Snapshot {
    /// The policies that hold for somebody: everybody's, their own, their agent's.
    pub(super) fn of(&self, subject: Subject) -> Vec<&Arc<InForce>> {
        self.policies.values().filter(|policy| holds_for(policy.scope, subject)).collect()
    }

    /// The same as the pure core takes them.
    pub(super) fn policies_of(&self, subject: Subject) -> Vec<Arc<dyn Policy>> {
        let declared = |policy: &Arc<InForce>| Arc::clone(&policy.declared) as Arc<dyn Policy>;
        self.of(subject).into_iter().map(declared).collect()
    }

    /// The active policies of a resolution as they are in force, in its order.
    pub(super) fn references<'a>(
        &self,
        subject: Subject,
        ids: impl Iterator<Item = &'a str>,
    ) -> Vec<PolicyRef> {
        let known: HashMap<&str, &PolicyRef> = self
            .of(subject)
            .into_iter()
            .map(|policy| (policy.reference.id.as_str(), &policy.reference))
            .collect();
        ids.filter_map(|id| known.get(id).map(|reference| (*reference).clone())).collect()
    }
}

fn holds_for(scope: Scope, subject: Subject) -> bool {
    scope.user().is_none_or(|user| user == subject.user)
        && scope.agent().is_none_or(|agent| subject.agent == Some(agent))
}

/// What a policy is called in reasons. The names of workspace policies stand alone; others say whose they are, so that
/// nobody's policy can take the name of another.
pub(super) fn policy_id(skill_name: &str, scope: Scope) -> String {
    match scope {
        Scope::Workspace => skill_name.to_owned(),
        Scope::Agent(_) => format!("agent/{skill_name}"),
        Scope::User(_) => format!("user/{skill_name}"),
        Scope::AgentUser(..) => format!("agent-user/{skill_name}"),
    }
}

/// The policies in force of every workspace that was asked about.
#[derive(Default)]
pub(super) struct Register {
    held: Lock<HashMap<WorkspaceId, Arc<Mutex<Held>>>>,
}

/// Which kind of transaction looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Reading,
    /// Its own number counts already; it writes no skill.
    Writing,
}

#[derive(Default)]
struct Held {
    /// The last transaction whose changes are in the set.
    position: u64,
    snapshot: Snapshot,
}

impl Held {
    /// Brings in what happened after the position.
    async fn follow(&mut self, cx: &Context, tx: &mut dyn Tx, workspace: WorkspaceId) -> Result<(), Error> {
        let fresh = self.position == 0;
        let known = self.snapshot.policies.as_ref();
        // What is to be put in its place; nothing for what is out of force.
        let mut changed: BTreeMap<SkillId, Option<Arc<InForce>>> = BTreeMap::new();
        let which = if fresh { Which::Enforced } else { Which::All };
        let mut cursor = ChangeCursor { change: self.position, skill: None };
        loop {
            let page = tx.policy_changes(workspace, which, cursor, PAGE).await?;
            let Some(last) = page.last() else { break };
            cursor = ChangeCursor { change: last.change, skill: Some(last.skill.id) };
            for change in page {
                let policy = make_ready(cx, tx, &change.skill).await?.map(Arc::new);
                if policy.is_some() || known.contains_key(&change.skill.id) {
                    changed.insert(change.skill.id, policy);
                }
            }
        }
        if !fresh {
            let purged = tx.purged_since(workspace, self.position).await?;
            changed.extend(purged.into_iter().filter(|id| known.contains_key(id)).map(|id| (id, None)));
        }
        if fresh || !changed.is_empty() {
            let mut policies = if fresh { BTreeMap::new() } else { known.clone() };
            for (id, policy) in changed {
                match policy {
                    Some(policy) => policies.insert(id, policy),
                    None => policies.remove(&id),
                };
            }
            let generation = self.snapshot.generation + 1;
            self.snapshot = Snapshot { generation, policies: Arc::new(policies) };
        }
        Ok(())
    }
}

impl Register {
    /// The policies in force as a transaction sees them.
    pub(super) async fn current(
        &self,
        cx: &Context,
        tx: &mut dyn Tx,
        workspace: WorkspaceId,
        kind: Kind,
    ) -> Result<Snapshot, Error> {
        let held = {
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(held.entry(workspace).or_default())
        };
        let mut held = held.lock().await;
        let last = tx.last_change(workspace).await?;
        let last = last.ok_or_else(|| Error::not_found("workspace", workspace))?;
        let last = match kind {
            Kind::Reading => last,
            // Its own number may be another's yet, if it is rolled back.
            Kind::Writing => last.saturating_sub(1),
        };
        if last < held.position {
            // Another database took the place of the one that was read: a replica that was behind, or a backup.
            held.position = 0;
        }
        if held.position < last {
            held.follow(cx, tx, workspace).await?;
            held.position = last;
        }
        Ok(held.snapshot.clone())
    }
}

/// The policy of a skill, if it is in force.
async fn make_ready(cx: &Context, tx: &mut dyn Tx, skill: &Skill) -> Result<Option<InForce>, Error> {
    let Some(number) = skill.enforced.filter(|_| skill.enabled && skill.deleted_at.is_none()) else {
        return Ok(None);
    };
    let revision = tx.revision(skill.workspace, skill.id, number).await?.ok_or_else(|| {
        StoreError::Damaged(format!("revision {number} of `{}` is in force and not there", skill.name))
    })?;
    let entries = tx.revision_files(skill.workspace, skill.id, number).await?;
    let bundle = load_manifest_bundle(tx, skill.workspace, &entries).await?;
    let id = policy_id(skill.name.as_str(), skill.scope);
    let identity = Identity { id: id.clone(), name: skill.title.clone(), version: Some(number.to_string()) };
    let reading = manifest::read(&bundle, &cx.limits).map_err(|error| error.to_string());
    let read =
        reading.and_then(|reading| reading.manifest.policy.ok_or_else(|| "it has no policy".to_owned()));
    let (declared, broken) = match read {
        Ok(policy) => match Declared::compile(identity.clone(), &policy) {
            Ok(declared) => (declared, None),
            Err(problems) => {
                let what = problems.first().map(ToString::to_string).unwrap_or_default();
                (Declared::broken(identity, &policy, &problems), Some(what))
            }
        },
        Err(what) => (Declared::broken(identity, &model::Policy::default(), &[]), Some(what)),
    };
    if let Some(what) = &broken {
        tracing::error!(skill = %skill.id, policy = id, "a policy in force cannot be read and denies every call: {what}");
    }
    let reference = PolicyRef { id, skill: skill.id, revision: number, digest: revision.digest };
    Ok(Some(InForce { scope: skill.scope, reference, declared: Arc::new(declared), broken }))
}

impl Subject {
    /// The caller, through the agent their credential names or else the one they name themselves. Naming one can only
    /// add policies.
    pub(super) fn of(caller: &Caller, agent: Option<model::AgentId>) -> Result<Self, Error> {
        match (caller.agent, agent) {
            (Some(bound), Some(named)) if bound != named => Err(Error::invalid(
                crate::Code::InvalidRequest,
                "your token is bound to another agent; leave `agent` out",
            )),
            (bound, named) => Ok(Self { user: caller.user, agent: bound.or(named) }),
        }
    }
}
