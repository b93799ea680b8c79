//! The code interpreter with procedural memory, over HTTP.

use app::artifacts::Artifact;
use app::governance::OwnCall;
use app::interpreter::{Answer, Call, Failure, FoundProcedure, Operation};
use app::live::{Audience, Live};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse as _, Response};
use model::SessionId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::names::missing;
use super::views::ParameterView;
use crate::auth::Auth;
use crate::bounds::within;
use crate::code::{SessionFileView, session_id};
use crate::event_stream;
use crate::extract::Json;
use crate::problem::{Problem, Problems, SandboxProblems};
use crate::server::HttpState;

/// A call of the interpreter. For an agent whose procedural memory is off only `prompt`, `code`, `file_names` and
/// `session_id` count, and it executes.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"operation": "use_skill", "skill_name": "compound_interest_calculator",
    "skill_parameters": {"principal": 1000, "rate": 0.05, "time": 10}}))]
pub(crate) struct InterpretRequest {
    /// The task in words, or the code.
    prompt: Option<String>,
    /// The code, where `prompt` says what it is for.
    code: Option<String>,
    /// Files of the code session that the code needs.
    #[serde(default, deserialize_with = "within::<0, 1000, _, _>")]
    #[schema(max_items = 1000)]
    file_names: Option<Vec<String>>,
    /// `execute`, `search_skills`, `use_skill`, `register_skill` or `auto`; execute when left out.
    operation: Option<String>,
    /// The skill, by name.
    skill_name: Option<String>,
    /// What the skill does and when to use it.
    skill_description: Option<String>,
    /// Values by parameter name.
    #[schema(value_type = Option<Object>)]
    skill_parameters: Option<Map<String, Value>>,
    /// The code session to work in; without one, a new one is kept only if files were made.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(
        max_length = 64,
        pattern = "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})?$"
    )]
    session_id: Option<String>,
    /// The session in whose course it is called, where what it does is kept.
    #[serde(default, deserialize_with = "within::<0, 64, _, _>")]
    #[schema(
        max_length = 64,
        pattern = "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})?$"
    )]
    conversation_id: Option<String>,
}

impl InterpretRequest {
    fn read(self, state: &HttpState) -> Result<Call, Problem> {
        // Models fill in what they have nothing to say about.
        let said = |text: Option<String>| text.filter(|text| !text.is_empty());
        let conversation = |text: String| SessionId::parse(&text).map_err(|_| missing("session", &text));
        Ok(Call {
            operation: self.operation,
            prompt: self.prompt.unwrap_or_default(),
            code: self.code,
            file_names: self.file_names.unwrap_or_default(),
            skill_name: self.skill_name,
            skill_description: self.skill_description,
            skill_parameters: self.skill_parameters.unwrap_or_default(),
            code_session: said(self.session_id).map(|id| session_id(state, &id)).transpose()?,
            session: said(self.conversation_id).map(conversation).transpose()?,
            audience: Audience::default(),
        })
    }
}

/// What the interpreter answers. A call that failed is no failed request.
#[derive(Serialize, ToSchema)]
pub(crate) struct InterpretedView {
    /// What was done; null where the operation is unknown.
    operation: Option<&'static str>,
    /// All of it in words, for the model.
    text: String,
    failed: bool,
    /// Why it failed.
    error: Option<InterpreterErrorView>,
    /// What the code gave back.
    #[schema(value_type = Option<Value>)]
    result: Value,
    stdout: String,
    stderr: String,
    /// The files it made or changed.
    files: Vec<SessionFileView>,
    /// The code session that holds them.
    #[schema(format = Uuid)]
    session_id: Option<String>,
    /// The skills that were found, where some were looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    skills: Option<Vec<FoundProcedureView>>,
    /// What the conversation shows a person; left out where procedural memory is off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<ArtifactView>>)]
    artifacts: Option<Vec<Map<String, Value>>>,
    /// The id of the call in the conversation, where it was kept: the `call_id` of its entries.
    call_id: Option<String>,
}

