//! Recorded calls, judged again by a policy that somebody wants.
//!
//! It goes page by page, so that what is in memory does not grow with how many calls there are.

use std::collections::HashMap;
use std::sync::Arc;

use model::{AgentId, Caller, Decision, DecisionId, DecisionKind, Digest, GovernedRunId, Timestamp};
use policy::access::{self, Act};
use policy::constraints::{self, Context as Known, Resolution, Usage, Verdict};
use serde_json::Value;
use store::{DecisionFilter, Tx};

use super::Call;
use super::decisions::task_of;
use super::draft::{Proposal, draft};
use super::force::{Snapshot, Subject};
use crate::{Code, Context, Error};

/// How many recorded calls are read and judged at a time; each may be of another task.
const PAGE: u32 = 50;
/// How many bytes of tasks are kept from one page to the next.
const TASKS: usize = 8 << 20;
/// How many resolutions are kept from one call to the next.
const RESOLUTIONS: usize = 500;
/// How many differences are told one by one.
const DIFFERENCES: usize = 200;

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
    drop(tx);
    let mut rehearsal = Rehearsal::new(drafted.before, drafted.after);
    let mut calls = RecordedCalls::new(caller, &range);
    while let Some(page) = calls.page(cx).await? {
        rehearsal = super::rehearse(cx, move || rehearsal.judge(page)).await?;
    }
    Ok(Replay { skipped: calls.skipped, ..rehearsal.replay })
}

/// A recorded call with all that it takes to judge it again.
struct RecordedCall {
    decision: Decision,
    task: Arc<str>,
    context: Known,
    call: Call,
    usage: Usage,
}

/// The newest verdicts of a range, page by page.
struct RecordedCalls<'a> {
    caller: &'a Caller,
    filter: DecisionFilter,
    after: Option<(Timestamp, DecisionId)>,
    left: u32,
    tasks: Tasks,
    /// How many of them cannot be judged again.
    skipped: u64,
}

impl<'a> RecordedCalls<'a> {
    fn new(caller: &'a Caller, range: &ReplayRange) -> Self {
        let filter = DecisionFilter {
            kind: Some(DecisionKind::Verdict),
            agent: range.agent,
            since: range.since,
            until: range.until,
            ..DecisionFilter::default()
        };
        Self { caller, filter, after: None, left: range.limit, tasks: Tasks::default(), skipped: 0 }
    }

    /// The next ones that can be judged again; nothing when there are no more.
    async fn page(&mut self, cx: &Context) -> Result<Option<Vec<RecordedCall>>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut tx = cx.read().await?;
        let workspace = self.caller.workspace;
        let page = tx.decisions(workspace, &self.filter, self.after, self.left.min(PAGE)).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = Some((last.at, last.id));
        self.left = self.left.saturating_sub(u32::try_from(page.len()).unwrap_or(u32::MAX));
        let mut calls = Vec::with_capacity(page.len());
        for decision in page {
            let task = self.tasks.of(&mut *tx, &decision).await?;
            match recorded_call(decision, task) {
                Some(call) => calls.push(call),
                None => self.skipped += 1,
            }
        }
        Ok(Some(calls))
    }
}

fn recorded_call(decision: Decision, task: Option<Arc<str>>) -> Option<RecordedCall> {
    let call = decision.call.as_ref()?;
    let arguments: Value = serde_json::from_str(call.arguments.as_deref()?).ok()?;
    let context = serde_json::from_str(decision.context.as_deref()?).ok()?;
    let usage = Usage { steps: call.steps, elapsed: call.elapsed };
    let call = Call { tool: call.tool.clone(), alias: call.alias.clone(), arguments };
    Some(RecordedCall { task: task?, context, call, usage, decision })
}

/// The tasks of governed runs, each in memory once, however many calls were made for it.
#[derive(Default)]
struct Tasks {
    known: HashMap<GovernedRunId, Option<Arc<str>>>,
    bytes: usize,
}

impl Tasks {
    async fn of(&mut self, tx: &mut dyn Tx, decision: &Decision) -> Result<Option<Arc<str>>, Error> {
        let Some(run) = decision.run else { return Ok(decision.task.as_deref().map(Arc::from)) };
        if let Some(known) = self.known.get(&run) {
            return Ok(known.clone());
        }
        let task = task_of(tx, decision).await?.map(Arc::from);
        self.keep(run, task.clone());
        Ok(task)
    }

    fn keep(&mut self, run: GovernedRunId, task: Option<Arc<str>>) {
        let size = task.as_ref().map_or(0, |task| task.len());
        if self.bytes + size > TASKS {
            *self = Self::default();
        }
        self.bytes += size;
        self.known.insert(run, task);
    }
}

/// What comes of judging again, and the policies to judge by.
struct Rehearsal {
    before: Snapshot,
    after: Snapshot,
    /// What holds for a task, a context and a subject, before and after.
    resolutions: HashMap<(Digest, Digest, Subject), (Resolution, Resolution)>,
    replay: Replay,
}

impl Rehearsal {
    fn new(before: Snapshot, after: Snapshot) -> Self {
        Self { before, after, resolutions: HashMap::new(), replay: Replay::default() }
    }

    fn judge(mut self, calls: Vec<RecordedCall>) -> Self {
        for recorded in calls {
            let (before, after) = self.verdicts(&recorded);
            let replay = &mut self.replay;
            replay.replayed += 1;
            if before == after {
                replay.unchanged += 1;
            } else if replay.differences.len() < DIFFERENCES {
                replay.differences.push(Difference { recorded: recorded.decision, before, after });
            } else {
                replay.more_differences += 1;
            }
        }
        self
    }

    fn verdicts(&mut self, recorded: &RecordedCall) -> (Verdict, Verdict) {
        let decision = &recorded.decision;
        let subject = Subject { user: decision.user, agent: decision.agent };
        let context = decision.context.as_deref().unwrap_or_default();
        let key = (decision.task_digest, Digest::of(context.as_bytes()), subject);
        if self.resolutions.len() >= RESOLUTIONS {
            self.resolutions.clear();
        }
        let (before, after) = (&self.before, &self.after);
        let (was, is) = self.resolutions.entry(key).or_insert_with(|| {
            let resolve = |snapshot: &Snapshot| {
                constraints::resolve(&snapshot.policies_of(subject), &recorded.task, &recorded.context)
            };
            (resolve(before), resolve(after))
        });
        let judge = |resolution: &Resolution| {
            constraints::judge(resolution, recorded.call.as_tool_call(), &recorded.context, recorded.usage)
        };
        (judge(was), judge(is))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn tasks_are_kept_once_and_only_so_many() {
        let run = |n| GovernedRunId::new(Uuid::from_u128(n));
        let task: Arc<str> = "x".repeat(1 << 20).into();
        let mut tasks = Tasks::default();
        tasks.keep(run(0), Some(Arc::clone(&task)));
        let shared = tasks.known.get(&run(0)).cloned().flatten();
        assert!(shared.is_some_and(|shared| Arc::ptr_eq(&shared, &task)));
        for n in 1..100 {
            tasks.keep(run(n), Some("y".repeat(1 << 20).into()));
            let held: usize = tasks.known.values().flatten().map(|task| task.len()).sum();
            assert!(held <= TASKS && held == tasks.bytes, "{held} bytes after {n}");
        }
        assert_eq!(Arc::strong_count(&task), 1, "the first one went");
    }
}
