//! The code interpreter with procedural memory: one tool that executes code, and finds, uses and saves skills.
//!
//! For an agent whose procedural memory is off it executes code, and nothing about skills can be asked or told.

mod auto;
mod execute;
mod load;
mod python;
mod record;
mod register;
mod search;
mod skill;
mod text;
mod use_skill;

use model::{Caller, CodeSessionId, ProceduralMemory, SessionId};
use policy::access::{self, Act};
use serde_json::{Map, Value, json};

pub use load::load_functions;
pub use python::{PythonCode, read_python};
pub(crate) use register::{body as procedure_body, draft as procedure_draft};
pub(crate) use text::for_people;

use crate::artifacts::Artifact;
use crate::code_sessions::SessionFile;
use crate::live::Audience;
use crate::{Code, Context, Error};

/// The name of the tool.
pub const TOOL: &str = "code_interpreter";

/// What the tool is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Operation {
    /// Execute code.
    #[default]
    Execute,
    /// Find skills for a task.
    SearchSkills,
    /// Run a skill, or give its instructions where it has nothing to run.
    UseSkill,
    /// Save code as a skill.
    RegisterSkill,
    /// Find a skill for the task and use it; else execute the code that came along, and save it.
    Auto,
}

/// A call of the tool.
#[derive(Debug, Clone, Default)]
pub struct Call {
    /// What to do, as its caller wrote it; nothing is `execute`.
    pub operation: Option<String>,
    /// The task in words, or the code.
    pub prompt: String,
    /// The code, where `prompt` says what it is for.
    pub code: Option<String>,
    /// Files of the code session that the code needs.
    pub file_names: Vec<String>,
    /// The skill, by name.
    pub skill_name: Option<String>,
    /// What the skill does and when to use it.
    pub skill_description: Option<String>,
    /// Values by parameter name.
    pub skill_parameters: Map<String, Value>,
    /// The code session to work in; without one, a new one is kept only if files were made.
    pub code_session: Option<CodeSessionId>,
    /// The session in whose course it is called; what is shown to people is kept there.
    pub session: Option<SessionId>,
    /// Who is told how the code goes on, where some is executed.
    pub audience: Audience,
}

impl Call {
    /// Its arguments as they were given, for those who decide about it.
    pub fn arguments(&self) -> Value {
        json!({
            "operation": self.operation,
            "prompt": self.prompt,
            "code": self.code,
            "file_names": self.file_names,
            "skill_name": self.skill_name,
            "skill_description": self.skill_description,
            "skill_parameters": self.skill_parameters,
        })
    }
}

/// What the tool answers.
#[derive(Debug, Clone)]
pub struct Answer {
    /// What was done; nothing where the operation is unknown.
    pub operation: Option<Operation>,
    /// All of it in words, for the model.
    pub text: String,
    /// Why it was not done, with its stable code; the words are in `text`.
    pub failure: Option<Failure>,
    /// What the code gave back.
    pub result: Value,
    /// What it printed.
    pub stdout: String,
    /// What it printed as errors.
    pub stderr: String,
    /// The files it made or changed.
    pub files: Vec<SessionFile>,
    /// The code session that holds them.
    pub code_session: Option<CodeSessionId>,
    /// The skills that were found, where some were looked for.
    pub skills: Option<Vec<FoundProcedure>>,
    /// What the conversation shows a person.
    pub artifacts: Vec<Artifact>,
    /// The id of the call in its session, where it was kept.
    pub call: Option<String>,
}

/// Why the tool did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable code: one of [`Code`], that of a failed execution such as `time_limit`, or `unknown_operation`.
    pub code: String,
    /// What went wrong.
    pub message: String,
    /// The line of the code, from 1, where that is known.
    pub line: Option<u32>,
}

/// A skill that was found for a task.
#[derive(Debug, Clone)]
pub struct FoundProcedure {
    /// Its name as its author wrote it.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// About the probability that it serves the task, 0 to 1.
    pub similarity: f64,
    /// What it is called with.
    pub parameters: Vec<model::Parameter>,
}

impl Operation {
    /// Every operation, with its name.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Execute, "execute"),
        (Self::SearchSkills, "search_skills"),
        (Self::UseSkill, "use_skill"),
        (Self::RegisterSkill, "register_skill"),
        (Self::Auto, "auto"),
    ];

    /// The operation that a text names, whatever the case of its letters; nothing names `execute`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::Execute);
        }
        Self::ALL
            .into_iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map(|(operation, _)| operation)
    }

    /// Its name.
    pub fn as_str(self) -> &'static str {
        Self::ALL.into_iter().find(|(operation, _)| *operation == self).map_or("execute", |(_, name)| name)
    }
}

impl Call {
    /// The code, or the prompt where there is none.
    fn source(&self) -> &str {
        self.code.as_deref().filter(|code| !code.trim().is_empty()).unwrap_or(&self.prompt)
    }
}

