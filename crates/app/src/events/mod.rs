//! What a caller is told when something they can see changes elsewhere: what it is about, never what it is. Whoever
//! writes notifies nobody; each watch looks for itself.

mod news;
mod places;
mod rounds;

use std::time::Duration;

use model::{Caller, UserId};
use policy::access::{self, Act};
use tokio::time::Instant;

use crate::identity::Presence;
use crate::{Context, Error};
use news::Seen;
pub use places::{Place, Places};
pub use rounds::{Rounds, is_over};

/// How long after something was committed it is looked again at the earliest, so that a large import is not as many events.
const BREATH: Duration = Duration::from_millis(250);
/// How often it is looked whether the caller may still be told, where nothing changes.
pub const CHECK: Duration = Duration::from_mins(1);

/// What something that changed belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Topic {
    /// Skills.
    Skills,
    /// Agents and what is assigned to them.
    Agents,
    /// Sessions and their entries.
    Sessions,
    /// Runs.
    Runs,
    /// Decisions and governed runs.
    Decisions,
    /// The audit log.
    Audit,
    /// People and their roles.
    Users,
    /// Tokens.
    Tokens,
    /// The workspace's settings.
    Workspace,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 9] = [
        Self::Skills,
        Self::Agents,
        Self::Sessions,
        Self::Runs,
        Self::Decisions,
        Self::Audit,
        Self::Users,
        Self::Tokens,
        Self::Workspace,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Agents => "agents",
            Self::Sessions => "sessions",
            Self::Runs => "runs",
            Self::Decisions => "decisions",
            Self::Audit => "audit",
            Self::Users => "users",
            Self::Tokens => "tokens",
            Self::Workspace => "workspace",
        }
    }

    /// What lists it; who may do that may follow it.
    fn listed_by(self, user: UserId) -> Act<'static> {
        match self {
            Self::Skills => Act::ListSkills,
            Self::Sessions => Act::ListSessions,
            Self::Runs => Act::ListRuns,
            Self::Decisions => Act::ListDecisions,
            Self::Audit => Act::ReadAudit,
            Self::Tokens => Act::ManageToken(user),
            Self::Agents | Self::Users | Self::Workspace => Act::ReadWorkspace,
        }
    }
}

/// The topics a caller can follow.
fn followed(caller: &Caller) -> Vec<Topic> {
    let may = |topic: &Topic| access::decide(caller, topic.listed_by(caller.user)).is_ok();
    Topic::ALL.into_iter().filter(may).collect()
}

/// Somebody who is told what changes, until they may no longer be.
pub struct Watch {
    cx: Context,
    presence: Presence,
    caller: Caller,
    rounds: Rounds,
    seen: Seen,
    /// When it was last looked because something was committed.
    looked: Option<Instant>,
    /// When the caller was last looked at.
    checked: Instant,
    _place: Place,
}

impl Watch {
    /// Watches from now on: nothing that is committed after this is missed.
    pub async fn begin(cx: &Context, presence: Presence) -> Result<Self, Error> {
        let caller = presence.caller(cx).await?;
        access::decide(&caller, Act::ReadWorkspace)?;
        let place = cx.watches.enter(caller.user)?;
        let seen = Seen::now(cx, &caller).await?;
        Ok(Self {
            cx: cx.clone(),
            presence,
            caller,
            rounds: Rounds::default(),
            seen,
            looked: None,
            checked: Instant::now(),
            _place: place,
        })
    }

    /// The topics the caller can follow.
    pub fn topics(&self) -> Vec<Topic> {
        followed(&self.caller)
    }

    /// Waits until something changed; `None` when the caller may no longer be told.
    pub async fn next(&mut self) -> Option<Vec<Topic>> {
        loop {
            if let Some(looked) = self.looked {
                tokio::time::sleep_until(looked + BREATH).await;
            }
            let check = self.checked.elapsed() >= CHECK;
            if self.rounds.due(&self.cx) || check {
                match self.look(check).await {
                    Ok(topics) if topics.is_empty() => {}
                    Ok(topics) => return Some(topics),
                    Err(error) if is_over(&error) => return None,
                    Err(error) => {
                        tracing::warn!(
                            error = &error as &dyn std::error::Error,
                            "could not look for changes; it is tried again"
                        );
                        self.rounds.repeat();
                    }
                }
            }
            Rounds::pause(&self.cx).await;
        }
    }

    /// What changed since the last look.
    async fn look(&mut self, check: bool) -> Result<Vec<Topic>, Error> {
        if !check && self.seen.is_current(&self.cx, &self.caller).await? {
            return Ok(Vec::new());
        }
        let caller = self.presence.caller(&self.cx).await?;
        access::decide(&caller, Act::ReadWorkspace)?;
        self.checked = Instant::now();
        self.looked = Some(self.checked);
        if caller != self.caller {
            // They may see other things than before.
            self.seen = Seen::now(&self.cx, &caller).await?;
            self.caller = caller;
            return Ok(self.topics());
        }
        let (seen, topics) = self.seen.news(&self.cx, &self.caller).await?;
        self.seen = seen;
        Ok(topics)
    }
}
