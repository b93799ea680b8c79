//! Adds entries to a session.

use model::{Caller, EntryKind, Session, SessionEntry, SessionId, Speaker, Timestamp};
use policy::access::Act;

use super::bounds::{bounded_data, bounded_text, check_entries, check_room, title_of};
use super::{check_open, load, moment_in, skills, store_next};
use crate::redact::{Secrets, apart, redact_data, redact_text, text_size};
use crate::{Code, Context, Error};

/// Adds entries that somebody brings at the end of a session, in one transaction. Their numbers and moments are given
/// here. Refused where nothing is recorded.
pub async fn add(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    entries: Vec<SessionEntry>,
) -> Result<Session, Error> {
    check_entries(&entries)?;
    let entries = apart(size_of(&entries), || without_secrets(entries)).await?;
    let mut tx = cx.begin(caller.workspace).await?;
    let mut session = load(&mut *tx, caller, id, |session| Act::WriteSession(session)).await?;
    check_open(&session)?;
    if !cx.recording.record {
        let message = "sessions are not recorded here (`sessions.record` is off)";
        return Err(Error::conflict(Code::RecordingOff, message));
    }
    check_room(session.entry_count, entries.len())?;
    if entries.is_empty() {
        return Ok(session);
    }
    let now = moment_in(cx, &session);
    for entry in &entries {
        skills::follow(&mut session, entry);
    }
    let entries: Vec<_> =
        (session.entry_count + 1..).zip(entries).map(|(number, entry)| as_kept(entry, number, now)).collect();
    if session.title.is_empty() {
        session.title = first_words(&entries).unwrap_or_default();
    }
    session.entry_count += entries.len() as u64;
    session.updated_at = now;
    tx.insert_session_entries(caller.workspace, id, &entries).await?;
    let session = store_next(&mut *tx, session).await?;
    tx.commit().await?;
    Ok(session)
}

/// Adds what a door records by itself. Where nothing is recorded, nothing is added.
pub async fn append(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    entries: Vec<SessionEntry>,
) -> Result<(), Error> {
    if !cx.recording.record {
        return Ok(());
    }
    add(cx, caller, id, entries).await.map(drop)
}

/// The same for what came of something that is done already: that a session was ended or removed meanwhile, or is
/// full, takes nothing of it back.
pub async fn append_outcome(
    cx: &Context,
    caller: &Caller,
    id: SessionId,
    entries: Vec<SessionEntry>,
) -> Result<(), Error> {
    match append(cx, caller, id, entries).await {
        Err(error)
            if matches!(error.code(), Code::SessionCompleted | Code::NotFound | Code::LimitReached) =>
        {
            tracing::info!(session = %id, reason = %error, "what was done is not in its session");
            Ok(())
        }
        added => added,
    }
}

/// How many bytes of text the entries have.
fn size_of(entries: &[SessionEntry]) -> usize {
    entries.iter().map(|entry| entry.text.len() + entry.data.as_ref().map_or(0, text_size)).sum()
}

/// The entries without secrets, by name or by value, wherever else among them these are repeated.
fn without_secrets(mut entries: Vec<SessionEntry>) -> Vec<SessionEntry> {
    let mut secrets = Secrets::default();
    for entry in &mut entries {
        entry.data = entry.data.take().map(|data| redact_data(&data, &mut secrets));
        entry.text = redact_text(&entry.text, &mut secrets);
    }
    entries.into_iter().map(|entry| scrubbed(entry, &secrets)).collect()
}

/// An entry in which none of these secrets stands.
pub(crate) fn scrubbed(entry: SessionEntry, secrets: &Secrets) -> SessionEntry {
    let data = entry.data.map(|data| secrets.scrub_data(data));
    SessionEntry { text: secrets.scrub(&entry.text), data, ..entry }
}

/// The entry at its place, not too large.
fn as_kept(entry: SessionEntry, number: u64, at: Timestamp) -> SessionEntry {
    let (text, data) = (bounded_text(entry.text), entry.data.map(bounded_data));
    SessionEntry { number, text, data, at, ..entry }
}

/// The beginning of the first thing that the user said.
fn first_words(entries: &[SessionEntry]) -> Option<String> {
    let said = entries.iter().find(|entry| {
        entry.kind == EntryKind::Message
            && entry.speaker == Some(Speaker::User)
            && !entry.text.trim().is_empty()
    });
    said.map(|entry| title_of(&entry.text))
}
