//! The sessions that are open, and who uses them. No rule about what is done in one lives here.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{AgentId, Caller, CodeSessionId, Timestamp, UserId, WorkspaceId, counted};
use sandbox::Folder;
use tokio::sync::{OwnedMutexGuard, Semaphore, watch};

use super::CodeSession;
use crate::{Clock, Code, Context, Error};

/// How many sessions there may be, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionSettings {
    /// How many minutes a session lives unused.
    pub idle_minutes: u32,
    /// The most sessions of one caller.
    pub per_caller: usize,
    /// The most sessions of all callers together.
    pub total: usize,
    /// The most bytes in the work folder of one session. Folders are in memory, used or not in use.
    pub folder_bytes: u64,
}

impl Default for SessionSettings {
    fn default() -> Self {
        Self { idle_minutes: 30, per_caller: 8, total: 64, folder_bytes: 64 << 20 }
    }
}

/// When to come back if every session of the installation is taken.
const ALL_TAKEN: Duration = Duration::from_secs(30);
/// How many archives are unpacked at a time: each may take as much memory as a work folder.
const UNPACKING: usize = 2;

/// The open sessions. Clones are the same ones.
#[derive(Clone)]
pub struct Sessions(Arc<Shared>);

struct Shared {
    settings: SessionSettings,
    open: Mutex<HashMap<CodeSessionId, Arc<Session>>>,
    /// Held while a session is made, so that none is made beyond the limits.
    making: tokio::sync::Mutex<()>,
    unpacking: Semaphore,
}

/// Whose session: a person, through an agent or not, in a workspace.
type Owner = (WorkspaceId, UserId, Option<AgentId>);

/// What became of the files of an execution outside of any session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kept {
    /// There were none.
    NoFiles,
    /// They are in a session of their own.
    Session {
        /// The session.
        session: CodeSession,
        /// The session that was ended for it: the oldest idle one that had come about in the same way.
        gave_way: Option<CodeSessionId>,
    },
    /// They are gone: the caller has as many sessions as they may have, and none could give way.
    NoRoom,
}

/// How a session came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    /// Somebody asked for one.
    OnRequest,
    /// For the files that an execution had left; it gives way to the next one.
    ForFiles,
}

struct Session {
    id: CodeSessionId,
    owner: Owner,
    made: Made,
    created_at: Timestamp,
    state: Mutex<State>,
    /// Held by what is done in it, one at a time.
    turn: Arc<tokio::sync::Mutex<()>>,
    ended: watch::Sender<bool>,
}

struct State {
    folder: Folder,
    last_used_at: Timestamp,
    users: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::new(SessionSettings::default())
    }
}

fn owner(caller: &Caller) -> Owner {
    (caller.workspace, caller.user, caller.agent)
}

impl Sessions {
    /// No session yet.
    pub fn new(settings: SessionSettings) -> Self {
        let unpacking = Semaphore::new(UNPACKING);
        Self(Arc::new(Shared {
            settings,
            open: Mutex::default(),
            making: tokio::sync::Mutex::default(),
            unpacking,
        }))
    }

    /// What they were set up with.
    pub fn settings(&self) -> SessionSettings {
        self.0.settings
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.open().len()
    }

    pub(super) fn unpacking(&self) -> &Semaphore {
        &self.0.unpacking
    }

