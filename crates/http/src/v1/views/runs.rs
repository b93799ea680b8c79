//! Runs, limits and statistics.

use std::time::Duration;

use app::Code;
use app::runs::{Check, ExecutionLimits, OutputFile, Ran, SandboxStatus, SkillStatistics};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{RevisionStatistics, Run, RunLimits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::{StatisticsView, time};
use crate::problem::Problem;

/// Bounds on what a run may use; null narrows nothing.
#[derive(Serialize, Deserialize, ToSchema, Default, Clone, Copy)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct RunLimitsView {
    /// Milliseconds from the start to the result.
    #[schema(minimum = 1)]
    pub wall_ms: Option<u64>,
    /// Milliseconds of processor time.
    #[schema(minimum = 1)]
    pub cpu_ms: Option<u64>,
    /// Bytes of memory.
    #[schema(minimum = 1)]
    pub memory_bytes: Option<u64>,
    /// Processes and threads at a time.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub processes: Option<u32>,
    /// Open files of one process.
    #[schema(minimum = 1, maximum = 2_147_483_647)]
    pub open_files: Option<u32>,
    /// Bytes in the work folder.
    #[schema(minimum = 1)]
    pub folder_bytes: Option<u64>,
    /// Files and folders in the work folder.
    #[schema(minimum = 1)]
    pub folder_files: Option<u64>,
    /// Bytes on each of stdout and stderr.
    #[schema(minimum = 1)]
    pub output_bytes: Option<u64>,
    /// Bytes of the result, as JSON.
    #[schema(minimum = 1)]
    pub result_bytes: Option<u64>,
}

impl From<RunLimits> for RunLimitsView {
    fn from(limits: RunLimits) -> Self {
        Self {
            wall_ms: limits.wall_ms,
            cpu_ms: limits.cpu_ms,
            memory_bytes: limits.memory_bytes,
            processes: limits.processes,
            open_files: limits.open_files,
            folder_bytes: limits.folder_bytes,
            folder_files: limits.folder_files,
            output_bytes: limits.output_bytes,
            result_bytes: limits.result_bytes,
        }
    }
}

impl RunLimitsView {
    pub(crate) fn read(self) -> Result<RunLimits, Problem> {
        let limits = RunLimits {
            wall_ms: self.wall_ms,
            cpu_ms: self.cpu_ms,
            memory_bytes: self.memory_bytes,
            processes: self.processes,
            open_files: self.open_files,
            folder_bytes: self.folder_bytes,
            folder_files: self.folder_files,
            output_bytes: self.output_bytes,
            result_bytes: self.result_bytes,
        };
        limits.validate().map_err(|error| Problem::with_code(Code::InvalidSettings, error.to_string()))?;
        Ok(limits)
    }
}

