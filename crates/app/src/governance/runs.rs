//! Governed runs: steps and time are counted here, for every server alike.
//!
//! A run stands in the store. A call in it is judged and counted in one transaction, under the lock of the workspace, so
//! that neither a restart nor a second server gives an agent more than its policies allow.

use std::sync::Arc;
use std::time::Duration;

use model::{Actor, AgentId, Caller, Digest, GovernedRun, GovernedRunId, Timestamp, UserId};
use policy::access::{self, Act};
use policy::constraints::{Context as Known, Resolution, Usage};
use serde_json::{Value, json};
use store::{GovernedRunFilter, Tx};

use super::asked::{asked, remember_asked};
use super::decide::{CALLER, check_context, judge_and_keep, known, resolved};
use super::decisions::{ABOUT, about};
use super::desk::{Answer, Batch, Work, broken, submit};
use super::force::Subject;
use super::record::{Record, Recordable, redacted, storable};
use super::{Ask, Call, Counted, Judged, Resolved};
use crate::paging::page;
use crate::redact::without_secrets;
use crate::{Code, Context, Cursor, Error, Page, PageRequest, audit};

/// The verb of the entries that say that a run is over.
pub(crate) const FINISH: &str = "governance.finish";
/// A run that nobody ended and nobody used for so long is over.
pub(crate) const ABANDONED: time::Duration = time::Duration::hours(24);
/// The longest name of a session, and the longest word about how a run ended.
const LONGEST: usize = 500;

/// How to begin a run.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// The task and what is known beside it.
    pub ask: Ask,
    /// What the host calls the session. A new run of a session ends the one before it.
    pub session: Option<String>,
}

/// A run that began.
#[derive(Debug, Clone)]
pub struct Started {
    /// The run.
    pub run: GovernedRun,
    /// What holds in it.
    pub resolved: Resolved,
    /// What the active policies have to say to the agent; empty where they say nothing.
    pub planning: String,
}

/// A call in a run.
#[derive(Debug, Clone)]
pub struct Step {
    /// The call.
    pub call: Call,
    /// What is known at this moment, over what was known when the run began.
    pub context: Known,
    /// The host's id of the call. The same one that is asked about twice, as some hosts do, is one step.
    pub id: Option<String>,
}

/// Which run.
#[derive(Debug, Clone)]
pub enum RunRef {
    /// By its id.
    Id(GovernedRunId),
    /// The one that goes on in a session of a host; a call there begins one where there is none.
    Session {
        /// The host.
        host: String,
        /// What it calls the session.
        session: String,
        /// The agent, where the caller's credential names none.
        agent: Option<AgentId>,
    },
}

impl RunRef {
    fn check(&self) -> Result<(), Error> {
        match self {
            Self::Id(_) => Ok(()),
            Self::Session { session, .. } => check_session(session),
        }
    }
}

fn check_session(session: &str) -> Result<(), Error> {
    if session.is_empty() || session.len() > LONGEST {
        let message = format!("the name of a session has 1 to {LONGEST} bytes");
        return Err(Error::invalid(Code::InvalidRequest, message));
    }
    Ok(())
}

/// A run, and what holds in it now.
#[derive(Debug, Clone)]
pub struct GovernedRunView {
    /// The run.
    pub run: GovernedRun,
    /// What holds; none once the run is over and its task is not kept.
    pub resolution: Option<Arc<Resolution>>,
    /// The active policies as they are in force.
    pub policies: Vec<model::PolicyRef>,
}

/// Begins a run.
pub async fn start(cx: &Context, caller: &Caller, start: Start) -> Result<Started, Error> {
    access::decide(caller, Act::Govern)?;
    start.ask.check()?;
    if let Some(session) = &start.session {
        check_session(session)?;
    }
    let recordable = Recordable::of(&start.ask.task, &Value::Null).await?;
    match submit(cx, caller, Work::Start(start, recordable)).await? {
        Answer::Started(started) => Ok(*started),
        _ => Err(broken()),
    }
}

/// Puts a call of a run to the policies; an allowed one is a step.
pub async fn step(cx: &Context, caller: &Caller, run: RunRef, step: Step) -> Result<Judged, Error> {
    access::decide(caller, Act::Govern)?;
    run.check()?;
    step.call.check()?;
    check_context(&step.context)?;
    let recordable = Recordable::of("", &step.call.arguments).await?;
    match submit(cx, caller, Work::Step(run, step, recordable)).await? {
        Answer::Judged(judged) => Ok(*judged),
        _ => Err(broken()),
    }
}

