//! The record of decisions: asked, verified, and forgotten when its time is over.

use std::collections::BTreeSet;

use model::{
    Actor, AgentId, AuditEntry, Caller, Decision, DecisionId, DecisionKind, Digest, GovernedRunId,
    JudgedCall, RecordedDenial, SkillId, Timestamp, UserId, WorkspaceId,
};
use policy::access::{self, Act};
use serde_json::{Value, json};
use store::{DecisionFilter, Pruned, Tx};

use crate::paging::page;
use crate::redact::without_secrets;
use crate::{Context, Cursor, Error, Page, PageRequest, audit};

/// The verb of the entries that seal decisions.
pub(crate) const SEAL: &str = "governance.decide";
/// Under which name an entry about decisions or a governed run says whom they are about, so that it can be told to them
/// without reading what it is about.
pub(super) const ABOUT: &str = "about";
/// The verb of the entries that say which seals have nothing behind them any more.
const PRUNE: &str = "governance.prune";

/// What stands under [`ABOUT`]: each user once with each agent.
pub(super) fn about(subjects: impl Iterator<Item = (UserId, Option<AgentId>)>) -> Value {
    let subjects: BTreeSet<_> = subjects.collect();
    let words = |(user, agent): (UserId, Option<AgentId>)| {
        std::iter::once(user.to_string()).chain(agent.map(|agent| agent.to_string())).collect::<Vec<_>>()
    };
    json!(subjects.into_iter().map(words).collect::<Vec<_>>())
}

/// Whether an entry is about a decision or a governed run that the caller can see.
pub(crate) fn can_see(caller: &Caller, entry: &AuditEntry) -> bool {
    let sees = |subject: &Value| {
        let part = |place: usize| subject.get(place).and_then(Value::as_str);
        let user = part(0).and_then(|user| UserId::parse(user).ok());
        let agent = part(1).and_then(|agent| AgentId::parse(agent).ok());
        user.is_some_and(|user| access::decide(caller, Act::ReadDecision(user, agent)).is_ok())
    };
    detail(entry).get(ABOUT).and_then(Value::as_array).is_some_and(|subjects| subjects.iter().any(sees))
}

/// Which decisions to list.
#[derive(Debug, Clone, Default)]
pub struct ListDecisions {
    /// Resolutions or verdicts.
    pub kind: Option<DecisionKind>,
    /// Only verdicts that denied, or only those that allowed.
    pub denied: Option<bool>,
    /// For this user.
    pub user: Option<UserId>,
    /// Through this agent.
    pub agent: Option<AgentId>,
    /// Asked by this program.
    pub host: Option<String>,
    /// In this governed run.
    pub run: Option<GovernedRunId>,
    /// While the policy of this skill was active.
    pub policy: Option<SkillId>,
    /// Denied by the policy of this id.
    pub denied_by: Option<String>,
    /// About this tool.
    pub tool: Option<String>,
    /// That rest on this.
    pub cause: Option<String>,
    /// Made at this moment or later.
    pub since: Option<Timestamp>,
    /// Made before this moment.
    pub until: Option<Timestamp>,
    /// Which page.
    pub page: PageRequest,
}

/// Decisions, newest first: one's own; for who may read the audit log all of the workspace.
pub async fn list(cx: &Context, caller: &Caller, request: ListDecisions) -> Result<Page<Decision>, Error> {
    access::decide(caller, Act::ListDecisions)?;
    let limit = request.page.checked_limit()?;
    let after = request.page.after.as_ref().map(Cursor::moment_and_id).transpose()?;
    let after = after.map(|(moment, id)| (moment, DecisionId::new(id)));
    let Some((user, agent)) = narrowed(caller, request.user, request.agent) else {
        return Ok(Page { items: Vec::new(), next: None });
    };
    let filter = DecisionFilter {
        kind: request.kind,
        denied: request.denied,
        user,
        agent,
        host: request.host,
        run: request.run,
        policy: request.policy,
        denied_by: request.denied_by,
        tool: request.tool,
        cause: request.cause,
        since: request.since,
        until: request.until,
    };
    let found = cx.read().await?.decisions(caller.workspace, &filter, after, limit + 1).await?;
    let found = found.into_iter().map(shown).collect();
    Ok(page(found, limit, |decision| Cursor::of_moment_and_id(decision.at, decision.id.uuid())))
}

