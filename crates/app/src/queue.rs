//! Who executes next. So many executions go on at a time; the rest wait in lines, one a caller, and the lines take
//! turns, so that nobody waits for more than one execution of each other caller. Nothing here polls.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use model::{AgentId, Caller, UserId, WorkspaceId};
use tokio::sync::oneshot;

use crate::Error;

#[cfg(test)]
mod tests;

/// How many may execute and wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSettings {
    /// Executions at a time.
    pub concurrency: usize,
    /// Executions that wait, of all callers together.
    pub waiting: usize,
    /// Executions that wait, of one caller.
    pub waiting_per_caller: usize,
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self { concurrency: 4, waiting: 256, waiting_per_caller: 64 }
    }
}

/// How many execute and wait at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueCounts {
    /// How many execute.
    pub running: usize,
    /// How many wait.
    pub waiting: usize,
}

/// The queue in front of the sandbox. Clones are the same queue.
#[derive(Clone)]
pub struct Queue(Arc<Shared>);

/// The right to execute; it goes to the next one when it is dropped.
pub struct Permit {
    shared: Option<Arc<Shared>>,
    since: Instant,
}

/// Whose line: a person, through an agent or not, in a workspace.
type Line = (WorkspaceId, UserId, Option<AgentId>);

struct Shared {
    settings: QueueSettings,
    state: Mutex<State>,
}

/// While an execution may start at once, nobody waits.
#[derive(Default)]
struct State {
    running: usize,
    waiting: usize,
    /// Those who wait, by line; no line is empty.
    lines: HashMap<Line, VecDeque<Waiter>>,
    /// The lines in the order of their turns, each once.
    turns: VecDeque<Line>,
    /// The number of the next one who waits.
    next: u64,
    /// How long an execution takes, smoothed.
    mean: Option<Duration>,
}

struct Waiter {
    number: u64,
    call: oneshot::Sender<Permit>,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(QueueSettings::default())
    }
}

impl Queue {
    /// An empty queue.
    pub fn new(settings: QueueSettings) -> Self {
        let settings = QueueSettings { concurrency: settings.concurrency.max(1), ..settings };
        Self(Arc::new(Shared { settings, state: Mutex::default() }))
    }

    /// Waits for the caller's turn. Dropping the future gives the place up.
    pub async fn enter(&self, caller: &Caller) -> Result<Permit, Error> {
        let line = (caller.workspace, caller.user, caller.agent);
        let (number, turn) = match self.0.enqueue(line)? {
            Place::Free(permit) => return Ok(permit),
            Place::InLine { number, turn } => (number, turn),
        };
        let _leaves_when_dropped = Leave { shared: &self.0, line, number };
        // Only a queue that is gone drops a waiter, and we hold this one.
        turn.await.map_err(|_| Error::Busy { retry_after: SHORTEST })
    }

    /// How many execute and wait.
    pub fn counts(&self) -> QueueCounts {
        let state = self.0.state();
        QueueCounts { running: state.running, waiting: state.waiting }
    }

    /// What the queue was made with.
    pub fn settings(&self) -> QueueSettings {
        self.0.settings
    }
}

enum Place {
    Free(Permit),
    InLine { number: u64, turn: oneshot::Receiver<Permit> },
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn permit(self: &Arc<Self>) -> Permit {
        Permit { shared: Some(Arc::clone(self)), since: Instant::now() }
    }

    fn enqueue(self: &Arc<Self>, line: Line) -> Result<Place, Error> {
        let mut state = self.state();
        if state.running < self.settings.concurrency {
            state.running += 1;
            state.show();
            return Ok(Place::Free(self.permit()));
        }
        let own = state.lines.get(&line).map_or(0, VecDeque::len);
        if state.waiting >= self.settings.waiting || own >= self.settings.waiting_per_caller {
            let retry_after = retry_after(state.mean, state.waiting, self.settings.concurrency);
            return Err(Error::Busy { retry_after });
        }
        let (call, turn) = oneshot::channel();
        let number = state.push(line, call);
        state.show();
        Ok(Place::InLine { number, turn })
    }

    /// Hands a permit that is over to the next one who still waits.
    fn hand_on(self: &Arc<Self>, took: Duration) {
        self.state().measure(took);
        loop {
            let mut state = self.state();
            let Some(call) = state.call_next() else {
                state.running = state.running.saturating_sub(1);
                state.show();
                return;
            };
            state.show();
            drop(state);
            match call.send(self.permit()) {
                Ok(()) => return,
                // It left at this very moment: the permit is still ours to give.
                Err(mut permit) => permit.shared = None,
            }
        }
    }
}

impl State {
    fn push(&mut self, line: Line, call: oneshot::Sender<Permit>) -> u64 {
        let number = self.next;
        self.next += 1;
        self.waiting += 1;
        let waiters = self.lines.entry(line).or_default();
        if waiters.is_empty() {
            self.turns.push_back(line);
        }
        waiters.push_back(Waiter { number, call });
        number
    }

    /// Takes the first one of the line whose turn it is; the line goes to the end of the round.
    fn call_next(&mut self) -> Option<oneshot::Sender<Permit>> {
        let line = self.turns.pop_front()?;
        let waiters = self.lines.get_mut(&line)?;
        let waiter = waiters.pop_front();
        if waiters.is_empty() {
            self.lines.remove(&line);
        } else {
            self.turns.push_back(line);
        }
        self.waiting = self.waiting.saturating_sub(1);
        waiter.map(|waiter| waiter.call)
    }

    /// Takes out one who gave up, if it was not called yet.
    fn leave(&mut self, line: Line, number: u64) {
        let Some(waiters) = self.lines.get_mut(&line) else { return };
        let Some(at) = waiters.iter().position(|waiter| waiter.number == number) else { return };
        waiters.remove(at);
        self.waiting = self.waiting.saturating_sub(1);
        if waiters.is_empty() {
            self.lines.remove(&line);
            self.turns.retain(|turn| *turn != line);
        }
        self.show();
    }

    #[allow(clippy::cast_precision_loss)] // far fewer than 2^52
    fn show(&self) {
        metrics::gauge!("repertoire_executions_running").set(self.running as f64);
        metrics::gauge!("repertoire_executions_waiting").set(self.waiting as f64);
    }

    fn measure(&mut self, took: Duration) {
        self.mean = Some(self.mean.map_or(took, |mean| (mean * 7 + took) / 8));
    }
}

struct Leave<'a> {
    shared: &'a Shared,
    line: Line,
    number: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.shared.state().leave(self.line, self.number);
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.take() {
            shared.hand_on(self.since.elapsed());
        }
    }
}

const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);

/// When there may be room again: about as long as those who wait now will take, in whole seconds.
fn retry_after(mean: Option<Duration>, waiting: usize, concurrency: usize) -> Duration {
    let mean = mean.unwrap_or(SHORTEST);
    let rounds = u32::try_from(waiting.div_ceil(concurrency.max(1))).unwrap_or(u32::MAX);
    let seconds = mean.saturating_mul(rounds).as_millis().div_ceil(1_000);
    Duration::from_secs(u64::try_from(seconds).unwrap_or(u64::MAX)).clamp(SHORTEST, LONGEST)
}
