//! Agents and the skills assigned to them.

use ::store::{AgentTx, StoreError, Written};
use async_trait::async_trait;
use model::{
    Agent, AgentId, Approver, Assignment, Discovery, ProceduralMemory, ProposalMode, RevisionNumber,
    RunLimits, SkillId, SkillName, Toolset, WorkspaceId,
};
use serde::{Deserialize, Serialize};

use crate::store::SqlTx;
use crate::value::{arguments, list};
use crate::{Row, Value};

const COLUMNS: &str = "workspace_id, id, name, title, description, procedural_memory, discovery, \
                       discovery_token_budget, toolsets, version, created_at, updated_at";

/// An agent with its limits.
const SELECT: &str = "SELECT a.workspace_id, a.id, a.name, a.title, a.description, a.procedural_memory, a.discovery, \
                      a.discovery_token_budget, a.toolsets, a.version, a.created_at, a.updated_at, l.limits FROM agents a \
                      LEFT JOIN agent_run_limits l ON l.workspace_id = a.workspace_id AND l.agent_id = a.id";

/// Procedural-memory settings as they are stored: one JSON text.
#[derive(Serialize, Deserialize)]
#[allow(clippy::struct_excessive_bools)] // as the settings are
struct SettingsRow {
    enabled: bool,
    auto_register_skills: bool,
    require_skill_approval: bool,
    max_skills_per_user: u32,
    skill_search_threshold: f64,
    prefer_skills: bool,
    approver: String,
    proposal_mode: String,
}

fn write_settings(settings: &ProceduralMemory) -> Result<String, StoreError> {
    let row = SettingsRow {
        enabled: settings.enabled,
        auto_register_skills: settings.auto_register_skills,
        require_skill_approval: settings.require_skill_approval,
        max_skills_per_user: settings.max_skills_per_user,
        skill_search_threshold: settings.skill_search_threshold,
        prefer_skills: settings.prefer_skills,
        approver: settings.approver.to_string(),
        proposal_mode: settings.proposal_mode.to_string(),
    };
    serde_json::to_string(&row).map_err(|error| StoreError::Damaged(error.to_string()))
}

fn read_settings(text: &str) -> Result<ProceduralMemory, StoreError> {
    let damaged = |error: &dyn std::fmt::Display| StoreError::Damaged(error.to_string());
    let row: SettingsRow = serde_json::from_str(text).map_err(|error| damaged(&error))?;
    Ok(ProceduralMemory {
        enabled: row.enabled,
        auto_register_skills: row.auto_register_skills,
        require_skill_approval: row.require_skill_approval,
        max_skills_per_user: row.max_skills_per_user,
        skill_search_threshold: row.skill_search_threshold,
        prefer_skills: row.prefer_skills,
        approver: Approver::parse(&row.approver).map_err(|error| damaged(&error))?,
        proposal_mode: ProposalMode::parse(&row.proposal_mode).map_err(|error| damaged(&error))?,
    })
}

/// Limits as they are stored: one JSON text.
#[derive(Serialize, Deserialize)]
struct LimitsRow {
    wall_ms: Option<u64>,
    cpu_ms: Option<u64>,
    memory_bytes: Option<u64>,
    processes: Option<u32>,
    open_files: Option<u32>,
    folder_bytes: Option<u64>,
    folder_files: Option<u64>,
    output_bytes: Option<u64>,
    result_bytes: Option<u64>,
}

fn write_limits(limits: &RunLimits) -> Result<String, StoreError> {
    let row = LimitsRow {
        wall_ms: limits.wall_ms,
        cpu_ms: limits.cpu_ms,
        memory_bytes: limits.memory_bytes,
        processes: limits.processes,
        open_files: limits.open_files,
        folder_bytes: limits.folder_bytes,
        folder_files: limits.folder_files,
        output_bytes: limits.output_bytes,
        result_bytes: limits.result_bytes,
    };
    serde_json::to_string(&row).map_err(|error| StoreError::Damaged(error.to_string()))
}

