//! The ports a use case may use.

use std::sync::Arc;

use manifest::Limits;
use model::{Timestamp, WorkspaceId};
use store::{Store, Tx};
use uuid::Uuid;

use crate::identity::CallerCache;
use crate::{Backup, Clock, Error, Random};

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
    pub(crate) callers: CallerCache,
}

impl Context {
    /// A context on these ports.
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        backup: Arc<dyn Backup>,
        limits: Limits,
    ) -> Self {
        Self { store, clock, random, backup, limits, callers: CallerCache::default() }
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
