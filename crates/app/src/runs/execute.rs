//! Runs a skill.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use model::{Caller, CodeSessionId, RevisionStatistics, Run, RunError, RunId, RunStatus, SkillId, Timestamp};
use policy::access::Act;
use sandbox::{Ending, Execution, Failure, FailureCode, Limit, Outcome};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tracing::Instrument as _;

use super::prepare::{Prepared, prepare};
use super::{Ran, RunSkill, output};
use crate::governance::admit_agent;
use crate::interpreter::Operation;
use crate::live::Audience;
use crate::redact::without_secrets;
use crate::skills::{count_execution, load};
use crate::{Context, Error, audit, code_sessions};

/// Runs a skill's procedure and remembers it, if the policies in force let an agent. Code that fails is a run as well;
/// what is refused is none.
pub async fn execute(cx: &Context, caller: &Caller, id: SkillId, request: RunSkill) -> Result<Ran, Error> {
    admit(cx, caller, id, &request).await?;
    execute_admitted(cx, caller, id, request).await
}

/// The same for a call that was let through.
pub(crate) async fn execute_admitted(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: RunSkill,
) -> Result<Ran, Error> {
    let session = request.session;
    let prepared = Arc::new(prepare(cx, caller, id, request).await?);
    perform(cx, caller, &prepared, session).await
}

pub(super) async fn admit(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: &RunSkill,
) -> Result<(), Error> {
    if caller.agent.is_none() {
        return Ok(());
    }
    let skill = load(&mut *cx.read().await?, caller, id, |skill| Act::RunSkill(skill)).await?.skill;
    let arguments = json!({
        "operation": Operation::UseSkill.as_str(),
        "skill_name": skill.name.as_str(),
        "skill_parameters": request.parameters,
        "arguments": request.arguments,
    });
    admit_agent(cx, caller, arguments).await
}

/// Executes what was prepared, once. A caller who goes away ends the execution; that it ran is remembered all the same.
pub(super) async fn perform(
    cx: &Context,
    caller: &Caller,
    prepared: &Arc<Prepared>,
    session: Option<CodeSessionId>,
) -> Result<Ran, Error> {
    let (_held, released) = oneshot::channel();
    let (cx, caller, prepared) = (cx.clone(), caller.clone(), Arc::clone(prepared));
    let act = async move { carry_out(&cx, &caller, &prepared, session, released).await };
    let done = tokio::spawn(act.in_current_span()).await;
    done.unwrap_or_else(|error| Err(sandbox::Error::Failed(error.to_string()).into()))
}

async fn carry_out(
    cx: &Context,
    caller: &Caller,
    prepared: &Prepared,
    session: Option<CodeSessionId>,
    released: oneshot::Receiver<()>,
) -> Result<Ran, Error> {
    let mut started_at = None;
    let outcome = tokio::select! {
        biased;
        outcome = in_place(cx, caller, prepared, session, &mut started_at) => outcome,
        _ = released => Err(Error::not_found("caller", caller.user)),
    };
    let run = |started_at| stopped(cx, caller, prepared, started_at);
    match (outcome, started_at.map(run)) {
        (Ok(outcome), Some(run)) => {
            let ran = told(prepared, run, outcome).await?;
            remember(cx, caller, &ran.run).await?;
            Ok(ran)
        }
        // Where the sandbox refused, nothing ran.
        (Err(error), Some(run)) if !matches!(error, Error::Sandbox(_)) => {
            remember(cx, caller, &run).await?;
            Err(error)
        }
        (Err(error), _) => Err(error),
        (Ok(_), None) => Err(sandbox::Error::Failed("it did not start".to_owned()).into()),
    }
}

/// Executes it in its work folder, when it is the caller's turn.
async fn in_place(
    cx: &Context,
    caller: &Caller,
    prepared: &Prepared,
    session: Option<CodeSessionId>,
    started_at: &mut Option<Timestamp>,
) -> Result<Outcome, Error> {
    let execution = prepared.execution.clone();
    let audience = &prepared.audience;
    let Some(session) = session else { return in_turn(cx, caller, execution, audience, started_at).await };
    let occupied = audience.waiting(code_sessions::folder_of(cx, caller, session)).await?;
    let execution = Execution { folder: Some(occupied.folder()), ..execution };
    occupied.until_ended(cx, in_turn(cx, caller, execution, audience, started_at)).await?
}

async fn in_turn(
    cx: &Context,
    caller: &Caller,
    execution: Execution,
    audience: &Audience,
    started_at: &mut Option<Timestamp>,
) -> Result<Outcome, Error> {
    let _permit = audience.waiting(cx.queue.enter(caller)).await?;
    *started_at = Some(cx.now());
    audience.started();
    Ok(cx.runner.execute(execution).await?)
}

/// A run of which no more is known than that it began and was ended.
fn stopped(cx: &Context, caller: &Caller, prepared: &Prepared, started_at: Timestamp) -> Run {
    let error = error_of(prepared, &Ending::Stopped);
    Run {
        workspace: caller.workspace,
        id: RunId::new(cx.id()),
        skill: prepared.skill,
        skill_name: prepared.name.clone(),
        revision: prepared.revision,
        user: caller.user,
        agent: caller.agent,
        parameters: prepared.remembered.clone(),
        status: RunStatus::Failed,
        output_digest: output::digest(&Value::Null, error.as_ref(), b"", &[]),
        error,
        duration: (cx.now() - started_at).unsigned_abs(),
        cpu: None,
        memory_bytes: None,
        limits_hit: Vec::new(),
        result_size: 0,
        started_at,
    }
}

