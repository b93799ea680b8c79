//! Runs, and how single revisions do.

use std::time::Duration;

use ::store::{RunFilter, RunTx, StoreError};
use async_trait::async_trait;
use model::{
    AgentId, RevisionNumber, RevisionStatistics, Run, RunError, RunId, RunStatus, SkillId, SkillName,
    Statistics, Timestamp, UserId, WorkspaceId,
};

use crate::store::SqlTx;
use crate::value::{arguments, list};
use crate::{Row, Value};

const COLUMNS: &str = "workspace_id, id, skill_id, skill_name, revision, user_id, agent_id, parameters, status, \
                       error_code, error_type, error_message, error_file, error_line, duration_us, cpu_us, \
                       memory_bytes, limits_hit, output_digest, result_size, started_at";

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn revision_number(row: &mut Row) -> Result<RevisionNumber, StoreError> {
    RevisionNumber::new(row.small()?)
        .ok_or_else(|| StoreError::Damaged("a revision has the number 0".to_owned()))
}

fn read(mut row: Row) -> Result<Run, StoreError> {
    Ok(Run {
        workspace: WorkspaceId::new(row.uuid()?),
        id: RunId::new(row.uuid()?),
        skill: SkillId::new(row.uuid()?),
        skill_name: row.parsed(SkillName::parse)?,
        revision: revision_number(&mut row)?,
        user: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        parameters: row.parsed(|text| serde_json::from_str(text))?,
        status: row.parsed(RunStatus::parse)?,
        error: read_error(&mut row)?,
        duration: Duration::from_micros(row.count()?),
        cpu: row.opt_int()?.map(|micros| Duration::from_micros(micros.unsigned_abs())),
        memory_bytes: row.opt_int()?.map(i64::unsigned_abs),
        limits_hit: row.list()?,
        output_digest: row.digest()?,
        result_size: row.count()?,
        started_at: row.time()?,
    })
}

fn read_error(row: &mut Row) -> Result<Option<RunError>, StoreError> {
    let (code, kind, message) = (row.opt_text()?, row.opt_text()?, row.opt_text()?);
    let (file, line) = (row.opt_text()?, row.opt_int()?);
    Ok(code.map(|code| RunError {
        code,
        kind: kind.unwrap_or_default(),
        message: message.unwrap_or_default(),
        file,
        line: line.and_then(|line| u32::try_from(line).ok()),
    }))
}

fn read_statistics(mut row: Row) -> Result<RevisionStatistics, StoreError> {
    let revision = revision_number(&mut row)?;
    let (success_count, failure_count) = (row.count()?, row.count()?);
    let counters = Statistics {
        use_count: success_count + failure_count,
        success_count,
        failure_count,
        recent_success_rate: row.opt_real()?,
        last_used_at: row.opt_time()?,
        ..Statistics::default()
    };
    Ok(RevisionStatistics { revision, counters, total: Duration::from_micros(row.count()?) })
}

/// The conditions of a filter, behind the workspace in `$1`.
fn conditions(filter: &RunFilter, arguments: &mut Vec<Value>) -> Vec<String> {
    let narrowed: [(&str, Option<Value>); 7] = [
        ("skill_id =", filter.skill.map(Value::from)),
        ("user_id =", filter.user.map(Value::from)),
        ("agent_id =", filter.agent.map(Value::from)),
        ("status =", filter.status.map(|status| Value::from(status.as_str()))),
        ("error_code =", filter.error_code.as_deref().map(Value::from)),
        ("started_at >=", filter.since.map(Value::from)),
        ("started_at <", filter.until.map(Value::from)),
    ];
    let mut conditions = vec!["workspace_id = $1".to_owned()];
    for (condition, value) in narrowed {
        if let Some(value) = value {
            arguments.push(value);
            conditions.push(format!("{condition} ${}", arguments.len()));
        }
    }
    conditions
}

