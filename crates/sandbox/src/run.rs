//! One execution: puts the program in place, sends the request, and says what came of it.

use std::collections::HashMap;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{MemfdFlags, Mode, memfd_create};
use rustix::io::Errno;
use serde_json::Value;

use crate::fork_server::{ForkServer, Spare};
use crate::guard::Guard;
use crate::host::{Answering, HostNames};
use crate::jail::{ErrorReport, Report, Task};
use crate::lockdown::{Request, flags};
use crate::proxy::{HostRule, Proxy};
use crate::supervise::{End, Ends, Seen, Streams, Watched, wait_until_gone};
use crate::{
    DEFAULT_PROFILE, Ending, Error, Execution, Failure, FailureCode, FileEntry, Folder, Limit, Limits,
    Network, Outcome, Program, Runtime, Usage, wire,
};

/// Files of an outcome that are listed.
const MOST_FILES: usize = 1_000;
/// Where code finds its proxy.
const PROXY: &str = "http://127.0.0.1:3128";

/// Refuses what cannot be executed before anything is taken for it.
pub(crate) fn check(execution: &Execution) -> Result<(), Error> {
    let program = &execution.program;
    if !program.files.iter().any(|file| file.path == program.main) {
        return Err(Error::Invalid(format!("the program has no file `{}`", program.main)));
    }
    let is_name = |name: &str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|first| first.is_alphabetic() || first == '_' || first == '$')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
    };
    if let Some(function) = program.function.as_ref().filter(|function| !is_name(function)) {
        return Err(Error::Invalid(format!("`{function}` is not the name of a function")));
    }
    let nul = |text: &String| text.contains('\0');
    let bad_variable = |name: &String| name.is_empty() || name.contains('=');
    let bad_names = program.parameters.keys().filter(|name| nul(name));
    let mut bad_names =
        bad_names.chain(program.environment.iter().filter(|name| nul(name) || bad_variable(name)));
    if let Some(name) = bad_names.next() {
        return Err(Error::Invalid(format!("`{}` is not the name of a parameter", name.escape_debug())));
    }
    if program.arguments.iter().any(nul) {
        return Err(Error::Invalid("an argument of the command line contains a zero byte".to_owned()));
    }
    let size: usize = execution.inputs.iter().map(|file| file.content.len()).sum();
    if size as u64 > execution.limits.folder_bytes {
        return Err(Error::Invalid(format!(
            "the files have {size} bytes; the work folder holds {}",
            execution.limits.folder_bytes
        )));
    }
    Ok(())
}

/// Executes it in a spare; nothing when that was gone before it got the code.
pub(crate) fn run(
    fork_server: &ForkServer,
    guard: &Guard,
    usual: &Limits,
    mut spare: Spare,
    execution: &Execution,
) -> Result<Option<Outcome>, Error> {
    let limits = execution.limits.clone();
    let own = spare.work.as_fd().try_clone_to_owned().map_err(|error| Error::Failed(error.to_string()))?;
    let folder =
        execution.folder.clone().unwrap_or_else(|| Folder::owned(own, guard.owner(spare.user), None));
    let before = place(guard, &spare, execution, &folder)?;
    let rules = rules(&execution.network)?;
    if let Some(group) = &mut spare.group {
        group.limit(&limits).map_err(|error| Error::Failed(format!("control group: {error}")))?;
    }
    let (streams, ends) =
        Streams::new(&execution.listener).map_err(|error| Error::Failed(error.to_string()))?;
    let nonce = nonce()?;
    let (answering, host_end) = start_answering(execution)?;
    let prepared = (usual.folder_bytes, usual.folder_files);
    let ends = Ends { host: host_end, ..ends };
    if !send_request(&spare, execution, &folder, nonce, prepared, &ends)? {
        return Ok(None);
    }
    drop(ends);
    let proxy = match rules {
        Some(rules) => Some(start_proxy(&spare, rules)?),
        None => None,
    };
    let init = execution.program.runtime == Runtime::Script;
    let watched = Watched { spare: &spare, limits: &limits, stop: &execution.stop, nonce, init };
    let seen = watched.wait(streams);
    drop(answering);
    let visits = proxy.map(Proxy::finish).unwrap_or_default();
    if matches!(seen.end, End::Silent) && !has_entered(&spare) {
        return Ok(None);
    }
    let ending = judge(fork_server, &spare, &seen, &execution.program, &limits);
    let (files, files_truncated) = collect(&spare, &folder, &before)?;
    drop(spare);
    let usage = Usage { wall: seen.wall, cpu: seen.cpu, memory: seen.memory };
    let (stdout, stderr) = (seen.stdout, seen.stderr);
    Ok(Some(Outcome { ending: ending?, stdout, stderr, files, files_truncated, folder, visits, usage }))
}

