//! What a run said and gave, for people: the code's own output, then the result, then the files.

use std::fmt::Write as _;
use std::io::{IsTerminal as _, Write as _};

use serde_json::Value;

use super::super::skill::text_of;
use super::files::Written;
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Output, Paint, count, line, size, text};

/// Shows a run; one that failed ends the program with its own code.
pub(super) fn run(output: Output, run: &Value, written: Option<&Written>) -> Outcome<Exit> {
    let failed = text_of(run, "status") != "succeeded";
    let refused = written.map_or(0, |written| written.refused.len());
    if output.json {
        output.json(run)?;
    } else {
        streams(output, run)?;
        if !failed {
            result(output, run)?;
        }
        files(output, run, written);
        timing(output, run);
    }
    if failed {
        return if output.json { Ok(Exit::RunFailed) } else { Err(failure(output, run)) };
    }
    Ok(if refused > 0 { Exit::Findings } else { Exit::Ok })
}

/// What the code wrote, to where it wrote it. A program gets the very text; a terminal gets what cannot hurt it.
fn streams(output: Output, run: &Value) -> Outcome {
    let (out, err) = (text_of(run, "stdout"), text_of(run, "stderr"));
    let safe = |foreign: &str, watched: bool| if watched { text(foreign) } else { foreign.to_owned() };
    output.print(&safe(&out, std::io::stdout().is_terminal()))?;
    let err = safe(&err, std::io::stderr().is_terminal());
    if !err.is_empty() {
        let ending = if err.ends_with('\n') { "" } else { "\n" };
        // Nothing sensible is left to do when standard error is closed.
        let _ = write!(std::io::stderr().lock(), "{err}{ending}");
    }
    for (stream, key) in [("stdout", "stdout_truncated"), ("stderr", "stderr_truncated")] {
        if run.get(key).and_then(Value::as_bool) == Some(true) {
            output.note(&format!("{stream} was longer; only its beginning was kept"));
        }
    }
    Ok(())
}

/// The result: text as it is, anything else as JSON; nothing where the code returned nothing.
fn result(output: Output, run: &Value) -> Outcome {
    let watched = std::io::stdout().is_terminal();
    let result = run.get("result").unwrap_or(&Value::Null);
    if result.is_null() {
        return Ok(());
    }
    if watched && !text_of(run, "stdout").is_empty() {
        output.print(&format!("\n{}", output.paint(Paint::Dim, "result")))?;
    }
    match result {
        Value::String(content) if watched => output.print(&text(content)),
        Value::String(content) => output.print(content),
        other => output.json(other),
    }
}

fn files(output: Output, run: &Value, written: Option<&Written>) {
    if let Some(written) = written {
        for path in &written.files {
            output.note(&format!("wrote {}", line(&path.display().to_string())));
        }
        for why in &written.refused {
            output.note(&format!("not written: {}", line(why)));
        }
    } else {
        let files = run.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
        for file in &files {
            let bytes = file.get("size").and_then(Value::as_u64).unwrap_or_default();
            output.note(&format!("made {} ({})", line(&text_of(file, "path")), size(bytes)));
        }
        if !files.is_empty() {
            output.note("--output-dir DIR writes them to a folder");
        }
    }
    if run.get("files_truncated").and_then(Value::as_bool) == Some(true) {
        output.note("there were more files than are listed");
    }
}

fn timing(output: Output, run: &Value) {
    if !std::io::stderr().is_terminal() {
        return;
    }
    let number = |key: &str| run.get(key).and_then(Value::as_f64);
    let mut parts = vec![duration(number("duration_ms").unwrap_or_default())];
    if let Some(cpu) = number("cpu_ms") {
        parts.push(format!("processor {}", duration(cpu)));
    }
    if let Some(memory) = run.get("memory_bytes").and_then(Value::as_u64) {
        parts.push(format!("memory {}", size(memory)));
    }
    if let Some(revision) = run.get("revision").and_then(Value::as_u64) {
        parts.push(format!("revision {revision}"));
    }
    parts.push(format!("run {}", line(&text_of(run, "id"))));
    output.note(&output.paint(Paint::Dim, &parts.join(", ")));
}

