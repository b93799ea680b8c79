//! What the sandbox of this installation can do at this moment.

use std::sync::Arc;

use model::Caller;
use policy::access::{self, Act};
use sandbox::Protection;

use crate::{Context, Error, ExecutionSettings, QueueCounts};

/// What the sandbox of this installation can do at this moment.
#[derive(Debug, Clone)]
pub struct SandboxStatus {
    /// Why no code can run; nothing when it can.
    pub reason: Option<String>,
    /// What protects the machine from the code.
    pub protections: Vec<Protection>,
    /// The Python profiles.
    pub profiles: Vec<String>,
    /// Limits and hosts.
    pub execution: Arc<ExecutionSettings>,
    /// How many execute and wait.
    pub counts: QueueCounts,
}

/// What the sandbox can do. It is started for this, if it was not yet.
pub async fn sandbox_status(cx: &Context, caller: &Caller) -> Result<SandboxStatus, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let (reason, protections) = match cx.runner.protections().await {
        Ok(protections) => (None, protections),
        Err(error) => (Some(error.to_string()), Vec::new()),
    };
    Ok(SandboxStatus {
        reason,
        protections,
        profiles: cx.runner.profiles(),
        execution: Arc::clone(&cx.execution),
        counts: cx.queue.counts(),
    })
}
