//! Executes code in a session.

use std::time::{Duration, Instant};

use model::{Caller, CodeSessionId, Language, RunStatus};
use policy::access::{self, Act};
use sandbox::{
    Bounds, Ending, Execution, Folder, Limit, Limits, Network, Outcome, Program, ProgramFile, Runtime, Stop,
};
use serde_json::{Map, Value, json};

use super::{CodeSession, Kept, SessionFile, skills_module};
use crate::bounds::limits_of;
use crate::governance::admit_agent;
use crate::interpreter::{Operation, has_memory};
use crate::live::Audience;
use crate::runs::limits_hit;
use crate::{Code, Context, Error, Permit, audit};

/// Code to execute.
#[derive(Debug, Clone)]
pub struct ExecuteCode {
    /// The session; a new one when left out.
    pub session: Option<CodeSessionId>,
    /// The source.
    pub code: String,
    /// Its language.
    pub language: Language,
    /// Variables it finds: of the program, and for a shell of the environment.
    pub parameters: Map<String, Value>,
    /// How long it may take, within what is allowed anyway.
    pub timeout: Option<Duration>,
    /// The Python profile it needs.
    pub profile: Option<String>,
    /// Who is told how it goes on.
    pub audience: Audience,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Executed {
    /// The session.
    pub session: CodeSession,
    /// Whether the code ended by itself.
    pub status: RunStatus,
    /// What it gave back.
    pub result: Value,
    /// Why it failed.
    pub error: Option<CodeError>,
    /// The codes of the limits it ran into.
    pub limits_hit: Vec<&'static str>,
    /// Its standard output.
    pub stdout: String,
    /// Whether there was more.
    pub stdout_truncated: bool,
    /// Its standard error.
    pub stderr: String,
    /// Whether there was more.
    pub stderr_truncated: bool,
    /// The files it made or changed.
    pub files: Vec<SessionFile>,
    /// Whether there were more.
    pub files_truncated: bool,
    /// From the start of the code to its result.
    pub duration: Duration,
}

/// Why code failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeError {
    /// The stable code.
    pub code: &'static str,
    /// The type of the error in the code's own language.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The file where it came up.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u32>,
    /// The trace through the code's own lines.
    pub traceback: String,
}

/// Executes code in a session, after what else is done in it and when it is the caller's turn, if the policies in force
/// let an agent.
pub async fn execute(cx: &Context, caller: &Caller, request: ExecuteCode) -> Result<Executed, Error> {
    access::decide(caller, Act::UseCodeSession)?;
    let arguments = json!({
        "operation": Operation::Execute.as_str(),
        "code": request.code,
        "language": request.language.as_str(),
        "parameters": request.parameters,
    });
    admit_agent(cx, caller, arguments).await?;
    execute_admitted(cx, caller, request).await
}

/// The same for a call that was let through.
pub(crate) async fn execute_admitted(
    cx: &Context,
    caller: &Caller,
    request: ExecuteCode,
) -> Result<Executed, Error> {
    access::decide(caller, Act::UseCodeSession)?;
    request.check()?;
    let (language, session, audience) = (request.language, request.session, request.audience.clone());
    let limits = limits_of(cx, caller).await?;
    let enter = cx.code_sessions.enter(cx, caller, session, &limits);
    let (occupied, discard) = if session.is_some() { audience.waiting(enter).await? } else { enter.await? };
    let execution = execution(cx, caller, request, occupied.folder(), limits).await?;
    let limits = execution.limits.clone();
    let act = async {
        let permit = audience.waiting(cx.queue.enter(caller)).await?;
        audience.started();
        perform(cx, caller, (occupied.id(), language), execution, permit).await
    };
    let outcome = occupied.until_ended(cx, act).await??;
    if let Some(discard) = discard {
        discard.keep();
    }
    Ok(executed(occupied.in_use().shown(), &outcome, &limits))
}

