//! Drives the sandbox from outside, for its tests: `sandbox-driver jail` is the jail's first process, `sandbox-driver
//! drive` takes settings and then requests as JSON lines and answers each with a line of the same id.
//!
//! It is no part of the product. It holds secrets on purpose (descriptors that are passed on, its environment) for the
//! tests to look for from inside.

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sandbox::{
    Captured, Cgroups, Ending, Error, Execution, Folder, HostCall, HostModule, InputFile, Limits, Listener,
    Network, Outcome, OutputStream, Profile, Program, ProgramFile, Runtime, Sandbox, Settings, Stop,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

type Problem = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match std::env::args().nth(1).as_deref() {
        Some("jail") => sandbox::jail_main(),
        Some("drive") => match drive() {
            Ok(()) => ExitCode::SUCCESS,
            Err(problem) => {
                eprintln!("sandbox-driver: {problem}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: sandbox-driver jail | drive");
            ExitCode::FAILURE
        }
    }
}

#[derive(Deserialize)]
struct Wanted {
    jail_command: Vec<PathBuf>,
    profiles: Vec<WantedProfile>,
    #[serde(default)]
    hidden: Vec<PathBuf>,
    cgroups: bool,
    spares: usize,
    /// Files and folders that are held open in descriptors a child would inherit.
    hold_open: Vec<PathBuf>,
}

#[derive(Deserialize)]
struct WantedProfile {
    name: String,
    python: PathBuf,
    preload: Vec<String>,
}

#[derive(Deserialize)]
struct Request {
    id: u64,
    #[serde(flatten)]
    action: Action,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Action {
    Execute(Box<Order>),
    Stop(u64),
    OpenFolder { bytes: u64, files: u64 },
    CloseFolder(u64),
    FolderWrite { folder: u64, path: String, content: String },
    FolderRead { folder: u64, path: String, most: u64 },
    FolderList(u64),
    FolderRemove { folder: u64, path: String },
}

#[derive(Deserialize)]
struct Order {
    runtime: String,
    #[serde(default)]
    profile: Option<String>,
    files: Vec<TextFile>,
    main: String,
    #[serde(default)]
    function: Option<String>,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    environment: Vec<String>,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    folder_modules: bool,
    #[serde(default)]
    inputs: Vec<TextFile>,
    #[serde(default)]
    folder: Option<u64>,
    #[serde(default)]
    limits: WantedLimits,
    #[serde(default)]
    seed: Option<u64>,
    /// Whether it may call the functions of the module `host`.
    #[serde(default)]
    host: bool,
    #[serde(default)]
    hosts: Option<Vec<String>>,
    /// Whether what it writes is heard, and told in the answer. The first time, a file `heard` is put into its folder.
    #[serde(default)]
    listen: bool,
    /// Files of the work folder whose content is wanted in the answer.
    #[serde(default)]
    read: Vec<String>,
}

#[derive(Deserialize)]
struct TextFile {
    path: String,
    content: String,
    #[serde(default)]
    executable: bool,
}

#[derive(Deserialize, Default)]
struct WantedLimits {
    wall_ms: Option<u64>,
    cpu_ms: Option<u64>,
    memory: Option<u64>,
    processes: Option<u32>,
    open_files: Option<u32>,
    folder_bytes: Option<u64>,
    folder_files: Option<u64>,
    output: Option<u64>,
    result: Option<u64>,
}

#[derive(Clone)]
struct Driver {
    sandbox: Sandbox,
    folders: Arc<Mutex<HashMap<u64, Folder>>>,
    stops: Arc<Mutex<HashMap<u64, Stop>>>,
    answers: Arc<Mutex<std::io::Stdout>>,
}

fn drive() -> Result<(), Problem> {
    let mut lines = std::io::stdin().lock().lines();
    let wanted: Wanted = serde_json::from_str(&lines.next().ok_or("no settings came")??)?;
    let held = wanted.hold_open.iter().map(hold_open).collect::<Result<Vec<_>, _>>()?;
    let answers = Arc::new(Mutex::new(std::io::stdout()));
    let sandbox = match Sandbox::start(settings(wanted)) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            say(&answers, &json!({ "id": 0, "error": error.to_string() }));
            return Ok(());
        }
    };
    let protections: Vec<_> = sandbox
        .protections()
        .iter()
        .map(|found| json!({ "name": found.name, "active": found.active, "detail": found.detail }))
        .collect();
    say(&answers, &json!({ "id": 0, "protections": protections }));
    let driver = Driver { sandbox, folders: Arc::default(), stops: Arc::default(), answers };
    let mut working = Vec::new();
    for line in lines {
        let request: Request = serde_json::from_str(&line?)?;
        let driver = driver.clone();
        working.push(std::thread::spawn(move || driver.answer(request)));
        working.retain(|thread| !thread.is_finished());
    }
    for thread in working {
        let _ = thread.join();
    }
    drop(held);
    Ok(())
}

