//! Sessions of the older protocol: whose each is, and when it ends; and how many listen.
//!
//! What a host sends and the streams that it holds open are use of a session. What it is told is not, since that
//! succeeds also where nobody reads it any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::Error;
use app::events::{Place, Places};
use futures::{Stream, StreamExt as _};
use model::{AgentId, UserId, WorkspaceId};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, SessionError, SessionTransport,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::time::Instant;

/// How often it is looked whether a session is still there.
const ROUND: Duration = Duration::from_mins(1);

/// Whose a session is: nobody else can speak in it or listen to it.
pub(crate) type Owner = (WorkspaceId, UserId, Option<AgentId>);

/// How many sessions there are, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct SessionBounds {
    /// Sessions and subscriptions of one user at a time.
    pub most: usize,
    /// How long a session lives unused. A host may well be left alone over lunch.
    pub idle: Duration,
    /// How long it lives unused in any case, also where its user begins one too many.
    pub spared: Duration,
}

impl Default for SessionBounds {
    fn default() -> Self {
        Self { most: 256, idle: Duration::from_hours(2), spared: Duration::from_mins(10) }
    }
}

tokio::task_local! {
    /// Whose request is being answered.
    static VISIT: Visit;
}

#[derive(Clone)]
struct Visit {
    owner: Owner,
    /// Why they got no session.
    refusal: Arc<Mutex<Option<Error>>>,
}

/// The sessions that are open. Clones are about the same ones.
#[derive(Clone)]
pub(crate) struct Sessions {
    manager: Arc<LocalSessionManager>,
    open: Arc<Mutex<HashMap<SessionId, Open>>>,
    places: Places,
    bounds: SessionBounds,
}

struct Open {
    owner: Owner,
    /// Requests that are being answered, and streams.
    uses: usize,
    /// When the last of them ended.
    used: Instant,
    _place: Place,
}

/// A session is used until this is dropped.
pub(crate) struct Use {
    sessions: Sessions,
    id: SessionId,
}

impl Sessions {
    pub(crate) fn new(bounds: SessionBounds) -> Self {
        let mut manager = LocalSessionManager::default();
        // Its own timer starts anew with whatever is told; `keep` is ours.
        manager.session_config.keep_alive = None;
        let (manager, open) = (Arc::new(manager), Arc::default());
        Self { manager, open, places: Places::of(bounds.most), bounds }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Uses a session, if it is this owner's.
    pub(crate) fn enter(&self, id: &str, owner: Owner) -> Option<Use> {
        let is_theirs = self.open().get(id).is_some_and(|session| session.owner == owner);
        if is_theirs { self.begin_use(&id.into()) } else { None }
    }

    fn begin_use(&self, id: &SessionId) -> Option<Use> {
        self.open().get_mut(id)?.uses += 1;
        Some(Use { sessions: self.clone(), id: Arc::clone(id) })
    }

    /// Answers a request: a session that it begins is its owner's.
    pub(crate) async fn visited<T>(owner: Owner, answer: impl Future<Output = T>) -> Result<T, Error> {
        let visit = Visit { owner, refusal: Arc::default() };
        let answer = VISIT.scope(visit.clone(), answer).await;
        let refusal = visit.refusal.lock().unwrap_or_else(PoisonError::into_inner).take();
        refusal.map_or(Ok(answer), Err)
    }

    /// A place for one who listens. Where there is none, the session that its user left alone for longest ends.
    pub(crate) async fn place(&self, user: UserId) -> Result<Place, Error> {
        loop {
            let full = match self.places.enter(user) {
                Ok(place) => return Ok(place),
                Err(full) => full,
            };
            let Some(id) = self.left_alone(user) else { return Err(full) };
            self.end(&id).await;
        }
    }

    fn left_alone(&self, user: UserId) -> Option<SessionId> {
        let open = self.open();
        let alone = |session: &Open| {
            session.owner.1 == user && session.uses == 0 && session.used.elapsed() >= self.bounds.spared
        };
        let alone = open.iter().filter(|(_, session)| alone(session));
        alone.min_by_key(|(_, session)| session.used).map(|(id, _)| Arc::clone(id))
    }

    /// Ends a session and its streams.
    pub(crate) async fn end(&self, id: &SessionId) {
        if let Err(error) = self.close_session(id).await {
            tracing::warn!(error = &error as &dyn std::error::Error, "a session over MCP ended badly");
        }
    }

    /// Ends a session once it was unused for too long.
    async fn keep(self, id: SessionId) {
        while let Some(unused) = self.unused(&id) {
            if unused >= self.bounds.idle {
                return self.end(&id).await;
            }
            tokio::time::sleep(self.bounds.idle.saturating_sub(unused).min(ROUND)).await;
        }
    }

    /// For how long nobody has used a session; `None` when it ended.
    fn unused(&self, id: &SessionId) -> Option<Duration> {
        let open = self.open();
        let session = open.get(id)?;
        Some(if session.uses == 0 { session.used.elapsed() } else { Duration::ZERO })
    }

    fn in_use<S>(&self, id: &SessionId, stream: S) -> impl Stream<Item = ServerSseMessage> + use<S>
    where
        S: Stream<Item = ServerSseMessage>,
    {
        let used = self.begin_use(id);
        stream.inspect(move |_| {
            let _until_it_ends = &used;
        })
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        if let Some(session) = self.sessions.open().get_mut(&self.id) {
            session.uses = session.uses.saturating_sub(1);
            session.used = Instant::now();
        }
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let refused =
            |why: &str| LocalSessionManagerError::from(SessionError::Io(std::io::Error::other(why)));
        let visit = VISIT.try_with(Visit::clone).map_err(|_| refused("a session without an owner"))?;
        let place = match self.place(visit.owner.1).await {
            Ok(place) => place,
            Err(full) => {
                *visit.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(full);
                return Err(refused("too many sessions of one user"));
            }
        };
        let (id, transport) = self.manager.create_session().await?;
        let session = Open { owner: visit.owner, uses: 0, used: Instant::now(), _place: place };
        self.open().insert(Arc::clone(&id), session);
        tokio::spawn(self.clone().keep(Arc::clone(&id)));
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.manager.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.manager.has_session(id).await
    }

    // Called by whoever ends a session, and whenever one has ended.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.open().remove(id);
        self.manager.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.in_use(id, self.manager.create_stream(id, message).await?))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.manager.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.in_use(id, self.manager.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.in_use(id, self.manager.resume(id, last_event_id).await?))
    }
}
