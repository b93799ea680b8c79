//! Our sandbox, and the programs it is timed with.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sandbox::{
    Cgroups, DEFAULT_PROFILE, Ending, Execution, Limit, Limits, Listener, Network, Profile, Program,
    ProgramFile, Runtime, Sandbox, Settings, Stop,
};
use serde_json::{Map, Value, json};

/// The word on the command line that makes this program the first process of the jail.
pub(crate) const JAIL_COMMAND: &str = "sandbox-jail";
/// The profile with pandas.
const DATA: &str = "data";

/// The function every language is timed with.
pub(crate) const ADD: &str = "def add(a, b):\n    return a + b\n";
/// The group-by; a process of its own runs the same.
pub(crate) const GROUP: &str = concat!(
    "import pandas as pd\n",
    "def totals():\n",
    "    rows = pd.DataFrame({'region': ['n', 's', 'e', 'w'] * 250, 'sales': range(1000)})\n",
    "    return {name: int(value) for name, value in rows.groupby('region')['sales'].sum().items()}\n",
);
/// Processes that replace themselves without end and stay below the number that is allowed, so that their time is what
/// ends them; one that grows past the number would be ended for that, long before.
const FORK_BOMB: &str = concat!(
    "import os, signal\n",
    "def run():\n",
    "    signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n",
    "    for _ in range(8):\n",
    "        if not os.fork():\n",
    "            while True:\n",
    "                try:\n",
    "                    if os.fork():\n",
    "                        os._exit(0)\n",
    "                except OSError:\n",
    "                    pass\n",
    "    while True:\n",
    "        signal.pause()\n",
);
/// When code that does not end by itself is ended.
const KILL_AFTER: Duration = Duration::from_millis(300);

/// Starts a sandbox with the machine's Python, with one that has pandas if there is one, and so many spares.
pub(crate) fn start(python: &Path, data_python: Option<&Path>, spares: usize) -> Result<Sandbox> {
    let mut profiles =
        vec![Profile { name: DEFAULT_PROFILE.to_owned(), python: python.to_owned(), preload: Vec::new() }];
    if let Some(python) = data_python {
        let preload = vec!["numpy".to_owned(), "pandas".to_owned()];
        profiles.push(Profile { name: DATA.to_owned(), python: python.to_owned(), preload });
    }
    let settings = Settings {
        jail_command: vec![std::env::current_exe()?, PathBuf::from(JAIL_COMMAND)],
        profiles,
        allow_weaker: false,
        cgroups: Cgroups::Auto,
        spares,
        hidden: Vec::new(),
        usual: sandbox::Limits::default(),
    };
    Ok(Sandbox::start(settings)?)
}

/// A program with what it must give.
pub(crate) struct Task {
    execution: Execution,
    expected: Option<Value>,
}

impl Task {
    fn new(runtime: Runtime, file: &str, code: &str, function: Option<&str>) -> Self {
        let content = code.as_bytes().to_vec();
        let program = Program {
            runtime,
            files: vec![ProgramFile { path: file.to_owned(), content, executable: true }],
            main: file.to_owned(),
            function: function.map(str::to_owned),
            parameters: Map::new(),
            environment: Vec::new(),
            arguments: Vec::new(),
            folder_modules: false,
        };
        let execution = Execution {
            program,
            inputs: Vec::new(),
            folder: None,
            limits: Limits::default(),
            network: Network::None,
            seed: None,
            host: None,
            listener: Listener::default(),
            stop: Stop::default(),
        };
        Self { execution, expected: None }
    }

    fn python(code: &str, function: &str, profile: Option<&str>) -> Self {
        let runtime = Runtime::Python { profile: profile.map(str::to_owned) };
        Self::new(runtime, "main.py", code, Some(function))
    }

    fn adding(mut self) -> Self {
        self.execution.program.parameters.extend([("a".to_owned(), json!(2)), ("b".to_owned(), json!(3))]);
        self.expected = Some(json!(5));
        self
    }