/// Milliseconds, as people say them.
pub(in crate::commands) fn duration(milliseconds: f64) -> String {
    if milliseconds >= 1000.0 {
        format!("{:.2} s", milliseconds / 1000.0)
    } else {
        format!("{milliseconds:.0} ms")
    }
}

/// The failure of the code: its trace as a remark, then what it was.
fn failure(output: Output, run: &Value) -> Failure {
    let error = run.get("error").cloned().unwrap_or_default();
    let (kind, message) = (text_of(&error, "type"), text_of(&error, "message"));
    let mut told = match (kind.is_empty(), message.is_empty()) {
        (false, false) => format!("{kind}: {message}"),
        (false, true) => kind,
        (true, _) => message,
    };
    let traceback = text_of(&error, "traceback");
    let trace = traceback.trim_end();
    // What it was comes last, once.
    let trace = trace.strip_suffix(told.trim_end()).unwrap_or(trace).trim_end();
    if !trace.is_empty() {
        output.note(&text(trace));
    }
    let file = text_of(&error, "file");
    match error.get("line").and_then(Value::as_u64) {
        // A `String` takes every write.
        Some(number) if !file.is_empty() => drop(write!(told, " ({file}, line {number})")),
        Some(number) => drop(write!(told, " (line {number})")),
        None => {}
    }
    let code = text_of(&error, "code");
    let failure = Failure::new(Exit::RunFailed, &code, told);
    match hint(&code) {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What usually helps.
fn hint(code: &str) -> Option<&'static str> {
    Some(match code {
        "missing_module" => {
            "`repertoire python add NAME --requirements FILE` makes a profile with packages; \
             the skill names it in repertoire.yaml as `procedure.profile`"
        }
        "time_limit" | "cpu_limit" | "memory_limit" | "process_limit" | "open_files_limit" | "disk_limit"
        | "output_limit" | "result_limit" => {
            "the limits stand in `sandbox.limits` of the configuration, in the agent, and in the skill's \
             `procedure.limits`; the narrowest holds"
        }
        _ => return None,
    })
}

/// Whether all runs gave the same.
pub(super) fn determinism(output: Output, answer: &Value) -> Outcome<Exit> {
    let same = answer.get("deterministic").and_then(Value::as_bool).unwrap_or_default();
    output.result(answer, || {
        let times = answer.get("times").and_then(Value::as_u64).unwrap_or_default();
        let digests = answer.get("output_digests").and_then(Value::as_array).cloned().unwrap_or_default();
        if same {
            let digest = digests.first().map(|one| text_of(one, "digest")).unwrap_or_default();
            return format!("deterministic: {times} runs gave the same output ({})", line(&digest));
        }
        let mut lines = vec![format!(
            "not deterministic: {times} runs gave {}",
            count(digests.len() as u64, "different output")
        )];
        lines.extend(digests.iter().map(|one| {
            let times = one.get("count").and_then(Value::as_u64).unwrap_or_default();
            format!("  {}  {}", line(&text_of(one, "digest")), count(times, "time"))
        }));
        let difference = text_of(answer, "first_difference");
        if !difference.is_empty() {
            lines.push(text(&difference));
        }
        lines.join("\n")
    })?;
    Ok(if same { Exit::Ok } else { Exit::Findings })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_keeps_type_message_and_line() {
        let run = json!({"error": {
            "code": "code_error", "type": "ZeroDivisionError", "message": "division by zero",
            "file": "scripts/a.py", "line": 3, "traceback": "",
        }});
        let failure = failure(Output::new(false, true, true), &run);
        assert_eq!(failure.message, "ZeroDivisionError: division by zero (scripts/a.py, line 3)");
        assert_eq!((failure.exit, failure.code.as_str()), (Exit::RunFailed, "code_error"));
    }

    #[test]
    fn every_limit_says_where_it_stands() {
        for limit in sandbox::Limit::ALL {
            assert!(hint(limit.code()).is_some(), "{}", limit.code());
        }
    }
}