/// What came of it, as it is told and remembered.
async fn told(prepared: &Prepared, run: Run, outcome: Outcome) -> Result<Ran, Error> {
    let files = output::files(&outcome, prepared.contents).await?;
    let error = error_of(prepared, &outcome.ending);
    let limits_hit = limits_hit(&outcome).into_iter().map(|limit| limit.code().to_owned()).collect();
    let (result, traceback) = match outcome.ending {
        Ending::Returned(result) => (result, None),
        Ending::Failed(failure) => (Value::Null, Some(failure.traceback)),
        Ending::Limit(_) | Ending::Stopped => (Value::Null, None),
    };
    let run = Run {
        status: if error.is_none() { RunStatus::Succeeded } else { RunStatus::Failed },
        output_digest: output::digest(&result, error.as_ref(), &outcome.stdout.bytes, &files),
        error,
        duration: outcome.usage.wall,
        cpu: outcome.usage.cpu,
        memory_bytes: outcome.usage.memory,
        limits_hit,
        result_size: result.to_string().len() as u64,
        ..run
    };
    Ok(Ran {
        run,
        result,
        stdout: outcome.stdout,
        stderr: outcome.stderr,
        traceback,
        files,
        files_truncated: outcome.files_truncated,
        visits: outcome.visits,
    })
}

/// The limits an execution ran into: the one that ended it, and that of output which was cut.
pub(crate) fn limits_hit(outcome: &Outcome) -> Vec<Limit> {
    let ended_by = match outcome.ending {
        Ending::Limit(limit) => Some(limit),
        _ => None,
    };
    let cut = (outcome.stdout.truncated || outcome.stderr.truncated).then_some(Limit::Output);
    ended_by.into_iter().chain(cut.filter(|limit| ended_by != Some(*limit))).collect()
}

fn error_of(prepared: &Prepared, ending: &Ending) -> Option<RunError> {
    let ended = |code: &str, message| RunError {
        code: code.to_owned(),
        kind: String::new(),
        message,
        file: None,
        line: None,
    };
    match ending {
        Ending::Returned(_) => None,
        Ending::Limit(limit) => Some(ended(limit.code(), limit.describe(&prepared.execution.limits))),
        Ending::Stopped => Some(ended("stopped", "it was ended before it was done".to_owned())),
        Ending::Failed(failure) => Some(RunError {
            code: failure.code.as_str().to_owned(),
            kind: failure.kind.clone(),
            message: without_secrets(&prepared.secrets.scrub(&explained(prepared, failure))),
            file: failure.file.clone(),
            line: failure.line,
        }),
    }
}

/// What a failure says; where a package is missing also what the skill says it needs.
fn explained(prepared: &Prepared, failure: &Failure) -> String {
    let mut message = failure.message.clone();
    if failure.code != FailureCode::MissingModule {
        return message;
    }
    if let Some(compatibility) = &prepared.compatibility {
        let _ = write!(message, "; the skill says it needs: {compatibility}");
    }
    message
}

/// The run, the counters it moves and its audit entry, in one transaction. Parameters are in none but the run.
async fn remember(cx: &Context, caller: &Caller, run: &Run) -> Result<(), Error> {
    let success = run.status == RunStatus::Succeeded;
    let mut tx = cx.begin(run.workspace).await?;
    // A skill that was purged while its code ran has nothing left to count; that it ran is still logged.
    if let Some(record) = tx.skill(run.workspace, run.skill).await? {
        tx.insert_run(run).await?;
        count_execution(cx, &mut *tx, caller, &record, (success, Some(run.duration))).await?;
        let known = tx.revision_statistics(run.workspace, run.skill, Some(run.revision)).await?;
        let statistics = known.into_iter().next().unwrap_or_else(|| RevisionStatistics::new(run.revision));
        let statistics = statistics.after_execution(success, run.duration, cx.now());
        tx.put_revision_statistics(run.workspace, run.skill, &statistics).await?;
    }
    let detail = [
        ("skill", json!(run.skill.to_string())),
        ("name", json!(run.skill_name.as_str())),
        ("revision", json!(run.revision.get())),
        ("status", json!(run.status.as_str())),
        ("error", json!(run.error.as_ref().map(|error| &error.code))),
        ("duration_ms", json!(millis(run.duration))),
    ];
    audit::record(cx, &mut *tx, caller, "run.execute", ("run", run.id.to_string()), &detail).await?;
    tx.commit().await?;
    count(run);
    Ok(())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn count(run: &Run) {
    let outcome = run.error.as_ref().map_or("succeeded".to_owned(), |error| error.code.clone());
    metrics::counter!("repertoire_runs_total", "outcome" => outcome).increment(1);
    metrics::histogram!("repertoire_run_duration_seconds").record(run.duration.as_secs_f64());
    tracing::debug!(
        run.id = %run.id,
        skill.id = %run.skill,
        run.status = run.status.as_str(),
        run.duration_ms = millis(run.duration),
        "ran a skill"
    );
}
