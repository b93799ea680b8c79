//! The shapes of answers: the fields of procedural memory's first design, filled from ours.

use app::instances::Whole;
use app::object_ids::{agent_path, status_word, written_name};
use model::{Agent, Parameter, ProceduralMemory, SkillName, Statistics, slugify};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::v1::time;

/// A parameter of a skill.
#[derive(Serialize, ToSchema)]
pub(super) struct ParameterResource {
    name: String,
    /// `string`, `integer`, `number`, `boolean`, `array`, `object` or `any`.
    #[serde(rename = "type")]
    kind: &'static str,
    description: Option<String>,
    required: bool,
    #[schema(value_type = Option<Value>)]
    default_value: Option<Value>,
}

impl From<&Parameter> for ParameterResource {
    fn from(parameter: &Parameter) -> Self {
        Self {
            name: parameter.name.clone(),
            kind: parameter.kind.as_str(),
            description: parameter.description.clone(),
            required: parameter.required,
            default_value: parameter.default.clone(),
        }
    }
}

fn parameters(whole: &Whole) -> Vec<ParameterResource> {
    let procedure = whole.manifest.procedure.as_ref();
    procedure.map_or_else(Vec::new, |procedure| procedure.parameters.iter().map(Into::into).collect())
}

/// The name as its author wrote it. Where a display name took the title's place, the function may still have it.
fn name(whole: &Whole) -> String {
    let skill = &whole.record.skill;
    let written = written_name(skill);
    let function = whole.manifest.procedure.as_ref().and_then(|procedure| procedure.function.as_deref());
    let spelled = function.filter(|function| slugify(function).as_ref() == Some(&skill.name));
    let is_slug = written == skill.name.as_str();
    spelled.filter(|_| is_slug).unwrap_or(written).to_owned()
}

/// A skill, whole.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillResource {
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: &'static str,
    /// Made of the name, the agent's name and the user.
    id: String,
    /// Its path; it is found under it.
    object_id: String,
    /// Its id in the native API, which stays when it is renamed; it is found under that as well.
    #[schema(format = Uuid)]
    uuid: String,
    /// Its name as its author wrote it.
    name: String,
    display_name: String,
    /// What it does and when to use it.
    description: String,
    example_prompts: Vec<String>,
    tags: Vec<String>,
    /// Its source; empty where a skill has none to run.
    code: String,
    parameters: Vec<ParameterResource>,
    /// The agent that owns it; null for one that its user has through any agent, or that is shared.
    owner_agent_object_id: Option<String>,
    /// The user who owns it; null for one that is shared.
    owner_user_id: Option<String>,
    /// `Active`, `PendingApproval`, `Rejected`, `Disabled`, `Draft` or `Archived`.
    #[schema(value_type = String)]
    status: &'static str,
    execution_count: u64,
    /// Successes over executions; 1 before the first.
    success_rate: f64,
    /// The number of its revision.
    version: u32,
    #[schema(format = DateTime)]
    created_on: String,
    #[schema(format = DateTime)]
    updated_on: String,
    created_by: String,
    updated_by: String,
}

impl From<Whole> for SkillResource {
    fn from(whole: Whole) -> Self {
        let (name, parameters) = (name(&whole), parameters(&whole));
        let Whole { record, called, code, created_by, updated_by, .. } = whole;
        let (skill, statistics) = (record.skill, record.statistics);
        Self {
            kind: "FoundationaLLM.Skill/skills",
            id: called.id,
            object_id: called.object_id,
            uuid: skill.id.to_string(),
            name,
            status: status_word(&skill),
            display_name: skill.title,
            description: skill.description,
            example_prompts: skill.example_prompts,
            tags: skill.tags,
            code: code.unwrap_or_default(),
            parameters,
            owner_agent_object_id: called.agent_object_id,
            owner_user_id: called.user.map(|user| user.to_string()),
            execution_count: statistics.execution_count(),
            success_rate: statistics.success_rate(),
            version: skill.revision.get(),
            created_on: time(skill.created_at),
            updated_on: time(skill.updated_at),
            created_by,
            updated_by,
        }
    }
}