    /// A Python function of two numbers.
    pub(crate) fn call() -> Self {
        Self::python(ADD, "add", None).adding()
    }

    /// The same in JavaScript.
    pub(crate) fn javascript() -> Self {
        let code = "export function add(a, b) { return a + b; }\n";
        Self::new(Runtime::JavaScript, "main.js", code, Some("add")).adding()
    }

    /// A group-by with pandas.
    pub(crate) fn group_by() -> Self {
        let task = Self::python(GROUP, "totals", Some(DATA));
        Self { expected: Some(json!({"e": 125_000, "n": 124_500, "s": 124_750, "w": 125_250})), ..task }
    }

    /// A shell script that says one word.
    pub(crate) fn shell() -> Self {
        Self::new(Runtime::Script, "main.sh", "echo hi\n", None)
    }

    fn endless(code: &str) -> Self {
        let mut task = Self::python(code, "run", None);
        task.execution.limits.wall = KILL_AFTER;
        task
    }

    /// A loop without end.
    pub(crate) fn endless_loop() -> Self {
        Self::endless("def run():\n    while True:\n        pass\n")
    }

    /// Processes that start processes without end.
    pub(crate) fn fork_bomb() -> Self {
        Self::endless(FORK_BOMB)
    }

    /// Executes it and says how long that took.
    pub(crate) fn time(&self, sandbox: &Sandbox) -> Result<Duration> {
        let started = Instant::now();
        let outcome = sandbox.execute(&self.execution)?;
        let took = started.elapsed();
        match (outcome.ending, &self.expected) {
            (Ending::Returned(value), Some(expected)) if value == *expected => Ok(took),
            (Ending::Returned(_), None) => Ok(took),
            (ending, _) => bail!("it ended otherwise: {ending:?}, {}", outcome.stderr.text()),
        }
    }

    /// Executes what does not end by itself and says how long after its time it was ended.
    pub(crate) fn time_overshoot(&self, sandbox: &Sandbox) -> Result<Duration> {
        let started = Instant::now();
        let outcome = sandbox.execute(&self.execution)?;
        let took = started.elapsed();
        match outcome.ending {
            Ending::Limit(Limit::Wall) => Ok(took.saturating_sub(KILL_AFTER)),
            ending => bail!("it ended otherwise: {ending:?}"),
        }
    }
}

/// How much memory of its own the largest spare has, in megabytes.
pub(crate) fn spare_megabytes() -> Result<f64> {
    let parents = parents()?;
    let jail =
        [std::env::current_exe()?.as_os_str().as_encoded_bytes(), JAIL_COMMAND.as_bytes(), b""].join(&0);
    let is_jail = |pid: u32| std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line == jail);
    // A spare is the child of a fork server, which is another program that a process of the jail has started.
    let fork_servers = parents.iter().filter(|(pid, parent)| is_jail(*parent) && !is_jail(*pid));
    let fork_servers: Vec<u32> = fork_servers.map(|(pid, _)| *pid).collect();
    let spares = parents.iter().filter(|(_, parent)| fork_servers.contains(parent));
    // Those that ended in between, and those that this user may not look at, are left out.
    let sizes = spares.filter_map(|(pid, _)| private_megabytes(*pid).ok());
    sizes.reduce(f64::max).context("no spare was found")
}

/// Every process with its parent.
fn parents() -> Result<Vec<(u32, u32)>> {
    let mut parents = Vec::new();
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let behind_name = stat.rsplit_once(')').map(|(_, rest)| rest).unwrap_or_default();
        if let Some(parent) = behind_name.split_whitespace().nth(1).and_then(|parent| parent.parse().ok()) {
            parents.push((pid, parent));
        }
    }
    Ok(parents)
}

fn private_megabytes(pid: u32) -> Result<f64> {
    let rollup = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let private = rollup.lines().filter(|line| line.starts_with("Private_"));
    let kilobytes: f64 = private.filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok()).sum();
    Ok(kilobytes / 1024.0)
}
