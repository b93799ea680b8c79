//! How often it is looked whether something was committed.

use std::time::Duration;

use crate::{Context, Error};

/// Where a glance at a number in memory says so.
const GLANCE: Duration = Duration::from_millis(100);
/// Where the database must be asked.
const ROUND: Duration = Duration::from_millis(500);

/// The rounds of somebody who looks for changes.
#[derive(Debug, Default)]
pub struct Rounds {
    /// The store's count of commits when it was last looked; other stores have none.
    commits: Option<u64>,
}

impl Rounds {
    /// Whether there may be news since this last said so. What is committed from here on makes it true again.
    pub fn due(&mut self, cx: &Context) -> bool {
        let commits = cx.store.generation();
        let due = commits.is_none() || commits != self.commits;
        self.commits = commits;
        due
    }

    /// The last look failed: the next round is due.
    pub fn repeat(&mut self) {
        self.commits = None;
    }

    /// Waits for the next round.
    pub async fn pause(cx: &Context) {
        tokio::time::sleep(if cx.store.generation().is_some() { GLANCE } else { ROUND }).await;
    }
}

/// Whether an error says that a caller can no longer be told anything.
pub fn is_over(error: &Error) -> bool {
    matches!(error, Error::Forbidden(_) | Error::NotFound { .. } | Error::Unauthenticated(_))
}
