//! Forgets old runs. Counters and the audit log keep what they say.

use model::{Actor, Caller, Timestamp, WorkspaceId};
use policy::access::{self, Act};
use serde_json::json;
use store::Tx;
use time::format_description::well_known::Rfc3339;

use crate::{Context, Error, audit};

/// Forgets the runs of the workspace that began before a moment; how many.
pub async fn prune(cx: &Context, caller: &Caller, before: Timestamp) -> Result<u64, Error> {
    access::decide(caller, Act::PruneRuns)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    let removed = prune_before(cx, &mut *tx, caller.workspace, actor, before).await?;
    tx.commit().await?;
    Ok(removed)
}

/// The same inside a transaction, for whoever does it.
pub(crate) async fn prune_before(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    actor: Actor,
    before: Timestamp,
) -> Result<u64, Error> {
    let removed = tx.prune_runs(workspace, before).await?;
    if removed > 0 {
        let moment = before.format(&Rfc3339).unwrap_or_default();
        let detail = [("before", json!(moment)), ("removed", json!(removed))];
        let subject = ("workspace", workspace.to_string());
        audit::record_as(cx, tx, workspace, actor, "run.prune", subject, &detail).await?;
    }
    Ok(removed)
}
