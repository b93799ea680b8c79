//! What is done from time to time: expire, purge, forget.

use model::{Actor, Skill, Status, Timestamp, WorkspaceId};
use serde_json::json;
use store::Written;
use time::Duration;

use crate::{Context, Error, analytics, audit, code_sessions, governance, runs, sessions};

/// How long idempotency keys are remembered.
const KEY_LIFE: Duration = Duration::hours(24);

/// What a round of housekeeping did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Housekeeping {
    /// Drafts that nobody confirmed in time.
    pub drafts_archived: u64,
    /// Deleted skills whose window closed.
    pub skills_purged: u64,
    /// Sign-ins and links that ended.
    pub sign_ins_ended: u64,
    /// Idempotency keys that were forgotten.
    pub keys_forgotten: u64,
    /// Runs that are older than they are kept.
    pub runs_pruned: u64,
    /// Governed runs that nobody ended or used.
    pub governed_runs_ended: u64,
    /// Decisions that are older than they are kept.
    pub decisions_pruned: u64,
    /// Sessions that are older than they are kept.
    pub sessions_pruned: u64,
    /// Counters of days that are older than they are kept.
    pub days_pruned: u64,
    /// Code sessions that nobody used any more.
    pub code_sessions_ended: u64,
}

/// One round of housekeeping in every workspace.
pub async fn keep_house(cx: &Context) -> Result<Housekeeping, Error> {
    let code_sessions_ended = code_sessions::expire(cx);
    let mut done = Housekeeping { code_sessions_ended, ..Housekeeping::default() };
    let mut tx = cx.store.begin_installation().await?;
    done.sign_ins_ended = tx.delete_expired_sign_ins(cx.now()).await?;
    let workspaces = tx.workspaces().await?;
    tx.commit().await?;
    for workspace in workspaces {
        let settings = &workspace.settings;
        if settings.draft_expiry_days > 0 {
            let age = Duration::days(i64::from(settings.draft_expiry_days));
            done.drafts_archived += archive_drafts(cx, workspace.id, age).await?;
        }
        let window = Duration::hours(i64::from(settings.undelete_window_hours));
        done.skills_purged += purge_deleted(cx, workspace.id, window).await?;
        let mut tx = cx.begin(workspace.id).await?;
        done.keys_forgotten += tx.forget_keys(workspace.id, cx.now() - KEY_LIFE).await?;
        if cx.execution.history_days > 0 {
            let before = days_ago(cx, cx.execution.history_days);
            done.runs_pruned += runs::prune_before(cx, &mut *tx, workspace.id, SERVER, before).await?;
        }
        done.governed_runs_ended += governance::finish_abandoned(cx, &mut *tx, workspace.id).await?;
        let days = cx.governance.settings().history_days;
        if days > 0 {
            let before = days_ago(cx, days);
            let pruned = governance::prune_before(cx, &mut *tx, workspace.id, SERVER, before);
            done.decisions_pruned += pruned.await?;
        }
        if cx.recording.history_days > 0 {
            let before = days_ago(cx, cx.recording.history_days);
            done.sessions_pruned +=
                sessions::prune_before(cx, &mut *tx, workspace.id, SERVER, before).await?;
        }
        if cx.analytics.history_days > 0 {
            let before = days_ago(cx, cx.analytics.history_days);
            done.days_pruned += analytics::prune_before(cx, &mut *tx, workspace.id, SERVER, before).await?;
        }
        tx.commit().await?;
    }
    Ok(done)
}

const SERVER: Actor = Actor { user: None, agent: None };

/// So many days before this moment; where that is before anything was kept, no earlier than need be.
fn days_ago(cx: &Context, days: u32) -> Timestamp {
    cx.now().saturating_sub(Duration::days(i64::from(days))).max(Timestamp::UNIX_EPOCH)
}

async fn archive_drafts(cx: &Context, workspace: WorkspaceId, age: Duration) -> Result<u64, Error> {
    let mut tx = cx.begin(workspace).await?;
    let drafts = tx.drafts_untouched_since(workspace, cx.now() - age).await?;
    let mut archived = 0;
    for id in drafts {
        let Some(record) = tx.skill(workspace, id).await? else { continue };
        // An earlier revision is in force; that ends by a person's decision only.
        if record.skill.enforced.is_some() {
            continue;
        }
        let skill = Skill {
            status: Status::Archived,
            status_reason: Some("expired".to_owned()),
            promotion: None,
            version: record.skill.version + 1,
            updated_at: cx.now(),
            ..record.skill
        };
        if tx.update_skill(&skill).await? == Written::Done {
            let detail = [("name", json!(skill.name.as_str())), ("reason", json!("expired"))];
            let subject = ("skill", id.to_string());
            audit::record_as(cx, &mut *tx, workspace, SERVER, "skill.archive", subject, &detail).await?;
            archived += 1;
        }
    }
    tx.commit().await?;
    Ok(archived)
}

async fn purge_deleted(cx: &Context, workspace: WorkspaceId, window: Duration) -> Result<u64, Error> {
    let mut tx = cx.begin(workspace).await?;
    let mut purged = 0;
    for id in tx.deleted_before(workspace, cx.now() - window).await? {
        tx.purge_skill(workspace, id).await?;
        audit::record_as(cx, &mut *tx, workspace, SERVER, "skill.purge", ("skill", id.to_string()), &[])
            .await?;
        purged += 1;
    }
    tx.commit().await?;
    Ok(purged)
}
