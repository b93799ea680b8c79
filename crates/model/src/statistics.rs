//! Counters of how a skill does. Kept apart from the skill, so that using one never changes its version.

use std::iter::Sum;
use std::time::Duration;

use crate::{AgentId, SkillId, Timestamp, UserId};

/// How much the latest execution weighs in the recent success rate.
pub const RECENT_WEIGHT: f64 = 0.1;

/// One person's word on a skill; a later one replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// The skill.
    pub skill: SkillId,
    /// Whose word.
    pub user: UserId,
    /// Whether it helped.
    pub helpful: bool,
    /// More about it.
    pub comment: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// How a skill has done so far.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// How often it was loaded or run.
    pub use_count: u64,
    /// How many executions succeeded.
    pub success_count: u64,
    /// How many failed.
    pub failure_count: u64,
    /// Success rate with the latest weighing most; `None` before the first execution.
    pub recent_success_rate: Option<f64>,
    /// When it was last used.
    pub last_used_at: Option<Timestamp>,
    /// How many people found it helpful.
    pub helpful_count: u64,
    /// How many did not.
    pub unhelpful_count: u64,
}

impl Statistics {
    /// How many executions there were.
    pub fn execution_count(&self) -> u64 {
        self.success_count + self.failure_count
    }

    /// Successes over executions; 1 when there was none.
    #[allow(clippy::cast_precision_loss)] // counts stay far below 2^52
    pub fn success_rate(&self) -> f64 {
        match self.execution_count() {
            0 => 1.0,
            executions => self.success_count as f64 / executions as f64,
        }
    }

    /// The share of helpful votes, once there is one.
    #[allow(clippy::cast_precision_loss)]
    pub fn feedback_score(&self) -> Option<f64> {
        match self.helpful_count + self.unhelpful_count {
            0 => None,
            votes => Some(self.helpful_count as f64 / votes as f64),
        }
    }

    /// The counters after one more execution.
    #[must_use]
    pub fn after_execution(mut self, success: bool, now: Timestamp) -> Self {
        let outcome = f64::from(u8::from(success));
        self.use_count += 1;
        if success {
            self.success_count += 1;
        } else {
            self.failure_count += 1;
        }
        self.recent_success_rate =
            Some(self.recent_success_rate.map_or(outcome, |rate| rate + RECENT_WEIGHT * (outcome - rate)));
        self.last_used_at = Some(now);
        self
    }
}

/// One use of a skill, for the counters of its day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillUse {
    /// The skill.
    pub skill: SkillId,
    /// Who used it.
    pub user: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// When.
    pub at: Timestamp,
    /// Whether it succeeded.
    pub success: bool,
    /// How long it ran, where it was a run.
    pub run: Option<Duration>,
}

/// How much something was used in a span of days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Uses {
    /// How often.
    pub count: u64,
    /// How often with success.
    pub successes: u64,
    /// How many of them were runs.
    pub runs: u64,
    /// How long those ran in all.
    pub run_time: Duration,
}

impl Uses {
    /// How often without success.
    pub fn failures(&self) -> u64 {
        self.count.saturating_sub(self.successes)
    }

    /// Successes over uses; 1 when there was none.
    #[allow(clippy::cast_precision_loss)] // counts stay far below 2^52
    pub fn success_rate(&self) -> f64 {
        if self.count == 0 { 1.0 } else { self.successes as f64 / self.count as f64 }
    }
}

impl Sum for Uses {
    fn sum<I: Iterator<Item = Self>>(uses: I) -> Self {
        uses.fold(Self::default(), |all, one| Self {
            count: all.count + one.count,
            successes: all.successes + one.successes,
            runs: all.runs + one.runs,
            run_time: all.run_time + one.run_time,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_one_before_the_first_execution_and_exact_after() {
        let now = Timestamp::UNIX_EPOCH;
        let none = Statistics::default();
        assert!((none.success_rate() - 1.0).abs() < f64::EPSILON);
        let some = none.after_execution(true, now).after_execution(false, now).after_execution(true, now);
        assert_eq!(some.execution_count(), 3);
        assert!((some.success_rate() - 2.0 / 3.0).abs() < 1e-12);
        assert!((some.recent_success_rate.unwrap() - 0.91).abs() < 1e-12);
    }

    #[test]
    fn uses_add_up() {
        let one = Uses { count: 3, successes: 2, runs: 1, run_time: Duration::from_millis(5) };
        let all: Uses = [one, one, Uses::default()].into_iter().sum();
        assert_eq!((all.count, all.failures(), all.runs), (6, 2, 2));
        assert_eq!(all.run_time, Duration::from_millis(10));
        assert!((all.success_rate() - 2.0 / 3.0).abs() < 1e-12);
        assert!((Uses::default().success_rate() - 1.0).abs() < f64::EPSILON);
    }
}
