//! Where settings come from: a file, the environment, the command line. Nothing else reads the environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::analytics::AnalyticsLayer;
use super::governance::GovernanceLayer;
use super::hooks::HooksLayer;
use super::sandbox_layer::SandboxLayer;
use super::search::SearchLayer;
use super::secret::Secret;
use super::sessions::SessionsLayer;
use crate::exit::{Failure, Outcome};

/// Where a value comes from; a later one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Default,
    File,
    Environment,
    Flag,
}

impl Source {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File => "file",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// The environment, so that tests can bring their own.
pub(crate) trait Environment {
    /// The value of a variable that is set and not empty.
    fn get(&self, name: &str) -> Option<String>;
}

/// The environment of this process.
pub(crate) struct ProcessEnvironment;

impl Environment for ProcessEnvironment {
    #[allow(clippy::disallowed_methods)] // this is the one place that reads the environment
    fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }
}

/// The environment of a hook. Hosts let a project set variables for what they start, so these say only whose files are
/// read, and not even that where the command itself does.
pub(crate) struct HookEnvironment<'a> {
    /// What stands for `XDG_CONFIG_HOME`.
    pub(crate) config_home: Option<&'a str>,
    /// What stands for `REPERTOIRE_CONFIG`.
    pub(crate) config: Option<&'a str>,
}

impl Environment for HookEnvironment<'_> {
    fn get(&self, name: &str) -> Option<String> {
        match (name, self.config_home) {
            ("XDG_CONFIG_HOME", Some(folder)) => Some(folder.to_owned()),
            ("REPERTOIRE_CONFIG", _) => self.config.map(str::to_owned),
            ("HOME" | "XDG_CONFIG_HOME", _) => ProcessEnvironment.get(name),
            _ => None,
        }
    }
}

/// One source's say on every setting.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Layer {
    pub(crate) data: Option<PathBuf>,
    pub(crate) database: Option<Secret>,
    pub(crate) server: Option<String>,
    pub(crate) token: Option<Secret>,
    pub(crate) workspace: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) serve: ServeLayer,
    pub(crate) log: LogLayer,
    pub(crate) limits: LimitsLayer,
    pub(crate) sandbox: SandboxLayer,
    pub(crate) search: SearchLayer,
    pub(crate) governance: GovernanceLayer,
    pub(crate) sessions: SessionsLayer,
    pub(crate) analytics: AnalyticsLayer,
    pub(crate) hooks: HooksLayer,
    pub(crate) servers: BTreeMap<String, ServerEntry>,
}

/// What a source says on `[serve]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ServeLayer {
    pub(crate) listen: Option<String>,
    pub(crate) metrics_listen: Option<String>,
    pub(crate) allow_hosts: Option<Vec<String>>,
    pub(crate) public_url: Option<String>,
    pub(crate) ui_dir: Option<PathBuf>,
    pub(crate) trusted_proxies: Option<Vec<String>>,
    pub(crate) max_connections: Option<Number>,
    pub(crate) max_connections_per_address: Option<Number>,
    pub(crate) header_timeout_seconds: Option<Number>,
    pub(crate) idle_timeout_seconds: Option<Number>,
    pub(crate) write_timeout_seconds: Option<Number>,
    pub(crate) body_timeout_seconds: Option<Number>,
    pub(crate) body_stall_seconds: Option<Number>,
    pub(crate) min_body_rate: Option<Number>,
    pub(crate) body_budget_mb: Option<Number>,
    pub(crate) sign_in_failures_per_minute: Option<Number>,
}

/// What a source says on `[log]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LogLayer {
    pub(crate) format: Option<String>,
    pub(crate) level: Option<String>,
}

/// What a source says on `[limits]`: numbers, or text that must be one.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_field_names)] // these are the words in the file
pub(crate) struct LimitsLayer {
    pub(crate) max_files: Option<Number>,
    pub(crate) max_file_bytes: Option<Number>,
    pub(crate) max_bundle_bytes: Option<Number>,
    pub(crate) max_skill_file_bytes: Option<Number>,
    pub(crate) max_archive_bytes: Option<Number>,
    pub(crate) max_archive_entries: Option<Number>,
    pub(crate) max_expansion: Option<Number>,
    pub(crate) max_body_bytes: Option<Number>,
}

/// A number as a source writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Whole(u64),
    Fraction(f64),
    Text(String),
}

/// What is known of a server.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerEntry {
    pub(crate) token: Secret,
}

