//! Answers one hook: standard input to the library, its answer to standard output.
//!
//! Whatever goes wrong here denies, with words on standard error: hosts let a tool run when a hook fails in any other
//! way. Nothing but the answer goes to standard output.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};

use super::super::{Global, library_flags};
use super::CallArgs;
use crate::client::{api, connect_existing};
use crate::config::{Environment as _, HookEnvironment, OnFailure, ProcessEnvironment, Secret, Settings};
use crate::exit::{Failure, Outcome};
use crate::hosts::Host;
use crate::output::line;

/// How long an answer may take, in seconds; less than hosts wait.
pub(crate) const TIMEOUT: u64 = 10;
/// The longest event that is read.
const MAX_EVENT: u64 = 16 << 20;
/// Events after which a denial would make the agent go on instead of stopping it.
const ENDS: [&str; 6] = ["afteragent", "agentstop", "sessionend", "stop", "stopfailure", "subagentstop"];

/// What a failure means here, as far as is known by now.
#[derive(Default)]
struct Stance {
    allow: AtomicBool,
    is_end: AtomicBool,
    is_done: AtomicBool,
}

impl Stance {
    fn new(args: Option<&CallArgs>) -> Self {
        let said = args.and_then(|args| args.on_failure);
        let stance = Self::default();
        stance.allow.store(said == Some(OnFailure::Allow), Ordering::Relaxed);
        stance
    }

    /// Says what went wrong, and gives the exit code that means no.
    fn fail(&self, host: Host, failure: &Failure) -> u8 {
        let is_end = self.is_end.load(Ordering::Relaxed);
        let (code, what) = match (self.allow.load(Ordering::Relaxed), is_end) {
            (true, _) => (0, "nobody was asked"),
            (false, true) => (1, "the end is not recorded"),
            (false, false) => (2, "denied"),
        };
        let hint = failure.hint.as_deref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let message = line(&format!("{}{hint}", failure.message));
        let said =
            format!("repertoire hook {}: {what}: {message} [{}]\n", host.as_str(), line(&failure.code));
        // Nothing sensible is left to do when standard error is closed.
        let _ = std::io::stderr().lock().write_all(said.as_bytes());
        code
    }

    /// Whether this is the first to come to an end.
    fn finish(&self) -> bool {
        !self.is_done.swap(true, Ordering::SeqCst)
    }

    /// Comes back only to the first; when the time is up, whoever noticed ends the process.
    fn claim_end(&self) {
        if !self.finish() {
            loop {
                std::thread::park();
            }
        }
    }
}

/// Answers a hook, one way or the other.
pub(super) fn answer(host: Host, args: &CallArgs, global: &Global) -> ExitCode {
    let stance = Arc::new(Stance::new(Some(args)));
    watch(host, args.timeout, Arc::clone(&stance));
    // The panic is told in our own words, in one line.
    std::panic::set_hook(Box::new(|_| {}));
    let done = catch_unwind(AssertUnwindSafe(|| ask(host, args, global, &stance)));
    let done = done.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Err(Failure::internal(format!("a fault in the program: {}", text.unwrap_or_default())))
    });
    stance.claim_end();
    let printed = done.and_then(|answer| {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(&answer).and_then(|()| out.flush());
        written.map_err(|error| Failure::unavailable(format!("cannot write the answer: {error}")))
    });
    ExitCode::from(printed.map_or_else(|failure| stance.fail(host, &failure), |()| 0))
}

/// Denies because of a command line that makes no sense.
pub(super) fn refuse(host: Host, error: &clap::Error) -> ExitCode {
    let stance = Arc::new(Stance::new(None));
    watch(host, TIMEOUT, Arc::clone(&stance));
    // It is only read for what a failure means.
    let _ = read_event(&stance);
    let text = error.to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let failure = Failure::usage(first).hint(format!("see `repertoire hook {} --help`", host.as_str()));
    stance.claim_end();
    ExitCode::from(stance.fail(host, &failure))
}

/// Ends the process when the time is up, whatever it is waiting for.
fn watch(host: Host, seconds: u64, stance: Arc<Stance>) {
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        if stance.finish() {
            let failure = Failure::unavailable(format!("there is no answer within {seconds} s"))
                .hint("`repertoire doctor` looks for the cause");
            std::process::exit(i32::from(stance.fail(host, &failure)));
        }
    });
}

