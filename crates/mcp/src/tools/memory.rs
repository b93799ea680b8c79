//! Procedural memory as separate tools, with a list of tasks.

use app::interpreter::{self, Call as Interpret, LoadFunctions};
use app::sessions::{self, WantedTodo};
use model::{TodoStatus, Toolset};
use serde::Deserialize;
use serde_json::{Value, json};

use super::interpreter::{code_session, done};
use super::{Call, Done, Effect, Shape, Stop, ToolKind};

const NONE: &[&str] = &[];

/// What an answer of the interpreter looks like.
fn answer() -> Value {
    json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] })
}

pub(crate) const EXECUTE_CODE: ToolKind = ToolKind {
    name: "execute_code",
    aliases: NONE,
    toolset: Toolset::Memory,
    needs_memory: false,
    effect: Effect::Adds,
    shape: execute_shape,
    call: |call| Box::pin(execute_code(call)),
};

fn execute_shape(memory: bool) -> Shape {
    let stays =
        if memory { "Where files and loaded functions stay" } else { "Where files stay between calls" };
    Shape {
        description: "Run Python in a sandbox.",
        input: json!({
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "file_names": {"type": "array", "items": {"type": "string"}, "description": "Files of the session it needs"},
                "session_id": {"type": "string", "description": stays}
            },
            "required": ["code"]
        }),
        output: answer(),
    }
}

#[derive(Deserialize)]
struct ExecuteCode {
    code: String,
    #[serde(default)]
    file_names: Vec<String>,
    session_id: Option<String>,
}

async fn execute_code(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: ExecuteCode = call.read()?;
    let code_session = code_session(arguments.session_id.as_deref())?;
    let request = Interpret {
        code: Some(arguments.code),
        file_names: arguments.file_names,
        code_session,
        ..Interpret::default()
    };
    Ok(done(interpreter::call(call.cx, &call.asking.caller, request).await?))
}

pub(crate) const SEARCH: ToolKind = ToolKind {
    name: "search",
    aliases: &["search_skills"],
    toolset: Toolset::Memory,
    needs_memory: true,
    effect: Effect::Reads,
    shape: |_| Shape {
        description: "Find skills for a task.",
        input: json!({
            "type": "object",
            "properties": { "query": {"type": "string", "description": "The task in words"} },
            "required": ["query"]
        }),
        output: answer(),
    },
    call: |call| Box::pin(search(call)),
};

#[derive(Deserialize)]
struct Search {
    query: String,
}

async fn search(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: Search = call.read()?;
    let operation = Some("search_skills".to_owned());
    let request = Interpret { operation, prompt: arguments.query, ..Interpret::default() };
    Ok(done(interpreter::call(call.cx, &call.asking.caller, request).await?))
}

pub(crate) const LOAD_FUNCTIONS: ToolKind = ToolKind {
    name: "load_functions",
    aliases: NONE,
    toolset: Toolset::Memory,
    needs_memory: true,
    effect: Effect::Adds,
    shape: |_| Shape {
        description: "Put skills into a session so that execute_code can import them.",
        input: json!({
            "type": "object",
            "properties": {
                "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "Skills by name"},
                "session_id": {"type": "string"}
            },
            "required": ["names"]
        }),
        output: answer(),
    },
    call: |call| Box::pin(load_functions(call)),
};

#[derive(Deserialize)]
struct LoadArguments {
    names: Vec<String>,
    session_id: Option<String>,
}

async fn load_functions(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: LoadArguments = call.read()?;
    let code_session = code_session(arguments.session_id.as_deref())?;
    let request = LoadFunctions { names: arguments.names, code_session };
    Ok(done(interpreter::load_functions(call.cx, &call.asking.caller, request).await?))
}

pub(crate) const REGISTER_SKILL: ToolKind = ToolKind {
    name: "register_skill",
    aliases: NONE,
    toolset: Toolset::Memory,
    needs_memory: true,
    effect: Effect::Adds,
    shape: |_| Shape {
        description: "Save working Python as a skill.",
        input: json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "description": {"type": "string", "description": "What it does and when to use it"},
                "code": {"type": "string", "description": "Functions with types and docstrings"}
            },
            "required": ["name", "description", "code"]
        }),
        output: answer(),
    },
    call: |call| Box::pin(register_skill(call)),
};

#[derive(Deserialize)]
struct Register {
    name: String,
    description: String,
    code: String,
}

async fn register_skill(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: Register = call.read()?;
    let request = Interpret {
        operation: Some("register_skill".to_owned()),
        code: Some(arguments.code),
        skill_name: Some(arguments.name),
        skill_description: Some(arguments.description),
        session: call.session,
        ..Interpret::default()
    };
    let answer = interpreter::call(call.cx, &call.asking.caller, request).await?;
    Ok(Done { recorded: call.session.is_some(), ..done(answer) })
}

pub(crate) const WRITE_TODOS: ToolKind = ToolKind {
    name: "write_todos",
    aliases: NONE,
    toolset: Toolset::Memory,
    needs_memory: false,
    effect: Effect::Changes,
    shape: |_| Shape {
        description: "Keep the plan of a long task. Replaces the whole list.",
        input: json!({
            "type": "object",
            "properties": {
                "todos": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "id": {"type": "string"},
                            "content": {"type": "string"},
                            "status": {"type": "string", "enum": ["pending", "in_progress", "completed", "cancelled"], "default": "pending"}
                        },
                        "required": ["content"]
                    }
                }
            },
            "required": ["todos"]
        }),
        output: json!({
            "type": "object",
            "properties": { "todos": { "type": "array", "items": { "type": "object" } } },
            "required": ["todos"]
        }),
    },
    call: |call| Box::pin(write_todos(call)),
};

#[derive(Deserialize)]
struct Todos {
    todos: Vec<TodoArgument>,
}

#[derive(Deserialize)]
struct TodoArgument {
    id: Option<String>,
    content: String,
    status: Option<String>,
}

impl TodoArgument {
    fn read(self) -> Result<WantedTodo, Stop> {
        let status = self.status.as_deref().map(TodoStatus::parse).transpose();
        let status = status.map_err(|error| Stop::Refused(error.to_string()))?;
        Ok(WantedTodo { id: self.id, content: self.content, status })
    }
}

async fn write_todos(call: &Call<'_>) -> Result<Done, Stop> {
    let arguments: Todos = call.read()?;
    let todos = arguments.todos.into_iter().map(TodoArgument::read).collect::<Result<_, _>>()?;
    let caller = &call.asking.caller;
    let session = match call.session {
        Some(session) => session,
        None => {
            sessions::ensure(call.cx, caller, crate::record::which(call.asking, call.host.as_deref())).await?
        }
    };
    let session = sessions::write_todos(call.cx, caller, session, todos).await?;
    let shown = session
        .todos
        .iter()
        .map(|todo| json!({ "id": todo.id, "content": todo.content, "status": todo.status.as_str() }));
    Ok(Done::with(json!({ "todos": shown.collect::<Vec<_>>() })))
}
