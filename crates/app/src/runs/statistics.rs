//! How a skill and each of its revisions do.

use std::time::Duration;

use model::{Caller, RevisionStatistics, SkillId, Statistics};
use policy::access::Act;

use crate::skills::load;
use crate::{Context, Error};

/// How a skill does.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillStatistics {
    /// All of it together, uses elsewhere that were told of included.
    pub total: Statistics,
    /// How long a run took on average, once there was one.
    pub mean_duration: Option<Duration>,
    /// Each revision that was run, newest first.
    pub revisions: Vec<RevisionStatistics>,
}

/// The counters of a skill and of its revisions.
pub async fn statistics(cx: &Context, caller: &Caller, id: SkillId) -> Result<SkillStatistics, Error> {
    let mut tx = cx.read().await?;
    let record = load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    let revisions = tx.revision_statistics(caller.workspace, id, None).await?;
    let runs: u64 = revisions.iter().map(|revision| revision.counters.execution_count()).sum();
    let total: Duration = revisions.iter().map(|revision| revision.total).sum();
    let mean_duration = total.checked_div(u32::try_from(runs).unwrap_or(u32::MAX));
    Ok(SkillStatistics { total: record.statistics, mean_duration, revisions })
}