/// The same for a call that was let through, outside of any session. Where it leaves files they are kept in a session of
/// their own, if there is room.
pub(crate) async fn execute_passing(
    cx: &Context,
    caller: &Caller,
    request: ExecuteCode,
) -> Result<(Executed, Kept), Error> {
    access::decide(caller, Act::UseCodeSession)?;
    request.check()?;
    let (id, language, audience) = (CodeSessionId::new(cx.id()), request.language, request.audience.clone());
    let limits = limits_of(cx, caller).await?;
    // The place first: those who wait for one hold no folder.
    let permit = audience.waiting(cx.queue.enter(caller)).await?;
    audience.started();
    let folder = cx.runner.open_folder(limits.folder_bytes, limits.folder_files).await?;
    let execution = execution(cx, caller, request, folder.clone(), limits).await?;
    let limits = execution.limits.clone();
    let outcome = perform(cx, caller, (id, language), execution, permit).await?;
    let kept = if outcome.files.is_empty() {
        Kept::NoFiles
    } else {
        cx.code_sessions.adopt(cx, caller, id, folder).await
    };
    let now = cx.now();
    let passing = CodeSession { id, created_at: now, last_used_at: now, expires_at: now, in_use: false };
    let session = match &kept {
        Kept::Session { session, .. } => session.clone(),
        Kept::NoFiles | Kept::NoRoom => passing,
    };
    Ok((executed(session, &outcome, &limits), kept))
}

async fn execution(
    cx: &Context,
    caller: &Caller,
    request: ExecuteCode,
    folder: Folder,
    limits: Limits,
) -> Result<Execution, Error> {
    // To an agent without procedural memory there are no skills.
    let host = has_memory(cx, caller).await?.then(|| skills_module::module(cx, caller));
    let listener = request.audience.listener();
    Ok(Execution {
        limits: limits.within(&Bounds { wall: request.timeout, ..Bounds::default() }),
        program: program(request),
        inputs: Vec::new(),
        folder: Some(folder),
        network: Network::None,
        seed: None,
        host,
        listener,
        stop: Stop::default(),
    })
}

/// Executes it in its place, which is free again afterwards, and leaves its trace.
async fn perform(
    cx: &Context,
    caller: &Caller,
    (session, language): (CodeSessionId, Language),
    execution: Execution,
    permit: Permit,
) -> Result<Outcome, Error> {
    let trace = Trace::begin(cx, caller, session, language);
    let outcome = cx.runner.execute(execution).await;
    drop(permit);
    trace.end(&outcome).await?;
    Ok(outcome?)
}

impl ExecuteCode {
    fn check(&self) -> Result<(), Error> {
        if self.code.trim().is_empty() {
            let message = "there is no `code`: send the source of what to execute, such as `print(1 + 1)`";
            return Err(Error::invalid(Code::InvalidRequest, message));
        }
        if self.profile.is_some() && self.language != Language::Python {
            let message = format!("a `profile` goes with python, not with {}; leave it out", self.language);
            return Err(Error::invalid(Code::InvalidRequest, message));
        }
        if self.timeout.is_some_and(|timeout| timeout.is_zero()) {
            return Err(Error::invalid(Code::InvalidRequest, "a time limit must be more than nothing"));
        }
        Ok(())
    }
}

fn program(request: ExecuteCode) -> Program {
    let (runtime, main) = match request.language {
        Language::Python => (Runtime::Python { profile: request.profile }, "main.py"),
        Language::JavaScript => (Runtime::JavaScript, "main.mjs"),
        Language::Shell => (Runtime::Script, "main.sh"),
    };
    let executable = runtime == Runtime::Script;
    Program {
        runtime,
        files: vec![ProgramFile { path: main.to_owned(), content: request.code.into_bytes(), executable }],
        main: main.to_owned(),
        function: None,
        // The code is the caller's own, and so are its variables.
        environment: request.parameters.keys().cloned().collect(),
        parameters: request.parameters,
        arguments: Vec::new(),
        folder_modules: true,
    }
}