type Known = HashMap<String, (u64, i128)>;

/// Puts the program and the files in place; what the work folder holds then.
fn place(guard: &Guard, spare: &Spare, execution: &Execution, folder: &Folder) -> Result<Known, Error> {
    let program =
        spare.program.as_fd().try_clone_to_owned().map_err(|error| Error::Failed(error.to_string()))?;
    let program = Folder::owned(program, guard.owner(spare.user), None);
    for file in &execution.program.files {
        let mode = Mode::from_raw_mode(if file.executable { 0o755 } else { 0o644 });
        program.write_with_mode(&file.path, &file.content, mode)?;
    }
    if execution.folder.is_some() {
        folder.reopen()?;
    }
    for file in &execution.inputs {
        folder.write(&file.path, &file.content)?;
    }
    if execution.inputs.is_empty() && execution.folder.is_none() {
        return Ok(Known::new());
    }
    let (files, _) = folder.list(usize::MAX)?;
    Ok(files.into_iter().map(|file| (file.path, (file.size, file.modified_ns))).collect())
}

fn rules(network: &Network) -> Result<Option<Vec<HostRule>>, Error> {
    let Network::Hosts(hosts) = network else { return Ok(None) };
    let rules = hosts.iter().map(|host| HostRule::parse(host)).collect::<Result<_, _>>();
    rules.map(Some).map_err(Error::Invalid)
}

/// Begins to answer calls, for code that may make any.
fn start_answering(execution: &Execution) -> Result<(Option<Answering>, Option<OwnedFd>), Error> {
    let may_call = execution.program.runtime != Runtime::Script;
    let Some(module) = execution.host.clone().filter(|_| may_call) else { return Ok((None, None)) };
    let (answering, end) = Answering::start(module).map_err(|error| Error::Failed(error.to_string()))?;
    Ok((Some(answering), Some(end)))
}

fn nonce() -> Result<[u8; 16], Error> {
    let mut nonce = [0; 16];
    let filled = rustix::rand::getrandom(&mut nonce, rustix::rand::GetRandomFlags::empty());
    match filled {
        Ok(16) => Ok(nonce),
        _ => Err(Error::Failed("the machine gives no random numbers".to_owned())),
    }
}

