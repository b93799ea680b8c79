//! The shapes of requests about skills, and how they are read.

use app::instances::{Place, Said};
use model::{Parameter, ParameterType, Status};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::bounds::within;
use crate::problem::Problem;

/// A parameter of a skill.
#[derive(Deserialize, ToSchema)]
pub(super) struct ParameterRequest {
    /// Its name in the code.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    name: String,
    /// A type of JSON Schema, or Python's name for it.
    #[serde(rename = "type")]
    kind: String,
    description: Option<String>,
    /// Whether a caller must give it; true unless there is a default.
    required: Option<bool>,
    #[schema(value_type = Option<Value>)]
    default_value: Option<Value>,
}

impl ParameterRequest {
    fn read(self) -> Result<Parameter, Problem> {
        let word = self.kind.trim().to_ascii_lowercase();
        let kind = match word.as_str() {
            "str" => "string",
            "int" => "integer",
            "float" | "decimal" => "number",
            "bool" => "boolean",
            "list" | "tuple" | "set" => "array",
            "dict" => "object",
            other => other,
        };
        let kind = ParameterType::parse(kind).map_err(|error| Problem::bad_request(error.to_string()))?;
        Ok(Parameter {
            kind,
            required: self.required.unwrap_or(self.default_value.is_none()),
            name: self.name,
            description: self.description,
            default: self.default_value,
        })
    }
}

/// A skill to put in, or what to change about one: what is left out stays.
#[derive(Deserialize, ToSchema)]
#[schema(example = json!({"name": "compound_interest_calculator",
    "description": "Calculates compound interest. Use for savings and loans.",
    "code": "def compound_interest_calculator(principal: float, rate: float, time: float, frequency: int = 12):\n    return principal * (1 + rate / frequency) ** (frequency * time)\n",
    "owner_agent_object_id": "/instances/default/providers/FoundationaLLM.Agent/agents/analyst",
    "owner_user_id": "alice"}))]
pub(super) struct SkillRequest {
    /// Needed for a new one.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    #[serde(default, deserialize_with = "within::<1, 255, _, _>")]
    #[schema(min_length = 1, max_length = 255)]
    display_name: Option<String>,
    /// Needed for a new one.
    #[serde(default, deserialize_with = "within::<1, 1024, _, _>")]
    #[schema(min_length = 1, max_length = 1024)]
    description: Option<String>,
    /// Python. Needed for a new one.
    #[serde(default, deserialize_with = "within::<1, 1000000, _, _>")]
    #[schema(min_length = 1, max_length = 1_000_000)]
    code: Option<String>,
    /// When left out they are read from the code.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(max_items = 64)]
    parameters: Option<Vec<ParameterRequest>>,
    #[serde(default, deserialize_with = "within::<0, 50, _, _>")]
    #[schema(max_items = 50)]
    tags: Option<Vec<String>>,
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[schema(max_items = 100)]
    example_prompts: Option<Vec<String>>,
    /// Only for admins: where it shall stand, in any spelling.
    #[serde(default, deserialize_with = "within::<1, 32, _, _>")]
    #[schema(min_length = 1, max_length = 32)]
    status: Option<String>,
    /// The agent that owns it, by object id, name or id.
    #[serde(default, deserialize_with = "within::<1, 300, _, _>")]
    #[schema(min_length = 1, max_length = 300)]
    pub owner_agent_object_id: Option<String>,
    /// The user who owns it, by handle or id.
    #[serde(default, deserialize_with = "within::<1, 128, _, _>")]
    #[schema(min_length = 1, max_length = 128)]
    pub owner_user_id: Option<String>,
}

impl SkillRequest {
    /// Where it shall stand, if that is said.
    pub(super) fn place(&self) -> Result<Option<Place>, Problem> {
        self.status.as_deref().map(place).transpose()
    }

    /// What it says about the skill's content.
    pub(super) fn said(self) -> Result<Said, Problem> {
        let parameters = self.parameters.map(|all| all.into_iter().map(ParameterRequest::read).collect());
        Ok(Said {
            name: self.name,
            display_name: self.display_name,
            description: self.description,
            code: self.code,
            parameters: parameters.transpose()?,
            tags: self.tags,
            example_prompts: self.example_prompts,
        })
    }
}

/// Reads where a skill shall stand, in any spelling: `PendingApproval`, `pending_approval`, `PENDINGAPPROVAL`.
pub(super) fn place(text: &str) -> Result<Place, Problem> {
    let folded = |word: &str| word.replace('_', "").to_ascii_lowercase();
    let word = folded(text);
    if word == "disabled" {
        return Ok(Place::Disabled);
    }
    let status = Status::ALL.iter().find(|status| folded(status.as_str()) == word);
    status.map(|status| Place::Status(*status)).ok_or_else(|| {
        let words = "Active, PendingApproval, Rejected, Disabled, Draft or Archived";
        Problem::bad_request(format!("a status is {words}"))
    })
}

/// Why.
#[derive(Deserialize, ToSchema, Default)]
pub(super) struct ReasonRequest {
    /// Why; kept with the skill and in the audit log.
    #[serde(default, deserialize_with = "within::<0, 2000, _, _>")]
    #[schema(max_length = 2000)]
    pub reason: Option<String>,
}

/// An execution that happened.
#[derive(Deserialize, ToSchema)]
pub(super) struct ExecutionRequest {
    /// Whether it did what it should.
    pub success: bool,
}
