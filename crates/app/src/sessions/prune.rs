//! Forgets sessions that nothing was added to for long.

use model::{Actor, Timestamp, WorkspaceId};
use store::Tx;

use crate::{Context, Error, audit};

/// Forgets the sessions of a workspace that nothing was added to since a moment; how many.
pub(crate) async fn prune_before(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    actor: Actor,
    before: Timestamp,
) -> Result<u64, Error> {
    let removed = tx.prune_sessions(workspace, before).await?;
    audit::record_pruned(cx, tx, (workspace, actor), "session.prune", before, removed).await?;
    Ok(removed)
}