fn send_request(
    spare: &Spare,
    execution: &Execution,
    folder: &Folder,
    nonce: [u8; 16],
    prepared: (u64, u64),
    ends: &Ends,
) -> Result<bool, Error> {
    let limits = &execution.limits;
    let payload = payload(execution)?;
    let script = execution.program.runtime == Runtime::Script;
    let kept = folder.kept();
    let resized = (limits.folder_bytes, limits.folder_files) != prepared;
    let flag = |holds: bool, flag: u32| if holds { flag } else { 0 };
    let request = Request {
        nonce,
        folder: kept.map_or(0, |kept| kept.number),
        folder_bytes: limits.folder_bytes,
        folder_files: limits.folder_files,
        cpu_seconds: limits.cpu.as_secs().saturating_add(2),
        memory: if spare.group.is_some() { 0 } else { limits.memory },
        // One more than allowed, so that the watchdog sees who goes beyond.
        processes: u64::from(limits.processes) + 1 + u64::from(script),
        open_files: u64::from(limits.open_files),
        payload: payload.1,
        user: kept.map_or(spare.user, |kept| kept.owner_inside),
        flags: flag(resized && kept.is_none(), flags::RESIZE)
            | flag(execution.network != Network::None, flags::NETWORK)
            | flag(spare.group.is_none(), flags::NO_MEMORY_GROUP)
            | flag(script, flags::INIT),
    };
    let mut fds = vec![ends.stdout.as_fd(), ends.stderr.as_fd(), ends.result.as_fd(), payload.0.as_fd()];
    fds.extend(ends.host.as_ref().map(AsFd::as_fd));
    match wire::send(&spare.socket, request.bytes(), &fds) {
        Ok(()) => Ok(true),
        Err(Errno::PIPE | Errno::CONNRESET) => Ok(false),
        Err(error) => Err(Error::Failed(format!("the request cannot be sent: {error}"))),
    }
}

/// The task as JSON, in a file without a name.
fn payload(execution: &Execution) -> Result<(OwnedFd, u64), Error> {
    let program = &execution.program;
    let task = Task {
        script: program.runtime == Runtime::Script,
        main: program.main.clone(),
        function: program.function.clone(),
        parameters: program.parameters.clone(),
        environment: program.environment.clone(),
        arguments: program.arguments.clone(),
        folder_modules: program.folder_modules,
        result_limit: execution.limits.result,
        memory: execution.limits.memory,
        seed: execution.seed,
        live: execution.listener.hears(),
        proxy: (execution.network != Network::None).then(|| PROXY.to_owned()),
        host: execution
            .host
            .as_ref()
            .map(|module| HostNames { name: module.name.clone(), functions: module.functions.clone() }),
    };
    let failed = |error: String| Error::Failed(error);
    let bytes = serde_json::to_vec(&task).map_err(|error| failed(error.to_string()))?;
    let file = memfd_create("task", MemfdFlags::CLOEXEC).map_err(|error| failed(error.to_string()))?;
    let mut file = std::fs::File::from(file);
    file.write_all(&bytes).map_err(|error| failed(error.to_string()))?;
    Ok((file.into(), bytes.len() as u64))
}

fn start_proxy(spare: &Spare, rules: Vec<HostRule>) -> Result<Proxy, Error> {
    let failed = |text: &str| Error::Failed(format!("the way to the network: {text}"));
    let patience = Timespec { tv_sec: 5, tv_nsec: 0 };
    let ready = poll(&mut [PollFd::new(&spare.socket, PollFlags::IN)], Some(&patience));
    if !matches!(ready, Ok(1..)) {
        return Err(failed("it was not opened in time"));
    }
    let (_, mut fds) = wire::receive(&spare.socket).map_err(|error| failed(&error.to_string()))?;
    let listener = fds.pop().ok_or_else(|| failed("it was not opened"))?;
    Proxy::start(listener, rules).map_err(|error| failed(&error.to_string()))
}

/// What the execution came to.
fn judge(
    fork_server: &ForkServer,
    spare: &Spare,
    seen: &Seen,
    program: &Program,
    limits: &Limits,
) -> Result<Ending, Error> {
    let out_of_memory = || spare.group.as_ref().is_some_and(crate::cgroups::Group::ran_out_of_memory);
    Ok(match &seen.end {
        End::Result(body) => match serde_json::from_slice(body) {
            Ok(Report::Ok(value)) => Ending::Returned(value),
            Ok(Report::Limit(word)) => limit_of(&word).map_or_else(spoofed, Ending::Limit),
            Ok(Report::Error(error)) => failure(error, program, out_of_memory()),
            Err(error) => Ending::Failed(Failure::new(
                FailureCode::NotJson,
                "TypeError",
                format!("the result cannot be read: {error}"),
            )),
        },
        End::Fault(_) if has_entered(spare) => spoofed(),
        End::Fault(text) => return Err(Error::Failed(format!("the code was not run: {text}"))),
        End::Spoofed => spoofed(),
        End::Silent if out_of_memory() => Ending::Limit(Limit::Memory),
        End::Silent => crashed(fork_server.status(spare.number), seen, limits),
        End::Limit(limit) => Ending::Limit(*limit),
        End::Stopped => Ending::Stopped,
    })
}