/// Ends a run, or all runs that go on in a session. A run that is over stays as it is.
pub async fn finish(
    cx: &Context,
    caller: &Caller,
    run: RunRef,
    outcome: Option<String>,
) -> Result<Vec<GovernedRun>, Error> {
    access::decide(caller, Act::Govern)?;
    run.check()?;
    if outcome.as_ref().is_some_and(|outcome| outcome.len() > LONGEST) {
        let message = format!("an outcome has at most {LONGEST} bytes");
        return Err(Error::invalid(Code::InvalidRequest, message));
    }
    match submit(cx, caller, Work::Finish(run, outcome)).await? {
        Answer::Finished(runs) => Ok(runs),
        _ => Err(broken()),
    }
}

pub(super) async fn start_at(
    batch: &mut Batch<'_>,
    caller: &Caller,
    start: Start,
    recordable: &Recordable,
) -> Result<Started, Error> {
    let subject = Subject::of(caller, start.ask.agent)?;
    if let (Some(host), Some(session)) = (&start.ask.host, &start.session) {
        for run in open_runs(&mut *batch.tx, caller, subject, host, session).await? {
            end(batch, caller, run, Some("superseded".to_owned())).await?;
        }
    }
    let known = known(caller, subject, &start.ask.context);
    let task = start.ask.task;
    let (resolution, policies) = resolved(batch.cx, &batch.policies, subject, &task, &known);
    let now = batch.cx.now().truncate_to_microsecond();
    let run = GovernedRun {
        workspace: caller.workspace,
        id: GovernedRunId::new(batch.cx.id()),
        user: subject.user,
        agent: subject.agent,
        host: start.ask.host.as_deref().map(storable),
        session: start.session.as_deref().map(storable),
        task_digest: Digest::of(recordable.task.as_bytes()),
        task: Some(recordable.task.clone()),
        context: Some(recorded(&known)),
        steps: 0,
        denied: 0,
        started_at: now,
        touched_at: now,
        finished_at: None,
        outcome: None,
    };
    batch.tx.insert_governed_run(&run).await?;
    let key = (run.id, batch.policies.generation);
    batch.cx.governance.0.resolutions.insert(key, (Arc::clone(&resolution), policies.clone()));
    remember_asked(batch.cx, &run, &task, &known);
    let record = Record {
        workspace: caller.workspace,
        subject,
        host: run.host.as_deref(),
        run: Some(run.id),
        task: &recordable.task,
        context: &known,
        recordable,
        policies: policies.clone(),
    };
    let decision = record.resolution(batch.cx, &resolution);
    let id = decision.id;
    batch.decisions.push(decision);
    let context = resolution.enhance(&known);
    let planning = resolution.plan("", &known);
    Ok(Started { run, resolved: Resolved { decision: id, resolution, policies, context }, planning })
}

pub(super) async fn step_at(
    batch: &mut Batch<'_>,
    caller: &Caller,
    run: RunRef,
    step: Step,
    recordable: &Recordable,
) -> Result<Judged, Error> {
    let run = match run {
        RunRef::Id(id) => find(&mut *batch.tx, caller, id).await?,
        RunRef::Session { host, session, agent } => {
            let subject = Subject::of(caller, agent)?;
            let open = open_runs(&mut *batch.tx, caller, subject, &host, &session).await?;
            if let Some(run) = open.into_iter().next() {
                run
            } else {
                let ask = Ask { context: step.context.clone(), agent, host: Some(host), ..Ask::default() };
                start_at(batch, caller, Start { ask, session: Some(session) }, recordable).await?.run
            }
        }
    };
    if run.finished_at.is_some() {
        let message = "the run is over; begin a new one".to_owned();
        return Err(Error::conflict(Code::RunFinished, message));
    }
    let subject = Subject { user: run.user, agent: run.agent };
    let asked = asked(batch.cx, &run);
    let (resolution, policies) = resolved_in(batch, run.id, subject, &asked.task, &asked.context);
    let mut now_known = asked.context.clone();
    let own = now_known.get(CALLER).cloned().unwrap_or_default();
    now_known.extend(step.context);
    now_known.insert(CALLER.to_owned(), own);
    // Where clocks differ or are set back, time only goes on.
    let now = batch.cx.now().truncate_to_microsecond().max(run.touched_at);
    let counted = step.id.as_deref().map(|id| (run.id, step.call.digest(id)));
    let again = counted.as_ref().is_some_and(|call| batch.is_counted(call));
    let usage =
        Usage { steps: run.steps.saturating_sub(u32::from(again)), elapsed: between(run.started_at, now) };
    let record = Record {
        workspace: caller.workspace,
        subject,
        host: run.host.as_deref(),
        run: Some(run.id),
        task: run.task.as_deref().unwrap_or_default(),
        context: &now_known,
        recordable,
        policies,
    };
    let judged = judge_and_keep(batch, record, &resolution, &step.call, usage);
    let allowed = judged.verdict.is_allowed();
    batch.counted.extend(counted.filter(|_| allowed));
    let run = GovernedRun {
        steps: run.steps.saturating_add(u32::from(allowed && !again)),
        denied: run.denied.saturating_add(u32::from(!allowed)),
        touched_at: now,
        ..run
    };
    batch.tx.count_governed_steps(&run).await?;
    Ok(Judged { run: Some(run), ..judged })
}

