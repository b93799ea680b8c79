//! How large what is kept of a session may be.

use model::{EntryKind, SessionEntry, Todo};
use serde_json::{Value, json};

use crate::{Code, Error};

/// The longest text of an entry, in bytes.
pub(super) const LONGEST_TEXT: usize = 64 << 10;
/// The largest data of an entry, in bytes of JSON.
pub(super) const LARGEST_DATA: usize = 256 << 10;
/// The most entries that are added at once.
const MOST_AT_ONCE: usize = 1_000;
/// The most entries of a session.
const MOST_ENTRIES: u64 = 100_000;
const MOST_TODOS: usize = 200;
/// The longest name of a tool, a call, a session at its host or a task, in bytes.
const LONGEST_NAME: usize = 500;
/// The longest title and the longest name of a program, in characters.
const LONGEST_TITLE: usize = 200;
/// The longest reason, and the longest content of a task, in characters.
const LONGEST_PROSE: usize = 2_000;
/// How much of a first message becomes the title, in characters.
const TITLE_OF_MESSAGE: usize = 80;

fn invalid(message: String) -> Error {
    Error::invalid(Code::InvalidRequest, message)
}

/// PostgreSQL holds no NUL in a text, and what is looked up must be what was stored.
fn check_name(what: &str, name: &str) -> Result<(), Error> {
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains('\0') {
        return Err(invalid(format!("{what} has 1 to {LONGEST_NAME} bytes and no NUL")));
    }
    Ok(())
}

pub(super) fn check_key(key: &str) -> Result<(), Error> {
    check_name("the key of a session", key)
}

pub(super) fn check_source(source: &str) -> Result<(), Error> {
    if source.is_empty() || source.chars().count() > LONGEST_TITLE || source.contains('\0') {
        return Err(invalid(format!(
            "the source of a session has 1 to {LONGEST_TITLE} characters and no NUL"
        )));
    }
    Ok(())
}

pub(super) fn check_title(title: &str) -> Result<(), Error> {
    if title.chars().count() > LONGEST_TITLE || title.contains('\0') {
        return Err(invalid(format!(
            "the title of a session has at most {LONGEST_TITLE} characters and no NUL"
        )));
    }
    Ok(())
}

pub(super) fn check_reason(reason: &str) -> Result<(), Error> {
    if reason.chars().count() > LONGEST_PROSE || reason.contains('\0') {
        return Err(invalid(format!("a reason has at most {LONGEST_PROSE} characters and no NUL")));
    }
    Ok(())
}

pub(super) fn check_todos(todos: &[Todo]) -> Result<(), Error> {
    if todos.len() > MOST_TODOS {
        return Err(invalid(format!("a session has at most {MOST_TODOS} todos")));
    }
    for (n, todo) in todos.iter().enumerate() {
        check_name("the id of a todo", &todo.id)?;
        if todos.iter().take(n).any(|other| other.id == todo.id) {
            return Err(invalid(format!("there are two todos `{}`; give each its own id", todo.id)));
        }
        if todo.content.is_empty() || todo.content.chars().count() > LONGEST_PROSE {
            return Err(invalid(format!("the content of a todo has 1 to {LONGEST_PROSE} characters")));
        }
    }
    Ok(())
}

pub(super) fn check_entries(entries: &[SessionEntry]) -> Result<(), Error> {
    if entries.len() > MOST_AT_ONCE {
        return Err(invalid(format!("at most {MOST_AT_ONCE} entries are added at once")));
    }
    for entry in entries {
        entry.tool.as_deref().map_or(Ok(()), |tool| check_name("the name of a tool", tool))?;
        entry.call.as_deref().map_or(Ok(()), |call| check_name("the id of a call", call))?;
        match entry.kind {
            EntryKind::Message if entry.speaker.is_none() => {
                return Err(invalid("a message needs a role: user, assistant or system".to_owned()));
            }
            EntryKind::ToolCall if entry.tool.is_none() => {
                return Err(invalid("a tool call needs the name of the tool".to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// So many entries has a session that takes as many more as may be added at once.
pub(super) const WITH_ROOM: u64 = MOST_ENTRIES - MOST_AT_ONCE as u64;

/// Refuses more entries than a session holds.
pub(super) fn check_room(there: u64, more: usize) -> Result<(), Error> {
    if there + more as u64 > MOST_ENTRIES {
        let message = format!("a session has at most {MOST_ENTRIES} entries; start a new one");
        return Err(Error::conflict(Code::LimitReached, message));
    }
    Ok(())
}

/// The text, cut where it is too long, with a mark that says so.
pub(super) fn bounded_text(text: String) -> String {
    if text.len() <= LONGEST_TEXT {
        return text;
    }
    let mark = format!("\n[cut: the text has {} bytes]", text.len());
    let end = text.floor_char_boundary(LONGEST_TEXT - mark.len());
    text.get(..end).unwrap_or_default().to_owned() + &mark
}

/// The data; a note in its place where it is too large.
pub(super) fn bounded_data(data: Value) -> Value {
    let size = data.to_string().len();
    if size <= LARGEST_DATA {
        return data;
    }
    json!({"note": format!("left out: {size} bytes are more than {LARGEST_DATA}")})
}

/// A title made of a message: its beginning, on one line.
pub(super) fn title_of(message: &str) -> String {
    let beginning: String = message.chars().take(4 * TITLE_OF_MESSAGE).collect();
    let line = beginning.replace('\0', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= TITLE_OF_MESSAGE {
        return line;
    }
    line.chars().take(TITLE_OF_MESSAGE - 1).collect::<String>().trim_end().to_owned() + "…"
}
