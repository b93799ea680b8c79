//! Counters and feedback.

use ::store::{StatisticsTx, StoreError};
use async_trait::async_trait;
use model::{Feedback, SkillId, Statistics, UserId, WorkspaceId};

use crate::Row;
use crate::store::SqlTx;
use crate::value::arguments;

/// The counters of a record; a skill that was never used has no row.
pub(crate) fn read_statistics(row: &mut Row) -> Result<Statistics, StoreError> {
    let mut counter = || -> Result<u64, StoreError> { Ok(row.opt_int()?.map_or(0, i64::unsigned_abs)) };
    let (use_count, success_count, failure_count) = (counter()?, counter()?, counter()?);
    Ok(Statistics {
        use_count,
        success_count,
        failure_count,
        recent_success_rate: row.opt_real()?,
        last_used_at: row.opt_time()?,
        helpful_count: row.opt_int()?.map_or(0, i64::unsigned_abs),
        unhelpful_count: row.opt_int()?.map_or(0, i64::unsigned_abs),
    })
}

#[async_trait]
impl StatisticsTx for SqlTx {
    async fn put_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        statistics: &Statistics,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO skill_statistics (workspace_id, skill_id, use_count, success_count, failure_count,
                 recent_success_rate, last_used_at, helpful_count, unhelpful_count)
             VALUES ($1, $2, $3, $4, $5, $6, $7, 0, 0)
             ON CONFLICT (workspace_id, skill_id) DO UPDATE SET use_count = excluded.use_count,
                 success_count = excluded.success_count, failure_count = excluded.failure_count,
                 recent_success_rate = excluded.recent_success_rate, last_used_at = excluded.last_used_at",
            arguments![
                workspace,
                skill,
                statistics.use_count,
                statistics.success_count,
                statistics.failure_count,
                statistics.recent_success_rate,
                statistics.last_used_at
            ],
        )
        .await
        .map(drop)
    }

    async fn put_feedback(&mut self, workspace: WorkspaceId, feedback: &Feedback) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO skill_feedback (workspace_id, skill_id, user_id, helpful, comment, at)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (workspace_id, skill_id, user_id) DO UPDATE SET helpful = excluded.helpful,
                 comment = excluded.comment, at = excluded.at",
            arguments![
                workspace,
                feedback.skill,
                feedback.user,
                feedback.helpful,
                feedback.comment.as_deref(),
                feedback.at
            ],
        )
        .await?;
        self.execute(
            "INSERT INTO skill_statistics (workspace_id, skill_id, use_count, success_count, failure_count,
                 helpful_count, unhelpful_count)
             VALUES ($1, $2, 0, 0, 0,
                 (SELECT COUNT(*) FROM skill_feedback WHERE workspace_id = $1 AND skill_id = $2 AND helpful = TRUE),
                 (SELECT COUNT(*) FROM skill_feedback WHERE workspace_id = $1 AND skill_id = $2 AND helpful = FALSE))
             ON CONFLICT (workspace_id, skill_id) DO UPDATE SET helpful_count = excluded.helpful_count,
                 unhelpful_count = excluded.unhelpful_count",
            arguments![workspace, feedback.skill],
        )
        .await
        .map(drop)
    }

    async fn feedback(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        limit: u32,
    ) -> Result<Vec<Feedback>, StoreError> {
        self.many(
            "SELECT skill_id, user_id, helpful, comment, at FROM skill_feedback
             WHERE workspace_id = $1 AND skill_id = $2 ORDER BY at DESC, user_id LIMIT $3",
            arguments![workspace, skill, limit],
            |mut row| {
                Ok(Feedback {
                    skill: SkillId::new(row.uuid()?),
                    user: UserId::new(row.uuid()?),
                    helpful: row.bool()?,
                    comment: row.opt_text()?,
                    at: row.time()?,
                })
            },
        )
        .await
    }
}
