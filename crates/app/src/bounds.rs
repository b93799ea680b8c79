//! What an execution may use: the installation's limits within the bounds of whoever asks for it.

use std::time::Duration;

use model::{Caller, RunLimits};
use sandbox::{Bounds, Limits};

use crate::{Context, Error};

/// The bounds in the sandbox's terms.
pub(crate) fn bounds(limits: &RunLimits) -> Bounds {
    Bounds {
        wall: limits.wall_ms.map(Duration::from_millis),
        cpu: limits.cpu_ms.map(Duration::from_millis),
        memory: limits.memory_bytes,
        processes: limits.processes,
        open_files: limits.open_files,
        folder_bytes: limits.folder_bytes,
        folder_files: limits.folder_files,
        output: limits.output_bytes,
        result: limits.result_bytes,
    }
}

/// What executions in a session of this caller may use: what the installation allows, within the bounds of their
/// agent.
pub(crate) async fn limits_of(cx: &Context, caller: &Caller) -> Result<Limits, Error> {
    let folder_bytes = Some(cx.code_sessions.settings().folder_bytes);
    let limits = cx.execution.limits.clone().within(&Bounds { folder_bytes, ..Bounds::default() });
    let Some(id) = caller.agent else { return Ok(limits) };
    let agent = cx.read().await?.agent(caller.workspace, id).await?;
    Ok(match agent {
        Some(agent) => limits.within(&bounds(&agent.run_limits)),
        None => limits,
    })
}
