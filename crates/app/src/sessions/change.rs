//! Changes a session: its tasks, its title, its end.

use model::{Caller, Session, SessionId, SessionOutcome, Todo, TodoStatus};
use policy::access::Act;
use serde_json::json;

use super::bounds::{check_reason, check_title, check_todos};
use super::{check_open, load, moment_in, store_next};
use crate::redact::without_secrets;
use crate::{Code, Context, Error, audit};

/// A task as an agent or a person writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedTodo {
    /// Its id; its place in the list, from 1, where there is none or it is empty.
    pub id: Option<String>,
    /// What is to be done.
    pub content: String,
    /// Where it stands; pending where nothing is said.
    pub status: Option<TodoStatus>,
}

impl WantedTodo {
    fn at(self, place: usize) -> Todo {
        let id = self.id.filter(|id| !id.is_empty()).unwrap_or_else(|| place.to_string());
        Todo { id, content: self.content, status: self.status.unwrap_or(TodoStatus::Pending) }
    }
}

impl From<Todo> for WantedTodo {
    fn from(todo: Todo) -> Self {
        Self { id: Some(todo.id), content: todo.content, status: Some(todo.status) }
    }
}

/// Replaces the list of tasks of a session.
pub async fn write_todos(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    todos: Vec<WantedTodo>,
) -> Result<Session, Error> {
    let todos: Vec<Todo> = (1..).zip(todos).map(|(place, todo)| todo.at(place)).collect();
    check_todos(&todos)?;
    let todos =
        todos.into_iter().map(|todo| Todo { content: without_secrets(&todo.content), ..todo }).collect();
    let mut tx = cx.begin(caller.workspace).await?;
    let session = load(&mut *tx, caller, id, |session| Act::WriteSession(session)).await?;
    check_open(&session)?;
    let updated_at = moment_in(cx, &session);
    let session = store_next(&mut *tx, Session { todos, updated_at, ..session }).await?;
    tx.commit().await?;
    Ok(session)
}

/// Gives a session another title. The version, if given, must be the stored one.
pub async fn change(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    title: String,
    version: Option<u64>,
) -> Result<Session, Error> {
    check_title(&title)?;
    let title = without_secrets(&title);
    let mut tx = cx.begin(caller.workspace).await?;
    let session = load(&mut *tx, caller, id, |session| Act::WriteSession(session)).await?;
    if version.is_some_and(|version| version != session.version) {
        return Err(Error::Precondition { what: "session" });
    }
    if session.title == title {
        return Ok(session);
    }
    let updated_at = moment_in(cx, &session);
    let session = store_next(&mut *tx, Session { title, updated_at, ..session }).await?;
    tx.commit().await?;
    Ok(session)
}

/// Ends a session. One that ended with the same outcome stays as it is.
pub async fn complete(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    outcome: SessionOutcome,
    reason: Option<String>,
) -> Result<Session, Error> {
    reason.as_deref().map_or(Ok(()), check_reason)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let session = load(&mut *tx, caller, id, |session| Act::WriteSession(session)).await?;
    if session.outcome == Some(outcome) {
        return Ok(session);
    }
    if let Some(before) = session.outcome {
        let message = format!("the session is completed already ({before}), and that does not change");
        return Err(Error::conflict(Code::SessionCompleted, message));
    }
    let now = moment_in(cx, &session);
    let ended = Session {
        outcome: Some(outcome),
        outcome_reason: reason.as_deref().map(without_secrets),
        updated_at: now,
        completed_at: Some(now),
        ..session
    };
    let session = store_next(&mut *tx, ended).await?;
    let detail = [("outcome", json!(outcome.as_str())), ("entries", json!(session.entry_count))];
    audit::record(cx, &mut *tx, caller, "session.complete", ("session", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(session)
}

/// Removes a session with all that is in it.
pub async fn delete(cx: &Context, caller: &Caller, id: SessionId) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let session = load(&mut *tx, caller, id, |session| Act::DeleteSession(session)).await?;
    tx.delete_session(caller.workspace, id).await?;
    let detail = [("user", json!(session.user.to_string())), ("entries", json!(session.entry_count))];
    audit::record(cx, &mut *tx, caller, "session.delete", ("session", id.to_string()), &detail).await?;
    Ok(tx.commit().await?)
}
