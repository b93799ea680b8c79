//! A configured agent: its procedural-memory settings, how it discovers skills, and which are assigned to it.

use crate::word::words;
use crate::{AgentId, RevisionNumber, RunLimits, SkillId, SkillName, Timestamp, WorkspaceId};

words!(
    /// Who may approve what an agent registers.
    Approver, "approver" {
        /// The person the agent acted for.
        Owner => "owner",
        /// An admin or a reviewer.
        Admin => "admin",
        /// An admin or a reviewer who is not the author.
        TwoPerson => "two_person",
    }
);

words!(
    /// How an agent learns which skills there are.
    Discovery, "discovery mode" {
        /// All of them, listed.
        List => "list",
        /// None listed; a search tool.
        Search => "search",
        /// The best few for the request, and a search tool.
        Hybrid => "hybrid",
        /// A list while it fits the token budget, else the best few and a search tool.
        Auto => "auto",
    }
);

words!(
    /// When an agent proposes skills.
    ProposalMode, "proposal mode" {
        /// Whenever it sees a reusable procedure.
        Proactive => "proactive",
        /// Only when the user asks.
        OnRequest => "on_request",
        /// Never.
        Off => "off",
    }
);

words!(
    /// A group of tools that an agent is offered over MCP.
    Toolset, "toolset" {
        /// One tool that executes code, and finds, uses and saves skills.
        Interpreter => "interpreter",
        /// The same as separate tools, with a list of tasks.
        Memory => "memory",
        /// Writing, reading and switching skills.
        Library => "library",
        /// Proposing skills, and saying whether one helped.
        Learning => "learning",
    }
);

/// Procedural-memory settings. An agent without them behaves as if none of this existed.
#[allow(clippy::struct_excessive_bools)] // each is a setting of its own
#[derive(Debug, Clone, PartialEq)]
pub struct ProceduralMemory {
    /// The master switch.
    pub enabled: bool,
    /// Whether working code becomes a skill without being asked for.
    pub auto_register_skills: bool,
    /// Whether a registered skill waits for approval.
    pub require_skill_approval: bool,
    /// How many skills a user may have on this agent; 0 is no limit.
    pub max_skills_per_user: u32,
    /// The similarity from which on a found skill is used, 0 to 1.
    pub skill_search_threshold: f64,
    /// Whether skills are searched before code is generated.
    pub prefer_skills: bool,
    /// Who may approve.
    pub approver: Approver,
    /// When the agent proposes skills.
    pub proposal_mode: ProposalMode,
}

impl Default for ProceduralMemory {
    fn default() -> Self {
        Self {
            enabled: false,
            auto_register_skills: true,
            require_skill_approval: false,
            max_skills_per_user: 0,
            skill_search_threshold: 0.8,
            prefer_skills: true,
            approver: Approver::Owner,
            proposal_mode: ProposalMode::Proactive,
        }
    }
}

/// A setting outside its range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// Not between 0 and 1.
    #[error("Skill search threshold must be between 0.0 and 1.0")]
    Threshold,
    /// A token budget of nothing.
    #[error("the discovery token budget must be between 1 and 1000000")]
    TokenBudget,
    /// A limit of nothing.
    #[error(
        "each run limit must be a whole number of at least 1 and, where it counts processes or open files, of at most 2147483647"
    )]
    RunLimits,
    /// A toolset that is named twice.
    #[error("name each toolset once")]
    Toolsets,
}

impl ProceduralMemory {
    /// Refuses values outside their ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if (0.0..=1.0).contains(&self.skill_search_threshold) {
            Ok(())
        } else {
            Err(SettingsError::Threshold)
        }
    }
}

/// A skill an agent always has, at its place in the order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The skill.
    pub skill: SkillId,
    /// The revision it is pinned to; else the current one.
    pub pin: Option<RevisionNumber>,
}

/// A configured agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// The workspace it lives in.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: AgentId,
    /// Its name, unique in the workspace.
    pub name: SkillName,
    /// For people.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// Procedural memory; `None` is fully off.
    pub procedural_memory: Option<ProceduralMemory>,
    /// How it discovers skills.
    pub discovery: Discovery,
    /// How many tokens a list of skills may take in its context.
    pub discovery_token_budget: u32,
    /// Bounds on what the code of skills may use when this agent runs them.
    pub run_limits: RunLimits,
    /// The tools it is offered over MCP; empty is the default set.
    pub toolsets: Vec<Toolset>,
    /// The skills assigned to it, in order.
    pub assignments: Vec<Assignment>,
    /// Counts every change; for optimistic concurrency.
    pub version: u64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Agent {
    /// The budget an agent starts with.
    pub const DEFAULT_TOKEN_BUDGET: u32 = 2_000;

    /// The revision of a skill that it is pinned to.
    pub fn pin_of(&self, skill: SkillId) -> Option<RevisionNumber> {
        self.assignments.iter().find(|assignment| assignment.skill == skill)?.pin
    }

    /// Refuses values outside their ranges.
    pub fn validate(&self) -> Result<(), SettingsError> {
        if !(1..=1_000_000).contains(&self.discovery_token_budget) {
            return Err(SettingsError::TokenBudget);
        }
        self.run_limits.validate()?;
        let twice = |(n, toolset)| self.toolsets.iter().take(n).any(|other| other == toolset);
        if self.toolsets.iter().enumerate().any(twice) {
            return Err(SettingsError::Toolsets);
        }
        self.procedural_memory.as_ref().map_or(Ok(()), ProceduralMemory::validate)
    }
}