    fn open(&self) -> MutexGuard<'_, HashMap<CodeSessionId, Arc<Session>>> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> time::Duration {
        time::Duration::minutes(i64::from(self.0.settings.idle_minutes))
    }

    /// Ends those that nobody uses and whose time is over; how many.
    pub(super) fn expire(&self, now: Timestamp) -> u64 {
        let idle = self.idle();
        let over = |session: &Arc<Session>| {
            let state = session.state();
            state.users == 0 && state.last_used_at + idle <= now
        };
        // What they hold is let go outside of the lock.
        let gone: Vec<_> = self.open().extract_if(|_, session| over(session)).collect();
        gone.len() as u64
    }

    pub(super) fn of(&self, cx: &Context, caller: &Caller) -> Vec<CodeSession> {
        self.expire(cx.now());
        let own = |session: &&Arc<Session>| session.owner == owner(caller);
        let mut found: Vec<_> =
            self.open().values().filter(own).map(|session| session.shown(self.idle())).collect();
        found.sort_by_key(|session| (session.created_at, session.id));
        found
    }

    /// The caller's session, in use from now on.
    pub(super) fn find(&self, cx: &Context, caller: &Caller, id: CodeSessionId) -> Result<InUse, Error> {
        self.expire(cx.now());
        let open = self.open();
        let session = open.get(&id).filter(|session| session.owner == owner(caller));
        session.map(|session| self.use_now(cx, session)).ok_or_else(|| self.missing(id))
    }

    pub(super) fn end(&self, cx: &Context, caller: &Caller, id: CodeSessionId) -> Result<(), Error> {
        let in_use = self.find(cx, caller, id)?;
        self.open().remove(&id);
        in_use.session.ended.send_replace(true);
        Ok(())
    }

    /// That there is no such session, as far as the caller may know.
    pub fn missing(&self, id: impl std::fmt::Display) -> Error {
        Error::NoCodeSession { id: id.to_string(), idle_minutes: self.0.settings.idle_minutes }
    }

    /// The session that a request names, or a new one with a folder of this size, with nothing else done in it.
    pub(super) async fn enter(
        &self,
        cx: &Context,
        caller: &Caller,
        id: Option<CodeSessionId>,
        limits: &sandbox::Limits,
    ) -> Result<(Occupied, Option<Discard>), Error> {
        if let Some(id) = id {
            return Ok((self.find(cx, caller, id)?.occupy(cx).await?, None));
        }
        let (in_use, discard) = self.make(cx, caller, limits).await?;
        Ok((in_use.occupy(cx).await?, Some(discard)))
    }

    async fn make(
        &self,
        cx: &Context,
        caller: &Caller,
        limits: &sandbox::Limits,
    ) -> Result<(InUse, Discard), Error> {
        self.check_room(cx, caller)?;
        let _alone = self.0.making.lock().await;
        self.check_room(cx, caller)?;
        let folder = cx.runner.open_folder(limits.folder_bytes, limits.folder_files).await?;
        let id = CodeSessionId::new(cx.id());
        let session = Arc::new(Session::new(id, caller, Made::OnRequest, cx.now(), folder));
        let in_use = self.use_now(cx, &session);
        let discard = Discard { sessions: self.clone(), id: Some(session.id) };
        self.open().insert(session.id, session);
        Ok((in_use, discard))
    }

    /// Makes a folder that an execution has left files in a session. Where there is no room, the oldest idle session
    /// of the caller that came about in this way gives way.
    pub(super) async fn adopt(
        &self,
        cx: &Context,
        caller: &Caller,
        id: CodeSessionId,
        folder: Folder,
    ) -> Kept {
        let _alone = self.0.making.lock().await;
        let mut gave_way = None;
        if self.check_room(cx, caller).is_err() {
            gave_way = self.end_oldest_passing(caller);
            if gave_way.is_none() || self.check_room(cx, caller).is_err() {
                return Kept::NoRoom;
            }
        }
        let session = Arc::new(Session::new(id, caller, Made::ForFiles, cx.now(), folder));
        let shown = session.shown(self.idle());
        self.open().insert(id, session);
        Kept::Session { session: shown, gave_way }
    }

    fn end_oldest_passing(&self, caller: &Caller) -> Option<CodeSessionId> {
        let mut open = self.open();
        let passing = |session: &&Arc<Session>| {
            session.made == Made::ForFiles && session.owner == owner(caller) && session.state().users == 0
        };
        let oldest = open.values().filter(passing).min_by_key(|session| (session.created_at, session.id))?.id;
        let gone = open.remove(&oldest);
        drop(open);
        gone.map(|session| {
            session.ended.send_replace(true);
            session.id
        })
    }

    fn check_room(&self, cx: &Context, caller: &Caller) -> Result<(), Error> {
        self.expire(cx.now());
        let settings = self.0.settings;
        let open = self.open();
        let own = open.values().filter(|session| session.owner == owner(caller)).count();
        if own >= settings.per_caller {
            let message = format!(
                "you have {}, and {} is the most; end one, or use one you have",
                counted(own as u64, "code session"),
                settings.per_caller
            );
            return Err(Error::conflict(Code::LimitReached, message));
        }
        if open.len() >= settings.total {
            return Err(Error::Busy { retry_after: ALL_TAKEN });
        }
        Ok(())
    }

    fn use_now(&self, cx: &Context, session: &Arc<Session>) -> InUse {
        let mut state = session.state();
        state.users += 1;
        state.last_used_at = cx.now();
        drop(state);
        InUse { session: Arc::clone(session), idle: self.idle(), clock: Arc::clone(&cx.clock) }
    }
}

