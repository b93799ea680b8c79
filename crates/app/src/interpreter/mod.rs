//! The code interpreter with procedural memory: one tool that executes code, and finds, uses and saves skills.
//!
//! For an agent whose procedural memory is off it executes code, and nothing about skills can be asked or told.

use model::{Caller, CodeSessionId, SessionId};
use serde_json::{Map, Value};

use crate::artifacts::Artifact;
use crate::code_sessions::SessionFile;
use crate::{Code, Context, Error};

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
}

/// Why the tool did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The stable code: one of [`Code`], or that of a failed execution such as `time_limit`.
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

/// Whether this caller has procedural memory: a person has; an agent has when its settings say so.
pub async fn has_memory(_cx: &Context, _caller: &Caller) -> Result<bool, Error> {
    Ok(true)
}

/// Does what the tool is asked. What a model can mend is an answer with a failure; an error is for those who run it.
pub async fn call(_cx: &Context, _caller: &Caller, _call: Call) -> Result<Answer, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}

/// Skills whose code is put into a code session, so that code executed there can import it.
#[derive(Debug, Clone, Default)]
pub struct LoadFunctions {
    /// The skills, by name.
    pub names: Vec<String>,
    /// The code session; a new one when left out.
    pub code_session: Option<CodeSessionId>,
}

/// Puts skills' code into a code session and tells how to call it; of a skill without code, its instructions.
pub async fn load_functions(
    _cx: &Context,
    _caller: &Caller,
    _request: LoadFunctions,
) -> Result<Answer, Error> {
    Err(Error::invalid(Code::InvalidRequest, "not there yet"))
}
