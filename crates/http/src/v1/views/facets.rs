//! The procedure and policy facets, as they are read and shown.

use std::time::Duration;

use app::Code;
use model::{
    Activation, BundlePath, HostPattern, Language, Parameter, ParameterType, Policy, Procedure, UnknownWord,
    Validator,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::runs::RunLimitsView;
use crate::bounds::within;
use crate::problem::Problem;

/// A parameter of a procedure.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ParameterView {
    /// Its name in the code.
    #[serde(deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// `string`, `integer`, `number`, `boolean`, `array`, `object` or `any`.
    #[serde(rename = "type")]
    #[schema(pattern = "^(string|integer|number|boolean|array|object|any)$")]
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether a caller must give it; true unless there is a default.
    pub required: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
}

impl From<&Parameter> for ParameterView {
    fn from(parameter: &Parameter) -> Self {
        Self {
            name: parameter.name.clone(),
            kind: parameter.kind.to_string(),
            description: parameter.description.clone(),
            required: Some(parameter.required),
            default: parameter.default.clone(),
        }
    }
}

/// The procedure facet.
#[derive(Serialize, ToSchema)]
pub(crate) struct ProcedureView {
    /// `python`, `javascript` or `shell`.
    pub language: &'static str,
    pub file: String,
    pub function: Option<String>,
    pub parameters: Vec<ParameterView>,
    pub profile: Option<String>,
    /// Bounds on what a run may use.
    pub limits: RunLimitsView,
    /// The hosts it needs to reach.
    pub network: Vec<String>,
}

impl From<&Procedure> for ProcedureView {
    fn from(procedure: &Procedure) -> Self {
        Self {
            language: procedure.language.as_str(),
            file: procedure.file.to_string(),
            function: procedure.function.clone(),
            parameters: procedure.parameters.iter().map(ParameterView::from).collect(),
            profile: procedure.profile.clone(),
            limits: procedure.limits.into(),
            network: procedure.network.iter().map(ToString::to_string).collect(),
        }
    }
}

/// A check on a tool call: one of its fields is set.
#[derive(Serialize, Deserialize, ToSchema, Default)]
#[serde(deny_unknown_fields)]
pub(crate) struct ValidatorView {
    /// A CEL expression over `tool`, `args` and `context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expression: Option<String>,
    /// A regular expression no argument may match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_deny: Option<String>,
    /// Prefixes, one of which a path must have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<Vec<String>>,
    /// Hosts, one of which a URL must name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_allow: Option<Vec<String>>,
    /// How many bytes the arguments may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument_size: Option<u64>,
}

impl From<&Validator> for ValidatorView {
    fn from(validator: &Validator) -> Self {
        let mut view = Self::default();
        match validator {
            Validator::Expression(text) => view.expression = Some(text.clone()),
            Validator::ArgumentDeny(text) => view.argument_deny = Some(text.clone()),
            Validator::PathPrefix(list) => view.path_prefix = Some(list.clone()),
            Validator::HostAllow(list) => view.host_allow = Some(list.clone()),
            Validator::ArgumentSize(bytes) => view.argument_size = Some(*bytes),
        }
        view
    }
}

/// The policy facet.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    #[serde(default)]
    pub priority: i64,
    /// Active whatever the task.
    #[serde(default)]
    pub always: bool,
    /// Active when the task contains one of these.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Active when this CEL expression is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// Null restricts nothing; an empty list allows nothing.
    pub allowed_tools: Option<Vec<String>>,
    #[serde(default)]
    pub forbidden_tools: Vec<String>,
    pub max_steps: Option<u32>,
    pub max_execution_seconds: Option<u64>,
    #[serde(default)]
    #[schema(value_type = Object)]
    pub context: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planning: Option<String>,
    #[serde(default)]
    pub validators: Vec<ValidatorView>,
}

impl From<&Policy> for PolicyView {
    fn from(policy: &Policy) -> Self {
        Self {
            scope: policy.scope.clone(),
            priority: policy.priority,
            always: policy.activation.always,
            keywords: policy.activation.keywords.clone(),
            when: policy.activation.when.clone(),
            allowed_tools: policy.allowed_tools.clone(),
            forbidden_tools: policy.forbidden_tools.clone(),
            max_steps: policy.max_steps,
            max_execution_seconds: policy.max_execution_time.map(|time| time.as_secs()),
            context: policy.context.clone(),
            planning: policy.planning.clone(),
            validators: policy.validators.iter().map(ValidatorView::from).collect(),
        }
    }
}

