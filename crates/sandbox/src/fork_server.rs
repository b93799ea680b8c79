//! The server's side of a fork server: a thread that keeps spares ready, by demand.

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fs::{OFlags, fcntl_setfl};

use crate::cgroups::{Group, Groups};
use crate::jail::{Order, Standing};
use crate::processor::Counter;
use crate::{Error, Limits, Settings, wire};

/// A process that waits for a program.
#[derive(Debug)]
pub(crate) struct Spare {
    pub(crate) number: u32,
    pub(crate) user: u32,
    pub(crate) socket: OwnedFd,
    pub(crate) process: OwnedFd,
    pub(crate) pid: i32,
    pub(crate) work: OwnedFd,
    pub(crate) program: OwnedFd,
    pub(crate) group: Option<Group>,
    /// Counts processor time where the group does not.
    pub(crate) counter: Option<Counter>,
}

/// What a fork server runs, and thereby which one it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Python { profile: String, python: PathBuf, preload: Vec<String> },
    Native,
}

impl Kind {
    /// That no process of this kind is to be had.
    pub(crate) fn failed(&self, detail: String) -> Error {
        match self {
            Self::Python { profile, .. } => Error::BrokenProfile { profile: profile.clone(), detail },
            Self::Native => Error::Failed(detail),
        }
    }

    pub(crate) fn order(&self) -> Order {
        match self {
            Self::Python { python, preload, .. } => {
                Order::Python { python: python.clone(), preload: preload.clone() }
            }
            Self::Native => Order::Native,
        }
    }
}

/// After so many forks a fork server is replaced: its children share its memory layout.
const RECYCLE: u64 = 10_000;
/// So many spares in a row that do not come to be are the end of a fork server.
const MOST_MISSED: u32 = 5;
/// How long a taker waits for a spare, the start of the interpreter included.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long spares beyond one are kept without demand.
const IDLE: Duration = Duration::from_mins(1);
/// Users 1 to this many are used in turn.
const USERS: u32 = 60_000;

/// Numbers of spares are never used twice, whichever fork server they come from.
static NUMBERS: AtomicU32 = AtomicU32::new(1);

/// The handle of a fork server. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct ForkServer {
    shared: Arc<Shared>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    wake: OwnedFd,
}

#[derive(Debug, Default)]
struct State {
    ready: VecDeque<Spare>,
    takers: usize,
    /// Executions under way.
    running: usize,
    target: usize,
    most: usize,
    forks: u64,
    ended: VecDeque<(u32, i32)>,
    failure: Option<String>,
    closing: bool,
    last_taken: Option<Instant>,
}

/// What the keeper works with.
struct Keeper {
    shared: Arc<Shared>,
    socket: OwnedFd,
    errors: std::fs::File,
    groups: Option<Arc<Groups>>,
    users: u32,
    usual: Limits,
    booted: bool,
    pending: Vec<(u32, u32, OwnedFd)>,
    said: String,
    /// The end of what came on its standard error.
    heard: Vec<u8>,
    /// Spares in a row that did not come to be.
    missed: u32,
}