impl Call {
    /// The digest of the call as the host told of it: another call under the same id is another step.
    fn digest(&self, id: &str) -> Digest {
        Digest::of(json!([id, self.tool, self.arguments]).to_string().as_bytes())
    }
}

impl Batch<'_> {
    /// Within one process: hosts ask twice in one breath. Elsewhere it would be a step more, never one less.
    fn is_counted(&self, call: &Counted) -> bool {
        self.counted.contains(call) || self.cx.governance.0.counted.contains_key(call)
    }
}

/// A context as it is recorded.
fn recorded(context: &Known) -> Known {
    match redacted(&Value::Object(context.clone())) {
        Value::Object(context) => context,
        _ => Known::new(),
    }
}

/// What holds in a run; asked again only when a policy changed.
fn resolved_in(
    batch: &Batch<'_>,
    run: GovernedRunId,
    subject: Subject,
    task: &str,
    known: &Known,
) -> (Arc<Resolution>, Vec<model::PolicyRef>) {
    let key = (run, batch.policies.generation);
    let cache = &batch.cx.governance.0.resolutions;
    if let Some(found) = cache.get(&key) {
        return found;
    }
    let resolved = resolved(batch.cx, &batch.policies, subject, task, known);
    cache.insert(key, resolved.clone());
    resolved
}

fn between(begun: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now - begun).unwrap_or_default()
}

pub(super) async fn finish_at(
    batch: &mut Batch<'_>,
    caller: &Caller,
    run: RunRef,
    outcome: Option<String>,
) -> Result<Vec<GovernedRun>, Error> {
    let runs = match run {
        RunRef::Id(id) => vec![find(&mut *batch.tx, caller, id).await?],
        RunRef::Session { host, session, agent } => {
            let subject = Subject::of(caller, agent)?;
            open_runs(&mut *batch.tx, caller, subject, &host, &session).await?
        }
    };
    let mut ended = Vec::with_capacity(runs.len());
    for run in runs {
        let outcome = outcome.as_deref().map(|outcome| storable(&without_secrets(outcome)));
        ended.push(end(batch, caller, run, outcome).await?);
    }
    Ok(ended)
}

async fn end(
    batch: &mut Batch<'_>,
    caller: &Caller,
    run: GovernedRun,
    outcome: Option<String>,
) -> Result<GovernedRun, Error> {
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    end_in(batch.cx, &mut *batch.tx, actor, run, outcome).await
}

/// Ends a run; of what it was asked about stays what the settings say.
async fn end_in(
    cx: &Context,
    tx: &mut dyn Tx,
    actor: Actor,
    run: GovernedRun,
    outcome: Option<String>,
) -> Result<GovernedRun, Error> {
    if run.finished_at.is_some() {
        return Ok(run);
    }
    let keep = cx.governance.settings().keep_text;
    cx.governance.0.asked.invalidate(&run.id);
    let context = run.context.filter(|_| keep).map(|context| recorded(&context));
    let now = cx.now().truncate_to_microsecond();
    let run = GovernedRun {
        task: run.task.filter(|_| keep),
        context,
        finished_at: Some(now),
        touched_at: now,
        outcome,
        ..run
    };
    tx.update_governed_run(&run).await?;
    let detail = [
        (ABOUT, about(std::iter::once((run.user, run.agent)))),
        ("steps", json!(run.steps)),
        ("denied", json!(run.denied)),
    ];
    let subject = ("governed_run", run.id.to_string());
    audit::record_as(cx, tx, run.workspace, actor, FINISH, subject, &detail).await?;
    Ok(run)
}