/// Why the interpreter did not do what it was asked.
#[derive(Serialize, ToSchema)]
pub(crate) struct InterpreterErrorView {
    /// The stable code.
    code: String,
    message: String,
    /// The line of the code, from 1, where that is known.
    line: Option<u32>,
}

impl From<Failure> for InterpreterErrorView {
    fn from(failure: Failure) -> Self {
        Self { code: failure.code, message: failure.message, line: failure.line }
    }
}

/// A skill that was found for a task.
#[derive(Serialize, ToSchema)]
pub(crate) struct FoundProcedureView {
    /// Its name as its author wrote it.
    name: String,
    description: String,
    /// About the probability that it serves the task, 0 to 1.
    similarity: f64,
    parameters: Vec<ParameterView>,
}

impl From<FoundProcedure> for FoundProcedureView {
    fn from(found: FoundProcedure) -> Self {
        Self {
            parameters: found.parameters.iter().map(ParameterView::from).collect(),
            name: found.name,
            description: found.description,
            similarity: found.similarity,
        }
    }
}

/// What a conversation shows a person about a skill; only described, for the use case itself says its fields.
#[derive(ToSchema)]
#[allow(dead_code)]
pub(crate) struct ArtifactView {
    id: String,
    title: String,
    /// `skill_saved`, `skill_used` or `skill_proposal`.
    r#type: String,
    /// The skill's path in the instance dialect.
    filepath: String,
    /// The skill's id, which stays when it is renamed.
    #[schema(format = Uuid)]
    skill_id: String,
    /// The skill's name, description, code, status and owners; of one that was used also how it does.
    #[schema(value_type = Object)]
    metadata: Map<String, Value>,
}

impl InterpretedView {
    fn of(answer: Answer, memory: bool) -> Self {
        let artifacts = answer.artifacts.iter().map(Artifact::fields).collect();
        let skills = |found: Vec<FoundProcedure>| found.into_iter().map(FoundProcedureView::from).collect();
        Self {
            operation: answer.operation.map(Operation::as_str),
            text: answer.text,
            failed: answer.failure.is_some(),
            error: answer.failure.map(InterpreterErrorView::from),
            result: answer.result,
            stdout: answer.stdout,
            stderr: answer.stderr,
            files: answer.files.into_iter().map(SessionFileView::from).collect(),
            session_id: answer.code_session.map(|id| id.to_string()),
            skills: answer.skills.map(skills),
            artifacts: memory.then_some(artifacts),
            call_id: answer.call,
        }
    }
}

/// Executes code, and finds, uses and saves skills. Also a call that failed answers 200, with what to do about it.
///
/// With `Accept: text/event-stream` it is told as it goes on: `waiting` where code must wait, `started`, each `output`
/// with `stream` and `text`, and at the end `finished` with what is answered else, or `problem`.
#[utoipa::path(post, path = "/api/v1/interpreter", operation_id = "interpret", tag = "code",
    request_body = InterpretRequest,
    responses((status = 200, content((InterpretedView = "application/json"), (String = "text/event-stream"))),
        Problems, SandboxProblems))]
pub(crate) async fn interpret(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    headers: HeaderMap,
    Json(request): Json<InterpretRequest>,
) -> Result<Response, Problem> {
    let call = request.read(&state)?;
    let own = OwnCall { tool: app::interpreter::TOOL, arguments: call.arguments() };
    app::governance::admit(&state.cx, &caller, own).await?;
    let memory = app::interpreter::has_memory(&state.cx, &caller).await?;
    if event_stream::is_wanted(&headers) {
        let live = Live::new(|audience| async move {
            let answer = app::interpreter::call(&state.cx, &caller, Call { audience, ..call }).await?;
            Ok((answer, memory))
        });
        return event_stream::follow(live, |(answer, memory)| InterpretedView::of(answer, memory)).await;
    }
    let answer = app::interpreter::call(&state.cx, &caller, call).await?;
    Ok(axum::Json(InterpretedView::of(answer, memory)).into_response())
}
