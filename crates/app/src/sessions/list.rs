//! Lists and reads sessions.

use model::{
    AgentId, Caller, EntryKind, Session, SessionEntry, SessionId, SessionOutcome, Speaker, Timestamp, UserId,
};
use policy::access::{self, Act};
use store::SessionFilter;

use super::load;
use crate::interpreter;
use crate::paging::page;
use crate::{Context, Cursor, Error, Page, PageRequest};

/// Which sessions to list.
#[derive(Debug, Clone, Default)]
pub struct ListSessions {
    /// For this user.
    pub user: Option<UserId>,
    /// Through this agent.
    pub agent: Option<AgentId>,
    /// With this name at their host.
    pub key: Option<String>,
    /// That happened in this program.
    pub source: Option<String>,
    /// That go on, or that ended.
    pub open: Option<bool>,
    /// That ended so.
    pub outcome: Option<SessionOutcome>,
    /// That began at this moment or later.
    pub since: Option<Timestamp>,
    /// That began before this moment.
    pub until: Option<Timestamp>,
    /// Which page.
    pub page: PageRequest,
}

/// Sessions the caller can see, newest first.
pub async fn list(cx: &Context, caller: &Caller, request: ListSessions) -> Result<Page<Session>, Error> {
    access::decide(caller, Act::ListSessions)?;
    let limit = request.page.checked_limit()?;
    let after = request.page.after.as_ref().map(Cursor::moment_and_id).transpose()?;
    let after = after.map(|(moment, id)| (moment, SessionId::new(id)));
    let mut user = request.user;
    if !access::sees_everything(caller) {
        if user.is_some_and(|user| user != caller.user) {
            return Ok(Page { items: Vec::new(), next: None });
        }
        user = Some(caller.user);
    }
    let filter = SessionFilter {
        user,
        agent: request.agent,
        key: request.key,
        source: request.source,
        open: request.open,
        outcome: request.outcome,
        since: request.since,
        until: request.until,
    };
    let sessions = cx.read().await?.sessions(caller.workspace, &filter, after, limit + 1).await?;
    Ok(page(sessions, limit, |session| Cursor::of_moment_and_id(session.created_at, session.id.uuid())))
}

/// One session. Another's is not there.
pub async fn read(cx: &Context, caller: &Caller, id: SessionId) -> Result<Session, Error> {
    load(&mut *cx.read().await?, caller, id, |session| Act::ReadSession(session)).await
}

/// The entries of a session, in their order.
pub async fn entries(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    request: PageRequest,
) -> Result<Page<SessionEntry>, Error> {
    let limit = request.checked_limit()?;
    let after = request.after.as_ref().map(Cursor::number).transpose()?.unwrap_or_default();
    let mut tx = cx.read().await?;
    load(&mut *tx, caller, id, |session| Act::ReadSession(session)).await?;
    let entries = tx.session_entries(caller.workspace, id, after, limit + 1).await?;
    Ok(page(entries, limit, |entry| Cursor::of_number(entry.number)))
}

/// Whether an entry is an instruction to the model, which people need not be shown.
pub fn is_internal(entry: &SessionEntry) -> bool {
    entry.kind == EntryKind::Message && entry.speaker == Some(Speaker::System)
}

/// What people are shown in place of an entry's text, where that also says something to the model only.
pub fn display_text(entry: &SessionEntry) -> Option<String> {
    let is_answer = entry.kind == EntryKind::ToolResult && entry.tool.as_deref() == Some(interpreter::TOOL);
    let shown = is_answer.then(|| interpreter::for_people(&entry.text))?;
    (shown != entry.text).then_some(shown)
}
