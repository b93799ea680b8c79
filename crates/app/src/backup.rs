//! A copy of the whole database.

use std::path::Path;

use model::{Actor, Caller};
use policy::access::{self, Act};

use crate::{Context, Error, audit};

/// Writes a consistent copy of the whole database to a new file. It holds every workspace, so only an operator may.
pub async fn take(cx: &Context, caller: &Caller, file: &Path) -> Result<(), Error> {
    access::decide(caller, Act::TakeBackup)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let actor = Actor { user: Some(caller.user), agent: caller.agent };
    let subject = ("workspace", caller.workspace.to_string());
    audit::record_as(cx, &mut *tx, caller.workspace, actor, "backup.take", subject, &[]).await?;
    tx.commit().await?;
    Ok(cx.backup.write(file).await?)
}
