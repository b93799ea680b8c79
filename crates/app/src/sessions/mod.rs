//! Sessions: what agents did, as people read it and learning reads it. A session is its user's; admins see all.

use model::{Caller, Session, SessionEntry, SessionId, Todo};

use crate::{Code, Context, Error};

/// Which session a call belongs to.
#[derive(Debug, Clone, Default)]
pub struct Ensure {
    /// The host's own name for it; without one, the caller's last session that is still open and not idle for an hour.
    pub key: Option<String>,
    /// The program it happens in.
    pub source: Option<String>,
}

/// Whether what agents do is kept.
pub fn are_recorded(_cx: &Context) -> bool {
    false
}

/// The session that is meant; a new one where there is none yet.
pub async fn ensure(_cx: &Context, _caller: &Caller, _which: Ensure) -> Result<SessionId, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}

/// Adds entries at the end of a session, in one transaction. Their numbers and moments are given here.
pub async fn append(
    _cx: &Context,
    _caller: &Caller,
    _id: SessionId,
    _entries: Vec<SessionEntry>,
) -> Result<(), Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}

/// Replaces the list of tasks of a session.
pub async fn write_todos(
    _cx: &Context,
    _caller: &Caller,
    _id: SessionId,
    _todos: Vec<Todo>,
) -> Result<Session, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}