impl Answer {
    fn new(operation: Operation) -> Self {
        Self { operation: Some(operation), ..Self::empty() }
    }

    fn empty() -> Self {
        Self {
            operation: None,
            text: String::new(),
            failure: None,
            result: Value::Null,
            stdout: String::new(),
            stderr: String::new(),
            files: Vec::new(),
            code_session: None,
            skills: None,
            artifacts: Vec::new(),
            call: None,
        }
    }
}

/// Whether this caller has procedural memory: a person has; an agent has when its settings say so.
pub async fn has_memory(cx: &Context, caller: &Caller) -> Result<bool, Error> {
    Ok(memory(cx, caller).await?.is_some())
}

/// The settings that hold for a caller; none where procedural memory is off.
async fn memory(cx: &Context, caller: &Caller) -> Result<Option<ProceduralMemory>, Error> {
    let Some(id) = caller.agent else {
        return Ok(Some(ProceduralMemory { enabled: true, ..ProceduralMemory::default() }));
    };
    let agent = cx.read().await?.agent(caller.workspace, id).await?;
    let agent = agent.ok_or_else(|| Error::not_found("agent", id))?;
    Ok(agent.procedural_memory.filter(|settings| settings.enabled))
}

/// Does what the tool is asked. What a model can mend is an answer with a failure; an error is for those who run it, and
/// for callers who may not use it at all.
pub async fn call(cx: &Context, caller: &Caller, call: Call) -> Result<Answer, Error> {
    access::decide(caller, Act::ListSkills)?;
    let memory = memory(cx, caller).await?;
    let operation = call.operation.as_deref().and_then(Operation::parse);
    // Whoever may read may search; everything else makes or runs something.
    if memory.is_none() || operation != Some(Operation::SearchSkills) {
        access::decide(caller, Act::UseCodeSession)?;
    }
    let recorded = record::begin(cx, caller, &call, memory.is_some()).await?;
    // In a box each: what waits for one operation need not have room for the largest.
    let answer = match &memory {
        Some(memory) => Box::pin(act(cx, caller, memory, &call)).await?,
        None => answered(Some(Operation::Execute), Box::pin(execute::execute(cx, caller, &call)).await)?,
    };
    let call = record::end(cx, caller, recorded, &answer).await?;
    Ok(Answer { call, ..answer })
}

async fn act(cx: &Context, caller: &Caller, memory: &ProceduralMemory, call: &Call) -> Result<Answer, Error> {
    let asked = call.operation.as_deref().unwrap_or_default();
    let Some(operation) = Operation::parse(asked) else {
        return Ok(unknown(asked));
    };
    let done = match operation {
        Operation::Execute => execute::execute(cx, caller, call).await,
        Operation::SearchSkills => search::search(cx, caller, memory, call).await,
        Operation::UseSkill => use_skill::use_skill(cx, caller, call).await,
        Operation::RegisterSkill => register::register(cx, caller, memory, call).await,
        Operation::Auto => auto::auto(cx, caller, memory, call).await,
    };
    answered(Some(operation), done)
}

fn unknown(asked: &str) -> Answer {
    let shown: String = asked.chars().take(64).collect();
    let names = Operation::ALL.map(|(_, name)| format!("`{name}`")).join(", ");
    let message = format!("there is no operation `{shown}`; there are {names}");
    let failure = Failure { code: "unknown_operation".to_owned(), message: message.clone(), line: None };
    Answer { text: message, failure: Some(failure), ..Answer::empty() }
}

/// What was done; what was refused for a reason that a model can mend is an answer too.
fn answered(operation: Option<Operation>, done: Result<Answer, Error>) -> Result<Answer, Error> {
    match done {
        Err(error) if mendable(&error) => {
            let line = error.findings().iter().find_map(|finding| finding.line);
            let message = error.to_string();
            let failure = Failure { code: error.code().as_str().to_owned(), message, line };
            Ok(Answer { operation, text: failure.message.clone(), failure: Some(failure), ..Answer::empty() })
        }
        done => done,
    }
}

/// Whether whoever called can do something about it: not where the store or the sandbox is broken, and not where it
/// is unknown who calls.
fn mendable(error: &Error) -> bool {
    !matches!(
        error.code(),
        Code::Internal | Code::Unavailable | Code::SandboxUnavailable | Code::Unauthenticated
    )
}

/// A field that an operation needs.
fn named<'a>(operation: &str, field: &str, given: Option<&'a str>) -> Result<&'a str, Error> {
    given.map(str::trim).filter(|text| !text.is_empty()).ok_or_else(|| {
        Error::invalid(Code::InvalidRequest, format!("`{field}` is missing: `{operation}` needs it"))
    })
}

/// Skills whose code is put into a code session, so that code executed there can import it.
#[derive(Debug, Clone, Default)]
pub struct LoadFunctions {
    /// The skills, by name.
    pub names: Vec<String>,
    /// The code session; a new one when left out.
    pub code_session: Option<CodeSessionId>,
}
