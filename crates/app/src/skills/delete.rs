//! Ends a skill, and brings one back while that is allowed.

use model::{Caller, Skill, SkillId};
use policy::access::{self, Act};
use serde_json::json;
use store::{SkillRecord, Written};
use time::Duration;

use super::access::{check, demands, load};
use super::admission::{check_free, check_room};
use super::edit::check_current;
use crate::{Code, Context, Error, audit};

/// Deletes a skill. Its content goes at once, or after the workspace's undelete window; the audit log keeps who,
/// when, why, and the digest of what is gone.
pub async fn delete(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    reason: Option<&str>,
    if_version: Option<u64>,
) -> Result<SkillRecord, Error> {
    if reason.is_some_and(|reason| reason.chars().count() > 2_000) {
        return Err(Error::invalid(Code::InvalidRequest, "a reason has at most 2000 characters"));
    }
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::DeleteSkill(skill)).await?;
    check_current(&record, None, if_version)?;
    let workspace = tx.workspace(caller.workspace).await?;
    let window = workspace.map_or(0, |workspace| workspace.settings.undelete_window_hours);
    if window == 0 {
        tx.purge_skill(caller.workspace, id).await?;
    } else {
        let now = Some(cx.now());
        let gone = Skill { deleted_at: now, version: record.skill.version + 1, ..record.skill.clone() };
        if tx.update_skill(&gone).await? == Written::Stale {
            return Err(Error::Stale { what: "skill" });
        }
    }
    let detail = [
        ("name", json!(record.skill.name.as_str())),
        ("scope", json!(record.skill.scope.key())),
        ("digest", json!(record.skill.digest.to_string())),
        ("revision", json!(record.skill.revision.get())),
        ("reason", json!(reason)),
        ("purged", json!(window == 0)),
    ];
    audit::record(cx, &mut *tx, caller, "skill.delete", ("skill", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(record)
}

/// Brings a deleted skill back, while the workspace's undelete window is open.
pub async fn undelete(cx: &Context, caller: &Caller, id: SkillId) -> Result<SkillRecord, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let record = tx.skill(caller.workspace, id).await?.filter(|record| record.skill.deleted_at.is_some());
    let record = record.ok_or_else(|| Error::not_found("deleted skill", id))?;
    let scope = record.skill.scope;
    check(&mut *tx, caller, id, access::decide(caller, Act::DeleteSkill(&record.skill))).await?;
    // A window that has closed is closed, whether or not housekeeping came by since.
    let hours = tx.workspace(caller.workspace).await?.map_or(0, |here| here.settings.undelete_window_hours);
    let window = Duration::hours(i64::from(hours));
    if record.skill.deleted_at.is_none_or(|deleted| deleted + window <= cx.now()) {
        return Err(Error::not_found("deleted skill", id));
    }
    check_free(&mut *tx, &record.skill, scope).await?;
    let demands = demands(&mut *tx, caller, scope).await?;
    check_room(&mut *tx, caller, scope, demands).await?;
    let skill =
        Skill { deleted_at: None, version: record.skill.version + 1, updated_at: cx.now(), ..record.skill };
    if tx.update_skill(&skill).await? == Written::Stale {
        return Err(Error::Stale { what: "skill" });
    }
    let detail = [("name", json!(skill.name.as_str()))];
    audit::record(cx, &mut *tx, caller, "skill.undelete", ("skill", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(SkillRecord { skill, statistics: record.statistics })
}
