//! The door for the hooks of coding agents: a prompt begins a governed run, a tool call is judged in it, the next prompt or
//! the end of the session ends it.

use app::governance::{Ask, Call, RunRef, Start, Step};
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use model::Caller;
use serde_json::{Map, Value};

use crate::auth::Auth;
use crate::extract::{Json, Path};
use crate::hooks::{Answer, Event, HookCall, Host, read, write};
use crate::problem::{Problem, Problems};
use crate::server::HttpState;
use crate::v1::names::missing;

/// Names the host that was answered, so that nobody takes another server's silence for an answer.
const ANSWER: HeaderName = HeaderName::from_static("repertoire-hook");

/// Answers a hook of a coding agent: `claude`, `codex`, `gemini`, `cursor` or `copilot`. The body is what the host gives
/// its hooks; the answer is what it expects of them, an empty body for no objection. Once the body is understood, a
/// failure of ours denies in the host's own form. Every answer has the header `repertoire-hook` with the host: an answer
/// without it is not ours.
#[utoipa::path(post, path = "/api/v1/governance/hooks/{host}", operation_id = "answer_hook", tag = "governance",
    params(("host" = String, Path, description = "Which coding agent asks.")), request_body = Object,
    responses((status = 200, description = "The answer in the host's form, or nothing."), Problems))]
pub(crate) async fn hook(
    State(state): State<HttpState>,
    Auth(caller): Auth,
    Path(host): Path<String>,
    Json(body): Json<Map<String, Value>>,
) -> Result<Response, Problem> {
    let host = Host::parse(&host).ok_or_else(|| missing("host", &host))?;
    let call = read(host, &Value::Object(body)).map_err(|error| Problem::bad_request(error.to_string()))?;
    let answer = match answer(&state, &caller, host, &call).await {
        Ok(answer) => answer,
        // Nobody can deny what is over.
        Err(error) if matches!(call.event, Event::End | Event::Other) => return Err(error.into()),
        Err(error) => {
            tracing::error!(
                host = host.as_str(),
                error = &error as &dyn std::error::Error,
                "a hook was denied"
            );
            Answer::Denied { reason: format!("Repertoire could not decide and denies: {error}") }
        }
    };
    // A new one for each call; and an empty body means something only from us.
    let fresh = [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (ANSWER, HeaderValue::from_static(host.as_str())),
    ];
    Ok(match write(host, &call, &answer) {
        Some(said) => (fresh, axum::Json(said)).into_response(),
        None => fresh.into_response(),
    })
}

async fn answer(
    state: &HttpState,
    caller: &Caller,
    host: Host,
    hook: &HookCall,
) -> Result<Answer, app::Error> {
    let run = || RunRef::Session {
        host: host.as_str().to_owned(),
        session: hook.session.clone(),
        agent: caller.agent,
    };
    match &hook.event {
        Event::Prompt { task } => {
            let ask = Ask {
                task: task.clone(),
                context: hook.context.clone(),
                agent: caller.agent,
                host: Some(host.as_str().to_owned()),
            };
            let start = Start { ask, session: Some(hook.session.clone()) };
            let started = app::governance::start(&state.cx, caller, start).await?;
            Ok(Answer::Started { planning: Some(started.planning) })
        }
        Event::Tool { tool, alias, arguments, call } => {
            let step = Step {
                call: Call { tool: tool.clone(), alias: alias.clone(), arguments: arguments.clone() },
                context: hook.context.clone(),
                id: call.clone(),
            };
            let judged = app::governance::step(&state.cx, caller, run(), step).await?;
            Ok(match judged.verdict.denial {
                None => Answer::Allowed,
                Some(denial) => Answer::Denied { reason: denial.reason },
            })
        }
        Event::End => {
            app::governance::finish(&state.cx, caller, run(), Some(hook.raw_event.clone())).await?;
            Ok(Answer::Nothing)
        }
        Event::Other => Ok(Answer::Nothing),
    }
}
