//! Agents.

use app::Code;
use app::agents::{AgentContext, ContextPart};
use model::{Agent, Approver, Assignment, ProceduralMemory, ProposalMode, RevisionNumber, Toolset};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::runs::RunLimitsView;
use super::search::DiscoveredView;
use super::time;
use crate::problem::Problem;

/// Procedural-memory settings. What is left out takes its default.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[allow(clippy::struct_excessive_bools)] // each is a setting of its own
pub(crate) struct ProceduralMemoryView {
    /// The master switch.
    pub enabled: bool,
    /// Whether working code becomes a skill without being asked for.
    pub auto_register_skills: bool,
    /// Whether a registered skill waits for approval.
    pub require_skill_approval: bool,
    /// How many skills a user may have on this agent; 0 is no limit.
    #[schema(maximum = 1_000_000)]
    pub max_skills_per_user: u32,
    /// The similarity from which on a found skill is used.
    #[schema(minimum = 0, maximum = 1)]
    pub skill_search_threshold: f64,
    /// Whether skills are searched before code is generated.
    pub prefer_skills: bool,
    /// Who may approve: `owner`, `admin` or `two_person`.
    #[schema(pattern = "^(owner|admin|two_person)$")]
    pub approver: String,
    /// When the agent proposes skills: `proactive`, `on_request` or `off`.
    #[schema(pattern = "^(proactive|on_request|off)$")]
    pub proposal_mode: String,
}

impl Default for ProceduralMemoryView {
    fn default() -> Self {
        Self::from(ProceduralMemory::default())
    }
}

impl From<ProceduralMemory> for ProceduralMemoryView {
    fn from(settings: ProceduralMemory) -> Self {
        Self {
            enabled: settings.enabled,
            auto_register_skills: settings.auto_register_skills,
            require_skill_approval: settings.require_skill_approval,
            max_skills_per_user: settings.max_skills_per_user,
            skill_search_threshold: settings.skill_search_threshold,
            prefer_skills: settings.prefer_skills,
            approver: settings.approver.to_string(),
            proposal_mode: settings.proposal_mode.to_string(),
        }
    }
}

impl ProceduralMemoryView {
    pub(crate) fn read(self) -> Result<ProceduralMemory, Problem> {
        let unknown = |error: model::UnknownWord| Problem::bad_request(error.to_string());
        if self.max_skills_per_user > 1_000_000 {
            let detail = "`max_skills_per_user` is at most 1000000; 0 is no limit";
            return Err(Problem::with_code(Code::InvalidSettings, detail));
        }
        Ok(ProceduralMemory {
            enabled: self.enabled,
            auto_register_skills: self.auto_register_skills,
            require_skill_approval: self.require_skill_approval,
            max_skills_per_user: self.max_skills_per_user,
            skill_search_threshold: self.skill_search_threshold,
            prefer_skills: self.prefer_skills,
            approver: Approver::parse(&self.approver).map_err(unknown)?,
            proposal_mode: ProposalMode::parse(&self.proposal_mode).map_err(unknown)?,
        })
    }
}

/// A skill an agent always has.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AssignmentView {
    /// The skill.
    #[schema(format = Uuid)]
    pub skill_id: String,
    /// The revision it is pinned to; null for the current one.
    #[schema(minimum = 1)]
    pub pin: Option<u32>,
}

impl From<&Assignment> for AssignmentView {
    fn from(assignment: &Assignment) -> Self {
        Self { skill_id: assignment.skill.to_string(), pin: assignment.pin.map(RevisionNumber::get) }
    }
}

/// A configured agent.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentView {
    #[schema(format = Uuid)]
    pub id: String,
    pub name: String,
    pub title: String,
    pub description: String,
    /// Null is fully off.
    pub procedural_memory: Option<ProceduralMemoryView>,
    /// `list`, `search`, `hybrid` or `auto`.
    pub discovery: &'static str,
    /// How many tokens a list of skills may take in the agent's context.
    pub discovery_token_budget: u32,
    /// Bounds on what the code of skills may use when this agent runs them.
    pub run_limits: RunLimitsView,
    /// The tools it is offered over MCP: `interpreter`, `memory`, `library`, `learning`; empty is the default set.
    pub toolsets: Vec<&'static str>,
    /// The skills assigned to it, in order.
    pub skills: Vec<AssignmentView>,
    pub version: u64,
    #[schema(format = DateTime)]
    pub created_at: String,
    #[schema(format = DateTime)]
    pub updated_at: String,
}

impl From<Agent> for AgentView {
    fn from(agent: Agent) -> Self {
        Self {
            id: agent.id.to_string(),
            name: agent.name.to_string(),
            title: agent.title,
            description: agent.description,
            procedural_memory: agent.procedural_memory.map(ProceduralMemoryView::from),
            discovery: agent.discovery.as_str(),
            discovery_token_budget: agent.discovery_token_budget,
            run_limits: agent.run_limits.into(),
            toolsets: agent.toolsets.into_iter().map(Toolset::as_str).collect(),
            skills: agent.assignments.iter().map(AssignmentView::from).collect(),
            version: agent.version,
            created_at: time(agent.created_at),
            updated_at: time(agent.updated_at),
        }
    }
}

/// What an agent's prompt gets about skills.
#[derive(Serialize, ToSchema)]
pub(crate) struct AgentContextView {
    /// How the text is written: `markdown`, `xml` or `json`.
    pub format: &'static str,
    /// What does not fit the budget and is not in the text: `policies`, `procedural_memory`.
    pub left_out: Vec<&'static str>,
    #[serde(flatten)]
    pub told: DiscoveredView,
}

impl From<AgentContext> for AgentContextView {
    fn from(context: AgentContext) -> Self {
        Self {
            format: context.format.as_str(),
            left_out: context.left_out.into_iter().map(ContextPart::as_str).collect(),
            told: context.told.into(),
        }
    }
}