/// Opens something in a way that lets every child have it, as careless code in a server does.
fn hold_open(path: &PathBuf) -> Result<OwnedFd, Problem> {
    let file = OwnedFd::from(std::fs::File::open(path)?);
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty())?;
    Ok(file)
}

fn settings(wanted: Wanted) -> Settings {
    Settings {
        jail_command: wanted.jail_command,
        profiles: wanted
            .profiles
            .into_iter()
            .map(|profile| Profile { name: profile.name, python: profile.python, preload: profile.preload })
            .collect(),
        hidden: wanted.hidden,
        allow_weaker: false,
        cgroups: if wanted.cgroups { Cgroups::Auto } else { Cgroups::Off },
        spares: wanted.spares,
        usual: Limits::default(),
    }
}

fn say(answers: &Mutex<std::io::Stdout>, answer: &Value) {
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    // Whoever asked may be gone; then nobody misses the answer.
    let _ = writeln!(answers, "{answer}").and_then(|()| answers.flush());
}

impl Driver {
    fn answer(&self, request: Request) {
        let id = request.id;
        let mut answer = match self.act(id, request.action) {
            Ok(answer) => answer,
            Err(error) => json!({ "error": error.to_string() }),
        };
        if let Some(answer) = answer.as_object_mut() {
            answer.insert("id".to_owned(), json!(id));
        }
        say(&self.answers, &answer);
    }

    fn act(&self, id: u64, action: Action) -> Result<Value, Error> {
        match action {
            Action::Execute(order) => self.execute(id, *order),
            Action::Stop(execution) => {
                if let Some(stop) = lock(&self.stops).get(&execution) {
                    stop.stop();
                }
                Ok(json!({}))
            }
            Action::OpenFolder { bytes, files } => {
                let folder = self.sandbox.open_folder(bytes, files)?;
                lock(&self.folders).insert(id, folder);
                Ok(json!({ "folder": id }))
            }
            Action::CloseFolder(folder) => {
                lock(&self.folders).remove(&folder);
                Ok(json!({}))
            }
            Action::FolderWrite { folder, path, content } => {
                self.folder(folder)?.write(&path, content.as_bytes())?;
                Ok(json!({}))
            }
            Action::FolderRead { folder, path, most } => {
                let content = self.folder(folder)?.read(&path, most)?;
                Ok(json!({ "content": String::from_utf8_lossy(&content) }))
            }
            Action::FolderList(folder) => Ok(list(&self.folder(folder)?)),
            Action::FolderRemove { folder, path } => {
                self.folder(folder)?.remove(&path)?;
                Ok(json!({}))
            }
        }
    }

    fn folder(&self, number: u64) -> Result<Folder, Error> {
        lock(&self.folders)
            .get(&number)
            .cloned()
            .ok_or_else(|| Error::Invalid(format!("there is no folder `{number}`")))
    }

    fn execute(&self, id: u64, order: Order) -> Result<Value, Error> {
        let stop = Stop::new().map_err(|error| Error::Failed(error.to_string()))?;
        lock(&self.stops).insert(id, stop.clone());
        let read = order.read.clone();
        let folder = order.folder.map(|number| self.folder(number)).transpose()?;
        let heard = order.listen.then(Heard::default);
        let listener = heard.as_ref().map(|heard| heard.listener(folder.clone())).unwrap_or_default();
        let execution = Execution { listener, ..execution(order, folder, stop) };
        let outcome = self.sandbox.execute(&execution);
        lock(&self.stops).remove(&id);
        let mut told = told(&outcome?, &read);
        if let (Some(heard), Some(told)) = (heard, told.as_object_mut()) {
            told.insert("heard".to_owned(), heard.told());
        }
        Ok(told)
    }
}

/// What was heard while code ran.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Piece>>>);

/// What was written at a time, and where to.
type Piece = (OutputStream, Vec<u8>);

impl Heard {
    fn listener(&self, folder: Option<Folder>) -> Listener {
        let heard = Arc::clone(&self.0);
        Listener::new(move |stream, bytes| {
            let mut heard = lock(&heard);
            if let (true, Some(folder)) = (heard.is_empty(), &folder) {
                // Where it cannot be written, the code waits in vain, and its test fails.
                let _ = folder.write("heard", b"");
            }
            heard.push((stream, bytes.to_vec()));
        })
    }