impl From<&ExecutionLimits> for RunLimitsView {
    fn from(limits: &ExecutionLimits) -> Self {
        let whole = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self {
            wall_ms: Some(whole(limits.wall)),
            cpu_ms: Some(whole(limits.cpu)),
            memory_bytes: Some(limits.memory),
            processes: Some(limits.processes),
            open_files: Some(limits.open_files),
            folder_bytes: Some(limits.folder_bytes),
            folder_files: Some(limits.folder_files),
            output_bytes: Some(limits.output),
            result_bytes: Some(limits.result),
        }
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Why a run failed.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunErrorView {
    /// The stable code.
    pub code: String,
    /// The type of the error in the code's own language.
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    /// The file of the bundle where it came up.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u32>,
    /// The trace through the skill's own lines; told when it ran, not remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceback: Option<String>,
}

/// A run, as it is remembered.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunView {
    #[schema(format = Uuid)]
    pub id: String,
    #[schema(format = Uuid)]
    pub skill_id: String,
    /// The skill's name at that time.
    pub skill_name: String,
    pub revision: u32,
    #[schema(format = Uuid)]
    pub user_id: String,
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    /// `succeeded` or `failed`.
    pub status: &'static str,
    /// Why it failed.
    pub error: Option<RunErrorView>,
    /// The codes of the limits it ran into.
    pub limits_hit: Vec<String>,
    /// What it was called with; secrets are blanked out.
    #[schema(value_type = Object)]
    pub parameters: Map<String, Value>,
    pub duration_ms: f64,
    /// Processor time, where it was measured.
    pub cpu_ms: Option<f64>,
    /// Most memory at a time, where it was measured.
    pub memory_bytes: Option<u64>,
    /// The digest of result, error, stdout and files; equal for equal behaviour.
    pub output_digest: String,
    /// Bytes of the result, as JSON.
    pub result_size: u64,
    #[schema(format = DateTime)]
    pub started_at: String,
}

impl From<Run> for RunView {
    fn from(run: Run) -> Self {
        Self {
            id: run.id.to_string(),
            skill_id: run.skill.to_string(),
            skill_name: run.skill_name.to_string(),
            revision: run.revision.get(),
            user_id: run.user.to_string(),
            agent_id: run.agent.map(|id| id.to_string()),
            status: run.status.as_str(),
            error: run.error.map(|error| RunErrorView {
                code: error.code,
                kind: error.kind,
                message: error.message,
                file: error.file,
                line: error.line,
                traceback: None,
            }),
            limits_hit: run.limits_hit,
            parameters: run.parameters,
            duration_ms: millis(run.duration),
            cpu_ms: run.cpu.map(millis),
            memory_bytes: run.memory_bytes,
            output_digest: run.output_digest.to_string(),
            result_size: run.result_size,
            started_at: time(run.started_at),
        }
    }
}

/// A file that a run made or changed.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunFileView {
    pub path: String,
    pub size: u64,
    pub media_type: &'static str,
    /// Its bytes; null when it was not asked for, or all files together have more than 8 MiB.
    #[schema(content_encoding = "base64")]
    pub content_base64: Option<String>,
}

impl From<OutputFile> for RunFileView {
    fn from(file: OutputFile) -> Self {
        Self {
            media_type: model::media_type(&file.path),
            path: file.path,
            size: file.size,
            content_base64: file.content.map(|content| STANDARD.encode(content)),
        }
    }
}

/// A host that the code asked for.
#[derive(Serialize, ToSchema)]
pub(crate) struct VisitView {
    pub host: String,
    /// Whether it was let through.
    pub allowed: bool,
}

/// A run that just happened. Code that fails is a run as well.
#[derive(Serialize, ToSchema)]
pub(crate) struct RanView {
    #[serde(flatten)]
    pub run: RunView,
    /// What the code returned.
    #[schema(value_type = Option<Value>)]
    pub result: Value,
    pub stdout: String,
    pub stdout_truncated: bool,
    pub stderr: String,
    pub stderr_truncated: bool,
    /// The files it made or changed.
    pub files: Vec<RunFileView>,
    /// Whether there were more.
    pub files_truncated: bool,
    /// Hosts the code asked for.
    pub visits: Vec<VisitView>,
}

impl From<Ran> for RanView {
    fn from(ran: Ran) -> Self {
        let mut run = RunView::from(ran.run);
        if let Some(error) = &mut run.error {
            error.traceback = Some(ran.traceback.unwrap_or_default());
        }
        let visits =
            ran.visits.into_iter().map(|visit| VisitView { host: visit.host, allowed: visit.allowed });
        Self {
            run,
            result: ran.result,
            stdout: ran.stdout.text(),
            stdout_truncated: ran.stdout.truncated,
            stderr: ran.stderr.text(),
            stderr_truncated: ran.stderr.truncated,
            files: ran.files.into_iter().map(RunFileView::from).collect(),
            files_truncated: ran.files_truncated,
            visits: visits.collect(),
        }
    }
}

/// What some of the runs gave back.
#[derive(Serialize, ToSchema)]
pub(crate) struct DigestCountView {
    pub digest: String,
    /// How many gave it back.
    pub count: u32,
}