/// What a person reviews of a skill.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillReview {
    skill_object_id: String,
    skill_id: String,
    /// Its name as its author wrote it.
    name: String,
    description: String,
    /// Its source; empty where a skill has none to run.
    code: String,
    parameters: Vec<ParameterResource>,
    /// `Active`, `PendingApproval`, `Rejected`, `Disabled`, `Draft` or `Archived`.
    #[schema(value_type = String)]
    status: &'static str,
    #[schema(format = DateTime)]
    created_on: String,
    execution_count: u64,
    /// Successes over executions; 1 before the first.
    success_rate: f64,
}

impl From<Whole> for SkillReview {
    fn from(whole: Whole) -> Self {
        let (name, parameters) = (name(&whole), parameters(&whole));
        let Whole { record, called, code, .. } = whole;
        let (skill, statistics) = (record.skill, record.statistics);
        Self {
            skill_object_id: called.object_id,
            skill_id: called.id,
            name,
            status: status_word(&skill),
            description: skill.description,
            code: code.unwrap_or_default(),
            parameters,
            created_on: time(skill.created_at),
            execution_count: statistics.execution_count(),
            success_rate: statistics.success_rate(),
        }
    }
}

/// A skill after a decision.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillDecided {
    #[serde(flatten)]
    pub skill: SkillReview,
    /// Whether anything changed.
    pub changed: bool,
}

/// A skill that was put in.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillPut {
    #[serde(flatten)]
    pub skill: SkillResource,
    /// Whether anything changed; the same content again changes nothing.
    pub changed: bool,
}

/// That a skill is gone.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillGone {
    message: String,
    skill_id: String,
    /// Always true.
    deleted: bool,
}

impl From<&Whole> for SkillGone {
    fn from(whole: &Whole) -> Self {
        let message = format!("Skill '{}' has been removed.", name(whole));
        Self { message, skill_id: whole.called.id.clone(), deleted: true }
    }
}

/// How a skill has done so far.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillExecuted {
    skill_id: String,
    execution_count: u64,
    /// Successes over executions.
    success_rate: f64,
}

impl SkillExecuted {
    pub(super) fn new(skill_id: String, statistics: &Statistics) -> Self {
        let (execution_count, success_rate) = (statistics.execution_count(), statistics.success_rate());
        Self { skill_id, execution_count, success_rate }
    }
}

/// A skill that was found.
#[derive(Serialize, ToSchema)]
pub(super) struct SkillFound {
    pub skill: SkillResource,
    /// About the probability that it is what was asked for, 0 to 1.
    pub similarity: f64,
}

/// The settings of procedural memory.
#[derive(Serialize, ToSchema)]
#[allow(clippy::struct_excessive_bools)] // each is a setting of its own
pub(super) struct MemorySettings {
    enabled: bool,
    auto_register_skills: bool,
    require_skill_approval: bool,
    /// 0 is no limit.
    max_skills_per_user: u32,
    /// 0 to 1.
    skill_search_threshold: f64,
    prefer_skills: bool,
}

impl From<ProceduralMemory> for MemorySettings {
    fn from(settings: ProceduralMemory) -> Self {
        Self {
            enabled: settings.enabled,
            auto_register_skills: settings.auto_register_skills,
            require_skill_approval: settings.require_skill_approval,
            max_skills_per_user: settings.max_skills_per_user,
            skill_search_threshold: settings.skill_search_threshold,
            prefer_skills: settings.prefer_skills,
        }
    }
}

/// An agent.
#[derive(Serialize, ToSchema)]
pub(super) struct AgentResource {
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    kind: &'static str,
    object_id: String,
    #[schema(format = Uuid)]
    uuid: String,
    name: String,
    display_name: String,
    description: String,
    /// Null is fully off.
    procedural_memory_settings: Option<MemorySettings>,
    #[schema(format = DateTime)]
    created_on: String,
    #[schema(format = DateTime)]
    updated_on: String,
}

impl AgentResource {
    pub(super) fn new(instance: &SkillName, agent: Agent) -> Self {
        Self {
            kind: "FoundationaLLM.Agent/agents",
            object_id: agent_path(instance, &agent.name),
            uuid: agent.id.to_string(),
            name: agent.name.to_string(),
            display_name: agent.title,
            description: agent.description,
            procedural_memory_settings: agent.procedural_memory.map(MemorySettings::from),
            created_on: time(agent.created_at),
            updated_on: time(agent.updated_at),
        }
    }
}
