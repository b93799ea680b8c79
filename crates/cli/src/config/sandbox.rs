//! How code is executed: with which Python, how many at a time, within which limits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::Cgroups;

use super::sandbox_layer::{SandboxLayer, SandboxLimitsLayer, Switch};
use super::sources::{Environment, Number};
use super::{Layer, Setting, Source, pick, pick_optional, values};
use crate::exit::{Failure, Outcome};

/// The interpreter when nobody names one.
const PYTHON: &str = "python3";
/// Imported ahead of time where they are installed.
const PRELOAD: [&str; 2] = ["numpy", "pandas"];
/// How many days runs are kept when nobody says.
const HISTORY_DAYS: u64 = 90;
/// The largest number any of these settings takes; a year of seconds, a terabyte of megabytes.
const MOST: f64 = 31_536_000.0;

/// How code is executed.
#[derive(Debug)]
pub(crate) struct Sandbox {
    pub(crate) enabled: Setting<bool>,
    pub(crate) python: Setting<Option<String>>,
    pub(crate) preload: Setting<Vec<String>>,
    pub(crate) allow_weaker: Setting<bool>,
    pub(crate) cgroups: Setting<Cgroups>,
    pub(crate) concurrency: Setting<usize>,
    pub(crate) waiting: Setting<usize>,
    pub(crate) waiting_per_caller: Setting<usize>,
    pub(crate) allowed_hosts: Setting<Vec<String>>,
    pub(crate) session_idle_minutes: Setting<u32>,
    pub(crate) sessions_per_caller: Setting<usize>,
    pub(crate) sessions_total: Setting<usize>,
    pub(crate) session_disk_mb: Setting<u64>,
    pub(crate) run_history_days: Setting<u32>,
    pub(crate) warm: Setting<bool>,
    pub(crate) limits: SandboxLimits,
    /// Where programs are looked for.
    search: Vec<PathBuf>,
}

/// How much one execution may use.
#[derive(Debug)]
pub(crate) struct SandboxLimits {
    /// Every limit with where it comes from, for showing.
    pub(crate) all: Vec<(&'static str, Setting<f64>)>,
    /// All of them.
    pub(crate) each: ::sandbox::Limits,
}

impl Sandbox {
    pub(super) fn gather(layers: &[(Source, Layer)], environment: &dyn Environment) -> Outcome<Self> {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        let sandbox = Self {
            enabled: switch(layers, "enabled", true, |layer| &layer.enabled)?,
            python: pick_optional(layers, |layer| layer.sandbox.python.clone()),
            preload: pick(layers, PRELOAD.map(str::to_owned).into(), |layer| layer.sandbox.preload.clone()),
            allow_weaker: switch(layers, "allow_weaker", false, |layer| &layer.allow_weaker)?,
            cgroups: cgroups(layers)?,
            concurrency: count(layers, "concurrency", 1, 2 * cores as u64, |layer| &layer.concurrency)?,
            waiting: count(layers, "waiting", 0, 256, |layer| &layer.waiting)?,
            waiting_per_caller: count(layers, "waiting_per_caller", 0, 64, |layer| {
                &layer.waiting_per_caller
            })?,
            allowed_hosts: pick(layers, Vec::new(), |layer| layer.sandbox.allowed_hosts.clone()),
            session_idle_minutes: count(layers, "session_idle_minutes", 1, 30, |layer| {
                &layer.session_idle_minutes
            })?,
            sessions_per_caller: count(layers, "sessions_per_caller", 0, 8, |layer| {
                &layer.sessions_per_caller
            })?,
            sessions_total: count(layers, "sessions_total", 0, 64, |layer| &layer.sessions_total)?,
            session_disk_mb: count(layers, "session_disk_mb", 1, 64, |layer| &layer.session_disk_mb)?,
            run_history_days: count(layers, "run_history_days", 0, HISTORY_DAYS, |layer| {
                &layer.run_history_days
            })?,
            warm: switch(layers, "warm", true, |layer| &layer.warm)?,
            limits: SandboxLimits::gather(layers)?,
            search: environment.get("PATH").map_or_else(Vec::new, |path| {
                std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
            }),
        };
        sandbox.validate()?;
        Ok(sandbox)
    }

