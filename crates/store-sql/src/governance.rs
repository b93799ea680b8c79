//! Policies in force, governed runs, and decisions.

use std::time::Duration;

use ::store::{
    ChangeCursor, DecisionFilter, GovernanceTx, GovernedRunFilter, PolicyChange, Pruned, StoreError, Which,
};
use async_trait::async_trait;
use model::{
    AgentId, Decision, DecisionId, DecisionKind, Digest, GovernedRun, GovernedRunId, JudgedCall, PolicyRef,
    RecordedDenial, RevisionNumber, SkillId, Timestamp, UserId, WorkspaceId,
};
use serde_json::{Value as Json, json};

use uuid::Uuid;

use crate::Row;
use crate::conditions::Conditions;
use crate::skills::{SKILL, read_skill};
use crate::store::SqlTx;
use crate::value::{arguments, list};

const RUN: &str = "workspace_id, id, user_id, agent_id, host, session, task_digest, task, context, steps, denied, \
                   started_at, touched_at, finished_at, outcome";

const DECISION: &str = "d.workspace_id, d.id, d.at, d.user_id, d.agent_id, d.host, d.run_id, d.task_digest, d.task, \
                        d.context, s.policies, d.reasons, d.tool, d.alias, d.arguments_digest, d.arguments, d.steps, \
                        d.elapsed_us, d.cause, d.reason, d.denied_by";

const FROM: &str =
    "decisions d JOIN policy_sets s ON s.workspace_id = d.workspace_id AND s.digest = d.policy_set";

fn read_run(mut row: Row) -> Result<GovernedRun, StoreError> {
    Ok(GovernedRun {
        workspace: WorkspaceId::new(row.uuid()?),
        id: GovernedRunId::new(row.uuid()?),
        user: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        host: row.opt_text()?,
        session: row.opt_text()?,
        task_digest: row.digest()?,
        task: row.opt_text()?,
        context: row.opt_text()?.map(|text| serde_json::from_str(&text)).transpose().map_err(damaged)?,
        steps: row.small()?,
        denied: row.small()?,
        started_at: row.time()?,
        touched_at: row.time()?,
        finished_at: row.opt_time()?,
        outcome: row.opt_text()?,
    })
}

fn damaged(error: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(error.to_string())
}

fn read_decision(row: &mut Row) -> Result<Decision, StoreError> {
    Ok(Decision {
        workspace: WorkspaceId::new(row.uuid()?),
        id: DecisionId::new(row.uuid()?),
        at: row.time()?,
        user: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        host: row.opt_text()?,
        run: row.opt_uuid()?.map(GovernedRunId::new),
        task_digest: row.digest()?,
        task: row.opt_text()?,
        context: row.opt_text()?,
        policies: row.parsed(read_policies)?,
        reasons: row.list()?,
        call: read_call(row)?,
    })
}

fn read_call(row: &mut Row) -> Result<Option<JudgedCall>, StoreError> {
    let (tool, alias) = (row.opt_text()?, row.opt_text()?);
    let (digest, arguments) = (row.opt_bytes()?, row.opt_text()?);
    let (steps, elapsed) = (row.opt_int()?, row.opt_int()?);
    let (cause, reason, policies) = (row.opt_text()?, row.opt_text()?, row.opt_text()?);
    let Some(tool) = tool else { return Ok(None) };
    let digest = digest.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let denial = cause.map(|cause| -> Result<_, StoreError> {
        let policies = serde_json::from_str(policies.as_deref().unwrap_or("[]")).map_err(damaged)?;
        Ok(RecordedDenial { cause, reason: reason.unwrap_or_default(), policies })
    });
    Ok(Some(JudgedCall {
        tool,
        alias,
        arguments_digest: digest.map(Digest::new).ok_or_else(|| damaged("a verdict has no digest"))?,
        arguments,
        steps: steps.and_then(|steps| u32::try_from(steps).ok()).unwrap_or_default(),
        elapsed: Duration::from_micros(elapsed.unwrap_or_default().unsigned_abs()),
        denial: denial.transpose()?,
    }))
}

