//! Reads Python with `CPython`'s own parser, in the sandbox. The source is data there; nothing of it runs.
//!
//! Which function is called, the first of these that there is:
//! 1. the top-level function that is named like the skill, in either spelling;
//! 2. `main`;
//! 3. in a file that does nothing by itself (it only defines, imports and assigns): the last function that no other
//!    one mentions, leaving out names that begin with `_`;
//! 4. none: the file is run as a whole, and its parameters are global variables.
//!
//! Parameters are those of the function. Types come from annotations, and are `any` where these say nothing that JSON
//! knows; defaults where they are literals; words from the docstring (Google, numpy and Sphinx styles). `*args` and
//! `**kwargs` are always empty, which is noted; parameters that take no name are refused.

use model::{Caller, Parameter, ParameterType};
use sandbox::{Bounds, Ending, Execution, Listener, Network, Program, ProgramFile, Runtime, Stop};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{Code, Context, Error, Finding};

const READER: &str = include_str!("reader.py");
/// The longest source that is read.
const LONGEST: usize = 1 << 20;

/// What a Python program says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct PythonCode {
    /// The function to call; without one the file is run as a whole.
    pub function: Option<String>,
    /// What it is called with.
    pub parameters: Vec<Parameter>,
    /// The first paragraph of its documentation.
    pub summary: Option<String>,
    /// What its author should know.
    pub notes: Vec<String>,
}

/// Reads a program that shall be a skill of this name. Code that is no Python is refused with the line and the reason.
pub async fn read_python(
    cx: &Context,
    caller: &Caller,
    source: &str,
    name: &str,
) -> Result<PythonCode, Error> {
    if source.len() > LONGEST {
        return Err(Error::invalid(Code::TooLarge, format!("code has at most {LONGEST} bytes")));
    }
    let permit = cx.queue.enter(caller).await?;
    let outcome = cx.runner.execute(execution(cx, source, name)).await?;
    drop(permit);
    let told = match outcome.ending {
        Ending::Returned(told) => told,
        Ending::Failed(failure) => return Err(invalid(&failure.message, None)),
        Ending::Limit(limit) => return Err(invalid(&limit.describe(&cx.execution.limits), None)),
        Ending::Stopped => return Err(sandbox::Error::Failed("it was stopped".to_owned()).into()),
    };
    let read: Told = serde_json::from_value(told)
        .map_err(|error| sandbox::Error::Failed(format!("what was read makes no sense: {error}")))?;
    match read {
        Told::Problem { problem } => Err(invalid(&problem.message, problem.line)),
        Told::Code(code) => code.read(),
    }
}

fn execution(cx: &Context, source: &str, name: &str) -> Execution {
    let parameters = [("source", source), ("name", name)];
    let parameters: Map<String, Value> =
        parameters.into_iter().map(|(name, text)| (name.to_owned(), Value::from(text))).collect();
    let main = "reader.py".to_owned();
    let content = READER.as_bytes().to_vec();
    Execution {
        program: Program {
            runtime: Runtime::Python { profile: None },
            files: vec![ProgramFile { path: main.clone(), content, executable: false }],
            main,
            function: Some("read".to_owned()),
            parameters,
            environment: Vec::new(),
            arguments: Vec::new(),
            folder_modules: false,
        },
        inputs: Vec::new(),
        folder: None,
        limits: cx.execution.limits.clone().within(&Bounds::default()),
        network: Network::None,
        seed: None,
        host: None,
        listener: Listener::default(),
        stop: Stop::default(),
    }
}

fn invalid(reason: &str, line: Option<u32>) -> Error {
    let at = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    let message = format!("this is not python code that can be a skill: {reason}{at}");
    let finding = Finding { line, ..Finding::error(Code::InvalidCode.as_str(), reason) };
    Error::Invalid { code: Code::InvalidCode, message, findings: vec![finding] }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Problem { problem: Problem },
    Code(ToldCode),
}

#[derive(Deserialize)]
struct Problem {
    message: String,
    line: Option<u32>,
}

#[derive(Deserialize)]
struct ToldCode {
    function: Option<String>,
    parameters: Vec<ToldParameter>,
    summary: Option<String>,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct ToldParameter {
    name: String,
    r#type: String,
    required: bool,
    description: Option<String>,
    /// A default of nothing is a default too.
    #[serde(default, deserialize_with = "given")]
    default: Option<Value>,
}

fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl ToldCode {
    fn read(self) -> Result<PythonCode, Error> {
        let parameters = self.parameters.into_iter().map(|told| {
            let kind = ParameterType::parse(&told.r#type)
                .map_err(|error| sandbox::Error::Failed(error.to_string()))?;
            Ok(Parameter {
                name: told.name,
                kind,
                description: told.description,
                required: told.required,
                default: told.default,
            })
        });
        Ok(PythonCode {
            function: self.function,
            parameters: parameters.collect::<Result<_, Error>>()?,
            summary: self.summary,
            notes: self.notes,
        })
    }
}