    fn validate(&self) -> Outcome {
        for rule in &self.allowed_hosts.value {
            ::sandbox::HostRule::parse(rule)
                .map_err(|error| Failure::usage(format!("`sandbox.allowed_hosts`: {error}")))?;
        }
        for module in &self.preload.value {
            if !is_module(module) {
                return Err(Failure::usage(format!("`{module}` in `sandbox.preload` is not a module")));
            }
        }
        if let Some(python) = &self.python.value
            && python.contains('/')
            && !Path::new(python).is_absolute()
        {
            return Err(Failure::usage(format!(
                "`sandbox.python` is `{python}`, which depends on the folder"
            ))
            .hint("write the whole path, such as /usr/bin/python3, or only a program's name"));
        }
        Ok(())
    }

    /// The interpreter of the default profile: the one that was named, else `python3`; as a whole path.
    pub(crate) fn python(&self) -> Option<PathBuf> {
        self.find(self.python.value.as_deref().unwrap_or(PYTHON))
    }

    /// What to say when there is none.
    pub(crate) fn no_python(&self) -> String {
        match &self.python.value {
            Some(named) => format!("`{named}`, which `sandbox.python` names, is not there"),
            None => format!("no `{PYTHON}` on the PATH; install it, or name one with `sandbox.python`"),
        }
    }

    /// A program by its name or path.
    pub(crate) fn find(&self, program: &str) -> Option<PathBuf> {
        if program.contains('/') {
            return Some(PathBuf::from(program)).filter(|path| is_program(path));
        }
        self.search.iter().map(|folder| folder.join(program)).find(|path| is_program(path))
    }

