//! Sessions: what agents did, as people read it and learning reads it.
//!
//! A session is its user's, through whichever agent; admins and reviewers read all; to everyone else it is not there.

mod append;
mod bounds;
mod calls;
mod change;
mod list;
mod prune;
mod skills;
mod start;

use model::{Caller, Session, SessionId};
use policy::access::{self, Act};
use store::{Tx, Written};

use crate::{Code, Context, Error};

pub(crate) use append::scrubbed;
pub use append::{add, append, append_outcome};
pub(crate) use calls::entry as call_entry;
pub use calls::{DoneCall, append_call};
pub use change::{WantedTodo, change, complete, delete, write_todos};
pub use list::{ListSessions, display_text, entries, is_internal, list, read};
pub(crate) use prune::prune_before;
pub use start::{Begun, Ensure, Start, ensure, start};

/// What is recorded of agents on this installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordingSettings {
    /// Whether entries are kept; the tasks of a session are kept in any case.
    pub record: bool,
    /// How many days a session is kept after something was last added to it; 0 is for ever.
    pub history_days: u32,
}

impl Default for RecordingSettings {
    fn default() -> Self {
        Self { record: true, history_days: 90 }
    }
}

/// Whether what agents do is kept.
pub fn are_recorded(cx: &Context) -> bool {
    cx.recording.record
}

/// A session that the caller can see, if they may do that with it. Another's is not there.
async fn load(
    tx: &mut dyn Tx,
    caller: &Caller,
    id: SessionId,
    act: impl FnOnce(&Session) -> Act<'_>,
) -> Result<Session, Error> {
    access::decide(caller, Act::ListSessions)?;
    let session = tx.session(caller.workspace, id).await?;
    let session = session
        .filter(|session| access::decide(caller, Act::ReadSession(session)).is_ok())
        .ok_or_else(|| Error::not_found("session", id))?;
    access::decide(caller, act(&session))?;
    Ok(session)
}

/// Refuses a session to which the caller may not add anything.
pub(crate) async fn check_writable(tx: &mut dyn Tx, caller: &Caller, id: SessionId) -> Result<(), Error> {
    check_open(&load(tx, caller, id, |session| Act::WriteSession(session)).await?)
}

/// Refuses what comes to a session that has ended.
fn check_open(session: &Session) -> Result<(), Error> {
    let Some(outcome) = session.outcome else { return Ok(()) };
    let message = format!("the session is completed ({outcome}); start a new one");
    Err(Error::conflict(Code::SessionCompleted, message))
}

/// Stores the session as its next version.
async fn store_next(tx: &mut dyn Tx, session: Session) -> Result<Session, Error> {
    let session = Session { version: session.version + 1, ..session };
    match tx.update_session(&session).await? {
        Written::Done => Ok(session),
        Written::Stale => Err(Error::Stale { what: "session" }),
    }
}

/// The moment at which a session is added to. Where clocks differ or are set back, time only goes on.
fn moment_in(cx: &Context, session: &Session) -> model::Timestamp {
    cx.now().truncate_to_microsecond().max(session.updated_at)
}