/// A decision as it is shown. Those of earlier versions have secrets in their texts, and are sealed.
fn shown(decision: Decision) -> Decision {
    let clean = |text: Option<String>| text.as_deref().map(without_secrets);
    let call = decision.call.map(|call| JudgedCall {
        arguments: clean(call.arguments),
        denial: call
            .denial
            .map(|denial| RecordedDenial { reason: without_secrets(&denial.reason), ..denial }),
        ..call
    });
    Decision {
        task: clean(decision.task),
        context: clean(decision.context),
        reasons: decision.reasons.iter().map(|reason| without_secrets(reason)).collect(),
        call,
        ..decision
    }
}

/// One decision, with the task of its run. Another's is not there, except for who may read the audit log.
pub async fn read(cx: &Context, caller: &Caller, id: DecisionId) -> Result<Decision, Error> {
    access::decide(caller, Act::ListDecisions)?;
    let mut tx = cx.read().await?;
    let decision = tx.decision(caller.workspace, id).await?;
    let decision = decision
        .filter(|decision| access::decide(caller, Act::ReadDecision(decision.user, decision.agent)).is_ok())
        .ok_or_else(|| Error::not_found("decision", id))?;
    let task = task_of(&mut *tx, &decision).await?;
    Ok(shown(Decision { task, ..decision }))
}

/// The task a decision is about, where it is kept: with the decision, or with its run. The decision is sealed and the
/// run is not, so that the run's word counts only where it is the same task.
pub(super) async fn task_of(tx: &mut dyn Tx, decision: &Decision) -> Result<Option<String>, Error> {
    match (&decision.task, decision.run) {
        (None, Some(run)) => {
            let task = tx.governed_run(decision.workspace, run).await?.and_then(|run| run.task);
            Ok(task.filter(|task| Digest::of(task.as_bytes()) == decision.task_digest))
        }
        (task, _) => Ok(task.clone()),
    }
}

/// Whose decisions the caller is shown when they ask for these; `None` when for nobody's.
pub(super) fn narrowed(
    caller: &Caller,
    user: Option<UserId>,
    agent: Option<AgentId>,
) -> Option<(Option<UserId>, Option<AgentId>)> {
    if access::decide(caller, Act::ReadAudit).is_ok() {
        return Some((user, agent));
    }
    let foreign_user = user.is_some_and(|user| user != caller.user);
    let foreign_agent = caller.agent.is_some() && agent.is_some() && agent != caller.agent;
    (!foreign_user && !foreign_agent).then_some((Some(caller.user), caller.agent.or(agent)))
}

/// Forgets the decisions that were made before a moment; how many. That they were made and sealed stays in the audit
/// log.
pub async fn prune(cx: &Context, caller: &Caller, before: Timestamp) -> Result<u64, Error> {
    access::decide(caller, Act::ManageWorkspace)?;
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    let mut tx = cx.begin(caller.workspace).await?;
    let pruned = prune_before(cx, &mut *tx, caller.workspace, actor, before).await?;
    tx.commit().await?;
    Ok(pruned.map_or(0, |pruned| pruned.removed))
}

/// The same inside a transaction, for whoever does it; what went.
pub(crate) async fn prune_before(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    actor: Actor,
    before: Timestamp,
) -> Result<Option<Pruned>, Error> {
    let pruned = tx.prune_decisions(workspace, before).await?;
    let Some(pruned) = pruned.filter(|pruned| pruned.removed > 0) else { return Ok(pruned) };
    let detail = [("removed", json!(pruned.removed)), ("through", json!(pruned.through))];
    let subject = ("decisions", format!("through {}", pruned.through));
    audit::record_as(cx, tx, workspace, actor, PRUNE, subject, &detail).await?;
    Ok(Some(pruned))
}

