//! Code that is executed: in our sandbox beside a plain process, bubblewrap, Jupyter and Node.
//!
//! Everything is timed in turns within one run. What counts is the time from asking to the answer.

mod ours;
mod over_http;
mod peers;

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sandbox::Sandbox;

pub(crate) use self::ours::JAIL_COMMAND;
use self::ours::Task;
pub(crate) use self::over_http::OverHttp;
use self::peers::{Jupyter, Kernel, Process, fastest_python, find};
use crate::report::Report;
use crate::times::{Candidate, Table};

const ROUNDS: usize = 5;
/// How long each candidate is loaded in each round of the throughput.
const LOADED: Duration = Duration::from_secs(2);
const WORKERS: usize = 2;
/// How long a spare with pandas takes to be ready; the others need no longer than every pause.
const DATA_PAUSE: Duration = Duration::from_millis(25);

const CALL: &str = "ours: f(a, b)";
const COLD: &str = "ours: f(a, b), no spare ready";
const OVER_HTTP: &str = "ours: f(a, b), over HTTP";
const JAVASCRIPT: &str = "ours: f(a, b) in JavaScript";
const SHELL: &str = "ours: shell script";
const GROUP_BY: &str = "ours: pandas group-by";
const PYTHON: &str = "python3 -c pass";
const PANDAS: &str = "python3: pandas group-by";
const BWRAP_PYTHON: &str = "bubblewrap: python3 -c pass";
const BWRAP_TRUE: &str = "bubblewrap: true";
const NODE: &str = "node -e 0";
const JUPYTER_WARM: &str = "Jupyter: f(a, b), warm kernel";
const JUPYTER_NEW: &str = "Jupyter: f(a, b), new kernel";
const JUPYTER_GROUP_BY: &str = "Jupyter: pandas group-by, warm kernel";
const LOOP: &str = "ours: endless loop, ended too late by";
const FORKS: &str = "ours: fork bomb, ended too late by";

/// What is on this machine.
pub(crate) struct Tools {
    python: PathBuf,
    /// A Python with pandas and Jupyter.
    data_python: Option<PathBuf>,
    bubblewrap: Option<PathBuf>,
    node: Option<PathBuf>,
}

impl Tools {
    /// Looks for what there is; the Python with pandas is given.
    pub(crate) fn find(data_python: Option<&str>) -> Result<Self> {
        Ok(Self {
            python: fastest_python().context("there is no python3")?,
            data_python: data_python.map(PathBuf::from),
            bubblewrap: find("bwrap"),
            node: find("node"),
        })
    }
}

/// Times everything that is there.
pub(crate) fn measure(report: &mut Report, tools: &Tools, mut over_http: OverHttp) -> Result<()> {
    let pooled = match ours::start(&tools.python, tools.data_python.as_deref(), WORKERS) {
        Ok(pooled) => pooled,
        Err(error) => {
            eprintln!("not measured: the sandbox ({error:#})");
            report.missing("sandbox_call_vs_python", "this machine cannot isolate code");
            return Ok(());
        }
    };
    let bare = ours::start(&tools.python, None, 0)?;
    let mut candidates = ours_to_time(&pooled, &bare, tools);
    match over_http.time() {
        Ok(_) => candidates.push(Candidate::new(OVER_HTTP, 40, move || over_http.time())),
        Err(error) => eprintln!("not measured: runs over HTTP ({error:#})"),
    }
    candidates.extend(processes(tools));
    if let Some(python) = &tools.data_python {
        candidates.extend(kernels(Jupyter::start(python)?));
    }
    let table = Table::measure(ROUNDS, &mut candidates)?;
    table.print();
    drop(candidates);
    compare(report, &table);
    report.goal("sandbox_spare_memory_mb", ours::spare_megabytes()?, 10.0, "MB");
    throughput(report, &pooled, &tools.python)
}

fn ours_to_time<'a>(pooled: &'a Sandbox, bare: &'a Sandbox, tools: &Tools) -> Vec<Candidate<'a>> {
    let timed = |name, calls, task: Task, sandbox: &'a Sandbox| {
        Candidate::new(name, calls, move || task.time(sandbox))
    };
    let ended = |name, calls, task: Task| Candidate::new(name, calls, move || task.time_overshoot(pooled));
    let mut candidates = vec![
        timed(CALL, 40, Task::call(), pooled),
        timed(COLD, 20, Task::call(), bare),
        timed(JAVASCRIPT, 40, Task::javascript(), pooled),
        timed(SHELL, 20, Task::shell(), pooled),
        ended(LOOP, 2, Task::endless_loop()),
        ended(FORKS, 1, Task::fork_bomb()),
    ];
    if tools.data_python.is_some() {
        let group_by = timed(GROUP_BY, 20, Task::group_by(), pooled);
        candidates.push(Candidate { pause: DATA_PAUSE, ..group_by });
    }
    candidates
}

