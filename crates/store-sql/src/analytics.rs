//! Uses of skills by day.

use std::time::Duration as Time;

use ::store::{AgentUses, AnalyticsTx, SkillRecord, SkillUses, StoreError, UseQuery, Visibility};
use async_trait::async_trait;
use model::{AgentId, Day, SkillId, SkillName, SkillUse, Status, Timestamp, Uses, WorkspaceId};
use time::{Duration, UtcOffset};
use uuid::Uuid;

use crate::Row;
use crate::runs::micros;
use crate::skill_list::Condition;
use crate::skills::{FROM, RECORD, read_record};
use crate::store::SqlTx;
use crate::value::arguments;

/// The counters of several rows together.
const SUMS: &str = "CAST(SUM(x.uses) AS BIGINT), CAST(SUM(x.successes) AS BIGINT), CAST(SUM(x.runs) AS BIGINT), \
                    CAST(SUM(x.run_us) AS BIGINT)";

/// The counters of some days, added up by skill and by what else is wanted, with the skills they are of. There are many
/// counters and few skills: so the days are read along their key, once, and a skill is looked up for a sum only.
fn summed(days: &str, by: &str) -> String {
    format!(
        "(SELECT {by}d.skill_id AS skill_id, SUM(d.uses) AS uses, SUM(d.successes) AS successes, SUM(d.runs) AS runs,
              SUM(d.run_us) AS run_us
          FROM skill_days d WHERE {days} GROUP BY {by}d.skill_id) x JOIN skills s ON s.id = x.skill_id"
    )
}

/// A day as it is stored: its first moment.
fn start(day: Day) -> Timestamp {
    day.midnight().assume_utc()
}

/// Who stands for nobody: no agent has the nil id, and a key holds no NULL.
fn agent_key(agent: Option<AgentId>) -> AgentId {
    agent.unwrap_or(AgentId::new(Uuid::nil()))
}

fn read_uses(row: &mut Row) -> Result<Uses, StoreError> {
    Ok(Uses {
        count: row.count()?,
        successes: row.count()?,
        runs: row.count()?,
        run_time: Time::from_micros(row.count()?),
    })
}

/// The skills that are meant, and the condition on their days.
fn conditions(query: &UseQuery) -> (Condition, String) {
    let mut skills = Condition::seen(query.workspace, query.visibility);
    let mut days = format!(
        "d.workspace_id = $1 AND d.day >= {} AND d.day <= {}",
        skills.place(start(query.since)),
        skills.place(start(query.until))
    );
    let narrowed = [
        ("d.user_id", query.user.map(|user| skills.place(user))),
        ("d.agent_id", query.agent.map(|agent| skills.place(agent))),
    ];
    for (column, place) in narrowed {
        days.extend(place.map(|place| format!(" AND {column} = {place}")));
    }
    (skills, days)
}

