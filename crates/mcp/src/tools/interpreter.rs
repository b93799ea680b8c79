//! One tool that executes code, and finds, uses and saves skills.

use app::interpreter::{self, Answer, Call as Interpret};
use app::live::Audience;
use model::{CodeSessionId, Toolset};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Call, Done, Effect, Shape, Stop, ToolKind};

pub(crate) const CODE_INTERPRETER: ToolKind = ToolKind {
    name: app::interpreter::TOOL,
    aliases: &[],
    toolset: Toolset::Interpreter,
    needs_memory: false,
    effect: Effect::Adds,
    shape: |memory| if memory { with_memory() } else { plain() },
    call: |call| Box::pin(interpret(call)),
};

fn with_memory() -> Shape {
    Shape {
        description: "Run Python in a sandbox; find, run and save skills. Operations: execute runs code. \
            search_skills finds skills for the task in prompt. use_skill runs skill_name with skill_parameters, or \
            gives its instructions. register_skill saves code as skill_name with skill_description. auto uses a \
            fitting skill, else runs and saves code.",
        input: json!({
            "type": "object",
            "properties": {
                "prompt": {"type": "string", "description": "Task in words, or code"},
                "code": {"type": "string", "description": "Python, if prompt is words"},
                "operation": {
                    "type": "string",
                    "enum": ["execute", "search_skills", "use_skill", "register_skill", "auto"],
                    "default": "execute"
                },
                "file_names": {"type": "array", "items": {"type": "string"}, "description": "Files of the session it needs"},
                "skill_name": {"type": "string"},
                "skill_description": {"type": "string", "description": "What it does and when to use it"},
                "skill_parameters": {"type": "object"},
                "session_id": {"type": "string", "description": "Where files stay between calls"}
            }
        }),
        output: json!({
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "session_id": {"type": "string"},
                "skills": {"type": "array", "items": {"type": "object"}},
                "artifacts": {"type": "array", "items": {"type": "object"}},
                "error": {"type": "object"}
            },
            "required": ["text"]
        }),
    }
}

fn plain() -> Shape {
    Shape {
        description: "Run Python in a sandbox.",
        input: json!({
            "type": "object",
            "properties": {
                "prompt": {"type": "string", "description": "Code"},
                "file_names": {"type": "array", "items": {"type": "string"}, "description": "Files of the session it needs"},
                "session_id": {"type": "string", "description": "Where files stay between calls"}
            },
            "required": ["prompt"]
        }),
        output: json!({
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "session_id": {"type": "string"},
                "error": {"type": "object"}
            },
            "required": ["text"]
        }),
    }
}

/// What the tool takes. Other arguments are let through unread: an agent whose settings are off may still send those of
/// skills, and models invent some.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Arguments {
    prompt: String,
    code: Option<String>,
    operation: Option<String>,
    file_names: Vec<String>,
    skill_name: Option<String>,
    skill_description: Option<String>,
    skill_parameters: Option<Map<String, Value>>,
    session_id: Option<String>,
}

/// The same for an agent without procedural memory: whatever it says of skills is not even looked at.
#[derive(Deserialize, Default)]
#[serde(default)]
struct PlainArguments {
    prompt: String,
    code: Option<String>,
    file_names: Vec<String>,
    session_id: Option<String>,
}

impl From<PlainArguments> for Arguments {
    fn from(plain: PlainArguments) -> Self {
        let PlainArguments { prompt, code, file_names, session_id } = plain;
        Self { prompt, code, file_names, session_id, ..Self::default() }
    }
}

async fn interpret(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments = if call.memory { call.read()? } else { Arguments::from(call.read::<PlainArguments>()?) };
    let code_session = code_session(arguments.session_id.as_deref())?;
    let request = Interpret {
        operation: arguments.operation,
        prompt: arguments.prompt,
        code: arguments.code,
        file_names: arguments.file_names,
        skill_name: arguments.skill_name,
        skill_description: arguments.skill_description,
        skill_parameters: arguments.skill_parameters.unwrap_or_default(),
        code_session,
        session: call.session,
        audience: Audience::default(),
    };
    let answer = interpreter::call(call.cx, &call.asking.caller, request).await?;
    Ok(Done { recorded: call.session.is_some(), ..done(answer) })
}

/// A code session by the id that an earlier answer gave.
pub(super) fn code_session(text: Option<&str>) -> Result<Option<CodeSessionId>, Stop> {
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let unknown = || {
        let shown: String = text.chars().take(64).collect();
        Stop::Refused(format!(
            "`{shown}` is no session_id: take it from an earlier answer, or leave it out to begin a new one"
        ))
    };
    CodeSessionId::parse(text).map(Some).map_err(|_| unknown())
}

/// An answer of the interpreter. What there is nothing of is left out.
pub(super) fn done(answer: Answer) -> Done {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("text", json!(answer.text));
    if !answer.result.is_null() {
        put("result", answer.result);
    }
    if let Some(session) = answer.code_session {
        put("session_id", json!(session.to_string()));
    }
    if !answer.files.is_empty() {
        let files = answer.files.iter().map(|file| json!({ "name": file.path, "size": file.size }));
        put("files", files.collect());
    }
    if let Some(skills) = answer.skills {
        let shown = skills.iter().map(|skill| {
            let parameters = skill.parameters.iter().map(parameter);
            json!({
                "name": skill.name,
                "description": skill.description,
                "similarity": skill.similarity,
                "parameters": parameters.collect::<Vec<_>>(),
            })
        });
        put("skills", shown.collect());
    }
    let failed = answer.failure.is_some();
    if let Some(failure) = answer.failure {
        let mut error = json!({ "code": failure.code, "message": failure.message });
        if let (Some(line), Some(error)) = (failure.line, error.as_object_mut()) {
            error.insert("line".to_owned(), json!(line));
        }
        put("error", error);
    }
    Done {
        text: answer.text,
        structured: Value::Object(fields),
        artifacts: answer.artifacts,
        failed,
        recorded: false,
    }
}

fn parameter(parameter: &model::Parameter) -> Value {
    let mut shown = json!({
        "name": parameter.name,
        "type": parameter.kind.as_str(),
        "required": parameter.required,
    });
    if let Some(fields) = shown.as_object_mut() {
        if let Some(description) = &parameter.description {
            fields.insert("description".to_owned(), json!(description));
        }
        if let Some(default) = &parameter.default {
            fields.insert("default_value".to_owned(), default.clone());
        }
    }
    shown
}