impl Layer {
    /// What a configuration file says.
    pub(crate) fn read_file(path: &Path) -> Outcome<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?;
        Self::parse(&text, path)
    }

    pub(crate) fn parse(text: &str, path: &Path) -> Outcome<Self> {
        toml::from_str(text).map_err(|error| {
            // The line itself may hold a secret; its number does not.
            let line =
                text.get(..error.span().map_or(0, |span| span.start)).unwrap_or(text).lines().count().max(1);
            Failure::usage(format!("`{}`, line {line}: {}", path.display(), error.message()))
                .hint("mend the file, or name another one with REPERTOIRE_CONFIG")
        })
    }

    /// What the environment says.
    pub(crate) fn of_environment(environment: &dyn Environment) -> Self {
        let get = |name: &str| environment.get(name);
        Self {
            data: get("REPERTOIRE_DATA").map(PathBuf::from),
            database: get("REPERTOIRE_DATABASE").map(Secret::new),
            server: get("REPERTOIRE_SERVER"),
            token: get("REPERTOIRE_TOKEN").map(Secret::new),
            workspace: get("REPERTOIRE_WORKSPACE"),
            agent: get("REPERTOIRE_AGENT"),
            user: get("REPERTOIRE_USER"),
            serve: ServeLayer {
                listen: get("REPERTOIRE_LISTEN"),
                metrics_listen: get("REPERTOIRE_METRICS_LISTEN"),
                allow_hosts: get("REPERTOIRE_ALLOW_HOSTS").map(|hosts| words(&hosts)),
                public_url: get("REPERTOIRE_PUBLIC_URL"),
                ui_dir: get("REPERTOIRE_UI_DIR").map(PathBuf::from),
                trusted_proxies: get("REPERTOIRE_TRUSTED_PROXIES").map(|networks| words(&networks)),
                ..ServeLayer::numbers_of(environment)
            },
            log: LogLayer { format: get("REPERTOIRE_LOG_FORMAT"), level: get("REPERTOIRE_LOG_LEVEL") },
            limits: LimitsLayer {
                max_files: get("REPERTOIRE_MAX_FILES").map(Number::Text),
                max_file_bytes: get("REPERTOIRE_MAX_FILE_BYTES").map(Number::Text),
                max_bundle_bytes: get("REPERTOIRE_MAX_BUNDLE_BYTES").map(Number::Text),
                max_skill_file_bytes: get("REPERTOIRE_MAX_SKILL_FILE_BYTES").map(Number::Text),
                max_archive_bytes: get("REPERTOIRE_MAX_ARCHIVE_BYTES").map(Number::Text),
                max_archive_entries: get("REPERTOIRE_MAX_ARCHIVE_ENTRIES").map(Number::Text),
                max_expansion: get("REPERTOIRE_MAX_EXPANSION").map(Number::Text),
                max_body_bytes: get("REPERTOIRE_MAX_BODY_BYTES").map(Number::Text),
            },
            sandbox: SandboxLayer::of_environment(environment),
            search: SearchLayer::of_environment(environment),
            governance: GovernanceLayer::of_environment(environment),
            sessions: SessionsLayer::of_environment(environment),
            analytics: AnalyticsLayer::of_environment(environment),
            hooks: HooksLayer::of_environment(environment),
            servers: BTreeMap::new(),
        }
    }
}

pub(super) fn words(list: &str) -> Vec<String> {
    list.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The places a person's files stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Places {
    /// The configuration file, if there is one or one was named.
    pub(crate) file: Option<PathBuf>,
    /// Whether that was named, and not found where it usually is.
    pub(crate) is_named: bool,
    /// Where `login` keeps tokens.
    pub(crate) credentials: PathBuf,
    /// The data folder when nobody says.
    pub(crate) data: PathBuf,
}

impl Places {
    /// The folder in which our own one holds configuration and tokens.
    pub(crate) fn config_home(&self) -> &Path {
        self.credentials.ancestors().nth(2).unwrap_or(Path::new("/"))
    }

    pub(crate) fn find(environment: &dyn Environment) -> Self {
        let home = environment.get("HOME").map_or_else(|| PathBuf::from("/"), PathBuf::from);
        let base = |variable: &str, fallback: &str| {
            environment.get(variable).map_or_else(|| home.join(fallback), PathBuf::from).join("repertoire")
        };
        let config = base("XDG_CONFIG_HOME", ".config");
        let named = environment.get("REPERTOIRE_CONFIG").map(PathBuf::from);
        let usual = [config.join("config.toml"), PathBuf::from("/etc/repertoire/config.toml")];
        let is_named = named.is_some();
        let file = named.or_else(|| usual.into_iter().find(|path| path.is_file()));
        let data = base("XDG_DATA_HOME", ".local/share");
        Self { file, is_named, credentials: config.join("credentials.toml"), data }
    }
}