impl ForkServer {
    /// Takes over the server's ends of a fork server that the jail has just started.
    pub(crate) fn new(
        socket: OwnedFd,
        errors: OwnedFd,
        standing: &Standing,
        groups: Option<Arc<Groups>>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let failed = |error: String| Error::Failed(error);
        // Spares hold the other end too, so its end may never come.
        fcntl_setfl(&errors, OFlags::NONBLOCK).map_err(|error| failed(error.to_string()))?;
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| failed(error.to_string()))?;
        let spares = settings.spares;
        let state = State { target: spares.min(1), most: spares, ..State::default() };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), wake });
        let keeper = Keeper {
            shared: Arc::clone(&shared),
            socket,
            errors: errors.into(),
            groups,
            users: standing.users,
            usual: settings.usual.clone(),
            booted: false,
            pending: Vec::new(),
            said: String::new(),
            heard: Vec::new(),
            missed: 0,
        };
        let keeper = std::thread::Builder::new()
            .name("sandbox-spares".to_owned())
            .stack_size(256 << 10)
            .spawn(move || keeper.keep())
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self { shared, keeper: Mutex::new(Some(keeper)) })
    }

    /// A spare, as soon as there is one.
    pub(crate) fn take(&self) -> Result<Spare, String> {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shared.lock();
        state.last_taken = Some(Instant::now());
        if state.ready.is_empty() {
            state.target = (state.target * 2).clamp(1, state.most.max(1)).min(state.most);
        }
        state.takers += 1;
        // While one is ready, the next is made when this one is done: the machine is better left to the code.
        if state.ready.is_empty() {
            self.shared.wake();
        }
        let taken = loop {
            if let Some(spare) = state.ready.pop_front() {
                break Ok(spare);
            }
            if let Some(failure) = &state.failure {
                break Err(failure.clone());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break Err("no process was ready in time; the machine may be overloaded".to_owned());
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        };
        state.takers -= 1;
        state.running += usize::from(taken.is_ok());
        taken
    }

    /// How a spare's process ended, as `wait` tells it; none when that does not come to be known soon.
    pub(crate) fn status(&self, number: u32) -> Option<i32> {
        let deadline = Instant::now() + Duration::from_secs(2);
        let mut state = self.shared.lock();
        loop {
            if let Some((_, status)) = state.ended.iter().find(|(known, _)| *known == number) {
                return Some(*status);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || state.failure.is_some() {
                return None;
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// One execution is over; the next spare is made.
    pub(crate) fn finish(&self) {
        let mut state = self.shared.lock();
        state.running = state.running.saturating_sub(1);
        drop(state);
        self.shared.wake();
    }

    /// Ends it and waits until nothing of it is left.
    pub(crate) fn end(&self) {
        self.close();
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        // A keeper that panicked has left nothing that could be waited for.
        let _ = keeper.map(JoinHandle::join);
    }

    fn close(&self) {
        self.shared.lock().closing = true;
        self.shared.wake();
    }

    /// Whether it should be replaced by a new one.
    pub(crate) fn is_worn(&self) -> bool {
        let state = self.shared.lock();
        state.failure.is_some() || state.forks >= RECYCLE
    }
}

impl Drop for ForkServer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        // It can only fail when it is awake already.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

impl Keeper {
    fn keep(mut self) {
        while self.step() {}
        let mut state = self.shared.lock();
        if state.failure.is_none() {
            state.failure = Some("the fork server was ended".to_owned());
        }
        state.ready.clear();
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Waits for something to happen and does what follows from it. False when it is over.
    fn step(&mut self) -> bool {
        if !self.fill() {
            return false;
        }
        let clean = self.groups.as_ref().is_none_or(|groups| groups.sweep());
        let wait = if clean { 1_000_000_000 } else { 50_000_000 };
        let wait = Timespec { tv_sec: wait / 1_000_000_000, tv_nsec: wait % 1_000_000_000 };
        let mut fds =
            vec![PollFd::new(&self.socket, PollFlags::IN), PollFd::new(&self.shared.wake, PollFlags::IN)];
        fds.extend(self.pending.iter().map(|(_, _, socket)| PollFd::new(socket, PollFlags::IN)));
        if poll(&mut fds, Some(&wait)).is_err() {
            return true;
        }
        let happened: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        drop(fds);
        if happened.get(1) == Some(&true) {
            let _ = rustix::io::read(&self.shared.wake, &mut [0; 8]);
        }
        if happened.first() == Some(&true) && !self.listen() {
            return false;
        }
        let pending = std::mem::take(&mut self.pending);
        for (place, (number, user, socket)) in (2..).zip(pending) {
            if happened.get(place) == Some(&true) {
                self.welcome(number, user, socket);
            } else {
                self.pending.push((number, user, socket));
            }
        }
        self.hear_errors();
        true
    }

    /// Hears the fork server itself.
    fn listen(&mut self) -> bool {
        let (bytes, _) = wire::receive(&self.socket).unwrap_or_default();
        match bytes.split_first() {
            None => {
                self.fail();
                return false;
            }
            Some((b'R', _)) => self.booted = true,
            Some((b'X', rest)) => {
                let word = |at: usize| rest.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
                if let (Some(number), Some(status)) = (word(0), word(4)) {
                    let mut state = self.shared.lock();
                    state.ended.push_back((u32::from_ne_bytes(number), i32::from_ne_bytes(status)));
                    if state.ended.len() > 512 {
                        state.ended.pop_front();
                    }
                    drop(state);
                    self.shared.changed.notify_all();
                }
            }
            Some((_, text)) => self.said = String::from_utf8_lossy(text).into_owned(),
        }
        true
    }

    fn fail(&mut self) {
        // What it said is there already: the process is gone.
        self.hear_errors();
        let text = String::from_utf8_lossy(&self.heard);
        let last = text.trim().lines().last().unwrap_or("it ended without a word");
        let said = if self.said.is_empty() { last } else { &self.said };
        self.shared.lock().failure = Some(said.to_owned());
    }

    /// A spare says that it is ready.
    fn welcome(&mut self, number: u32, user: u32, socket: OwnedFd) {
        let (bytes, fds) = wire::receive(&socket).unwrap_or_default();
        let Ok([process, work, program]) = <[OwnedFd; 3]>::try_from(fds) else {
            let text = String::from_utf8_lossy(bytes.get(1..).unwrap_or_default()).into_owned();
            let text = if text.is_empty() { "a process ended before it was ready".to_owned() } else { text };
            self.miss(text);
            return;
        };
        let pid = pid_of(&process).unwrap_or(0);
        let made = self.groups.as_ref().map(|groups| groups.take(number, pid, &self.usual));
        let group = match made.transpose() {
            Ok(group) => group,
            Err(error) => {
                self.miss(format!("control group: {error}"));
                return;
            }
        };
        self.missed = 0;
        let by_group = group.as_ref().and_then(Group::cpu).is_some();
        let counter = if by_group { None } else { Counter::start(pid) };
        let spare = Spare { number, user, socket, process, pid, work, program, group, counter };
        self.shared.lock().ready.push_back(spare);
        self.shared.changed.notify_all();
    }

    /// A spare did not come to be. The machine may be short of something for a moment; only several in a row mean
    /// that none will come.
    fn miss(&mut self, text: String) {
        self.missed += 1;
        if self.missed >= MOST_MISSED {
            self.shared.lock().failure = Some(text);
            self.shared.changed.notify_all();
        } else {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Hears what the fork server and its spares say beside their duty, so that none of them waits to be heard.
    fn hear_errors(&mut self) {
        let mut text = [0; 4096];
        while let Ok(count @ 1..) = (&self.errors).read(&mut text) {
            self.heard.extend(text.iter().take(count));
            let too_much = self.heard.len().saturating_sub(16 << 10);
            self.heard.drain(..too_much);
        }
    }

    /// Asks for as many spares as are missing. False when it is over.
    fn fill(&mut self) -> bool {
        let mut state = self.shared.lock();
        if state.closing {
            return false;
        }
        if state.failure.is_some() {
            return false;
        }
        if state.last_taken.is_none_or(|taken| taken.elapsed() > IDLE) && state.target > 1 {
            state.target = 1;
            let too_many = state.ready.len().saturating_sub(1);
            state.ready.drain(..too_many);
        }
        let wanted = state.target + state.takers;
        let coming = state.ready.len() + self.pending.len();
        let missing = wanted.saturating_sub(coming);
        // While other code runs, the processor is better spent on that than on warming up.
        let hurried = if state.running > 0 { missing } else { state.takers.saturating_sub(coming) };
        if !self.booted {
            return true;
        }
        state.forks += missing as u64;
        drop(state);
        for place in 0..missing {
            if self.ask_for_one(place < hurried).is_err() {
                self.fail();
                return false;
            }
        }
        true
    }

    /// Asks for a spare; a hurried one does not get ready beyond what is needed.
    fn ask_for_one(&mut self, hurried: bool) -> Result<(), rustix::io::Errno> {
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        let user = if self.users > 1 { 1 + number % USERS } else { 0 };
        let (ours, theirs) = wire::pair()?;
        let limits = &self.usual;
        let mut order = vec![b'F'];
        order.extend((u64::from(number) << 32 | u64::from(user)).to_ne_bytes());
        order.extend(limits.folder_bytes.to_ne_bytes());
        order.extend(limits.folder_files.to_ne_bytes());
        order.push(u8::from(hurried));
        wire::send(&self.socket, &order, &[theirs.as_fd()])?;
        self.pending.push((number, user, ours));
        Ok(())
    }
}

/// The number of a process in our own namespace.
fn pid_of(process: &OwnedFd) -> Option<i32> {
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", process.as_raw_fd())).ok()?;
    info.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok())
}
