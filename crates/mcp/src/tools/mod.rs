//! The tools: what they are called, what they take, and who answers. Few, fixed and short, since each costs a model
//! tokens in every conversation.

mod interpreter;
mod learning;
mod library;
mod memory;

use std::sync::Arc;

use app::artifacts::Artifact;
use app::{Context, Error};
use futures::future::BoxFuture;
use model::{SessionId, Toolset};
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Tool, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::Asking;
use crate::failure;

/// Every tool, in the order in which they are listed.
pub(crate) const ALL: &[ToolKind] = &[
    interpreter::CODE_INTERPRETER,
    memory::EXECUTE_CODE,
    memory::SEARCH,
    memory::LOAD_FUNCTIONS,
    memory::REGISTER_SKILL,
    memory::WRITE_TODOS,
    library::LIST_SKILLS,
    library::READ_SKILL,
    library::CREATE_SKILL,
    library::UPDATE_SKILL,
    library::DELETE_SKILL,
    library::ENABLE_SKILL,
    library::DISABLE_SKILL,
    learning::PROPOSE_SKILL,
    learning::RECORD_FEEDBACK,
];

/// A tool.
#[derive(Debug)]
pub(crate) struct ToolKind {
    pub name: &'static str,
    /// Names under which other systems know the same act. They can be called, and are not listed.
    pub aliases: &'static [&'static str],
    pub toolset: Toolset,
    /// Whether it is about skills that agents save, and so only there with procedural memory.
    pub needs_memory: bool,
    pub effect: Effect,
    /// What it says about itself and takes; the argument says whether the agent has procedural memory.
    pub shape: fn(bool) -> Shape,
    pub call: for<'a> fn(&'a Call<'a>) -> BoxFuture<'a, Result<Done, Stop>>,
}

/// What a tool does to the world, as hints for hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only reads.
    Reads,
    /// It adds.
    Adds,
    /// It may change or remove what is there.
    Changes,
}

/// What a tool says about itself.
pub(crate) struct Shape {
    pub description: &'static str,
    pub input: Value,
    pub output: Value,
}

/// A call of a tool.
pub(crate) struct Call<'a> {
    pub cx: &'a Context,
    pub asking: &'a Asking,
    /// Whether the agent has procedural memory.
    pub memory: bool,
    /// What the host calls itself.
    pub host: Option<String>,
    pub arguments: Map<String, Value>,
    /// The session in whose course it is called, where one is kept.
    pub session: Option<SessionId>,
}

impl Call<'_> {
    /// The arguments as a type; what does not fit is told to the model. Models write `null` for what they leave out.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Stop> {
        let given = self.arguments.iter().filter(|(_, value)| !value.is_null());
        let given = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        serde_json::from_value(Value::Object(given))
            .map_err(|error| Stop::Refused(format!("the arguments do not fit: {error}")))
    }
}

/// Why a call was not done.
#[derive(Debug)]
pub(crate) enum Stop {
    /// Its arguments make no sense.
    Refused(String),
    /// The use case did not do it.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Stop> for Done {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Refused(message) => Self::refused(message),
            Stop::Failed(error) => Self::failed(&error),
        }
    }
}

/// What came of a call.
#[derive(Debug)]
pub(crate) struct Done {
    pub text: String,
    pub structured: Value,
    /// What the conversation shows a person.
    pub artifacts: Vec<Artifact>,
    pub failed: bool,
    /// Whether the use case has written it into the session itself.
    pub recorded: bool,
}

impl Done {
    /// It was done; the structured answer is also what the model reads.
    pub(crate) fn with(structured: Value) -> Self {
        Self {
            text: structured.to_string(),
            structured,
            artifacts: Vec::new(),
            failed: false,
            recorded: false,
        }
    }

    /// It was not done, for a reason that the caller can mend.
    fn refused(message: String) -> Self {
        let structured = json!({ "error": { "code": "invalid_request", "message": message } });
        Self { text: message, structured, artifacts: Vec::new(), failed: true, recorded: false }
    }

    /// A failure as the model reads it.
    pub(crate) fn failed(error: &Error) -> Self {
        if matches!(error, Error::Store(_)) {
            failure::log(error);
        }
        let message = failure::told(error);
        let structured = json!({ "error": { "code": error.code().as_str(), "message": message } });
        Self { text: message, structured, artifacts: Vec::new(), failed: true, recorded: false }
    }

    pub(crate) fn into_result(self) -> CallToolResult {
        let content = vec![ContentBlock::text(self.text)];
        let mut result =
            if self.failed { CallToolResult::error(content) } else { CallToolResult::success(content) };
        let mut structured = self.structured;
        if let (false, Some(fields)) = (self.artifacts.is_empty(), structured.as_object_mut()) {
            fields.insert("artifacts".to_owned(), self.artifacts.iter().map(named).collect());
            let whole = self.artifacts.iter().map(|artifact| Value::Object(artifact.fields())).collect();
            result.meta = Some(MetaObject(Map::from_iter([("artifacts".to_owned(), whole)])));
        }
        result.structured_content = Some(structured);
        result
    }
}

/// An artifact without its metadata. Hosts give what is structured to the model, which needs no second copy of the code.
fn named(artifact: &Artifact) -> Value {
    let mut fields = artifact.fields();
    fields.remove("metadata");
    Value::Object(fields)
}

impl ToolKind {
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }

    pub(crate) fn describe(&self, memory: bool) -> Tool {
        let shape = (self.shape)(memory);
        let annotations = match self.effect {
            Effect::Reads => ToolAnnotations::new().read_only(true),
            Effect::Adds => ToolAnnotations::new().destructive(false),
            Effect::Changes => ToolAnnotations::new().destructive(true),
        };
        Tool::new(self.name, shape.description, object(shape.input))
            .with_raw_output_schema(object(shape.output))
            .with_annotations(annotations.open_world(false))
    }
}

/// A JSON object of a schema.
fn object(value: Value) -> Arc<Map<String, Value>> {
    match value {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}