/// What an execution leaves in the log: its language, outcome and duration, but never its code. One whose caller
/// went away leaves it too.
struct Trace {
    cx: Context,
    caller: Caller,
    session: CodeSessionId,
    language: Language,
    begun: Instant,
    open: bool,
}

impl Trace {
    fn begin(cx: &Context, caller: &Caller, session: CodeSessionId, language: Language) -> Self {
        let (cx, caller) = (cx.clone(), caller.clone());
        Self { cx, caller, session, language, begun: Instant::now(), open: true }
    }

    async fn end(mut self, outcome: &Result<Outcome, sandbox::Error>) -> Result<(), Error> {
        let Ok(outcome) = outcome else {
            // What was not executed leaves no trace.
            self.open = false;
            return Ok(());
        };
        let ending = match &outcome.ending {
            Ending::Returned(_) => RunStatus::Succeeded.as_str(),
            Ending::Failed(failure) => failure.code.as_str(),
            Ending::Limit(limit) => limit.code(),
            Ending::Stopped => STOPPED,
        };
        let detail = self.detail(ending, outcome.usage.wall);
        write(&self.cx, &self.caller, self.session, detail).await?;
        self.open = false;
        Ok(())
    }

    fn detail(&self, outcome: &str, duration: Duration) -> [(&'static str, Value); 3] {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        [
            ("language", json!(self.language.as_str())),
            ("outcome", json!(outcome)),
            ("duration_ms", json!(millis)),
        ]
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        if !self.open {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let detail = self.detail(STOPPED, self.begun.elapsed());
        let (cx, caller, session) = (self.cx.clone(), self.caller.clone(), self.session);
        runtime.spawn(async move {
            if let Err(error) = write(&cx, &caller, session, detail).await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "an execution is not in the audit log"
                );
            }
        });
    }
}

async fn write(
    cx: &Context,
    caller: &Caller,
    session: CodeSessionId,
    detail: [(&'static str, Value); 3],
) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let subject = ("code_session", session.to_string());
    audit::record(cx, &mut *tx, caller, "code.execute", subject, &detail).await?;
    Ok(tx.commit().await?)
}

const STOPPED: &str = "stopped";

fn executed(session: CodeSession, outcome: &Outcome, limits: &Limits) -> Executed {
    let result = match &outcome.ending {
        Ending::Returned(result) => result.clone(),
        _ => Value::Null,
    };
    let error = error(&outcome.ending, limits);
    Executed {
        session,
        status: if error.is_none() { RunStatus::Succeeded } else { RunStatus::Failed },
        result,
        error,
        limits_hit: limits_hit(outcome).into_iter().map(Limit::code).collect(),
        stdout: outcome.stdout.text(),
        stdout_truncated: outcome.stdout.truncated,
        stderr: outcome.stderr.text(),
        stderr_truncated: outcome.stderr.truncated,
        files: outcome.files.iter().map(SessionFile::from).collect(),
        files_truncated: outcome.files_truncated,
        duration: outcome.usage.wall,
    }
}

fn error(ending: &Ending, limits: &Limits) -> Option<CodeError> {
    let ended = |code, message| CodeError {
        code,
        kind: String::new(),
        message,
        file: None,
        line: None,
        traceback: String::new(),
    };
    match ending {
        Ending::Returned(_) => None,
        Ending::Limit(limit) => Some(ended(limit.code(), limit.describe(limits))),
        Ending::Stopped => Some(ended(STOPPED, "it was ended before it was done".to_owned())),
        Ending::Failed(failure) => Some(CodeError {
            code: failure.code.as_str(),
            kind: failure.kind.clone(),
            message: failure.message.clone(),
            file: failure.file.clone(),
            line: failure.line,
            traceback: failure.traceback.clone(),
        }),
    }
}
