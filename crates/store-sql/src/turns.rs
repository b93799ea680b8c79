//! Writers of one workspace queue up here, before they take a connection: a busy workspace must not use up the pool
//! while its writers wait for each other in the database. Between servers the database still keeps the order.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, Weak};

use model::WorkspaceId;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// Held by the one who writes.
pub(crate) type Turn = OwnedMutexGuard<()>;

#[derive(Default)]
pub(crate) struct Turns {
    queues: std::sync::Mutex<HashMap<WorkspaceId, Weak<Mutex<()>>>>,
}

impl Turns {
    /// Waits until nobody else of this process writes in the workspace; first come, first served.
    pub(crate) async fn wait(&self, workspace: WorkspaceId) -> Turn {
        self.queue(workspace).lock_owned().await
    }

    fn queue(&self, workspace: WorkspaceId) -> Arc<Mutex<()>> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(&workspace).and_then(Weak::upgrade) {
            return queue;
        }
        queues.retain(|_, queue| queue.strong_count() > 0);
        let queue = Arc::new(Mutex::new(()));
        queues.insert(workspace, Arc::downgrade(&queue));
        queue
    }
}