    /// Every setting as text with where it comes from.
    pub(crate) fn rows(&self) -> Vec<(String, String, Source)> {
        fn row<T>(
            name: &str,
            setting: &Setting<T>,
            shown: impl Fn(&T) -> String,
        ) -> (String, String, Source) {
            (format!("sandbox.{name}"), shown(&setting.value), setting.source)
        }
        let list = |list: &Vec<String>| if list.is_empty() { "-".to_owned() } else { list.join(", ") };
        let mut rows = vec![
            row("enabled", &self.enabled, ToString::to_string),
            row("python", &self.python, |named| match (named, self.python()) {
                (_, Some(path)) => path.display().to_string(),
                (Some(named), None) => format!("{named} (not there)"),
                (None, None) => "-".to_owned(),
            }),
            row("preload", &self.preload, list),
            row("allow_weaker", &self.allow_weaker, ToString::to_string),
            row("cgroups", &self.cgroups, |cgroups| cgroups_word(*cgroups).to_owned()),
            row("concurrency", &self.concurrency, ToString::to_string),
            row("waiting", &self.waiting, ToString::to_string),
            row("waiting_per_caller", &self.waiting_per_caller, ToString::to_string),
            row("allowed_hosts", &self.allowed_hosts, list),
            row("session_idle_minutes", &self.session_idle_minutes, ToString::to_string),
            row("sessions_per_caller", &self.sessions_per_caller, ToString::to_string),
            row("sessions_total", &self.sessions_total, ToString::to_string),
            row("session_disk_mb", &self.session_disk_mb, ToString::to_string),
            row("run_history_days", &self.run_history_days, ToString::to_string),
            row("warm", &self.warm, ToString::to_string),
        ];
        let limits = self.limits.all.iter();
        rows.extend(limits.map(|(name, limit)| row(&format!("limits.{name}"), limit, ToString::to_string)));
        rows
    }
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

fn switch(
    layers: &[(Source, Layer)],
    name: &str,
    default: bool,
    of: fn(&SandboxLayer) -> &Option<Switch>,
) -> Outcome<Setting<bool>> {
    values::switch(layers, &format!("sandbox.{name}"), default, |layer| of(&layer.sandbox).clone())
}

fn count<T: TryFrom<u64>>(
    layers: &[(Source, Layer)],
    name: &str,
    least: u64,
    default: u64,
    of: fn(&SandboxLayer) -> &Option<Number>,
) -> Outcome<Setting<T>> {
    let of = |layer: &Layer| of(&layer.sandbox).clone();
    values::count(layers, &format!("sandbox.{name}"), (least, default), of)
}

fn cgroups(layers: &[(Source, Layer)]) -> Outcome<Setting<Cgroups>> {
    let said = pick(layers, "auto".to_owned(), |layer| layer.sandbox.cgroups.clone());
    let known = [Cgroups::Auto, Cgroups::Off].into_iter().find(|&one| cgroups_word(one) == said.value);
    let value = known.ok_or_else(|| {
        Failure::usage(format!("`sandbox.cgroups` is `{}`, which is neither auto nor off", said.value))
    })?;
    Ok(Setting { value, source: said.source })
}

fn cgroups_word(cgroups: Cgroups) -> &'static str {
    match cgroups {
        Cgroups::Auto => "auto",
        Cgroups::Off => "off",
    }
}

impl SandboxLimits {
    fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = ::sandbox::Limits::default();
        let mut all = Vec::new();
        let mut limit = |name: &'static str, default: f64, of: fn(&SandboxLimitsLayer) -> &Option<Number>| {
            let said = pick_optional(layers, |layer| of(&layer.sandbox.limits).clone());
            let value = said.value.map_or(Ok(default), |number| amount(name, &number))?;
            all.push((name, Setting { value, source: said.source }));
            Ok::<_, Failure>(value)
        };
        let (kib, mib) = (1_u32 << 10, 1_u32 << 20);
        let each = ::sandbox::Limits {
            wall: Duration::from_secs_f64(limit("wall_seconds", usual.wall.as_secs_f64(), |layer| {
                &layer.wall_seconds
            })?),
            cpu: Duration::from_secs_f64(limit("cpu_seconds", usual.cpu.as_secs_f64(), |layer| {
                &layer.cpu_seconds
            })?),
            memory: bytes(limit("memory_mb", units(usual.memory, mib), |layer| &layer.memory_mb)?, mib),
            processes: small(limit("processes", usual.processes.into(), |layer| &layer.processes)?),
            open_files: small(limit("open_files", usual.open_files.into(), |layer| &layer.open_files)?),
            folder_bytes: bytes(
                limit("disk_mb", units(usual.folder_bytes, mib), |layer| &layer.disk_mb)?,
                mib,
            ),
            folder_files: bytes(limit("files", units(usual.folder_files, 1), |layer| &layer.files)?, 1),
            output: bytes(limit("output_kb", units(usual.output, kib), |layer| &layer.output_kb)?, kib),
            result: bytes(limit("result_kb", units(usual.result, kib), |layer| &layer.result_kb)?, kib),
        };
        Ok(Self { all, each })
    }
}

/// So many bytes in a larger unit.
#[allow(clippy::cast_precision_loss)] // limits are far below what a float cannot hold
fn units(bytes: u64, unit: u32) -> f64 {
    bytes as f64 / f64::from(unit)
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // `amount` lets only small positive ones through
fn bytes(amount: f64, unit: u32) -> u64 {
    (amount * f64::from(unit)).round() as u64
}

fn small(amount: f64) -> u32 {
    u32::try_from(bytes(amount, 1)).unwrap_or(u32::MAX)
}

fn amount(name: &str, number: &Number) -> Outcome<f64> {
    let value = match number {
        #[allow(clippy::cast_precision_loss)] // what does not fit is too large anyway
        Number::Whole(number) => Some(*number as f64),
        Number::Fraction(number) => Some(*number),
        Number::Text(text) => text.trim().parse().ok(),
    };
    let counts = !name.ends_with("_seconds");
    let fits = |&number: &f64| number > 0.0 && number <= MOST && !(counts && number.fract() != 0.0);
    value.filter(fits).ok_or_else(|| {
        let kind = if counts { "whole number" } else { "number" };
        Failure::usage(format!("`sandbox.limits.{name}` is not a {kind} above 0 and up to {MOST}"))
            .hint("write it without a unit; the unit is in the name")
    })
}

/// A module's name: identifiers with dots between.
pub(crate) fn is_module(name: &str) -> bool {
    let is_part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    name.split('.').all(is_part)
}
