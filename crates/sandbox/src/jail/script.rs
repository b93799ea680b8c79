//! Executes a program below a small init, which is the first process of its namespace and tells how it ended.

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use serde_json::Value;

use super::native::{ErrorReport, Report, Task};
use crate::SEARCH_PATH_VARIABLES;

/// Where a script may leave its result.
const RESULT: &str = "/tmp/result.json";
/// What a script finds on its standard input.
const INPUT: &str = "/tmp/.parameters.json";
/// Where files of the caller stand.
const WORK_FOLDER: &str = "/mnt/data";

/// Runs it to its end.
pub(super) fn run(task: &Task) -> Report {
    match execute(task) {
        Ok(status) if status.success() => result(task),
        Ok(status) => ended(status),
        Err(error) => {
            failed("exit_status", "OSError", format!("`{}` cannot be executed: {error}", task.main))
        }
    }
}

fn failed(code: &str, kind: &str, message: String) -> Report {
    let (code, kind) = (code.to_owned(), kind.to_owned());
    Report::Error(ErrorReport { code, kind, message, ..ErrorReport::default() })
}

fn execute(task: &Task) -> std::io::Result<ExitStatus> {
    let file = Path::new("/program").join(&task.main);
    fs::write(INPUT, serde_json::to_vec(&task.parameters)?)?;
    let mut command = command_for(&file)?;
    let home = if task.folder_modules { WORK_FOLDER } else { "/tmp" };
    command
        .args(&task.arguments)
        .env_clear()
        .envs([("PATH", "/usr/local/bin:/usr/bin:/bin"), ("HOME", home), ("LANG", "C.UTF-8")])
        .envs([("TMPDIR", "/tmp"), ("RESULT_FILE", RESULT)])
        .stdin(fs::File::open(INPUT)?)
        .stdout(Stdio::inherit())
        .stderr(Stdio::inherit());
    if let Some(proxy) = &task.proxy {
        command.envs(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].map(|name| (name, proxy)));
    }
    for (name, value) in task.parameters.iter().filter(|(name, _)| task.environment.contains(name)) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        command.env(name, text);
    }
    if !task.folder_modules {
        command.envs(SEARCH_PATH_VARIABLES.iter().copied());
    }
    command.status()
}

/// The file itself where it says how it is run, else a shell.
fn command_for(file: &Path) -> std::io::Result<Command> {
    let mut start = [0; 4];
    let length = fs::File::open(file)?.read(&mut start)?;
    let start = start.get(..length).unwrap_or_default();
    let executable = fs::metadata(file)?.permissions().mode() & 0o111 != 0;
    if executable && (start.starts_with(b"#!") || start.starts_with(b"\x7fELF")) {
        return Ok(Command::new(file));
    }
    if start.starts_with(b"#!") {
        // Bundles lose the mark on the way through archives; the interpreter line still counts.
        let text = fs::read_to_string(file)?;
        let line = text.lines().next().unwrap_or_default().trim_start_matches("#!").trim();
        let mut words = line.splitn(2, char::is_whitespace);
        if let Some(interpreter) = words.next().filter(|word| !word.is_empty()) {
            let mut command = Command::new(interpreter);
            command.args(words.map(str::trim).filter(|word| !word.is_empty())).arg(file);
            return Ok(command);
        }
    }
    let mut command = Command::new("/bin/sh");
    command.arg(file);
    Ok(command)
}

fn result(task: &Task) -> Report {
    let Ok(file) = fs::File::open(RESULT) else { return Report::Ok(Value::Null) };
    let mut text = Vec::new();
    if file.take(task.result_limit + 1).read_to_end(&mut text).is_err() {
        return failed("result_not_json", "OSError", format!("{RESULT} cannot be read"));
    }
    if text.len() as u64 > task.result_limit {
        return Report::Limit("result_limit".to_owned());
    }
    match serde_json::from_slice(&text) {
        Ok(value) => Report::Ok(value),
        Err(error) => failed("result_not_json", "ValueError", format!("{RESULT} is not JSON: {error}")),
    }
}

fn ended(status: ExitStatus) -> Report {
    match status.signal() {
        Some(signal) => failed("crashed", "Signal", format!("the program was ended by signal {signal}")),
        None => failed(
            "exit_status",
            "ExitStatus",
            format!("the program ended with status {}", status.code().unwrap_or(-1)),
        ),
    }
}