    fn told(&self) -> Value {
        let heard = lock(&self.0);
        let all = |wanted| -> Vec<u8> {
            heard
                .iter()
                .filter(|(stream, _)| *stream == wanted)
                .flat_map(|(_, bytes)| bytes.clone())
                .collect()
        };
        let text = |stream| String::from_utf8_lossy(&all(stream)).into_owned();
        json!({ "stdout": text(OutputStream::Stdout), "stderr": text(OutputStream::Stderr), "times": heard.len() })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn execution(order: Order, folder: Option<Folder>, stop: Stop) -> Execution {
    let runtime = match order.runtime.as_str() {
        "javascript" => Runtime::JavaScript,
        "script" => Runtime::Script,
        _ => Runtime::Python { profile: order.profile },
    };
    let program_file = |file: TextFile| ProgramFile {
        path: file.path,
        content: file.content.into_bytes(),
        executable: file.executable,
    };
    let program = Program {
        runtime,
        files: order.files.into_iter().map(program_file).collect(),
        main: order.main,
        function: order.function,
        parameters: order.parameters,
        environment: order.environment,
        arguments: order.arguments,
        folder_modules: order.folder_modules,
    };
    let input = |file: TextFile| InputFile { path: file.path, content: file.content.into_bytes() };
    Execution {
        program,
        inputs: order.inputs.into_iter().map(input).collect(),
        folder,
        limits: limits(&order.limits),
        network: order.hosts.map_or(Network::None, Network::Hosts),
        seed: order.seed,
        host: order.host.then(host_module),
        listener: Listener::default(),
        stop,
    }
}

/// Functions to call: `echo` gives back what it was given, `fail` raises it.
fn host_module() -> HostModule {
    let call = |call: HostCall| match call.function.as_str() {
        "echo" => Ok(json!({ "arguments": call.arguments, "named": call.named })),
        _ => Err(call.arguments.first().map(Value::to_string).unwrap_or_default()),
    };
    let functions = vec!["echo".to_owned(), "fail".to_owned()];
    HostModule { name: "host".to_owned(), functions, call: Arc::new(call) }
}

fn limits(wanted: &WantedLimits) -> Limits {
    let usual = Limits::default();
    Limits {
        wall: wanted.wall_ms.map_or(usual.wall, Duration::from_millis),
        cpu: wanted.cpu_ms.map_or(usual.cpu, Duration::from_millis),
        memory: wanted.memory.unwrap_or(usual.memory),
        processes: wanted.processes.unwrap_or(usual.processes),
        open_files: wanted.open_files.unwrap_or(usual.open_files),
        folder_bytes: wanted.folder_bytes.unwrap_or(usual.folder_bytes),
        folder_files: wanted.folder_files.unwrap_or(usual.folder_files),
        output: wanted.output.unwrap_or(usual.output),
        result: wanted.result.unwrap_or(usual.result),
    }
}

fn told(outcome: &Outcome, read: &[String]) -> Value {
    let files: Vec<_> =
        outcome.files.iter().map(|file| json!({ "path": file.path, "size": file.size })).collect();
    let contents: Map<_, _> = read
        .iter()
        .map(|path| {
            let content = match outcome.folder.read(path, 1 << 20) {
                Ok(content) => json!({ "content": String::from_utf8_lossy(&content) }),
                Err(error) => json!({ "error": error.to_string() }),
            };
            (path.clone(), content)
        })
        .collect();
    let visits: Vec<_> =
        outcome.visits.iter().map(|visit| json!({ "host": visit.host, "allowed": visit.allowed })).collect();
    json!({
        "ending": ending(&outcome.ending),
        "stdout": stream(&outcome.stdout),
        "stderr": stream(&outcome.stderr),
        "files": files,
        "files_truncated": outcome.files_truncated,
        "read": contents,
        "visits": visits,
        "usage": {
            "wall_ms": outcome.usage.wall.as_millis(),
            "cpu_ms": outcome.usage.cpu.map(|time| time.as_millis()),
            "memory": outcome.usage.memory,
        },
    })
}

fn ending(ending: &Ending) -> Value {
    match ending {
        Ending::Returned(value) => json!({ "returned": value }),
        Ending::Failed(failure) => json!({ "failed": {
            "code": failure.code.as_str(),
            "kind": failure.kind,
            "message": failure.message,
            "file": failure.file,
            "line": failure.line,
            "traceback": failure.traceback,
        }}),
        Ending::Limit(limit) => json!({ "limit": limit.code() }),
        Ending::Stopped => json!({ "stopped": true }),
    }
}

fn stream(captured: &Captured) -> Value {
    json!({ "text": captured.text(), "bytes": captured.bytes.len(), "truncated": captured.truncated })
}

fn list(folder: &Folder) -> Value {
    match folder.list(10_000) {
        Ok((files, truncated)) => {
            let files: Vec<_> =
                files.iter().map(|file| json!({ "path": file.path, "size": file.size })).collect();
            json!({ "files": files, "truncated": truncated })
        }
        Err(error) => json!({ "error": error.to_string() }),
    }
}