fn read_limits(text: &str) -> Result<RunLimits, StoreError> {
    let row: LimitsRow =
        serde_json::from_str(text).map_err(|error| StoreError::Damaged(error.to_string()))?;
    Ok(RunLimits {
        wall_ms: row.wall_ms,
        cpu_ms: row.cpu_ms,
        memory_bytes: row.memory_bytes,
        processes: row.processes,
        open_files: row.open_files,
        folder_bytes: row.folder_bytes,
        folder_files: row.folder_files,
        output_bytes: row.output_bytes,
        result_bytes: row.result_bytes,
    })
}

fn write_toolsets(toolsets: &[Toolset]) -> Value {
    list(&toolsets.iter().map(Toolset::to_string).collect::<Vec<_>>())
}

fn read_toolsets(words: &[String]) -> Result<Vec<Toolset>, StoreError> {
    let read = |word: &String| Toolset::parse(word).map_err(|error| StoreError::Damaged(error.to_string()));
    words.iter().map(read).collect()
}

fn read(mut row: Row) -> Result<Agent, StoreError> {
    let mut agent = Agent {
        workspace: WorkspaceId::new(row.uuid()?),
        id: AgentId::new(row.uuid()?),
        name: row.parsed(SkillName::parse)?,
        title: row.text()?,
        description: row.text()?,
        procedural_memory: row.opt_text()?.as_deref().map(read_settings).transpose()?,
        discovery: row.parsed(Discovery::parse)?,
        discovery_token_budget: row.small()?,
        run_limits: RunLimits::default(),
        toolsets: read_toolsets(&row.list()?)?,
        assignments: Vec::new(),
        version: row.count()?,
        created_at: row.time()?,
        updated_at: row.time()?,
    };
    if let Some(limits) = row.opt_text()? {
        agent.run_limits = read_limits(&limits)?;
    }
    Ok(agent)
}

impl SqlTx {
    async fn with_assignments(&mut self, mut agent: Agent) -> Result<Agent, StoreError> {
        agent.assignments = self
            .many(
                "SELECT skill_id, pin FROM agent_skills WHERE workspace_id = $1 AND agent_id = $2 ORDER BY position",
                arguments![agent.workspace, agent.id],
                |mut row| {
                    let skill = SkillId::new(row.uuid()?);
                    let pin = row.opt_int()?.and_then(|n| u32::try_from(n).ok()).and_then(RevisionNumber::new);
                    Ok(Assignment { skill, pin })
                },
            )
            .await?;
        Ok(agent)
    }

    async fn find_agent(
        &mut self,
        condition: &str,
        arguments: Vec<Value>,
    ) -> Result<Option<Agent>, StoreError> {
        let sql = format!("{SELECT} WHERE a.workspace_id = $1 AND {condition}");
        match self.one(sql, arguments, read).await? {
            Some(agent) => self.with_assignments(agent).await.map(Some),
            None => Ok(None),
        }
    }

    async fn put_run_limits(&mut self, agent: &Agent) -> Result<(), StoreError> {
        if agent.run_limits == RunLimits::default() {
            return self
                .execute(
                    "DELETE FROM agent_run_limits WHERE workspace_id = $1 AND agent_id = $2",
                    arguments![agent.workspace, agent.id],
                )
                .await
                .map(drop);
        }
        self.execute(
            "INSERT INTO agent_run_limits (workspace_id, agent_id, limits) VALUES ($1, $2, $3)
             ON CONFLICT (workspace_id, agent_id) DO UPDATE SET limits = excluded.limits",
            arguments![agent.workspace, agent.id, write_limits(&agent.run_limits)?],
        )
        .await
        .map(drop)
    }

