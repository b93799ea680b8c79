//! Where decisions are made one after the other, and kept before they are told.
//!
//! What waits is taken together: one transaction decides, writes, seals and commits for all of it, so that many callers
//! cost hardly more than one. When the desk is full, callers wait; nothing is dropped.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex as Lock, PoisonError};

use model::{Caller, Decision, WorkspaceId};
use serde_json::json;
use store::{StoreError, Tx};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::decisions::{ABOUT, SEAL, about};
use super::force::{Kind, Snapshot};
use super::record::Recordable;
use super::runs::{RunRef, Start, Started, Step};
use super::{Ask, Call, Counted, Judged, Resolved, decide, runs};
use crate::{Context, Error, audit};
use policy::constraints::Usage;

/// How many callers wait at the desk of one workspace; the others wait before it.
const ROOM: usize = 1024;
/// How many are served in one transaction.
const BATCH: usize = 128;

/// What is asked.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Resolve(Ask, Recordable),
    Judge(Ask, Call, Usage, Recordable),
    Start(Start, Recordable),
    Step(RunRef, Step, Recordable),
    Finish(RunRef, Option<String>),
}

/// What is answered.
pub(super) enum Answer {
    Resolved(Box<Resolved>),
    Judged(Box<Judged>),
    Started(Box<Started>),
    Finished(Vec<model::GovernedRun>),
}

struct Job {
    caller: Caller,
    work: Work,
    answer: oneshot::Sender<Result<Answer, Error>>,
    _place: OwnedSemaphorePermit,
}

#[derive(Default)]
pub(super) struct Desk {
    queues: Lock<HashMap<WorkspaceId, Arc<Queue>>>,
}

struct Queue {
    room: Arc<Semaphore>,
    state: Lock<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Job>,
    /// Whether somebody serves.
    served: bool,
}

impl Queue {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn broken() -> Error {
    StoreError::Unavailable("the decision could not be made".into()).into()
}

/// Has something decided and kept.
pub(super) async fn submit(cx: &Context, caller: &Caller, work: Work) -> Result<Answer, Error> {
    let queue = {
        let mut queues = cx.governance.0.desk.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Queue { room: Arc::new(Semaphore::new(ROOM)), state: Lock::default() };
        Arc::clone(queues.entry(caller.workspace).or_insert_with(|| Arc::new(new())))
    };
    let place = Arc::clone(&queue.room).acquire_owned().await.map_err(|_| broken())?;
    let (answer, answered) = oneshot::channel();
    let job = Job { caller: caller.clone(), work, answer, _place: place };
    let is_served = {
        let mut state = queue.state();
        state.waiting.push_back(job);
        std::mem::replace(&mut state.served, true)
    };
    if !is_served {
        // Apart from the caller, who may go away in the middle.
        let (cx, workspace) = (cx.clone(), caller.workspace);
        tokio::spawn(async move { serve(&cx, workspace, &queue).await });
    }
    answered.await.map_err(|_| broken())?
}

/// Leaves the desk when dropped, also when something breaks down.
struct Serving<'a>(&'a Queue);

impl Drop for Serving<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.served = false;
        // After a break-down nobody would come for those who wait.
        if !state.waiting.is_empty() {
            state.waiting.clear();
        }
    }
}

async fn serve(cx: &Context, workspace: WorkspaceId, queue: &Queue) {
    let serving = Serving(queue);
    loop {
        let jobs: Vec<Job> = {
            let mut state = queue.state();
            if state.waiting.is_empty() {
                // In one step with looking, so that nobody comes in between and is left.
                state.served = false;
                drop(state);
                std::mem::forget(serving);
                return;
            }
            let most = state.waiting.len().min(BATCH);
            state.waiting.drain(..most).collect()
        };
        serve_batch(cx, workspace, jobs).await;
    }
}

