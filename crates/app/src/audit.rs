//! The audit log: written with every change, read and verified here.

use std::collections::BTreeMap;

use model::{Actor, AuditEntry, AuditVerb, Caller, Digest, Subject, Timestamp, UserId, WorkspaceId};
use policy::access::{self, Act};
use serde_json::{Value, json};
use store::{AuditFilter, NewAuditEntry, Tx};
use time::format_description::well_known::Rfc3339;

use crate::governance::{SEAL, Seals};
use crate::paging::page;
use crate::redact::without_found;
use crate::{Context, Cursor, Error, Page, PageRequest};

/// The server, where nobody told it to do what it did.
pub(crate) const SERVER: Actor = Actor { user: None, agent: None };

/// Writes what a caller did, in the transaction that did it.
pub(crate) async fn record(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    verb: &str,
    subject: (&str, String),
    detail: &[(&str, Value)],
) -> Result<(), Error> {
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    record_as(cx, tx, caller.workspace, actor, verb, subject, detail).await.map(drop)
}

/// Writes that what is older than a moment was forgotten, if there was any of it.
pub(crate) async fn record_pruned(
    cx: &Context,
    tx: &mut dyn Tx,
    (workspace, actor): (WorkspaceId, Actor),
    verb: &str,
    before: Timestamp,
    removed: u64,
) -> Result<(), Error> {
    if removed == 0 {
        return Ok(());
    }
    let moment = before.format(&Rfc3339).unwrap_or_default();
    let detail = [("before", json!(moment)), ("removed", json!(removed))];
    let subject = ("workspace", workspace.to_string());
    record_as(cx, tx, workspace, actor, verb, subject, &detail).await.map(drop)
}

/// Writes what someone, or the server itself, did.
pub(crate) async fn record_as(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    actor: Actor,
    verb: &str,
    (kind, id): (&str, String),
    detail: &[(&str, Value)],
) -> Result<AuditEntry, Error> {
    let detail = detail.iter().filter(|(_, value)| !value.is_null());
    let detail: BTreeMap<_, _> = detail.map(|(name, value)| (*name, without_found(value))).collect();
    let entry = NewAuditEntry {
        at: cx.now(),
        actor,
        verb: AuditVerb(verb.to_owned()),
        subject: Subject { kind: kind.to_owned(), id },
        detail: serde_json::to_string(&detail).unwrap_or_else(|_| "{}".to_owned()),
    };
    Ok(tx.append_audit(workspace, entry).await?)
}

/// What to list.
#[derive(Debug, Clone, Default)]
pub struct ListAudit {
    /// An exact verb, or all of a kind: `skill.`.
    pub verb: Option<String>,
    /// The kind of the subject.
    pub subject_kind: Option<String>,
    /// The subject's id.
    pub subject_id: Option<String>,
    /// Who did it.
    pub user: Option<UserId>,
    /// Whether the entries that only seal decisions are among them; without a verb they are left out else.
    pub seals: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Lists entries, newest first.
pub async fn list(cx: &Context, caller: &Caller, request: ListAudit) -> Result<Page<AuditEntry>, Error> {
    access::decide(caller, Act::ReadAudit)?;
    let limit = request.page.checked_limit()?;
    let before = request.page.after.as_ref().map(Cursor::number).transpose()?;
    let hides_seals = request.verb.is_none() && !request.seals;
    let filter = AuditFilter {
        except: hides_seals.then(|| SEAL.to_owned()),
        verb: request.verb,
        subject_kind: request.subject_kind,
        subject_id: request.subject_id,
        user: request.user,
    };
    let entries = cx.read().await?.audit_before(caller.workspace, &filter, before, limit + 1).await?;
    Ok(page(entries, limit, |entry| Cursor::of_number(entry.sequence)))
}

/// Entries after a place, oldest first: for an export that follows the chain.
pub async fn export(cx: &Context, caller: &Caller, after: u64, limit: u32) -> Result<Vec<AuditEntry>, Error> {
    access::decide(caller, Act::ReadAudit)?;
    Ok(cx.read().await?.audit_after(caller.workspace, after, limit.min(1_000)).await?)
}

/// What a verification found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verification {
    /// How many entries were checked.
    pub entries: u64,
    /// How many decisions behind its seals were checked.
    pub decisions: u64,
    /// The hash of the last one: keep it elsewhere and compare later.
    pub head: Digest,
    /// What is wrong, in the order of the chain; empty when it is whole.
    pub problems: Vec<String>,
}

/// Walks the whole chain and recomputes every hash, and those of the decisions it seals: an entry or a decision that was
/// changed, removed, added or moved shows.
pub async fn verify(cx: &Context, caller: &Caller) -> Result<Verification, Error> {
    access::decide(caller, Act::ReadAudit)?;
    let mut tx = cx.read().await?;
    // The head first: entries that are added while we walk then lie beyond it and are left for the next time.
    let end =
        tx.audit_head(caller.workspace).await?.ok_or_else(|| Error::not_found("audit chain", "here"))?;
    let mut chain = Chain { sequence: 0, hash: AuditEntry::GENESIS, entries: 0, problems: Vec::new() };
    let mut seals = Seals::default();
    while chain.sequence < end.sequence && chain.problems.len() < 100 {
        let batch = tx.audit_after(caller.workspace, chain.sequence, 1_000).await?;
        let known: Vec<_> = batch.into_iter().filter(|entry| entry.sequence <= end.sequence).collect();
        if known.is_empty() {
            break;
        }
        chain.problems.extend(seals.follow(&mut *tx, caller.workspace, &known).await?);
        for entry in known {
            chain.follow(&entry);
        }
    }
    // Where the walk was broken off, what says that decisions were forgotten may lie ahead.
    if chain.sequence == end.sequence {
        chain.problems.extend(seals.missing());
    }
    chain.problems.extend(Seals::beyond(&mut *tx, caller.workspace, end.sequence).await?);
    if chain.sequence != end.sequence {
        chain.problems.push(format!(
            "the log ends at entry {}, but entry {} was written",
            chain.sequence, end.sequence
        ));
    } else if chain.hash != end.hash {
        chain
            .problems
            .push(format!("the last entry, {}, is not the one that was written last", end.sequence));
    }
    // An entry is written together with the head, so that none can lie beyond a head that was read after it.
    if let Some(beyond) = tx.audit_after(caller.workspace, end.sequence, 1).await?.first() {
        let now = tx.audit_head(caller.workspace).await?.map_or(0, |head| head.sequence);
        if now < beyond.sequence {
            chain.problems.push(format!("entry {} lies beyond the end of the log, {now}", beyond.sequence));
        }
    }
    Ok(Verification {
        entries: chain.entries,
        decisions: seals.decisions,
        head: end.hash,
        problems: chain.problems,
    })
}

struct Chain {
    sequence: u64,
    hash: Digest,
    entries: u64,
    problems: Vec<String>,
}

impl Chain {
    fn follow(&mut self, entry: &AuditEntry) {
        if entry.sequence != self.sequence + 1 {
            self.problems.push(format!(
                "entries {} to {} are missing",
                self.sequence + 1,
                entry.sequence - 1
            ));
        } else if entry.previous != self.hash {
            self.problems.push(format!("entry {} does not follow the entry before it", entry.sequence));
        }
        if entry.computed_hash() != entry.hash {
            self.problems.push(format!("entry {} was changed after it was written", entry.sequence));
        }
        self.sequence = entry.sequence;
        self.hash = entry.hash;
        self.entries += 1;
    }
}
