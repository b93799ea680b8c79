//! Begins sessions, and finds the one that is meant.

use model::{Caller, Session, SessionId};
use policy::access::{self, Act};
use serde_json::json;
use store::{OpenSession, Tx};
use time::Duration;

use super::bounds::{WITH_ROOM, check_key, check_source, check_title};
use crate::redact::without_secrets;
use crate::{Context, Error, audit};

/// A session without a key that nothing was added to for so long is left alone.
const IDLE: Duration = Duration::hours(1);

/// How a session begins.
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// What it is called; else the beginning of the first message of its user.
    pub title: Option<String>,
    /// The host's own name for it.
    pub key: Option<String>,
    /// The program it happens in.
    pub source: Option<String>,
}

/// Which session a call belongs to.
#[derive(Debug, Clone, Default)]
pub struct Ensure {
    /// The host's own name for it; without one, the caller's last session without one that goes on and was added to
    /// within the hour.
    pub key: Option<String>,
    /// The program it happens in.
    pub source: Option<String>,
}

/// A session, and whether it began just now.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// The session.
    pub session: Session,
    /// Whether it is new; else it goes on under the key that was given.
    pub is_new: bool,
}

/// Begins a session. Where one of the caller and their agent goes on under the key, that is the one, until it is full.
pub async fn start(cx: &Context, caller: &Caller, start: Start) -> Result<Begun, Error> {
    access::decide(caller, Act::StartSession)?;
    start.check()?;
    let mut tx = cx.begin(caller.workspace).await?;
    if let Some(key) = start.key.as_deref()
        && let Some(session) = tx.open_session(caller.workspace, by_key(caller, key)).await?
    {
        return Ok(Begun { session, is_new: false });
    }
    let session = begin(cx, &mut *tx, caller, start).await?;
    tx.commit().await?;
    Ok(Begun { session, is_new: true })
}

/// The session that is meant; a new one where there is none yet, or the last one is full. Two calls at once get the same one.
pub async fn ensure(cx: &Context, caller: &Caller, which: Ensure) -> Result<SessionId, Error> {
    access::decide(caller, Act::StartSession)?;
    let start = Start { title: None, key: which.key, source: which.source };
    start.check()?;
    let open = match start.key.as_deref() {
        Some(key) => by_key(caller, key),
        None => OpenSession { key: None, used_since: Some(cx.now() - IDLE), ..by_key(caller, "") },
    };
    // Mostly it is there, and nobody has to wait for whoever writes.
    if let Some(session) = cx.read().await?.open_session(caller.workspace, open).await? {
        return Ok(session.id);
    }
    let mut tx = cx.begin(caller.workspace).await?;
    if let Some(session) = tx.open_session(caller.workspace, open).await? {
        return Ok(session.id);
    }
    let session = begin(cx, &mut *tx, caller, start.clone()).await?;
    tx.commit().await?;
    Ok(session.id)
}

impl Start {
    fn check(&self) -> Result<(), Error> {
        self.title.as_deref().map_or(Ok(()), check_title)?;
        self.key.as_deref().map_or(Ok(()), check_key)?;
        self.source.as_deref().map_or(Ok(()), check_source)
    }
}

fn by_key<'a>(caller: &Caller, key: &'a str) -> OpenSession<'a> {
    OpenSession {
        user: caller.user,
        agent: caller.agent,
        key: Some(key),
        used_since: None,
        most_entries: Some(WITH_ROOM),
    }
}

async fn begin(cx: &Context, tx: &mut dyn Tx, caller: &Caller, start: Start) -> Result<Session, Error> {
    let now = cx.now().truncate_to_microsecond();
    let session = Session {
        workspace: caller.workspace,
        id: SessionId::new(cx.id()),
        user: caller.user,
        agent: caller.agent,
        title: start.title.as_deref().map(without_secrets).unwrap_or_default(),
        key: start.key,
        source: start.source,
        outcome: None,
        outcome_reason: None,
        todos: Vec::new(),
        active_skills: Vec::new(),
        proposed_skills: Vec::new(),
        entry_count: 0,
        version: 1,
        created_at: now,
        updated_at: now,
        completed_at: None,
    };
    tx.insert_session(&session).await?;
    // What people wrote stays out of the log, which nobody can take back.
    let detail = [("source", json!(session.source))];
    audit::record(cx, tx, caller, "session.start", ("session", session.id.to_string()), &detail).await?;
    Ok(session)
}