/// Whether a skill repeats.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeterminismView {
    /// Whether all runs gave back the same.
    pub deterministic: bool,
    pub times: u32,
    /// What they gave back, most frequent first.
    pub output_digests: Vec<DigestCountView>,
    /// What the first run that differs has different.
    pub first_difference: Option<String>,
}

impl From<Check> for DeterminismView {
    fn from(check: Check) -> Self {
        let digests = check.output_digests.iter();
        Self {
            deterministic: check.is_deterministic(),
            times: check.times,
            output_digests: digests
                .map(|(digest, count)| DigestCountView { digest: digest.to_string(), count: *count })
                .collect(),
            first_difference: check.first_difference,
        }
    }
}

/// How one revision does.
#[derive(Serialize, ToSchema)]
pub(crate) struct RevisionStatisticsView {
    pub revision: u32,
    pub executions: u64,
    pub successes: u64,
    pub failures: u64,
    /// Successes over executions.
    pub success_rate: f64,
    /// The same with the latest weighing most.
    pub recent_success_rate: Option<f64>,
    #[schema(format = DateTime)]
    pub last_used_at: Option<String>,
    pub mean_duration_ms: Option<f64>,
}

impl From<RevisionStatistics> for RevisionStatisticsView {
    fn from(statistics: RevisionStatistics) -> Self {
        let counters = &statistics.counters;
        Self {
            revision: statistics.revision.get(),
            executions: counters.execution_count(),
            successes: counters.success_count,
            failures: counters.failure_count,
            success_rate: counters.success_rate(),
            recent_success_rate: counters.recent_success_rate,
            last_used_at: counters.last_used_at.map(time),
            mean_duration_ms: statistics.mean_duration().map(millis),
        }
    }
}

/// How a skill and each of its revisions do.
#[derive(Serialize, ToSchema)]
pub(crate) struct SkillStatisticsView {
    /// All of it together, uses elsewhere that were told of included.
    pub total: StatisticsView,
    /// How long a run took on average; null before the first.
    pub mean_duration_ms: Option<f64>,
    /// Each revision that was run, newest first.
    pub revisions: Vec<RevisionStatisticsView>,
}

impl From<SkillStatistics> for SkillStatisticsView {
    fn from(statistics: SkillStatistics) -> Self {
        Self {
            total: (&statistics.total).into(),
            mean_duration_ms: statistics.mean_duration.map(millis),
            revisions: statistics.revisions.into_iter().map(RevisionStatisticsView::from).collect(),
        }
    }
}

/// One protection, as found on the server's machine.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProtectionView {
    pub name: &'static str,
    pub active: bool,
    /// Whether code is refused without it.
    pub required: bool,
    /// What it does or, where it is missing, why and how to get it.
    pub detail: String,
}

/// What the sandbox can do at this moment.
#[derive(Serialize, ToSchema)]
pub(crate) struct SandboxView {
    /// Whether code can run.
    pub available: bool,
    /// Why not.
    pub reason: Option<String>,
    /// What protects the machine from the code.
    pub protections: Vec<ProtectionView>,
    /// The Python profiles.
    pub profiles: Vec<String>,
    /// What one execution may use at most.
    pub limits: RunLimitsView,
    /// The hosts that skills may be let through to.
    pub allowed_hosts: Vec<String>,
    /// Executions at this moment.
    pub running: u64,
    /// Executions that wait for their turn.
    pub waiting: u64,
}

impl From<SandboxStatus> for SandboxView {
    fn from(status: SandboxStatus) -> Self {
        let protections = status.protections.into_iter().map(|protection| ProtectionView {
            name: protection.name,
            active: protection.active,
            required: protection.required,
            detail: protection.detail,
        });
        Self {
            available: status.reason.is_none(),
            reason: status.reason,
            protections: protections.collect(),
            profiles: status.profiles,
            limits: (&status.execution.limits).into(),
            allowed_hosts: status.execution.allowed_hosts.clone(),
            running: status.counts.running as u64,
            waiting: status.counts.waiting as u64,
        }
    }
}
