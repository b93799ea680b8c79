//! A run: one sandboxed execution of a skill's procedure, as it is remembered.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::word::words;
use crate::{
    AgentId, Digest, RevisionNumber, RunId, SettingsError, SkillId, SkillName, Statistics, Timestamp, UserId,
    WorkspaceId,
};

words!(
    /// How a run ended.
    RunStatus, "run status" {
        /// The code ended by itself, with a result.
        Succeeded => "succeeded",
        /// The code failed or was ended.
        Failed => "failed",
    }
);

/// Bounds on what a run may use; where nothing is set, nothing is narrowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLimits {
    /// Milliseconds from the start to the result.
    pub wall_ms: Option<u64>,
    /// Milliseconds of processor time.
    pub cpu_ms: Option<u64>,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Processes and threads at a time.
    pub processes: Option<u32>,
    /// Open files of one process.
    pub open_files: Option<u32>,
    /// Bytes in the work folder.
    pub folder_bytes: Option<u64>,
    /// Files and folders in the work folder.
    pub folder_files: Option<u64>,
    /// Bytes on each of stdout and stderr.
    pub output_bytes: Option<u64>,
    /// Bytes of the result, as JSON.
    pub result_bytes: Option<u64>,
}

impl RunLimits {
    /// The largest value a limit can have; every database can keep it.
    pub const MAX: u64 = i64::MAX as u64;

    /// The largest number of processes or open files.
    pub const MAX_COUNT: u32 = i32::MAX as u32;

    /// Refuses limits of nothing, and those beyond the largest.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let wide = [
            self.wall_ms,
            self.cpu_ms,
            self.memory_bytes,
            self.folder_bytes,
            self.folder_files,
            self.output_bytes,
            self.result_bytes,
        ];
        let narrow = [self.processes, self.open_files];
        let fits = wide.into_iter().flatten().all(|limit| (1..=Self::MAX).contains(&limit))
            && narrow.into_iter().flatten().all(|limit| (1..=Self::MAX_COUNT).contains(&limit));
        if fits { Ok(()) } else { Err(SettingsError::RunLimits) }
    }
}

/// Why a run failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    /// The stable code.
    pub code: String,
    /// The type of the error in the code's own language.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The file of the bundle where it came up.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u32>,
}

/// One sandboxed execution of a skill's procedure, as it is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The workspace it happened in.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: RunId,
    /// The skill.
    pub skill: SkillId,
    /// The skill's name at that time.
    pub skill_name: SkillName,
    /// The revision whose code ran.
    pub revision: RevisionNumber,
    /// Who ran it.
    pub user: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// What it was called with; secrets are blanked out.
    pub parameters: Map<String, Value>,
    /// How it ended.
    pub status: RunStatus,
    /// Why it failed.
    pub error: Option<RunError>,
    /// From the start of the code to its result.
    pub duration: Duration,
    /// Processor time, where it was measured.
    pub cpu: Option<Duration>,
    /// Most memory at a time in bytes, where it was measured.
    pub memory_bytes: Option<u64>,
    /// The codes of the limits it ran into.
    pub limits_hit: Vec<String>,
    /// The digest of what it gave back; equal for equal behaviour.
    pub output_digest: Digest,
    /// Bytes of the result, as JSON.
    pub result_size: u64,
    /// When it began.
    pub started_at: Timestamp,
}

/// How one revision of a skill has done so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RevisionStatistics {
    /// The revision.
    pub revision: RevisionNumber,
    /// Its counters; nobody gives feedback on a single revision.
    pub counters: Statistics,
    /// The time of all its executions together.
    pub total: Duration,
}

impl RevisionStatistics {
    /// A revision that was never executed.
    pub fn new(revision: RevisionNumber) -> Self {
        Self { revision, counters: Statistics::default(), total: Duration::ZERO }
    }

    /// The counters after one more execution.
    #[must_use]
    pub fn after_execution(self, success: bool, duration: Duration, now: Timestamp) -> Self {
        Self {
            counters: self.counters.after_execution(success, now),
            total: self.total.saturating_add(duration),
            ..self
        }
    }

    /// How long an execution took on average, once there was one.
    pub fn mean_duration(&self) -> Option<Duration> {
        let executions = u32::try_from(self.counters.execution_count()).unwrap_or(u32::MAX);
        self.total.checked_div(executions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_of_nothing_or_beyond_any_database_is_refused() {
        let fine = RunLimits { wall_ms: Some(1), processes: Some(1), ..RunLimits::default() };
        assert_eq!(fine.validate(), Ok(()));
        assert_eq!(RunLimits::default().validate(), Ok(()));
        for bad in [
            RunLimits { wall_ms: Some(0), ..fine },
            RunLimits { processes: Some(0), ..fine },
            RunLimits { open_files: Some(u32::MAX), ..fine },
            RunLimits { memory_bytes: Some(u64::MAX), ..fine },
        ] {
            assert_eq!(bad.validate(), Err(SettingsError::RunLimits));
        }
    }

    #[test]
    fn a_revision_counts_as_its_skill_does_and_knows_its_mean_time() {
        let now = Timestamp::UNIX_EPOCH;
        let none = RevisionStatistics::new(RevisionNumber::FIRST);
        assert_eq!(none.mean_duration(), None);
        let some = none.after_execution(true, Duration::from_millis(10), now).after_execution(
            false,
            Duration::from_millis(20),
            now,
        );
        assert_eq!(some.mean_duration(), Some(Duration::from_millis(15)));
        let skill = Statistics::default().after_execution(true, now).after_execution(false, now);
        assert_eq!(some.counters, skill);
    }
}
