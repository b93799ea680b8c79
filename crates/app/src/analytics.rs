//! How the library is used, day by day.

use model::{Actor, AgentId, Caller, Day, Status, Timestamp, UserId, Uses, WorkspaceId};
use policy::access::{self, Act};
use store::{AgentUses, SkillRecord, SkillUses, Tx, UseQuery};
use time::{Duration, UtcOffset};

use crate::skills::visibility;
use crate::{Code, Context, Error, audit};

/// How many days are looked at when nobody says.
const USUAL_DAYS: i64 = 30;
/// How many days are looked at most.
const MOST_DAYS: i64 = 366;
/// How many skills the lists have at most.
const TOP: usize = 20;
const UNUSED: u32 = 50;
const FAILING: usize = 10;
/// How many agents are listed at most.
const AGENTS: u32 = 100;
/// A skill that was used less often says little about how it fails.
const LEAST_USES: u64 = 5;

/// How long uses are remembered by day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnalyticsSettings {
    /// So many days; 0 is for ever.
    pub history_days: u32,
}

impl Default for AnalyticsSettings {
    fn default() -> Self {
        Self { history_days: 400 }
    }
}

/// Which uses to look at.
#[derive(Debug, Clone, Default)]
pub struct ReadAnalytics {
    /// The first day; else 29 days before the last.
    pub since: Option<Day>,
    /// The last day; else this one.
    pub until: Option<Day>,
    /// Only what was done through this agent.
    pub agent: Option<AgentId>,
    /// Only what this user did.
    pub user: Option<UserId>,
}

/// How the library is used.
#[derive(Debug, Clone, PartialEq)]
pub struct Analytics {
    /// The first day.
    pub since: Day,
    /// The last day.
    pub until: Day,
    /// How many skills there are, whatever their status.
    pub skills: u64,
    /// How many of them are active.
    pub active: u64,
    /// How many are drafts.
    pub draft: u64,
    /// How many wait for a reviewer.
    pub pending: u64,
    /// How many were used.
    pub used_skills: u64,
    /// All uses together.
    pub total: Uses,
    /// Every day, also those without a use.
    pub days: Vec<(Day, Uses)>,
    /// The skills that were used most.
    pub top: Vec<(SkillRecord, Uses)>,
    /// Active, enabled skills without a use, those that were not used for the longest time first.
    pub unused: Vec<SkillRecord>,
    /// What was done through which agent: by everyone for those who see everything, else by the caller.
    pub agents: Vec<AgentUses>,
    /// Skills that fail, the lowest success rate first.
    pub failing: Vec<(SkillRecord, Uses)>,
}

/// How the skills that the caller can see are used. Others' part in it is told to those who see everything: whoever
/// else asks for an agent is told of their own uses, and for another user is refused.
pub async fn read(cx: &Context, caller: &Caller, request: ReadAnalytics) -> Result<Analytics, Error> {
    access::decide(caller, Act::ListSkills)?;
    let (since, until) = window(cx, &request)?;
    let (workspace, visibility) = (caller.workspace, visibility(caller));
    let (user, agent) = (request.user, request.agent);
    let asked = UseQuery { workspace, visibility, since, until, user, agent };
    let told = if access::sees_everything(caller) {
        asked.clone()
    } else {
        let (user, agent) = (user.unwrap_or(caller.user), agent.or(caller.agent));
        access::decide(caller, Act::ReadUses(user, agent))?;
        UseQuery { user: Some(user), agent, ..asked.clone() }
    };
    // How much a skill is used is told to all who see it; by whom and through what is not.
    let query = if user.is_none() && agent.is_none() { &asked } else { &told };
    let mut tx = cx.read().await?;
    let counts = tx.count_by_status(workspace, visibility).await?;
    let of = |wanted: Status| counts.iter().find(|(status, _)| *status == wanted).map_or(0, |(_, n)| *n);
    let by_skill = tx.uses_by_skill(query).await?;
    let top = with_records(&mut *tx, workspace, by_skill.iter().take(TOP).copied().collect()).await?;
    let failing = with_records(&mut *tx, workspace, failing(&by_skill)).await?;
    let days = every_day(since, until, &tx.uses_by_day(query).await?);
    Ok(Analytics {
        since,
        until,
        skills: counts.iter().map(|(_, count)| count).sum(),
        active: of(Status::Active),
        draft: of(Status::Draft),
        pending: of(Status::PendingApproval),
        used_skills: by_skill.len() as u64,
        total: days.iter().map(|(_, uses)| *uses).sum(),
        days,
        top,
        unused: tx.unused_skills(query, UNUSED).await?,
        agents: tx.uses_by_agent(&told, AGENTS).await?,
        failing,
    })
}

/// Those of the used skills that fail, the lowest success rate first; where it is the same, those used more.
fn failing(used: &[SkillUses]) -> Vec<SkillUses> {
    let fails = |one: &&SkillUses| one.uses.successes < one.uses.count && one.uses.count >= LEAST_USES;
    let mut failing: Vec<_> = used.iter().filter(fails).copied().collect();
    let times = |one: u64, other: u64| u128::from(one) * u128::from(other);
    // As fractions, brought to one denominator. They are sorted by uses and name already, and stay so where they are even.
    failing.sort_by(|left, right| {
        times(left.uses.successes, right.uses.count).cmp(&times(right.uses.successes, left.uses.count))
    });
    failing.truncate(FAILING);
    failing
}

/// The skills with their uses, in the same order. One that was purged meanwhile is left out.
async fn with_records(
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    uses: Vec<SkillUses>,
) -> Result<Vec<(SkillRecord, Uses)>, Error> {
    let ids: Vec<_> = uses.iter().map(|one| one.skill).collect();
    let mut records = tx.skills_by_id(workspace, &ids).await?;
    let mut found = Vec::with_capacity(uses.len());
    for one in uses {
        if let Some(place) = records.iter().position(|record| record.skill.id == one.skill) {
            found.push((records.swap_remove(place), one.uses));
        }
    }
    Ok(found)
}

/// The first and the last day that are asked for.
fn window(cx: &Context, request: &ReadAnalytics) -> Result<(Day, Day), Error> {
    let until = request.until.unwrap_or_else(|| cx.now().to_offset(UtcOffset::UTC).date());
    let since = request.since.unwrap_or_else(|| until.saturating_sub(Duration::days(USUAL_DAYS - 1)));
    let refuse = |message: String| Err(Error::invalid(Code::InvalidRequest, message));
    if since > until {
        return refuse(format!("the first day, {since}, is behind the last, {until}"));
    }
    if (until - since).whole_days() >= MOST_DAYS {
        return refuse(format!("at most {MOST_DAYS} days; ask for fewer"));
    }
    Ok((since, until))
}

fn every_day(since: Day, until: Day, known: &[(Day, Uses)]) -> Vec<(Day, Uses)> {
    let days = std::iter::successors(Some(since), |day| day.next_day().filter(|next| *next <= until));
    let uses =
        |day: Day| known.iter().find(|(known, _)| *known == day).map_or_else(Uses::default, |(_, n)| *n);
    days.map(|day| (day, uses(day))).collect()
}

/// Forgets the days before a moment, for whoever does it; how many counters that were.
pub(crate) async fn prune_before(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    actor: Actor,
    before: Timestamp,
) -> Result<u64, Error> {
    let removed = tx.prune_days(workspace, before.to_offset(UtcOffset::UTC).date()).await?;
    audit::record_pruned(cx, tx, (workspace, actor), "analytics.prune", before, removed).await?;
    Ok(removed)
}