impl Session {
    fn new(id: CodeSessionId, caller: &Caller, made: Made, now: Timestamp, folder: Folder) -> Self {
        Self {
            id,
            owner: owner(caller),
            made,
            created_at: now,
            state: Mutex::new(State { folder, last_used_at: now, users: 0 }),
            turn: Arc::default(),
            ended: watch::Sender::new(false),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shown(&self, idle: time::Duration) -> CodeSession {
        let state = self.state();
        CodeSession {
            id: self.id,
            created_at: self.created_at,
            last_used_at: state.last_used_at,
            expires_at: state.last_used_at + idle,
            in_use: state.users > 0,
        }
    }
}

/// A session that cannot end by time while this is held; its time begins anew when it is dropped.
pub(super) struct InUse {
    session: Arc<Session>,
    idle: time::Duration,
    clock: Arc<dyn Clock>,
}

impl InUse {
    pub(super) fn folder(&self) -> Folder {
        self.session.state().folder.clone()
    }

    /// The session as it will be when this use is over.
    pub(super) fn shown(&self) -> CodeSession {
        let now = self.clock.now();
        let shown = self.session.shown(self.idle);
        let in_use = self.session.state().users > 1;
        CodeSession { last_used_at: now, expires_at: now + self.idle, in_use, ..shown }
    }

    /// Waits until nothing else is done in the session. Not more may wait here than in the queue.
    pub(super) async fn occupy(self, cx: &Context) -> Result<Occupied, Error> {
        let most = cx.queue.settings().waiting_per_caller.saturating_add(1);
        if self.session.state().users > most {
            return Err(Error::Busy { retry_after: Duration::from_secs(1) });
        }
        let turn = Arc::clone(&self.session.turn).lock_owned().await;
        if *self.session.ended.borrow() {
            return Err(cx.code_sessions.missing(self.session.id));
        }
        Ok(Occupied { in_use: self, _turn: turn })
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        let mut state = self.session.state();
        state.users = state.users.saturating_sub(1);
        state.last_used_at = state.last_used_at.max(self.clock.now());
    }
}

/// A session in which nothing else is done while this is held.
pub struct Occupied {
    in_use: InUse,
    _turn: OwnedMutexGuard<()>,
}

impl Occupied {
    /// Which session.
    pub fn id(&self) -> CodeSessionId {
        self.in_use.session.id
    }

    /// Its work folder.
    pub fn folder(&self) -> Folder {
        self.in_use.folder()
    }

    /// Does something in the session; when the session is ended meanwhile, that ends too.
    pub async fn until_ended<T>(&self, cx: &Context, act: impl Future<Output = T>) -> Result<T, Error> {
        let mut ended = self.in_use.session.ended.subscribe();
        tokio::select! {
            biased;
            Ok(_) = ended.wait_for(|ended| *ended) => Err(cx.code_sessions.missing(self.id())),
            done = act => Ok(done),
        }
    }

    pub(super) fn in_use(&self) -> &InUse {
        &self.in_use
    }

    /// Puts another folder in the place of the session's own.
    pub(super) fn replace_folder(&self, folder: Folder) {
        let old = std::mem::replace(&mut self.in_use.session.state().folder, folder);
        drop(old);
    }
}

/// A session that was made for a request; it goes again unless the request comes to its end.
pub(super) struct Discard {
    sessions: Sessions,
    id: Option<CodeSessionId>,
}

impl Discard {
    /// Lets the session stay.
    pub(super) fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Discard {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            let gone = self.sessions.open().remove(&id);
            drop(gone);
        }
    }
}