fn processes(tools: &Tools) -> Vec<Candidate<'static>> {
    let timed = |name, calls, process: Process| Candidate::new(name, calls, move || process.time());
    let python = Process::new(&tools.python, &["-c", "pass"]);
    let mut candidates = Vec::new();
    if let Some(bubblewrap) = &tools.bubblewrap {
        candidates.push(timed(BWRAP_PYTHON, 10, python.in_bubblewrap(bubblewrap)));
        candidates.push(timed(
            BWRAP_TRUE,
            10,
            Process::new(Path::new("true"), &[]).in_bubblewrap(bubblewrap),
        ));
    }
    candidates.push(timed(PYTHON, 10, python));
    if let Some(node) = &tools.node {
        candidates.push(timed(NODE, 6, Process::new(node, &["-e", "0"])));
    }
    if let Some(python) = &tools.data_python {
        let code = format!("{}print(totals())", ours::GROUP);
        candidates.push(timed(PANDAS, 4, Process::new(python, &["-c", &code])));
    }
    candidates
}

fn kernels(jupyter: Jupyter) -> Vec<Candidate<'static>> {
    let shared = Rc::new(RefCell::new(jupyter));
    let timed = |name, calls, kernel, code: &str, result: &'static str| {
        let (jupyter, code) = (Rc::clone(&shared), code.to_owned());
        Candidate::new(name, calls, move || jupyter.borrow_mut().time(kernel, &code, result))
    };
    let add = format!("{}add(2, 3)", ours::ADD);
    let group = format!("{}sum(totals().values())", ours::GROUP);
    vec![
        timed(JUPYTER_WARM, 25, Kernel::Warm, &add, "5"),
        timed(JUPYTER_GROUP_BY, 10, Kernel::Warm, &group, "499500"),
        timed(JUPYTER_NEW, 2, Kernel::New, &add, "5"),
    ]
}

/// One comparison: its id, ours, theirs, the ratio we hold.
type Comparison = (&'static str, &'static str, &'static str, f64);

const COMPARISONS: [Comparison; 11] = [
    ("sandbox_call_vs_python", CALL, PYTHON, 0.12),
    ("sandbox_cold_vs_python", COLD, PYTHON, 0.45),
    ("sandbox_pandas_vs_process", GROUP_BY, PANDAS, 0.02),
    ("sandbox_call_vs_jupyter_warm", CALL, JUPYTER_WARM, 1.0 / 3.0),
    ("sandbox_call_vs_jupyter_new", CALL, JUPYTER_NEW, 1.0 / 250.0),
    ("sandbox_call_vs_bwrap", CALL, BWRAP_PYTHON, 1.0 / 8.0),
    ("sandbox_js_vs_node", JAVASCRIPT, NODE, 1.0 / 25.0),
    ("sandbox_pandas_vs_jupyter_warm", GROUP_BY, JUPYTER_GROUP_BY, 1.0 / 1.5),
    ("sandbox_shell_vs_bwrap_true", SHELL, BWRAP_TRUE, 0.6),
    ("sandbox_http_vs_python", OVER_HTTP, PYTHON, 1.0),
    ("sandbox_http_vs_jupyter_warm", OVER_HTTP, JUPYTER_WARM, 1.0),
];

fn compare(report: &mut Report, table: &Table) {
    for (id, ours, theirs, at_most) in COMPARISONS {
        match (table.median(ours), table.median(theirs)) {
            (Some(ours), Some(time)) => report.race(id, ours, time, at_most, (theirs, "ms")),
            _ => report.missing(id, "it or its peer does not run on this machine"),
        }
    }
    for (id, name, goal) in
        [("sandbox_kill_overshoot_ms", LOOP, 100.0), ("sandbox_fork_bomb_overshoot_ms", FORKS, 500.0)]
    {
        report.goal(id, table.longest(name).unwrap_or(f64::NAN), goal, "ms");
    }
}

/// Executions one after the other by a few workers at a time: the time each takes of the whole.
fn throughput(report: &mut Report, pooled: &Sandbox, python: &Path) -> Result<()> {
    let (task, process) = (Task::call(), Process::new(python, &["-c", "pass"]));
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        ours.push(time_each(|| task.time(pooled).map(drop))?);
        theirs.push(time_each(|| process.time().map(drop))?);
    }
    let (ours, theirs) = (crate::median(ours), crate::median(theirs));
    report.race("sandbox_throughput_vs_python", ours, theirs, 0.5, ("python3 -c pass, 2 workers", "ms"));
    Ok(())
}

fn time_each(execute: impl Fn() -> Result<()> + Sync) -> Result<f64> {
    let (count, started) = (AtomicU64::new(0), Instant::now());
    let work = || {
        while started.elapsed() < LOADED {
            execute()?;
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| anyhow::bail!("a worker failed")))
    })?;
    #[allow(clippy::cast_precision_loss)]
    let count = count.load(Ordering::Relaxed) as f64;
    Ok(started.elapsed().as_secs_f64() * 1_000.0 / count)
}
