//! What changed for a caller since they last looked.
//!
//! Every transaction of a workspace has a number, so that one row says whether there is anything to look for. What was
//! done is read from the audit log; what is not logged one by one, skills and entries of sessions, is asked for.

use std::collections::{BTreeSet, HashMap};

use model::{AuditEntry, Caller, Scope, SessionId, Timestamp, UserId};
use policy::access::{self, Act};
use serde_json::Value;
use store::Tx;
use time::Duration;

use super::{Topic, followed};
use crate::governance::{self, FINISH, SEAL};
use crate::skills::readable_changed;
use crate::{Context, Error};

/// Entries of the log that are read at a time.
const PAGE: u32 = 500;
/// Sessions that are looked at, the ones used last.
const MOST_SESSIONS: u32 = 200;
/// How much the clocks of servers may differ, with the time that a transaction takes.
const SKEW: Duration = Duration::seconds(10);

/// Up to where a caller was told.
pub(super) struct Seen {
    change: u64,
    /// The place in the audit log.
    audit: u64,
    sessions: Sessions,
}

/// The sessions that were used about when it was last looked.
struct Sessions {
    looked_at: Timestamp,
    versions: HashMap<SessionId, u64>,
}

impl Seen {
    /// Everything there is at this moment.
    pub(super) async fn now(cx: &Context, caller: &Caller) -> Result<Self, Error> {
        let mut tx = cx.read().await?;
        // First: what is committed while we read is looked at again.
        let change = last_change(&mut *tx, caller).await?;
        let head = tx.audit_head(caller.workspace).await?;
        let sessions = Sessions::used_since(&mut *tx, caller, cx.now(), cx.now()).await?;
        Ok(Self { change, audit: head.map_or(0, |head| head.sequence), sessions })
    }

    /// Whether nothing at all was committed in the workspace.
    pub(super) async fn is_current(&self, cx: &Context, caller: &Caller) -> Result<bool, Error> {
        Ok(last_change(&mut *cx.read().await?, caller).await? == self.change)
    }

    /// What is new, and up to where it is told then.
    pub(super) async fn news(&self, cx: &Context, caller: &Caller) -> Result<(Self, Vec<Topic>), Error> {
        let mut tx = cx.read().await?;
        let change = last_change(&mut *tx, caller).await?;
        let mut news = News { caller, followed: followed(caller), topics: BTreeSet::new() };
        let audit = news.read_log(&mut *tx, self.audit).await?;
        if news.wants(Topic::Skills) && readable_changed(&mut *tx, caller, self.change).await? {
            news.topics.insert(Topic::Skills);
        }
        let sessions = Sessions::used_since(&mut *tx, caller, self.sessions.looked_at, cx.now()).await?;
        if news.wants(Topic::Sessions) && sessions.differ_from(&self.sessions) {
            news.topics.insert(Topic::Sessions);
        }
        Ok((Self { change, audit, sessions }, news.topics.into_iter().collect()))
    }
}

async fn last_change(tx: &mut dyn Tx, caller: &Caller) -> Result<u64, Error> {
    let last = tx.last_change(caller.workspace).await?;
    last.ok_or_else(|| Error::not_found("workspace", caller.workspace))
}

impl Sessions {
    async fn used_since(
        tx: &mut dyn Tx,
        caller: &Caller,
        since: Timestamp,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let user = (!access::sees_everything(caller)).then_some(caller.user);
        let found = tx.sessions_used_since(caller.workspace, user, since - SKEW, MOST_SESSIONS).await?;
        Ok(Self { looked_at: now, versions: found.into_iter().collect() })
    }

    fn differ_from(&self, before: &Self) -> bool {
        self.versions.iter().any(|(id, version)| before.versions.get(id) != Some(version))
    }
}

/// What was found so far.
struct News<'a> {
    caller: &'a Caller,
    followed: Vec<Topic>,
    topics: BTreeSet<Topic>,
}

impl News<'_> {
    /// Whether a topic is followed, and not known to be new yet.
    fn wants(&self, topic: Topic) -> bool {
        self.followed.contains(&topic) && !self.topics.contains(&topic)
    }

    /// Reads the log from a place on; where it ends.
    async fn read_log(&mut self, tx: &mut dyn Tx, mut place: u64) -> Result<u64, Error> {
        loop {
            let entries = tx.audit_after(self.caller.workspace, place, PAGE).await?;
            for entry in &entries {
                self.hear(entry);
                place = entry.sequence;
            }
            if entries.len() < PAGE as usize {
                return Ok(place);
            }
        }
    }

    fn hear(&mut self, entry: &AuditEntry) {
        // The list of the log leaves seals out.
        if self.wants(Topic::Audit) && entry.verb.0 != SEAL {
            self.topics.insert(Topic::Audit);
        }
        if let Some(topic) = topic_of(entry)
            && self.wants(topic)
            && self.concerns(topic, entry)
        {
            self.topics.insert(topic);
        }
    }

    /// Whether an entry is about something that the caller can see. The entry alone says so: there may be many that
    /// are about others.
    fn concerns(&self, topic: Topic, entry: &AuditEntry) -> bool {
        let caller = self.caller;
        let may = |act| access::decide(caller, act).is_ok();
        let user = || told(entry, "user").and_then(|user| UserId::parse(&user).ok());
        match (topic, entry.verb.0.as_str()) {
            // A run is logged by whoever made it.
            (Topic::Runs, "run.execute") => {
                entry.actor.user.is_some_and(|user| may(Act::ReadRun(user, entry.actor.agent)))
            }
            (Topic::Tokens, _) => user().is_some_and(|user| may(Act::ManageToken(user))),
            (Topic::Decisions, SEAL | FINISH) => governance::can_see(caller, entry),
            (Topic::Sessions, "session.delete") => {
                user() == Some(caller.user) || access::sees_everything(caller)
            }
            (Topic::Skills, "skill.delete") => {
                let scope = told(entry, "scope").and_then(|key| Scope::parse_key(&key));
                scope.is_some_and(|scope| access::sees_scope(caller, scope))
            }
            // That it was deleted was told when it was.
            (Topic::Skills, _) => access::sees_everything(caller),
            _ => true,
        }
    }
}

/// What an entry is about, where the log is the place to learn of it.
fn topic_of(entry: &AuditEntry) -> Option<Topic> {
    let verb = entry.verb.0.as_str();
    match verb.split_once('.')?.0 {
        "skill" if matches!(verb, "skill.delete" | "skill.purge") => Some(Topic::Skills),
        "session" if matches!(verb, "session.delete" | "session.prune") => Some(Topic::Sessions),
        "agent" => Some(Topic::Agents),
        "run" => Some(Topic::Runs),
        "governance" => Some(Topic::Decisions),
        "user" => Some(Topic::Users),
        "token" => Some(Topic::Tokens),
        "workspace" => Some(Topic::Workspace),
        _ => None,
    }
}

/// What the detail of an entry says under a name.
fn told(entry: &AuditEntry, name: &str) -> Option<String> {
    let detail: Value = serde_json::from_str(&entry.detail).ok()?;
    detail.get(name)?.as_str().map(str::to_owned)
}
