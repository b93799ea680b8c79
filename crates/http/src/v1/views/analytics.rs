//! How the library is used.

use app::analytics::Analytics;
use app::{AgentUses, SkillRecord};
use model::{Day, Uses};
use serde::Serialize;
use utoipa::ToSchema;

use super::time;

/// All numbers together.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnalyticsTotalsView {
    /// Skills that the caller can see, as they are now.
    pub skills: u64,
    pub active: u64,
    pub draft: u64,
    pub pending: u64,
    /// Skills that were used in these days.
    pub used_skills: u64,
    pub uses: u64,
    pub successes: u64,
    pub failures: u64,
    /// Uses that were runs.
    pub runs: u64,
    /// How long those ran in all, in milliseconds.
    pub run_ms_total: u64,
}

/// One day.
#[derive(Serialize, ToSchema)]
pub(crate) struct DayView {
    /// In UTC.
    #[schema(format = Date)]
    pub day: String,
    pub uses: u64,
    pub successes: u64,
    pub failures: u64,
}

impl From<(Day, Uses)> for DayView {
    fn from((day, uses): (Day, Uses)) -> Self {
        Self { day: day.to_string(), uses: uses.count, successes: uses.successes, failures: uses.failures() }
    }
}

/// A skill that was used.
#[derive(Serialize, ToSchema)]
pub(crate) struct UsedSkillView {
    #[schema(format = Uuid)]
    pub skill_id: String,
    pub name: String,
    pub title: String,
    pub icon: Option<String>,
    pub uses: u64,
    pub successes: u64,
    /// Successes over uses, in these days.
    pub success_rate: f64,
    /// Its last use, whenever and by whomever.
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
}

impl From<(SkillRecord, Uses)> for UsedSkillView {
    fn from((SkillRecord { skill, statistics }, uses): (SkillRecord, Uses)) -> Self {
        Self {
            skill_id: skill.id.to_string(),
            name: skill.name.to_string(),
            title: skill.title,
            icon: skill.icon,
            uses: uses.count,
            successes: uses.successes,
            success_rate: uses.success_rate(),
            last_used_at: statistics.last_used_at.map(time),
        }
    }
}

/// A skill without a use.
#[derive(Serialize, ToSchema)]
pub(crate) struct UnusedSkillView {
    #[schema(format = Uuid)]
    pub skill_id: String,
    pub name: String,
    pub title: String,
    pub icon: Option<String>,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Its last use, whenever and by whomever; null when there was none.
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
}

impl From<SkillRecord> for UnusedSkillView {
    fn from(SkillRecord { skill, statistics }: SkillRecord) -> Self {
        Self {
            skill_id: skill.id.to_string(),
            name: skill.name.to_string(),
            title: skill.title,
            icon: skill.icon,
            created_at: time(skill.created_at),
            last_used_at: statistics.last_used_at.map(time),
        }
    }
}

/// What was done through an agent.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentUsesView {
    /// Null for what people did without an agent.
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    /// Null also for an agent that is gone.
    pub name: Option<String>,
    pub uses: u64,
    pub successes: u64,
}

impl From<AgentUses> for AgentUsesView {
    fn from(AgentUses { agent, name, uses }: AgentUses) -> Self {
        Self {
            agent_id: agent.map(|id| id.to_string()),
            name: name.map(|name| name.to_string()),
            uses: uses.count,
            successes: uses.successes,
        }
    }
}

/// How the library is used.
#[derive(Serialize, ToSchema)]
pub(crate) struct AnalyticsView {
    /// The first day, in UTC.
    #[schema(format = Date)]
    pub since: String,
    /// The last day, in UTC.
    #[schema(format = Date)]
    pub until: String,
    pub totals: AnalyticsTotalsView,
    /// Every day, also those without a use.
    pub days: Vec<DayView>,
    /// Up to 20 skills, the most used first.
    pub top: Vec<UsedSkillView>,
    /// Up to 50 active, enabled skills without a use in these days, the longest unused first.
    pub unused: Vec<UnusedSkillView>,
    /// Up to 100 agents, the busiest first: for admins and reviewers with everyone's uses, for others with their own.
    pub agents: Vec<AgentUsesView>,
    /// Up to 10 skills with at least 5 uses in these days and a failure, the lowest success rate first.
    pub failing: Vec<UsedSkillView>,
}

impl From<Analytics> for AnalyticsView {
    fn from(seen: Analytics) -> Self {
        let total = seen.total;
        Self {
            since: seen.since.to_string(),
            until: seen.until.to_string(),
            totals: AnalyticsTotalsView {
                skills: seen.skills,
                active: seen.active,
                draft: seen.draft,
                pending: seen.pending,
                used_skills: seen.used_skills,
                uses: total.count,
                successes: total.successes,
                failures: total.failures(),
                runs: total.runs,
                run_ms_total: u64::try_from(total.run_time.as_millis()).unwrap_or(u64::MAX),
            },
            days: seen.days.into_iter().map(DayView::from).collect(),
            top: seen.top.into_iter().map(UsedSkillView::from).collect(),
            unused: seen.unused.into_iter().map(UnusedSkillView::from).collect(),
            agents: seen.agents.into_iter().map(AgentUsesView::from).collect(),
            failing: seen.failing.into_iter().map(UsedSkillView::from).collect(),
        }
    }
}