fn read_policies(text: &str) -> Result<Vec<PolicyRef>, String> {
    let items: Vec<(String, String, u32, String)> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let read = |(id, skill, revision, digest): (String, String, u32, String)| {
        Some(PolicyRef {
            id,
            skill: SkillId::parse(&skill).ok()?,
            revision: RevisionNumber::new(revision)?,
            digest: Digest::parse(&digest).ok()?,
        })
    };
    items.into_iter().map(|item| read(item).ok_or_else(|| "a policy is malformed".to_owned())).collect()
}

fn write_policies(policies: &[PolicyRef]) -> String {
    let write = |policy: &PolicyRef| {
        json!([policy.id, policy.skill.to_string(), policy.revision.get(), policy.digest.hex()])
    };
    Json::Array(policies.iter().map(write).collect()).to_string()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

fn decision_conditions(workspace: WorkspaceId, filter: &DecisionFilter) -> Conditions {
    let mut conditions = Conditions::new(&["d.workspace_id = $1"], workspace);
    conditions.add("d.kind = ?", filter.kind.map(DecisionKind::as_str));
    match filter.denied {
        Some(true) => conditions.say("d.cause IS NOT NULL"),
        Some(false) => conditions.say("d.tool IS NOT NULL AND d.cause IS NULL"),
        None => {}
    }
    conditions.add("d.user_id = ?", filter.user);
    conditions.add("d.agent_id = ?", filter.agent);
    conditions.add("d.host = ?", filter.host.as_deref());
    conditions.add("d.run_id = ?", filter.run);
    conditions.add(
        "d.policy_set IN (SELECT m.digest FROM policy_set_members m WHERE m.workspace_id = $1 AND m.skill_id = ?)",
        filter.policy,
    );
    // The list is JSON. `LIKE` would read some letters otherwise, and SQLite's folds case.
    let denied_by = filter.denied_by.as_ref().map(|id| Json::from(id.as_str()).to_string());
    conditions.add("REPLACE(d.denied_by, ?, '') <> d.denied_by", denied_by);
    conditions.add("(d.tool = ? OR d.alias = ?)", filter.tool.as_deref());
    conditions.add("d.cause = ?", filter.cause.as_deref());
    conditions.add("d.at >= ?", filter.since);
    conditions.add("d.at < ?", filter.until);
    conditions
}

impl SqlTx {
    /// Keeps which policies were active together, once.
    async fn put_policy_set(
        &mut self,
        workspace: WorkspaceId,
        policies: &[PolicyRef],
    ) -> Result<Digest, StoreError> {
        let digest = model::policy_set_digest(policies);
        let new = self
            .execute(
                "INSERT INTO policy_sets (workspace_id, digest, policies) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                arguments![workspace, &digest, write_policies(policies)],
            )
            .await?;
        if new > 0 {
            for policy in policies {
                self.execute(
                    "INSERT INTO policy_set_members (workspace_id, skill_id, digest) VALUES ($1, $2, $3)
                     ON CONFLICT DO NOTHING",
                    arguments![workspace, policy.skill, &digest],
                )
                .await?;
            }
        }
        Ok(digest)
    }

    async fn insert_decision(
        &mut self,
        seal: u64,
        place: u64,
        decision: &Decision,
        policies: &Digest,
    ) -> Result<(), StoreError> {
        let (call, denial) = (decision.call.as_ref(), decision.denial());
        self.execute(
            "INSERT INTO decisions (workspace_id, id, seal, place, at, user_id, agent_id, host, run_id, kind,
                 task_digest, task, context, policy_set, reasons, tool, alias, arguments_digest, arguments, steps,
                 elapsed_us, cause, reason, denied_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
                 $22, $23, $24)",
            arguments![
                decision.workspace,
                decision.id,
                seal,
                place,
                decision.at,
                decision.user,
                decision.agent,
                decision.host.as_deref(),
                decision.run,
                decision.kind().as_str(),
                &decision.task_digest,
                decision.task.as_deref(),
                decision.context.as_deref(),
                policies,
                list(&decision.reasons),
                call.map(|call| call.tool.as_str()),
                call.and_then(|call| call.alias.as_deref()),
                call.map(|call| call.arguments_digest.bytes().as_slice()),
                call.and_then(|call| call.arguments.as_deref()),
                call.map(|call| call.steps),
                call.map(|call| micros(call.elapsed)),
                denial.map(|denial| denial.cause.as_str()),
                denial.map(|denial| denial.reason.as_str()),
                denial.map(|denial| Json::from(denial.policies.clone()).to_string()),
            ],
        )
        .await
        .map(drop)
    }
}

