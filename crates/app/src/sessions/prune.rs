//! Forgets sessions that nothing was added to for long.

use model::{Actor, Timestamp, WorkspaceId};
use serde_json::json;
use store::Tx;
use time::format_description::well_known::Rfc3339;

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
    if removed > 0 {
        let moment = before.format(&Rfc3339).unwrap_or_default();
        let detail = [("before", json!(moment)), ("removed", json!(removed))];
        let subject = ("workspace", workspace.to_string());
        audit::record_as(cx, tx, workspace, actor, "session.prune", subject, &detail).await?;
    }
    Ok(removed)
}
