//! What executes code elsewhere: a process, bubblewrap, Jupyter.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::json;

/// A program with its arguments, started anew for each call.
pub(crate) struct Process(Vec<PathBuf>);

impl Process {
    pub(crate) fn new(program: &Path, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(PathBuf::from);
        Self(std::iter::once(program.to_owned()).chain(arguments).collect())
    }

    /// The same program within bubblewrap: every namespace of its own, the machine's files for reading only.
    pub(crate) fn in_bubblewrap(&self, bubblewrap: &Path) -> Self {
        let options = [
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--clearenv",
            "--ro-bind",
            "/",
            "/",
            "--proc",
            "/proc",
            "--dev",
            "/dev",
            "--tmpfs",
            "/tmp",
        ];
        let mut command = Self::new(bubblewrap, &options);
        command.0.extend(self.0.iter().cloned());
        command
    }

    /// Runs it to its end and says how long that took.
    pub(crate) fn time(&self) -> Result<Duration> {
        let (program, arguments) = self.0.split_first().context("no program")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        let started = Instant::now();
        let status = command.status()?;
        let took = started.elapsed();
        if status.success() { Ok(took) } else { bail!("{} ended with {status}", program.display()) }
    }
}

/// A program that is looked for where the shell looks.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// The Python that starts fastest, of the one the path names and the system's own: an installation may have start-up
/// files that take longer than Python itself, and a peer must not be slower than it need be.
pub(crate) fn fastest_python() -> Option<PathBuf> {
    let found: Vec<PathBuf> = ["python3", "/usr/bin/python3"].into_iter().filter_map(real_python).collect();
    let mut best = vec![Duration::MAX; found.len()];
    for _ in 0..20 {
        for (python, best) in found.iter().zip(&mut best) {
            let took = Process::new(python, &["-c", "pass"]).time();
            *best = took.map_or(*best, |took| took.min(*best));
        }
    }
    found.into_iter().zip(best).min_by_key(|(_, best)| *best).map(|(python, _)| python)
}

/// The interpreter itself: what the path names may be a script that looks for it, which would be timed too.
fn real_python(program: &str) -> Option<PathBuf> {
    let output = Command::new(program).args(["-c", "import sys; print(sys.executable)"]).output().ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim_end());
    path.is_file().then_some(path)
}

/// Which kernel executes the code.
#[derive(Clone, Copy)]
pub(crate) enum Kernel {
    /// One that has executed before, and shares its state.
    Warm,
    /// One that is started for it.
    New,
}

/// Jupyter kernels, driven by a Python program that takes the times.
pub(crate) struct Jupyter {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Jupyter {
    pub(crate) fn start(python: &Path) -> Result<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/jupyter_peer.py");
        let mut child =
            Command::new(python).arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().context("no output")?);
        Ok(Self { child, requests, answers })
    }

    /// Executes code whose last line gives this result.
    pub(crate) fn time(&mut self, kernel: Kernel, code: &str, result: &str) -> Result<Duration> {
        let kernel = match kernel {
            Kernel::Warm => "warm",
            Kernel::New => "new",
        };
        let requests = self.requests.as_mut().context("the peer was stopped")?;
        writeln!(requests, "{}", json!({"kernel": kernel, "code": code, "result": result}))?;
        requests.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let milliseconds: f64 = answer.trim().parse().context("the peer ended")?;
        Ok(Duration::from_secs_f64(milliseconds / 1_000.0))
    }
}

impl Drop for Jupyter {
    fn drop(&mut self) {
        // The end of its input ends it, with its kernels.
        self.requests = None;
        let _ = self.child.wait();
    }
}