#[async_trait]
impl GovernanceTx for SqlTx {
    async fn policy_changes(
        &mut self,
        workspace: WorkspaceId,
        which: Which,
        after: ChangeCursor,
        limit: u32,
    ) -> Result<Vec<PolicyChange>, StoreError> {
        let possible = match which {
            Which::Enforced => " AND s.enforced_revision IS NOT NULL",
            Which::All => "",
        };
        let sql = format!(
            "SELECT s.changed_in, {SKILL} FROM skills s
             WHERE s.workspace_id = $1 AND (s.changed_in, s.id) > ($2, $3){possible}
             ORDER BY s.changed_in, s.id LIMIT $4"
        );
        let skill = after.skill.unwrap_or(SkillId::new(Uuid::max()));
        self.many(sql, arguments![workspace, after.change, skill, limit], |mut row| {
            Ok(PolicyChange { change: row.count()?, skill: read_skill(&mut row)? })
        })
        .await
    }

    async fn insert_governed_run(&mut self, run: &GovernedRun) -> Result<(), StoreError> {
        let context = run.context.clone().map(|context| Json::Object(context).to_string());
        self.execute(
            format!(
                "INSERT INTO governed_runs ({RUN})
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
            ),
            arguments![
                run.workspace,
                run.id,
                run.user,
                run.agent,
                run.host.as_deref(),
                run.session.as_deref(),
                &run.task_digest,
                run.task.as_deref(),
                context,
                run.steps,
                run.denied,
                run.started_at,
                run.touched_at,
                run.finished_at,
                run.outcome.as_deref()
            ],
        )
        .await
        .map(drop)
    }

    async fn count_governed_steps(&mut self, run: &GovernedRun) -> Result<(), StoreError> {
        self.execute(
            "UPDATE governed_runs SET steps = $3, denied = $4, touched_at = $5 WHERE workspace_id = $1 AND id = $2",
            arguments![run.workspace, run.id, run.steps, run.denied, run.touched_at],
        )
        .await
        .map(drop)
    }

    async fn update_governed_run(&mut self, run: &GovernedRun) -> Result<(), StoreError> {
        let context = run.context.clone().map(|context| Json::Object(context).to_string());
        self.execute(
            "UPDATE governed_runs SET task = $3, context = $4, steps = $5, denied = $6, touched_at = $7,
                 finished_at = $8, outcome = $9 WHERE workspace_id = $1 AND id = $2",
            arguments![
                run.workspace,
                run.id,
                run.task.as_deref(),
                context,
                run.steps,
                run.denied,
                run.touched_at,
                run.finished_at,
                run.outcome.as_deref()
            ],
        )
        .await
        .map(drop)
    }

    async fn governed_run(
        &mut self,
        workspace: WorkspaceId,
        id: GovernedRunId,
    ) -> Result<Option<GovernedRun>, StoreError> {
        let sql = format!("SELECT {RUN} FROM governed_runs WHERE workspace_id = $1 AND id = $2");
        self.one(sql, arguments![workspace, id], read_run).await
    }

    async fn governed_runs(
        &mut self,
        workspace: WorkspaceId,
        filter: &GovernedRunFilter,
        after: Option<(Timestamp, GovernedRunId)>,
        limit: u32,
    ) -> Result<Vec<GovernedRun>, StoreError> {
        let mut conditions = Conditions::new(&["workspace_id = $1"], workspace);
        conditions.add("user_id = ?", filter.user);
        conditions.add("agent_id = ?", filter.agent);
        conditions.add("host = ?", filter.host.as_deref());
        conditions.add("session = ?", filter.session.as_deref());
        match filter.open {
            Some(true) => conditions.say("finished_at IS NULL"),
            Some(false) => conditions.say("finished_at IS NOT NULL"),
            None => {}
        }
        conditions.add("touched_at < ?", filter.untouched_since);
        let page = conditions.page("started_at, id", after, limit);
        let sql = format!(
            "SELECT {RUN} FROM governed_runs WHERE {page} ORDER BY started_at DESC, id DESC LIMIT ${}",
            conditions.arguments.len()
        );
        self.many(sql, conditions.arguments, read_run).await
    }