/// Whether the lock-down had ended, so that what was heard came from the code.
fn has_entered(spare: &Spare) -> bool {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let said = poll(&mut [PollFd::new(&spare.socket, PollFlags::IN)], Some(&now));
    matches!(said, Ok(1..)) && wire::receive(&spare.socket).is_ok_and(|(word, _)| word.starts_with(b"C"))
}

fn spoofed() -> Ending {
    let text = "the code wrote to descriptor 3, on which its result is sent; return the result instead";
    Ending::Failed(Failure::new(FailureCode::Spoofed, "ResultError", text.to_owned()))
}

fn limit_of(word: &str) -> Option<Limit> {
    Limit::ALL.into_iter().find(|limit| limit.code() == word)
}

fn failure(error: ErrorReport, program: &Program, out_of_memory: bool) -> Ending {
    if error.code == "exit" {
        return Ending::Returned(Value::Null);
    }
    if let Some(limit) = error.limit.as_deref().and_then(limit_of) {
        return Ending::Limit(limit);
    }
    if out_of_memory && error.code == FailureCode::Crashed.as_str() {
        return Ending::Limit(Limit::Memory);
    }
    let code = FailureCode::ALL.into_iter().find(|code| code.as_str() == error.code);
    let mut failure = Failure::new(code.unwrap_or(FailureCode::Raised), &error.kind, error.message);
    if let (Some(module), Runtime::Python { profile }) = (&error.module, &program.runtime) {
        let profile = profile.as_deref().unwrap_or(DEFAULT_PROFILE);
        failure.message =
            format!("the package `{module}` is not installed in the Python profile `{profile}`");
    }
    (failure.file, failure.line, failure.traceback) = (error.file, error.line, error.traceback);
    Ending::Failed(failure)
}

/// The process ended and gave no result.
fn crashed(status: Option<i32>, seen: &Seen, limits: &Limits) -> Ending {
    let Some(status) = status else {
        let text = "the process was ended from outside".to_owned();
        return Ending::Failed(Failure::new(FailureCode::Crashed, "Crash", text));
    };
    let signal = status & 0x7f;
    let near_the_limit = seen.cpu.unwrap_or_default() + Duration::from_secs(1) >= limits.cpu;
    let text = match signal {
        24 => return Ending::Limit(Limit::Cpu),
        9 if near_the_limit => return Ending::Limit(Limit::Cpu),
        25 => return Ending::Limit(Limit::Disk),
        31 => "the process was ended because it made a system call of another machine mode".to_owned(),
        0 => format!("the process ended itself with status {}, without a result", (status >> 8) & 0xff),
        11 => "the process was ended by signal 11 (a memory access outside its memory)".to_owned(),
        signal => format!("the process was ended by signal {signal}"),
    };
    Ending::Failed(Failure::new(FailureCode::Crashed, "Crash", text))
}

/// What the execution left in its folder.
fn collect(spare: &Spare, folder: &Folder, before: &Known) -> Result<(Vec<FileEntry>, bool), Error> {
    if before.is_empty() && folder.is_empty() {
        return Ok((Vec::new(), false));
    }
    wait_until_gone(&spare.process);
    let (files, truncated) = folder.list(MOST_FILES + before.len())?;
    let new = |file: &FileEntry| before.get(&file.path) != Some(&(file.size, file.modified_ns));
    let mut files: Vec<_> = files.into_iter().filter(new).collect();
    let more = files.len() > MOST_FILES;
    files.truncate(MOST_FILES);
    Ok((files, truncated || more))
}
