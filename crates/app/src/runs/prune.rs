//! Forgets old runs. Counters and the audit log keep what they say.

use model::{Actor, Caller, Timestamp, WorkspaceId};
use policy::access::{self, Act};
use store::Tx;

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
    audit::record_pruned(cx, tx, (workspace, actor), "run.prune", before, removed).await?;
    Ok(removed)
}