/// Ends the runs that nobody used since a moment; how many.
pub(crate) async fn finish_abandoned(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: model::WorkspaceId,
    since: Timestamp,
) -> Result<u64, Error> {
    let filter =
        GovernedRunFilter { open: Some(true), untouched_since: Some(since), ..GovernedRunFilter::default() };
    let runs = tx.governed_runs(workspace, &filter, None, 1_000).await?;
    let count = runs.len() as u64;
    for run in runs {
        end_in(cx, tx, audit::SERVER, run, Some("abandoned".to_owned())).await?;
    }
    Ok(count)
}

async fn find(tx: &mut dyn Tx, caller: &Caller, id: GovernedRunId) -> Result<GovernedRun, Error> {
    let run = tx.governed_run(caller.workspace, id).await?;
    run.filter(|run| access::decide(caller, Act::UseGovernedRun(run)).is_ok())
        .ok_or_else(|| Error::not_found("governed run", id))
}

/// The runs of a session that go on, newest first.
async fn open_runs(
    tx: &mut dyn Tx,
    caller: &Caller,
    subject: Subject,
    host: &str,
    session: &str,
) -> Result<Vec<GovernedRun>, Error> {
    let filter = GovernedRunFilter {
        user: Some(subject.user),
        host: Some(storable(host)),
        session: Some(storable(session)),
        open: Some(true),
        ..GovernedRunFilter::default()
    };
    let runs = tx.governed_runs(caller.workspace, &filter, None, 100).await?;
    Ok(runs.into_iter().filter(|run| run.agent == subject.agent).collect())
}

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct ListGovernedRuns {
    /// For this user.
    pub user: Option<UserId>,
    /// Through this agent.
    pub agent: Option<AgentId>,
    /// Of this host.
    pub host: Option<String>,
    /// Whether they go on.
    pub open: Option<bool>,
    /// Which page.
    pub page: PageRequest,
}

/// Governed runs, newest first: one's own; for who may read the audit log all of the workspace.
pub async fn list_runs(
    cx: &Context,
    caller: &Caller,
    request: ListGovernedRuns,
) -> Result<Page<GovernedRun>, Error> {
    access::decide(caller, Act::ListDecisions)?;
    let limit = request.page.checked_limit()?;
    let after = request.page.after.as_ref().map(Cursor::moment_and_id).transpose()?;
    let after = after.map(|(moment, id)| (moment, GovernedRunId::new(id)));
    let Some((user, agent)) = super::decisions::narrowed(caller, request.user, request.agent) else {
        return Ok(Page { items: Vec::new(), next: None });
    };
    let filter = GovernedRunFilter {
        user,
        agent,
        host: request.host,
        open: request.open,
        ..GovernedRunFilter::default()
    };
    let runs = cx.read().await?.governed_runs(caller.workspace, &filter, after, limit + 1).await?;
    Ok(page(runs, limit, |run| Cursor::of_moment_and_id(run.started_at, run.id.uuid())))
}

/// One run with what holds in it now. Another's is not there, except for who may read the audit log.
pub async fn read_run(cx: &Context, caller: &Caller, id: GovernedRunId) -> Result<GovernedRunView, Error> {
    access::decide(caller, Act::ListDecisions)?;
    let mut tx = cx.read().await?;
    let run = tx.governed_run(caller.workspace, id).await?.filter(|run| {
        access::decide(caller, Act::UseGovernedRun(run)).is_ok()
            || access::decide(caller, Act::ReadAudit).is_ok()
    });
    let run = run.ok_or_else(|| Error::not_found("governed run", id))?;
    if run.task.is_none() || run.context.is_none() {
        return Ok(GovernedRunView { run, resolution: None, policies: Vec::new() });
    }
    let register = &cx.governance.0.register;
    let snapshot = register.current(cx, &mut *tx, caller.workspace, super::force::Kind::Reading).await?;
    let subject = Subject { user: run.user, agent: run.agent };
    let asked = asked(cx, &run);
    let (resolution, policies) = resolved(cx, &snapshot, subject, &asked.task, &asked.context);
    Ok(GovernedRunView { run, resolution: Some(resolution), policies })
}
