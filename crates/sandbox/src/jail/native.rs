//! The fork server for what needs no Python: JavaScript, and programs that are executed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::kernel::{self, Forked};
use super::{javascript, script};
use crate::host::HostNames;
use crate::lockdown;

/// What to run; the payload of a request to a spare of this fork server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Whether it is a program to execute; else it is JavaScript.
    pub(crate) script: bool,
    /// The file, below `/program`.
    pub(crate) main: String,
    /// The function to call.
    pub(crate) function: Option<String>,
    /// Its arguments by name.
    pub(crate) parameters: Map<String, Value>,
    /// Which of them a script finds as environment variables.
    pub(crate) environment: Vec<String>,
    /// The command line.
    pub(crate) arguments: Vec<String>,
    /// Whether what stands in the work folder is code of the program.
    pub(crate) folder_modules: bool,
    /// Bytes the result may have.
    pub(crate) result_limit: u64,
    /// Bytes of memory for JavaScript.
    pub(crate) memory: u64,
    /// Where pseudo-random numbers start.
    pub(crate) seed: Option<u64>,
    /// Whether somebody hears what Python writes, line by line.
    pub(crate) live: bool,
    /// The proxy, for those who may use it.
    pub(crate) proxy: Option<String>,
    /// The functions it may call.
    pub(crate) host: Option<HostNames>,
}

/// What the code came to, as JSON to the server. Python writes the same.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// The result.
    Ok(Value),
    /// Why there is none.
    Error(ErrorReport),
    /// A limit the code noticed by itself.
    Limit(String),
}

/// An error of the code.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorReport {
    /// A word of `FailureCode`.
    pub(crate) code: String,
    /// The error's type.
    pub(crate) kind: String,
    /// What it says.
    pub(crate) message: String,
    /// Where: the file.
    pub(crate) file: Option<String>,
    /// Where: the line.
    pub(crate) line: Option<u32>,
    /// The trace.
    pub(crate) traceback: String,
    /// The limit that is behind it, if one is.
    pub(crate) limit: Option<String>,
    /// The module that is missing, if that is why.
    pub(crate) module: Option<String>,
}

/// Serves until the server is gone.
pub(super) fn serve() -> i32 {
    let engine = javascript::Engine::new();
    lockdown::lockdown_zygote();
    while lockdown::lockdown_next() {
        lockdown::lockdown_split();
        match kernel::fork() {
            Ok(Forked::Child) => execute(engine),
            Ok(Forked::Parent(pid)) => lockdown::lockdown_forked(pid),
            Err(_) => lockdown::lockdown_forked(-1),
        }
    }
    0
}

/// Does once what every run does, so that its pages are there before the request is.
fn warm_up(engine: Option<&javascript::Engine>) {
    let task =
        br#"{"script":false,"main":"a","parameters":{"a":1},"environment":[],"arguments":[],"folder_modules":false,"result_limit":9,"memory":9,"live":false}"#;
    let task: Option<Task> = serde_json::from_slice(task).ok();
    drop(task.and_then(|task| serde_json::to_vec(&task).ok()));
    if let Some(engine) = engine {
        engine.warm_up();
    }
}

fn execute(engine: Option<javascript::Engine>) -> ! {
    lockdown::lockdown_prepare();
    if !lockdown::lockdown_hurried() {
        warm_up(engine.as_ref());
    }
    lockdown::lockdown_await();
    let task: Option<Task> = serde_json::from_slice(lockdown::payload()).ok();
    lockdown::lockdown_enter();
    let report = match (task, engine) {
        (Some(task), _) if task.script => script::run(&task),
        (Some(task), Some(engine)) => engine.run(&task),
        _ => Report::Error(ErrorReport { code: "crashed".to_owned(), ..ErrorReport::default() }),
    };
    lockdown::finish(&serde_json::to_vec(&report).unwrap_or_default())
}
