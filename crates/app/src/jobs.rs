//! What is done from time to time: expire, purge, forget.

use model::{Skill, Status, Timestamp, Workspace, WorkspaceId};
use serde_json::json;
use store::{Tx, Written};
use time::Duration;

use crate::audit::SERVER;
use crate::{Context, Error, analytics, audit, code_sessions, governance, runs, sessions};

/// How long idempotency keys are remembered.
const KEY_LIFE: Duration = Duration::hours(24);
/// How long a token that ended is still listed; that it was there stays in the audit log.
const ENDED_TOKEN_LIFE: Duration = Duration::days(30);

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
    /// Tokens that ended long ago and were removed.
    pub tokens_forgotten: u64,
    /// Runs that are older than they are kept.
    pub runs_pruned: u64,
    /// Governed runs that nobody ended or used.
    pub governed_runs_ended: u64,
    /// Decisions and governed runs that are older than they are kept.
    pub decisions_pruned: u64,
    /// Sessions that are older than they are kept.
    pub sessions_pruned: u64,
    /// Counters of days that are older than they are kept.
    pub days_pruned: u64,
    /// Code sessions that nobody used any more.
    pub code_sessions_ended: u64,
    /// Steps that failed; the log of the server says why, and the next round tries again.
    pub failed: u64,
}

/// One round of housekeeping in every workspace. What fails in one of them is logged, and keeps nothing else from its
/// end.
pub async fn keep_house(cx: &Context) -> Result<Housekeeping, Error> {
    let code_sessions_ended = code_sessions::expire(cx);
    let mut done = Housekeeping { code_sessions_ended, ..Housekeeping::default() };
    match end_sign_ins(cx).await {
        Ok(ended) => done.sign_ins_ended = ended,
        Err(error) => {
            done.failed += 1;
            tracing::error!(error = &error as &dyn std::error::Error, "sign-ins that ended are still kept");
        }
    }
    let workspaces = cx.read().await?.workspaces().await?;
    for workspace in &workspaces {
        for step in Step::ALL {
            match step.take(cx, workspace).await {
                Ok(count) => *step.counter(&mut done) += count,
                Err(error) => {
                    done.failed += 1;
                    let error = &error as &dyn std::error::Error;
                    tracing::error!(workspace = %workspace.id, ?step, error, "a step of housekeeping failed");
                }
            }
        }
    }
    Ok(done)
}

/// What is done in a workspace, each in a transaction of its own.
#[derive(Debug, Clone, Copy)]
enum Step {
    ArchiveDrafts,
    PurgeSkills,
    ForgetKeys,
    ForgetTokens,
    PruneRuns,
    EndGovernedRuns,
    PruneDecisions,
    PruneSessions,
    PruneDays,
}

impl Step {
    const ALL: [Self; 9] = [
        Self::ArchiveDrafts,
        Self::PurgeSkills,
        Self::ForgetKeys,
        Self::ForgetTokens,
        Self::PruneRuns,
        Self::EndGovernedRuns,
        Self::PruneDecisions,
        Self::PruneSessions,
        Self::PruneDays,
    ];

    /// How often it was done. Where there was nothing to do nothing is committed: that would be news to every cache
    /// and every watch.
    async fn take(self, cx: &Context, workspace: &Workspace) -> Result<u64, Error> {
        let Some(before) = self.before(cx, workspace) else { return Ok(0) };
        let mut tx = cx.begin(workspace.id).await?;
        let count = self.act(cx, &mut *tx, workspace.id, before).await?;
        if count > 0 {
            tx.commit().await?;
        }
        Ok(count)
    }

