//! The policies in force, made ready once and kept in step with the store.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex as Lock, PoisonError};

use model::{Caller, PolicyRef, Scope, Skill, SkillId, UserId, WorkspaceId};
use policy::constraints::{Declared, Identity, Policy};
use store::{StoreError, Tx};
use tokio::sync::Mutex;

use crate::skills::load_manifest_bundle;
use crate::{Context, Error};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
        let head = tx.last_change(workspace).await?;
        let head = head.ok_or_else(|| Error::not_found("workspace", workspace))?;
        let head = match kind {
            Kind::Reading => head,
            // Its own number may be another's yet, if it is rolled back.
            Kind::Writing => head.saturating_sub(1),
        };
        if head < held.position {
            // Another database took the place of the one that was read: a replica that was behind, or a backup.
            held.position = 0;
        }
        let fresh = held.position == 0;
        let changes = tx.policy_changes(workspace, held.position).await?;
        let purged = if fresh { Vec::new() } else { tx.purged_since(workspace, held.position).await? };
        let mut policies = if fresh { BTreeMap::new() } else { held.snapshot.policies.as_ref().clone() };
        let mut changed = fresh;
        for change in changes {
            changed |= policies.remove(&change.skill.id).is_some();
            if let Some(policy) = make_ready(cx, tx, &change.skill).await? {
                policies.insert(change.skill.id, Arc::new(policy));
                changed = true;
            }
        }
        for id in purged {
            changed |= policies.remove(&id).is_some();
        }
        if changed {
            let generation = held.snapshot.generation + 1;
            held.snapshot = Snapshot { generation, policies: Arc::new(policies) };
        }
        held.position = head;
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