/// The bytes for standard output.
fn ask(host: Host, args: &CallArgs, global: &Global, stance: &Stance) -> Outcome<Vec<u8>> {
    let mut event = read_event(stance)?;
    event.insert("repertoire".to_owned(), surroundings(host));
    let settings = settings(args, global)?;
    if args.on_failure.is_none() {
        stance.allow.store(settings.hooks.on_failure.value == OnFailure::Allow, Ordering::Relaxed);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::internal(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let client = connect_existing(&settings).await?;
        let request = api("POST", &["governance", "hooks", host.as_str()]).json(Value::Object(event));
        let answered = client.raw(request).await;
        let is_remote = client.is_remote();
        let closed = client.close().await;
        let response = answered?;
        closed?;
        if response.status != 200 {
            return Err(response.problem(is_remote));
        }
        // A host takes what it cannot read for no answer, and goes on; and silence counts only from the right server.
        let is_ours = response.header("repertoire-hook") == Some(host.as_str());
        let is_empty = response.body.trim_ascii().is_empty();
        let is_read = is_empty || serde_json::from_slice::<Map<String, Value>>(&response.body).is_ok();
        if !is_ours || !is_read {
            return Err(Failure::internal("the server's answer is not one for a hook")
                .hint("is it a Repertoire server of the same version? `repertoire doctor` says"));
        }
        Ok(response.body.to_vec())
    })
}

/// The settings that the command and the files of its owner name. The environment may be a project's: it can only add
/// a token for a server that has none.
fn settings(args: &CallArgs, global: &Global) -> Outcome<Settings> {
    let environment =
        HookEnvironment { config_home: args.config_home.as_deref(), config: args.config.as_deref() };
    let mut settings = Settings::gather(&environment, library_flags(global))?;
    let server = settings.library.server.value.clone();
    if server.is_some_and(|server| settings.token_for(&server).is_none()) {
        settings.library.token.value = ProcessEnvironment.get("REPERTOIRE_TOKEN").map(Secret::new);
    }
    Ok(settings)
}

/// The event on standard input.
fn read_event(stance: &Stance) -> Outcome<Map<String, Value>> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Failure::usage("there is no event on standard input")
            .hint("coding agents run this; `repertoire hook install` makes them"));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(MAX_EVENT + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::unavailable(format!("cannot read the event: {error}")))?;
    if bytes.len() as u64 > MAX_EVENT {
        return Err(Failure::invalid(format!("the event is larger than {} MiB", MAX_EVENT >> 20)));
    }
    let event: Map<String, Value> = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::invalid(format!("the event is not a JSON object: {error}")))?;
    stance.is_end.store(is_end(&event), Ordering::Relaxed);
    Ok(event)
}

/// Whether an event tells of an end. Copilot's are told by their fields.
fn is_end(event: &Map<String, Value>) -> bool {
    if let Some(name) = event.get("hook_event_name").and_then(Value::as_str) {
        return ENDS.contains(&name.to_ascii_lowercase().as_str());
    }
    let has = |names: &[&str]| names.iter().any(|name| event.contains_key(*name));
    has(&["stopReason", "reason"]) && !has(&["toolName", "toolArgs", "prompt"])
}

/// What the host does not say, and policies about files must know.
fn surroundings(host: Host) -> Value {
    let cwd = std::env::current_dir().ok().map(|path| path.display().to_string());
    let project = host.project_variable().and_then(|name| ProcessEnvironment.get(name));
    let known = [
        ("home", ProcessEnvironment.get("HOME")),
        ("project_dir", project.or_else(|| cwd.clone())),
        ("cwd", cwd),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), Value::from(value?))));
    Value::Object(known.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_over_is_not_denied() {
        let is_end = |event: Value| is_end(event.as_object().unwrap());
        for name in ["Stop", "SessionEnd", "AfterAgent", "stop", "sessionEnd", "SubagentStop", "agentStop"] {
            assert!(is_end(json!({"hook_event_name": name, "tool_name": "x"})), "{name}");
        }
        assert!(is_end(json!({"sessionId": "s", "stopReason": "end_turn"})));
        assert!(is_end(json!({"sessionId": "s", "reason": "complete"})));
        for event in [
            json!({"hook_event_name": "PreToolUse"}),
            json!({"hook_event_name": "UserPromptSubmit"}),
            json!({"toolName": "bash", "reason": "x", "stopReason": "x"}),
            json!({"prompt": "x", "reason": "x"}),
            json!({}),
        ] {
            assert!(!is_end(event.clone()), "{event}");
        }
    }
}