    /// What is older goes; none where it is kept for ever.
    fn before(self, cx: &Context, workspace: &Workspace) -> Option<Timestamp> {
        let ago = |time: Duration| Some(cx.now() - time);
        match self {
            Self::ArchiveDrafts => days_ago(cx, workspace.settings.draft_expiry_days),
            Self::PurgeSkills => ago(Duration::hours(i64::from(workspace.settings.undelete_window_hours))),
            Self::ForgetKeys => ago(KEY_LIFE),
            Self::ForgetTokens => ago(ENDED_TOKEN_LIFE),
            Self::PruneRuns => days_ago(cx, cx.execution.history_days),
            Self::EndGovernedRuns => ago(governance::ABANDONED),
            Self::PruneDecisions => days_ago(cx, cx.governance.settings().history_days),
            Self::PruneSessions => days_ago(cx, cx.recording.history_days),
            Self::PruneDays => days_ago(cx, cx.analytics.history_days),
        }
    }

    async fn act(
        self,
        cx: &Context,
        tx: &mut dyn Tx,
        workspace: WorkspaceId,
        before: Timestamp,
    ) -> Result<u64, Error> {
        match self {
            Self::ArchiveDrafts => archive_drafts(cx, tx, workspace, before).await,
            Self::PurgeSkills => purge_deleted(cx, tx, workspace, before).await,
            Self::ForgetKeys => Ok(tx.forget_keys(workspace, before).await?),
            Self::ForgetTokens => Ok(tx.forget_tokens(workspace, before).await?),
            Self::PruneRuns => runs::prune_before(cx, tx, workspace, SERVER, before).await,
            Self::EndGovernedRuns => governance::finish_abandoned(cx, tx, workspace, before).await,
            Self::PruneDecisions => {
                let pruned = governance::prune_before(cx, tx, workspace, SERVER, before).await?;
                Ok(pruned.map_or(0, |pruned| pruned.removed + pruned.runs))
            }
            Self::PruneSessions => sessions::prune_before(cx, tx, workspace, SERVER, before).await,
            Self::PruneDays => analytics::prune_before(cx, tx, workspace, SERVER, before).await,
        }
    }

    fn counter(self, done: &mut Housekeeping) -> &mut u64 {
        match self {
            Self::ArchiveDrafts => &mut done.drafts_archived,
            Self::PurgeSkills => &mut done.skills_purged,
            Self::ForgetKeys => &mut done.keys_forgotten,
            Self::ForgetTokens => &mut done.tokens_forgotten,
            Self::PruneRuns => &mut done.runs_pruned,
            Self::EndGovernedRuns => &mut done.governed_runs_ended,
            Self::PruneDecisions => &mut done.decisions_pruned,
            Self::PruneSessions => &mut done.sessions_pruned,
            Self::PruneDays => &mut done.days_pruned,
        }
    }
}

async fn end_sign_ins(cx: &Context) -> Result<u64, Error> {
    let mut tx = cx.store.begin_installation().await?;
    let ended = tx.delete_expired_sign_ins(cx.now()).await?;
    if ended > 0 {
        tx.commit().await?;
    }
    Ok(ended)
}

/// So many days before this moment; none for 0, which is for ever. Where that is before anything was kept, no earlier
/// than need be.
fn days_ago(cx: &Context, days: u32) -> Option<Timestamp> {
    let before = cx.now().saturating_sub(Duration::days(i64::from(days))).max(Timestamp::UNIX_EPOCH);
    (days > 0).then_some(before)
}

async fn archive_drafts(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    before: Timestamp,
) -> Result<u64, Error> {
    let mut archived = 0;
    for id in tx.drafts_untouched_since(workspace, before).await? {
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
            audit::record_as(cx, tx, workspace, SERVER, "skill.archive", subject, &detail).await?;
            archived += 1;
        }
    }
    Ok(archived)
}

async fn purge_deleted(
    cx: &Context,
    tx: &mut dyn Tx,
    workspace: WorkspaceId,
    before: Timestamp,
) -> Result<u64, Error> {
    let mut purged = 0;
    for id in tx.deleted_before(workspace, before).await? {
        tx.purge_skill(workspace, id).await?;
        audit::record_as(cx, tx, workspace, SERVER, "skill.purge", ("skill", id.to_string()), &[]).await?;
        purged += 1;
    }
    Ok(purged)
}
