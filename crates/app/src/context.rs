//! The ports a use case may use.

use std::sync::Arc;

use manifest::Limits;
use model::{Timestamp, WorkspaceId};
use store::{Store, Tx};
use uuid::Uuid;

use crate::analytics::AnalyticsSettings;
use crate::code_sessions::{SessionSettings, Sessions};
use crate::events::Places;
use crate::governance::{Governance, GovernanceSettings};
use crate::identity::CallerCache;
use crate::runner::NoRunner;
use crate::search::{Engine, Meaning};
use crate::sessions::RecordingSettings;
use crate::{Backup, Clock, Error, Queue, QueueSettings, Random, Runner};

/// How code is executed on this installation.
#[derive(Debug, Clone, Default)]
pub struct ExecutionSettings {
    /// How much one execution may use at most.
    pub limits: sandbox::Limits,
    /// The hosts that skills may be let through to: `host`, `host:port` or `*.domain`.
    pub allowed_hosts: Vec<String>,
    /// How many days runs are kept; 0 is for ever.
    pub history_days: u32,
}

/// The ports a use case may use. Cheap to clone.
#[derive(Clone)]
pub struct Context {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Copies of the database.
    pub backup: Arc<dyn Backup>,
    /// How large bundles may be.
    pub limits: Limits,
    /// What executes code.
    pub runner: Arc<dyn Runner>,
    /// How code is executed.
    pub execution: Arc<ExecutionSettings>,
    /// Who executes next.
    pub queue: Queue,
    /// The code sessions of this process.
    pub code_sessions: Sessions,
    /// The indexes that search looks into.
    pub search: Engine,
    /// The policies in force, and the desk where decisions are made.
    pub governance: Governance,
    /// What is recorded of agents.
    pub recording: RecordingSettings,
    /// How long uses are remembered by day.
    pub analytics: AnalyticsSettings,
    pub(crate) callers: CallerCache,
    pub(crate) watches: Places,
}

impl Context {
    /// A context on these ports, on which no code can be executed.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        backup: Arc<dyn Backup>,
        limits: Limits,
    ) -> Self {
        Self {
            store,
            clock,
            random,
            backup,
            limits,
            runner: Arc::new(NoRunner),
            execution: Arc::default(),
            queue: Queue::default(),
            code_sessions: Sessions::default(),
            search: Engine::default(),
            governance: Governance::default(),
            recording: RecordingSettings::default(),
            analytics: AnalyticsSettings::default(),
            callers: CallerCache::default(),
            watches: Places::default(),
        }
    }

    /// The same context with something to execute code with.
    #[must_use]
    pub fn with_runner(self, runner: Arc<dyn Runner>, execution: ExecutionSettings) -> Self {
        Self { runner, execution: Arc::new(execution), ..self }
    }

    /// The same context with a queue of this size.
    #[must_use]
    pub fn with_queue(self, settings: QueueSettings) -> Self {
        Self { queue: Queue::new(settings), ..self }
    }

    /// The same context with room for so many code sessions.
    #[must_use]
    pub fn with_code_sessions(self, settings: SessionSettings) -> Self {
        Self { code_sessions: Sessions::new(settings), ..self }
    }

    /// The same context, in which words get their meaning from here.
    #[must_use]
    pub fn with_meaning(self, meaning: Meaning) -> Self {
        Self { search: Engine::new(meaning), ..self }
    }

    /// The same context, in which decisions are kept so.
    #[must_use]
    pub fn with_governance(self, settings: GovernanceSettings) -> Self {
        Self { governance: Governance::new(settings), ..self }
    }

    /// The same context, in which sessions are recorded so.
    #[must_use]
    pub fn with_recording(self, recording: RecordingSettings) -> Self {
        Self { recording, ..self }
    }

    /// The same context, in which uses are remembered so.
    #[must_use]
    pub fn with_analytics(self, analytics: AnalyticsSettings) -> Self {
        Self { analytics, ..self }
    }

    /// This moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A new id: a `UUIDv7` of this moment.
    pub(crate) fn id(&self) -> Uuid {
        let mut bytes = [0; 10];
        self.random.fill(&mut bytes);
        let millis = u64::try_from(self.now().unix_timestamp_nanos() / 1_000_000).unwrap_or_default();
        uuid::Builder::from_unix_timestamp_millis(millis, &bytes).into_uuid()
    }

    pub(crate) async fn read(&self) -> Result<Box<dyn Tx>, Error> {
        Ok(self.store.read().await?)
    }

    pub(crate) async fn begin(&self, workspace: WorkspaceId) -> Result<Box<dyn Tx>, Error> {
        Ok(self.store.begin(workspace).await?)
    }
}