#[async_trait]
impl AnalyticsTx for SqlTx {
    async fn count_use(&mut self, workspace: WorkspaceId, one: &SkillUse) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO skill_days (workspace_id, day, skill_id, user_id, agent_id, uses, successes, runs, run_us)
             VALUES ($1, $2, $3, $4, $5, 1, $6, $7, $8)
             ON CONFLICT (workspace_id, day, skill_id, user_id, agent_id) DO UPDATE SET uses = skill_days.uses + 1,
                 successes = skill_days.successes + excluded.successes, runs = skill_days.runs + excluded.runs,
                 run_us = skill_days.run_us + excluded.run_us",
            arguments![
                workspace,
                start(one.at.to_offset(UtcOffset::UTC).date()),
                one.skill,
                one.user,
                agent_key(one.agent),
                u32::from(one.success),
                u32::from(one.run.is_some()),
                one.run.map_or(0, micros)
            ],
        )
        .await
        .map(drop)
    }

    async fn prune_days(&mut self, workspace: WorkspaceId, before: Day) -> Result<u64, StoreError> {
        self.execute(
            "DELETE FROM skill_days WHERE workspace_id = $1 AND day < $2",
            arguments![workspace, start(before)],
        )
        .await
    }

    async fn uses_by_day(&mut self, query: &UseQuery) -> Result<Vec<(Day, Uses)>, StoreError> {
        let (skills, days) = conditions(query);
        let sql = format!(
            "SELECT x.day, {SUMS} FROM {} WHERE {} GROUP BY x.day ORDER BY x.day",
            summed(&days, "d.day, "),
            skills.sql
        );
        self.many(sql, skills.arguments, |mut row| {
            Ok((row.time()?.to_offset(UtcOffset::UTC).date(), read_uses(&mut row)?))
        })
        .await
    }

    async fn uses_by_agent(&mut self, query: &UseQuery, limit: u32) -> Result<Vec<AgentUses>, StoreError> {
        let (mut skills, days) = conditions(query);
        let limit = skills.place(limit);
        let sql = format!(
            "SELECT x.agent_id, a.name, {SUMS} FROM {}
             LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = x.agent_id
             WHERE {} GROUP BY x.agent_id, a.name ORDER BY SUM(x.uses) DESC, x.agent_id LIMIT {limit}",
            summed(&days, "d.agent_id, "),
            skills.sql
        );
        self.many(sql, skills.arguments, |mut row| {
            let agent = AgentId::new(row.uuid()?);
            Ok(AgentUses {
                agent: Some(agent).filter(|agent| *agent != agent_key(None)),
                name: row.opt_parsed(SkillName::parse)?,
                uses: read_uses(&mut row)?,
            })
        })
        .await
    }

    async fn uses_by_skill(&mut self, query: &UseQuery) -> Result<Vec<SkillUses>, StoreError> {
        let (skills, days) = conditions(query);
        let sql = format!(
            "SELECT s.id, CAST(x.uses AS BIGINT), CAST(x.successes AS BIGINT), CAST(x.runs AS BIGINT),
                 CAST(x.run_us AS BIGINT)
             FROM {} WHERE {} ORDER BY x.uses DESC, s.name, s.id",
            summed(&days, ""),
            skills.sql
        );
        self.many(sql, skills.arguments, |mut row| {
            Ok(SkillUses { skill: SkillId::new(row.uuid()?), uses: read_uses(&mut row)? })
        })
        .await
    }

    async fn unused_skills(&mut self, query: &UseQuery, limit: u32) -> Result<Vec<SkillRecord>, StoreError> {
        let (mut skills, days) = conditions(query);
        skills.and("s.status = 'active' AND s.enabled = TRUE");
        if query.user.is_some() || query.agent.is_some() {
            // Most days of a skill are another's: all are read once, along their key.
            skills.and(&format!("s.id NOT IN (SELECT d.skill_id FROM skill_days d WHERE {days})"));
        } else {
            skills
                .and(&format!("NOT EXISTS (SELECT 1 FROM skill_days d WHERE {days} AND d.skill_id = s.id)"));
            // The skill's own counters know of uses from before days were counted.
            let since = skills.place(start(query.since));
            let end = skills.place(start(query.until).saturating_add(Duration::DAY));
            skills.and(&format!(
                "(t.last_used_at IS NULL OR t.last_used_at < {since} OR t.last_used_at >= {end})"
            ));
        }
        let limit = skills.place(limit);
        let sql = format!(
            "SELECT {RECORD} FROM {FROM} WHERE {} ORDER BY COALESCE(t.last_used_at, s.created_at), s.id LIMIT {limit}",
            skills.sql
        );
        self.many(sql, skills.arguments, read_record).await
    }

    async fn count_by_status(
        &mut self,
        workspace: WorkspaceId,
        visibility: Visibility,
    ) -> Result<Vec<(Status, u64)>, StoreError> {
        let skills = Condition::seen(workspace, visibility);
        let sql = format!("SELECT s.status, COUNT(*) FROM skills s WHERE {} GROUP BY s.status", skills.sql);
        self.many(sql, skills.arguments, |mut row| Ok((row.parsed(Status::parse)?, row.count()?))).await
    }
}