/// How many entries are looked behind at a time.
const AT_ONCE: usize = 32;

/// Checks the decisions behind the seals of an audit log, while it is walked.
#[derive(Default)]
pub(crate) struct Seals {
    /// The last entry that was looked behind.
    walked: Option<u64>,
    /// Seals without decisions, which may have been forgotten in order: that stands later in the log.
    empty: Vec<u64>,
    pruned_through: u64,
    /// How many decisions were checked.
    pub(crate) decisions: u64,
}

impl Seals {
    /// Checks what the entries of a page seal; what is wrong.
    pub(crate) async fn follow(
        &mut self,
        tx: &mut dyn Tx,
        workspace: WorkspaceId,
        entries: &[AuditEntry],
    ) -> Result<Vec<String>, Error> {
        let mut problems = Vec::new();
        for some in entries.chunks(AT_ONCE) {
            let Some(last) = some.last() else { continue };
            let first = self.walked.map_or(0, |walked| walked + 1);
            let sealed = tx.sealed_decisions(workspace, first, last.sequence).await?;
            self.walked = Some(last.sequence);
            problems.extend(self.compare(some, sealed));
        }
        Ok(problems)
    }

    fn compare(&mut self, entries: &[AuditEntry], mut sealed: Vec<(u64, Decision)>) -> Vec<String> {
        let mut problems = Vec::new();
        for entry in entries.iter().filter(|entry| entry.verb.0 == SEAL) {
            let behind = sealed.extract_if(.., |(seal, _)| *seal == entry.sequence);
            let behind: Vec<Decision> = behind.map(|(_, decision)| decision).collect();
            if behind.is_empty() {
                self.empty.push(entry.sequence);
                continue;
            }
            self.decisions += behind.len() as u64;
            let said = detail(entry).get("digest").and_then(Value::as_str).map(str::to_owned);
            if said != Some(model::seal_digest(&behind).to_string()) {
                let number = entry.sequence;
                problems.push(format!("decisions that entry {number} seals were changed, added or removed"));
            }
        }
        problems.extend(sealed.iter().map(|(seal, decision)| unsealed(*seal, decision)));
        for entry in entries.iter().filter(|entry| entry.verb.0 == PRUNE) {
            let through = detail(entry).get("through").and_then(Value::as_u64).unwrap_or_default();
            // What was sealed later cannot have been forgotten by then.
            self.pruned_through = self.pruned_through.max(through.min(entry.sequence));
        }
        problems
    }

    /// What is missing once the whole log was walked.
    pub(crate) fn missing(&self) -> Vec<String> {
        let lost = self.empty.iter().filter(|seal| **seal > self.pruned_through);
        lost.map(|seal| format!("the decisions that entry {seal} seals are missing")).collect()
    }

    /// Decisions beyond the end of the log. Decisions are written together with the head, so that none can lie beyond
    /// a head that was read after it.
    pub(crate) async fn beyond(
        tx: &mut dyn Tx,
        workspace: WorkspaceId,
        end: u64,
    ) -> Result<Vec<String>, Error> {
        let mut later = tx.sealed_decisions(workspace, end + 1, u64::MAX).await?;
        if later.is_empty() {
            return Ok(Vec::new());
        }
        let now = tx.audit_head(workspace).await?.map_or(0, |head| head.sequence);
        later.retain(|(seal, _)| *seal > now);
        Ok(later.iter().map(|(seal, decision)| unsealed(*seal, decision)).collect())
    }
}

fn unsealed(seal: u64, decision: &Decision) -> String {
    format!("decision {} says that entry {seal} seals it, which it does not", decision.id)
}

fn detail(entry: &AuditEntry) -> Value {
    serde_json::from_str(&entry.detail).unwrap_or_default()
}