async fn serve_batch(cx: &Context, workspace: WorkspaceId, jobs: Vec<Job>) {
    let together: Vec<&Job> = jobs.iter().collect();
    match decide_all(cx, workspace, &together).await {
        Ok(answers) => {
            for (job, answer) in jobs.into_iter().zip(answers) {
                // Who went away does not hear it; it is kept all the same.
                let _ = job.answer.send(answer);
            }
        }
        // One that the database refuses must not spoil the others.
        Err(Error::Store(error)) if jobs.len() > 1 && !matches!(error, StoreError::Unavailable(_)) => {
            for job in jobs {
                let answer = decide_all(cx, workspace, &[&job]).await;
                let answer = answer.and_then(|mut answers| answers.pop().unwrap_or_else(|| Err(broken())));
                let _ = job.answer.send(answer);
            }
        }
        Err(error) => {
            let text = error.to_string();
            let mut first = Some(error);
            for job in jobs {
                let again = || StoreError::Unavailable(text.clone().into()).into();
                let _ = job.answer.send(Err(first.take().unwrap_or_else(again)));
            }
        }
    }
}

/// What the decisions of a batch share.
pub(super) struct Batch<'a> {
    pub(super) cx: &'a Context,
    pub(super) tx: Box<dyn Tx>,
    pub(super) policies: Snapshot,
    pub(super) decisions: Vec<Decision>,
    /// The calls that are counted once this is committed.
    pub(super) counted: Vec<Counted>,
}

async fn decide_all(
    cx: &Context,
    workspace: WorkspaceId,
    jobs: &[&Job],
) -> Result<Vec<Result<Answer, Error>>, Error> {
    let mut tx = cx.begin(workspace).await?;
    let policies = cx.governance.0.register.current(cx, &mut *tx, workspace, Kind::Writing).await?;
    let mut batch = Batch { cx, tx, policies, decisions: Vec::new(), counted: Vec::new() };
    let mut answers = Vec::with_capacity(jobs.len());
    for job in jobs {
        let answer = decide_one(&mut batch, &job.caller, job.work.clone()).await;
        if let Err(Error::Store(error)) = answer {
            return Err(Error::Store(error));
        }
        answers.push(answer);
    }
    let Batch { mut tx, decisions, counted, .. } = batch;
    if !decisions.is_empty() {
        let detail = [
            ("decisions", json!(decisions.len())),
            ("digest", json!(model::seal_digest(&decisions).to_string())),
            (ABOUT, about(decisions.iter().map(|decision| (decision.user, decision.agent)))),
        ];
        let subject = ("decisions", decisions.first().map(|first| first.id.to_string()).unwrap_or_default());
        let entry = audit::record_as(cx, &mut *tx, workspace, audit::SERVER, SEAL, subject, &detail).await?;
        tx.insert_decisions(workspace, entry.sequence, &decisions).await?;
    }
    tx.commit().await?;
    for call in counted {
        cx.governance.0.counted.insert(call, ());
    }
    Ok(answers)
}

async fn decide_one(batch: &mut Batch<'_>, caller: &Caller, work: Work) -> Result<Answer, Error> {
    match work {
        Work::Resolve(ask, recordable) => decide::resolve_at(batch, caller, &ask, &recordable)
            .map(|resolved| Answer::Resolved(Box::new(resolved))),
        Work::Judge(ask, call, usage, recordable) => {
            decide::judge_at(batch, caller, &ask, (&call, &recordable), usage)
                .map(|judged| Answer::Judged(Box::new(judged)))
        }
        Work::Start(start, recordable) => runs::start_at(batch, caller, start, &recordable)
            .await
            .map(|started| Answer::Started(Box::new(started))),
        Work::Step(run, step, recordable) => runs::step_at(batch, caller, run, step, &recordable)
            .await
            .map(|judged| Answer::Judged(Box::new(judged))),
        Work::Finish(run, outcome) => {
            runs::finish_at(batch, caller, run, outcome).await.map(Answer::Finished)
        }
    }
}