    async fn insert_decisions(
        &mut self,
        workspace: WorkspaceId,
        seal: u64,
        decisions: &[Decision],
    ) -> Result<(), StoreError> {
        let mut known: Option<(&[PolicyRef], Digest)> = None;
        for (place, decision) in (0..).zip(decisions) {
            // Calls of one moment are mostly under the same policies.
            let set = match known {
                Some((policies, digest)) if policies == decision.policies => digest,
                _ => self.put_policy_set(workspace, &decision.policies).await?,
            };
            known = Some((&decision.policies, set));
            self.insert_decision(seal, place, decision, &set).await?;
        }
        Ok(())
    }

    async fn decision(
        &mut self,
        workspace: WorkspaceId,
        id: DecisionId,
    ) -> Result<Option<Decision>, StoreError> {
        let sql = format!("SELECT {DECISION} FROM {FROM} WHERE d.workspace_id = $1 AND d.id = $2");
        self.one(sql, arguments![workspace, id], |mut row| read_decision(&mut row)).await
    }

    async fn decisions(
        &mut self,
        workspace: WorkspaceId,
        filter: &DecisionFilter,
        after: Option<(Timestamp, DecisionId)>,
        limit: u32,
    ) -> Result<Vec<Decision>, StoreError> {
        let mut conditions = decision_conditions(workspace, filter);
        let page = conditions.page("d.at, d.id", after, limit);
        let sql = format!(
            "SELECT {DECISION} FROM {FROM} WHERE {page} ORDER BY d.at DESC, d.id DESC LIMIT ${}",
            conditions.arguments.len()
        );
        self.many(sql, conditions.arguments, |mut row| read_decision(&mut row)).await
    }

    async fn sealed_decisions(
        &mut self,
        workspace: WorkspaceId,
        first: u64,
        last: u64,
    ) -> Result<Vec<(u64, Decision)>, StoreError> {
        let sql = format!(
            "SELECT d.seal, {DECISION} FROM {FROM}
             WHERE d.workspace_id = $1 AND d.seal >= $2 AND d.seal <= $3 ORDER BY d.seal, d.place"
        );
        self.many(sql, arguments![workspace, first, last], |mut row| {
            Ok((row.count()?, read_decision(&mut row)?))
        })
        .await
    }

    async fn prune_decisions(
        &mut self,
        workspace: WorkspaceId,
        before: Timestamp,
    ) -> Result<Option<Pruned>, StoreError> {
        let first_kept = self
            .one(
                // By seal: servers whose clocks differ do not seal in the order of time.
                "SELECT seal FROM decisions WHERE workspace_id = $1 AND at >= $2 ORDER BY seal LIMIT 1",
                arguments![workspace, before],
                |mut row| row.count(),
            )
            .await?;
        let through = if let Some(seal) = first_kept {
            seal.saturating_sub(1)
        } else {
            let last = "SELECT COALESCE(MAX(seal), 0) FROM decisions WHERE workspace_id = $1";
            self.number(last, arguments![workspace]).await?
        };
        let removed = self
            .execute(
                "DELETE FROM decisions WHERE workspace_id = $1 AND seal <= $2",
                arguments![workspace, through],
            )
            .await?;
        let runs = self
            .execute(
                "DELETE FROM governed_runs WHERE workspace_id = $1 AND finished_at < $2 AND NOT EXISTS
                     (SELECT 1 FROM decisions d WHERE d.workspace_id = $1 AND d.run_id = governed_runs.id)",
                arguments![workspace, before],
            )
            .await?;
        Ok((removed + runs > 0).then_some(Pruned { through, removed, runs }))
    }
}