#[async_trait]
impl RunTx for SqlTx {
    async fn insert_run(&mut self, run: &Run) -> Result<(), StoreError> {
        let error = run.error.as_ref();
        let parameters =
            serde_json::to_string(&run.parameters).map_err(|error| StoreError::Damaged(error.to_string()))?;
        self.execute(
            format!(
                "INSERT INTO runs ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
                     $15, $16, $17, $18, $19, $20, $21)"
            ),
            arguments![
                run.workspace,
                run.id,
                run.skill,
                run.skill_name.as_str(),
                run.revision.get(),
                run.user,
                run.agent,
                parameters,
                run.status.as_str(),
                error.map(|error| error.code.as_str()),
                error.map(|error| error.kind.as_str()),
                error.map(|error| error.message.as_str()),
                error.and_then(|error| error.file.as_deref()),
                error.and_then(|error| error.line),
                micros(run.duration),
                run.cpu.map(micros),
                run.memory_bytes,
                list(&run.limits_hit),
                &run.output_digest,
                run.result_size,
                run.started_at
            ],
        )
        .await
        .map(drop)
    }

    async fn run(&mut self, workspace: WorkspaceId, id: RunId) -> Result<Option<Run>, StoreError> {
        self.one(
            format!("SELECT {COLUMNS} FROM runs WHERE workspace_id = $1 AND id = $2"),
            arguments![workspace, id],
            read,
        )
        .await
    }

    async fn runs(
        &mut self,
        workspace: WorkspaceId,
        filter: &RunFilter,
        after: Option<(Timestamp, RunId)>,
        limit: u32,
    ) -> Result<Vec<Run>, StoreError> {
        let mut arguments = arguments![workspace];
        let mut conditions = conditions(filter, &mut arguments);
        if let Some((moment, id)) = after {
            arguments.extend(arguments![moment, id]);
            let n = arguments.len();
            conditions.push(format!("(started_at, id) < (${}, ${n})", n - 1));
        }
        arguments.push(limit.into());
        let sql = format!(
            "SELECT {COLUMNS} FROM runs WHERE {} ORDER BY started_at DESC, id DESC LIMIT ${}",
            conditions.join(" AND "),
            arguments.len()
        );
        self.many(sql, arguments, read).await
    }

    async fn prune_runs(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM runs WHERE workspace_id = $1 AND started_at < $2",
            arguments![workspace, before],
        )
        .await
    }

    async fn put_revision_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        statistics: &RevisionStatistics,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO revision_statistics (workspace_id, skill_id, revision, success_count, failure_count,
                 recent_success_rate, last_used_at, total_us)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
             ON CONFLICT (workspace_id, skill_id, revision) DO UPDATE SET success_count = excluded.success_count,
                 failure_count = excluded.failure_count, recent_success_rate = excluded.recent_success_rate,
                 last_used_at = excluded.last_used_at, total_us = excluded.total_us",
            arguments![
                workspace,
                skill,
                statistics.revision.get(),
                statistics.counters.success_count,
                statistics.counters.failure_count,
                statistics.counters.recent_success_rate,
                statistics.counters.last_used_at,
                micros(statistics.total)
            ],
        )
        .await
        .map(drop)
    }

    async fn revision_statistics(
        &mut self,
        workspace: WorkspaceId,
        skill: SkillId,
        revision: Option<RevisionNumber>,
    ) -> Result<Vec<RevisionStatistics>, StoreError> {
        let mut arguments = arguments![workspace, skill];
        let mut sql =
            "SELECT revision, success_count, failure_count, recent_success_rate, last_used_at, total_us
             FROM revision_statistics WHERE workspace_id = $1 AND skill_id = $2"
                .to_owned();
        if let Some(revision) = revision {
            arguments.push(revision.get().into());
            sql.push_str(" AND revision = $3");
        }
        sql.push_str(" ORDER BY revision DESC");
        self.many(sql, arguments, read_statistics).await
    }
}
