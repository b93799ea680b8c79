//! The shapes of requests about skills, and how they are read.

use std::sync::Arc;

use app::instances::{Place, Whole};
use app::skills::{Content, CreateSkill, Edit, EditSkill};
use app::{Change, Changes, Code, Draft};
use model::{
    BundleFile, BundlePath, Language, Parameter, ParameterType, Procedure, RunLimits, Skill, SkillName,
    Status, slugify,
};
use serde::Deserialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::bounds::within;
use crate::problem::Problem;

/// Where the code of a new skill stands.
const CODE_FILE: &str = "scripts/main.py";

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
    pub name: Option<String>,
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

    /// The name of a new skill.
    pub(super) fn slug(&self) -> Result<SkillName, Problem> {
        let name = self.name.as_deref().ok_or_else(|| needed("name"))?;
        slugify(name).ok_or_else(|| {
            Problem::with_code(Code::InvalidName, format!("`{name}` has no letter or digit of a name"))
        })
    }

    /// A new skill with this content.
    pub(super) fn create(self) -> Result<CreateSkill, Problem> {
        let slug = self.slug()?;
        let written = self.name.filter(|written| *written != slug.as_str());
        let code = self.code.ok_or_else(|| needed("code"))?;
        let procedure = described(blank()?, &slug, &code, self.parameters)?;
        let mut draft = Draft::new(slug, self.description.ok_or_else(|| needed("description"))?);
        draft.title = self.display_name.or(written);
        draft.tags = self.tags.unwrap_or_default();
        draft.example_prompts = self.example_prompts.unwrap_or_default();
        draft.procedure = Some((procedure, Arc::from(code.into_bytes())));
        Ok(CreateSkill::new(Content::Draft(Box::new(draft))))
    }

    /// What changes about a skill that is there.
    pub(super) fn edit(self, whole: &Whole) -> Result<EditSkill, Problem> {
        let skill = &whole.record.skill;
        if self.name.is_some() && self.slug()? != skill.name {
            let detail = "the name is part of a skill's id; put a skill with another name under its own id";
            return Err(Problem::bad_request(detail));
        }
        let mut changes = Changes {
            description: self.description,
            title: self.display_name.map_or(Change::Keep, Change::Set),
            tags: self.tags,
            example_prompts: self.example_prompts,
            ..Changes::default()
        };
        if self.code.is_some() || self.parameters.is_some() {
            let code = self.code.or_else(|| whole.code.clone()).ok_or_else(|| needed("code"))?;
            let known = whole.manifest.procedure.clone().map_or_else(blank, Ok)?;
            let procedure = described(known, &skill.name, &code, self.parameters)?;
            let file = BundleFile::new(code.into_bytes());
            changes.files.insert(procedure.file.clone(), Some(file));
            changes.procedure = Change::Set(procedure);
        }
        Ok(EditSkill::new(Edit::Changes(Box::new(changes))))
    }
}

fn needed(field: &str) -> Problem {
    Problem::bad_request(format!("a new skill needs `{field}`"))
}

/// The procedure of a new skill, before its code is looked at.
fn blank() -> Result<Procedure, Problem> {
    let file = BundlePath::parse(CODE_FILE)
        .map_err(|error| Problem::with_code(Code::InvalidPath, error.to_string()))?;
    Ok(Procedure {
        language: Language::Python,
        file,
        function: None,
        parameters: Vec::new(),
        profile: None,
        limits: RunLimits::default(),
        network: Vec::new(),
    })
}

/// The procedure with what its code and the request say about how it is called.
fn described(
    procedure: Procedure,
    name: &SkillName,
    code: &str,
    parameters: Option<Vec<ParameterRequest>>,
) -> Result<Procedure, Problem> {
    let function = code
        .lines()
        .filter_map(|line| line.strip_prefix("def ")?.split_once('('))
        .map(|(function, _)| function.trim())
        .find(|function| slugify(function).as_ref() == Some(name));
    let parameters = parameters.unwrap_or_default().into_iter().map(ParameterRequest::read);
    Ok(Procedure {
        function: function.map(str::to_owned),
        parameters: parameters.collect::<Result<_, _>>()?,
        ..procedure
    })
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
