//! Other ways to search, in Python: they rank the same questions, and are timed call by call.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

use super::sets::Set;

/// A Python with the packages, and a folder to exchange files in.
pub(crate) struct Peers {
    python: PathBuf,
    folder: TempDir,
}

/// One method in one variant: by set and question the best documents with their scores.
#[derive(Deserialize)]
pub(crate) struct Ranked {
    pub(crate) method: String,
    pub(crate) share_of_words: Option<f64>,
    pub(crate) examples: bool,
    pub(crate) rankings: HashMap<String, HashMap<String, Vec<(String, f64)>>>,
}

impl Peers {
    pub(crate) fn new(python: &str) -> Result<Self> {
        Ok(Self { python: python.into(), folder: tempfile::tempdir()? })
    }

    fn command(&self, action: &str) -> Command {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/search.py");
        let mut command = Command::new(&self.python);
        command.arg("-B").arg(script).arg(action).arg(self.folder.path());
        command
    }

    /// Asks every method all questions.
    pub(crate) fn rank(&self, sets: &[Set]) -> Result<Vec<Ranked>> {
        let by_name: BTreeMap<&str, &Set> = sets.iter().map(|set| (set.name, set)).collect();
        std::fs::write(self.folder.path().join("questions.json"), serde_json::to_vec(&by_name)?)?;
        let status = self.command("rank").stdin(Stdio::null()).status()?;
        if !status.success() {
            bail!("the peers of search ended with {status}");
        }
        Ok(serde_json::from_slice(&std::fs::read(self.folder.path().join("rankings.json"))?)?)
    }

    /// Fills the vector databases and waits until they can be asked.
    pub(crate) fn serve(
        self,
        vectors: &[Vec<f32>],
        questions: &[String],
        asked: &[Vec<f32>],
    ) -> Result<Served> {
        let write = |name: &str, rows: &[Vec<f32>]| {
            let bytes: Vec<u8> = rows.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
            std::fs::write(self.folder.path().join(name), bytes)
        };
        write("vectors.f32", vectors)?;
        write("questions.f32", asked)?;
        std::fs::write(self.folder.path().join("questions.txt"), questions.join("\n"))?;
        let mut child = self.command("serve").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take();
        let mut answers = BufReader::new(child.stdout.take().context("no output")?);
        let mut line = String::new();
        answers.read_line(&mut line)?;
        let about = serde_json::from_str(&line).context("the peers of search ended")?;
        Ok(Served { child, requests, answers, about, _peers: self })
    }
}

/// Peers that wait to be timed.
pub(crate) struct Served {
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    pub(crate) about: About,
    _peers: Peers,
}

/// What the peers say of themselves.
#[derive(Deserialize)]
pub(crate) struct About {
    /// Which share of the ten nearest they find.
    pub(crate) recall: BTreeMap<String, f64>,
    /// How many seconds they took to take the vectors in.
    pub(crate) filled_s: BTreeMap<String, f64>,
    /// Those that do not work here, and why.
    pub(crate) failed: BTreeMap<String, String>,
}

impl Served {
    pub(crate) fn time(&mut self, peer: &str, question: usize) -> Result<Duration> {
        let requests = self.requests.as_mut().context("the peers were stopped")?;
        writeln!(requests, "{}", json!({"with": peer, "question": question}))?;
        requests.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        let milliseconds: f64 = answer.trim().parse().context("the peers of search ended")?;
        Ok(Duration::from_secs_f64(milliseconds / 1_000.0))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.requests = None;
        let _ = self.child.wait();
    }
}
