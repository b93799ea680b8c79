//! What to execute, and what came of it.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::{Folder, HostModule, Limit, Limits, Listener, Stop};

/// What runs the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runtime {
    /// `CPython`, with the packages of a profile; none is the default profile.
    Python {
        /// The profile's name.
        profile: Option<String>,
    },
    /// `QuickJS`: ES modules and a console, nothing of a browser or of Node.
    JavaScript,
    /// A file that is executed, by its interpreter line or by `sh`.
    Script,
}

/// A file of the program. All of them stand read-only under `/program`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// Where, relative to `/program`, parts divided by `/`.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether it may be executed.
    pub executable: bool,
}

/// The code and how to call it.
#[derive(Debug, Clone)]
pub struct Program {
    /// What runs it.
    pub runtime: Runtime,
    /// Its files.
    pub files: Vec<ProgramFile>,
    /// Which of the files to run.
    pub main: String,
    /// The function to call. Without one the file is run as a whole.
    pub function: Option<String>,
    /// Arguments by name: to the function; without one they are global variables. A script finds all of them as JSON on
    /// its standard input.
    pub parameters: Map<String, Value>,
    /// Which of the parameters a script finds as environment variables too. Interpreters take orders from variables
    /// (`BASH_ENV`, `PYTHONPATH`), so that no name may stand here that a stranger chose.
    pub environment: Vec<String>,
    /// The command line of a file that is run as a whole.
    pub arguments: Vec<String>,
    /// Whether files in the work folder are code of this program: Python finds modules there, after all others, and it
    /// is `HOME`, where interpreters look for more. Otherwise `HOME` is `/tmp`, which nobody else wrote to, and
    /// interpreters that the program starts do not search the current folder (see [`crate::SEARCH_PATH_VARIABLES`]).
    pub folder_modules: bool,
}

/// A file for the work folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFile {
    /// Where, relative to `/mnt/data`.
    pub path: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Which hosts the code may reach.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Network {
    /// None.
    #[default]
    None,
    /// Those that match one of these: `host`, `host:port` or `*.domain`; ports 80 and 443 unless one is named.
    Hosts(Vec<String>),
}

/// One execution.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The code.
    pub program: Program,
    /// Files that are put into the work folder first.
    pub inputs: Vec<InputFile>,
    /// The work folder, `/mnt/data` inside; none is a new one that ends with the execution's outcome.
    pub folder: Option<Folder>,
    /// How much it may use.
    pub limits: Limits,
    /// Whom it may reach.
    pub network: Network,
    /// Where pseudo-random numbers start, for executions that must repeat exactly.
    pub seed: Option<u64>,
    /// Functions it may call; scripts have none.
    pub host: Option<HostModule>,
    /// Hears what it writes. Python then flushes its standard output at the end of each line, as on a terminal.
    pub listener: Listener,
    /// Ends it early.
    pub stop: Stop,
}

/// How an execution ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The code ended by itself, with this result.
    Returned(Value),
    /// The code failed.
    Failed(Failure),
    /// It ran into a limit and was ended.
    Limit(Limit),
    /// It was ended through [`Execution::stop`].
    Stopped,
}

/// Which kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureCode {
    /// The code raised an error that it did not catch.
    Raised,
    /// The code does not compile.
    Syntax,
    /// A package or module is not there.
    MissingModule,
    /// There is no such function in the file.
    MissingFunction,
    /// The arguments do not fit the function.
    Arguments,
    /// What the function returned cannot be said in JSON.
    NotJson,
    /// A script ended with another status than 0.
    Exit,
    /// The process was ended by a signal, or ended itself without a result.
    Crashed,
    /// The code wrote into the channel of the result.
    Spoofed,
}

impl FailureCode {
    /// Every code.
    pub const ALL: [Self; 9] = [
        Self::Raised,
        Self::Syntax,
        Self::MissingModule,
        Self::MissingFunction,
        Self::Arguments,
        Self::NotJson,
        Self::Exit,
        Self::Crashed,
        Self::Spoofed,
    ];

    /// The stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Raised => "code_error",
            Self::Syntax => "syntax_error",
            Self::MissingModule => "missing_module",
            Self::MissingFunction => "missing_function",
            Self::Arguments => "argument_error",
            Self::NotJson => "result_not_json",
            Self::Exit => "exit_status",
            Self::Crashed => "crashed",
            Self::Spoofed => "result_invalid",
        }
    }
}

/// Why the code failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Which kind.
    pub code: FailureCode,
    /// The type of the error in the code's own language, such as `ZeroDivisionError`.
    pub kind: String,
    /// What it says.
    pub message: String,
    /// The file of the program where it came up.
    pub file: Option<String>,
    /// The line there, from 1.
    pub line: Option<u32>,
    /// The trace through the program's own lines.
    pub traceback: String,
}

impl Failure {
    pub(crate) fn new(code: FailureCode, kind: &str, message: String) -> Self {
        let kind = kind.to_owned();
        Self { code, kind, message, file: None, line: None, traceback: String::new() }
    }
}

/// What was written to a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// Whether there was more.
    pub truncated: bool,
}

impl Captured {
    /// As text; what is not UTF-8 becomes U+FFFD.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// A file in a work folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Where, relative to `/mnt/data`.
    pub path: String,
    /// Its size.
    pub size: u64,
    /// When it was last written, in nanoseconds since 1970.
    pub modified_ns: i128,
}

/// What an execution used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    /// From the start of the code to its result.
    pub wall: Duration,
    /// Processor time, where it was measured (executions of some length).
    pub cpu: Option<Duration>,
    /// Most memory at a time, where it was measured.
    pub memory: Option<u64>,
}

/// What came of an execution.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// The files it made or changed, by path. Names that are not UTF-8 and what is not a plain file are left out.
    pub files: Vec<FileEntry>,
    /// Whether there were more files than are listed.
    pub files_truncated: bool,
    /// The work folder, to read the files from.
    pub folder: Folder,
    /// Hosts the code asked for, with whether it was let through.
    pub visits: Vec<Visit>,
    /// What it used.
    pub usage: Usage,
}

/// One attempt to reach a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The host with its port.
    pub host: String,
    /// Whether it was let through.
    pub allowed: bool,
}
