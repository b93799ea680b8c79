//! What a source says on `[sandbox]` and `[sandbox.limits]`.

use serde::Deserialize;

use super::sources::{Environment, Number, words};

/// Yes or no as a source writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Switch {
    Bool(bool),
    Text(String),
}

/// What a source says on `[sandbox]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SandboxLayer {
    pub(crate) enabled: Option<Switch>,
    pub(crate) python: Option<String>,
    pub(crate) preload: Option<Vec<String>>,
    pub(crate) allow_weaker: Option<Switch>,
    pub(crate) cgroups: Option<String>,
    pub(crate) concurrency: Option<Number>,
    pub(crate) waiting: Option<Number>,
    pub(crate) waiting_per_caller: Option<Number>,
    pub(crate) allowed_hosts: Option<Vec<String>>,
    pub(crate) session_idle_minutes: Option<Number>,
    pub(crate) sessions_per_caller: Option<Number>,
    pub(crate) sessions_total: Option<Number>,
    pub(crate) session_disk_mb: Option<Number>,
    pub(crate) run_history_days: Option<Number>,
    pub(crate) warm: Option<Switch>,
    pub(crate) limits: SandboxLimitsLayer,
}

/// What a source says on `[sandbox.limits]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SandboxLimitsLayer {
    pub(crate) wall_seconds: Option<Number>,
    pub(crate) cpu_seconds: Option<Number>,
    pub(crate) memory_mb: Option<Number>,
    pub(crate) processes: Option<Number>,
    pub(crate) open_files: Option<Number>,
    pub(crate) disk_mb: Option<Number>,
    pub(crate) files: Option<Number>,
    pub(crate) output_kb: Option<Number>,
    pub(crate) result_kb: Option<Number>,
}

impl SandboxLayer {
    /// What the environment says: `REPERTOIRE_SANDBOX_` and the key in capitals.
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        let get = |key: &str| environment.get(&format!("REPERTOIRE_SANDBOX_{key}"));
        let switch = |key: &str| get(key).map(Switch::Text);
        let number = |key: &str| get(key).map(Number::Text);
        let list = |key: &str| get(key).map(|text| words(&text));
        Self {
            enabled: switch("ENABLED"),
            python: get("PYTHON"),
            preload: list("PRELOAD"),
            allow_weaker: switch("ALLOW_WEAKER"),
            cgroups: get("CGROUPS"),
            concurrency: number("CONCURRENCY"),
            waiting: number("WAITING"),
            waiting_per_caller: number("WAITING_PER_CALLER"),
            allowed_hosts: list("ALLOWED_HOSTS"),
            session_idle_minutes: number("SESSION_IDLE_MINUTES"),
            sessions_per_caller: number("SESSIONS_PER_CALLER"),
            sessions_total: number("SESSIONS_TOTAL"),
            session_disk_mb: number("SESSION_DISK_MB"),
            run_history_days: number("RUN_HISTORY_DAYS"),
            warm: switch("WARM"),
            limits: SandboxLimitsLayer {
                wall_seconds: number("WALL_SECONDS"),
                cpu_seconds: number("CPU_SECONDS"),
                memory_mb: number("MEMORY_MB"),
                processes: number("PROCESSES"),
                open_files: number("OPEN_FILES"),
                disk_mb: number("DISK_MB"),
                files: number("FILES"),
                output_kb: number("OUTPUT_KB"),
                result_kb: number("RESULT_KB"),
            },
        }
    }
}