    async fn put_assignments(&mut self, agent: &Agent) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM agent_skills WHERE workspace_id = $1 AND agent_id = $2",
            arguments![agent.workspace, agent.id],
        )
        .await?;
        for (position, assignment) in (0_i64..).zip(&agent.assignments) {
            self.execute(
                "INSERT INTO agent_skills (workspace_id, agent_id, skill_id, position, pin)
                 VALUES ($1, $2, $3, $4, $5)",
                arguments![
                    agent.workspace,
                    agent.id,
                    assignment.skill,
                    position,
                    assignment.pin.map(RevisionNumber::get)
                ],
            )
            .await?;
        }
        Ok(())
    }
}

#[async_trait]
impl AgentTx for SqlTx {
    async fn insert_agent(&mut self, agent: &Agent) -> Result<bool, StoreError> {
        let settings = agent.procedural_memory.as_ref().map(write_settings).transpose()?;
        let added = self
            .execute(
                format!(
                    "INSERT INTO agents ({COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
                     ON CONFLICT DO NOTHING"
                ),
                arguments![
                    agent.workspace,
                    agent.id,
                    agent.name.as_str(),
                    agent.title.as_str(),
                    agent.description.as_str(),
                    settings,
                    agent.discovery.as_str(),
                    agent.discovery_token_budget,
                    write_toolsets(&agent.toolsets),
                    agent.version,
                    agent.created_at,
                    agent.updated_at
                ],
            )
            .await?;
        if added == 1 {
            self.put_run_limits(agent).await?;
            self.put_assignments(agent).await?;
        }
        Ok(added == 1)
    }

    async fn agent(&mut self, workspace: WorkspaceId, id: AgentId) -> Result<Option<Agent>, StoreError> {
        self.find_agent("a.id = $2", arguments![workspace, id]).await
    }

    async fn agent_by_name(
        &mut self,
        workspace: WorkspaceId,
        name: &SkillName,
    ) -> Result<Option<Agent>, StoreError> {
        self.find_agent("a.name = $2", arguments![workspace, name.as_str()]).await
    }

    async fn agents(
        &mut self,
        workspace: WorkspaceId,
        after: Option<&SkillName>,
        limit: u32,
    ) -> Result<Vec<Agent>, StoreError> {
        let found = self
            .many(
                format!("{SELECT} WHERE a.workspace_id = $1 AND a.name > $2 ORDER BY a.name LIMIT $3"),
                arguments![workspace, after.map_or("", SkillName::as_str), limit],
                read,
            )
            .await?;
        let mut agents = Vec::with_capacity(found.len());
        for agent in found {
            agents.push(self.with_assignments(agent).await?);
        }
        Ok(agents)
    }

    async fn update_agent(&mut self, agent: &Agent) -> Result<Written, StoreError> {
        let settings = agent.procedural_memory.as_ref().map(write_settings).transpose()?;
        let changed = self
            .execute(
                "UPDATE agents SET name = $3, title = $4, description = $5, procedural_memory = $6, discovery = $7,
                     discovery_token_budget = $8, toolsets = $9, version = $10, updated_at = $11
                 WHERE workspace_id = $1 AND id = $2 AND version = $10 - 1",
                arguments![
                    agent.workspace,
                    agent.id,
                    agent.name.as_str(),
                    agent.title.as_str(),
                    agent.description.as_str(),
                    settings,
                    agent.discovery.as_str(),
                    agent.discovery_token_budget,
                    write_toolsets(&agent.toolsets),
                    agent.version,
                    agent.updated_at
                ],
            )
            .await?;
        if changed == 0 {
            return Ok(Written::Stale);
        }
        self.put_run_limits(agent).await?;
        self.put_assignments(agent).await?;
        Ok(Written::Done)
    }

    async fn delete_agent(&mut self, workspace: WorkspaceId, id: AgentId) -> Result<bool, StoreError> {
        let removed = self
            .execute("DELETE FROM agents WHERE workspace_id = $1 AND id = $2", arguments![workspace, id])
            .await?;
        Ok(removed == 1)
    }
}