#[allow(clippy::needless_pass_by_value)] // the shape `map_err` wants
fn unknown(error: UnknownWord) -> Problem {
    Problem::bad_request(error.to_string())
}

impl ParameterView {
    fn read(self) -> Result<Parameter, Problem> {
        Ok(Parameter {
            kind: ParameterType::parse(&self.kind).map_err(unknown)?,
            required: self.required.unwrap_or(self.default.is_none()),
            name: self.name,
            description: self.description,
            default: self.default,
        })
    }
}

/// A procedure to write: its code and how to call it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProcedureRequest {
    /// `python` (the default), `javascript` or `shell`.
    #[schema(pattern = "^(python|javascript|shell)$")]
    pub language: Option<String>,
    /// The source. On an edit it may be left out to keep the file as it is.
    pub code: Option<String>,
    /// Where it stands in the bundle; `scripts/main.py` and the like when nobody says.
    #[serde(default, deserialize_with = "within::<1, 500, _, _>")]
    #[schema(min_length = 1, max_length = 500)]
    pub file: Option<String>,
    /// The function to call.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    pub function: Option<String>,
    /// Its parameters, in order.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(max_items = 64)]
    pub parameters: Vec<ParameterView>,
    /// The environment profile it needs.
    #[serde(default, deserialize_with = "within::<1, 64, _, _>")]
    #[schema(min_length = 1, max_length = 64)]
    pub profile: Option<String>,
    /// Bounds on what a run may use.
    pub limits: Option<RunLimitsView>,
    /// The hosts it needs to reach: `example.org`, `example.org:8080` or `*.example.org`.
    #[serde(default, deserialize_with = "within::<0, 100, _, _>")]
    #[schema(max_items = 100)]
    pub network: Vec<String>,
}

impl ProcedureRequest {
    /// The procedure and, where it is given, its source.
    pub(crate) fn read(self) -> Result<(Procedure, Option<String>), Problem> {
        let language =
            self.language.as_deref().map_or(Ok(Language::Python), Language::parse).map_err(unknown)?;
        let file = BundlePath::parse(self.file.as_deref().unwrap_or(language.usual_file()))
            .map_err(|error| Problem::with_code(Code::InvalidPath, error.to_string()))?;
        let parameters = self.parameters.into_iter().map(ParameterView::read).collect::<Result<_, _>>()?;
        let network = self.network.iter().map(|host| HostPattern::parse(host)).collect::<Result<_, _>>();
        let network = network.map_err(|error| Problem::with_code(Code::InvalidSidecar, error.to_string()))?;
        let procedure = Procedure {
            language,
            file,
            function: self.function,
            parameters,
            profile: self.profile,
            limits: self.limits.map(RunLimitsView::read).transpose()?.unwrap_or_default(),
            network,
        };
        Ok((procedure, self.code))
    }
}

impl ValidatorView {
    fn read(self) -> Result<Validator, Problem> {
        let given: Vec<Validator> = [
            self.expression.map(Validator::Expression),
            self.argument_deny.map(Validator::ArgumentDeny),
            self.path_prefix.map(Validator::PathPrefix),
            self.host_allow.map(Validator::HostAllow),
            self.argument_size.map(Validator::ArgumentSize),
        ]
        .into_iter()
        .flatten()
        .collect();
        match <[Validator; 1]>::try_from(given) {
            Ok([one]) => Ok(one),
            Err(_) => Err(Problem::bad_request("a validator has exactly one field")),
        }
    }
}

impl PolicyView {
    pub(crate) fn read(self) -> Result<Policy, Problem> {
        Ok(Policy {
            scope: self.scope,
            priority: self.priority,
            activation: Activation { always: self.always, keywords: self.keywords, when: self.when },
            allowed_tools: self.allowed_tools,
            forbidden_tools: self.forbidden_tools,
            max_steps: self.max_steps,
            max_execution_time: self.max_execution_seconds.map(Duration::from_secs),
            context: self.context,
            planning: self.planning,
            validators: self.validators.into_iter().map(ValidatorView::read).collect::<Result<_, _>>()?,
        })
    }
}
