//! A runner that executes nothing: a test says what comes of an execution. Its work folders are folders of the
//! machine, and go with it.

use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use app::Runner;
use async_trait::async_trait;
use sandbox::{Captured, Ending, Error, Execution, FileEntry, Folder, Outcome, Protection, Usage};
use serde_json::Value;

type Answer = Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>;

/// A runner that answers as a test says. An execution without a folder gets one, and its inputs are in it.
pub struct FakeRunner {
    act: Box<dyn Fn(Execution) -> Answer + Send + Sync>,
    place: tempfile::TempDir,
    made: AtomicUsize,
    /// Every execution there was.
    seen: Mutex<Vec<Execution>>,
}

impl Default for FakeRunner {
    /// A runner whose programs give their parameters back.
    fn default() -> Self {
        Self::new(|execution| Ok(returned(&execution, Value::Object(execution.program.parameters.clone()))))
    }
}

impl FakeRunner {
    /// A runner that answers at once.
    pub fn new(act: impl Fn(Execution) -> Result<Outcome, Error> + Send + Sync + 'static) -> Self {
        Self::waiting(move |execution| std::future::ready(act(execution)))
    }

    /// A runner that may wait before it answers.
    pub fn waiting<F>(act: impl Fn(Execution) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Outcome, Error>> + Send + 'static,
    {
        Self {
            act: Box::new(move |execution| Box::pin(act(execution))),
            place: tempfile::tempdir().unwrap(),
            made: AtomicUsize::new(0),
            seen: Mutex::default(),
        }
    }

    /// Every execution there was, oldest first.
    pub fn seen(&self) -> Vec<(String, sandbox::Limits)> {
        let told = |execution: &Execution| {
            let source = execution.program.files.iter().find(|file| file.path == execution.program.main);
            let text = source.map(|file| String::from_utf8_lossy(&file.content).into_owned());
            (text.unwrap_or_default(), execution.limits.clone())
        };
        self.seen.lock().unwrap().iter().map(told).collect()
    }

    /// The executions there were, whole, oldest first; without their folders.
    pub fn executions(&self) -> Vec<Execution> {
        self.seen.lock().unwrap().clone()
    }

    /// Where its work folders lie.
    pub fn place(&self) -> &Path {
        self.place.path()
    }

    /// How many work folders something still holds.
    pub fn open_folders(&self) -> usize {
        let place = self.place.path();
        let inside = |link: std::io::Result<PathBuf>| link.is_ok_and(|target| target.starts_with(place));
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        open.filter(|entry| entry.as_ref().is_ok_and(|entry| inside(std::fs::read_link(entry.path()))))
            .count()
    }

    fn folder(&self) -> Folder {
        let path = self.place.path().join(self.made.fetch_add(1, Ordering::SeqCst).to_string());
        std::fs::create_dir(&path).unwrap();
        open(&path)
    }
}

fn open(path: &Path) -> Folder {
    Folder::on(std::fs::File::open(path).unwrap().into())
}

#[async_trait]
impl Runner for FakeRunner {
    async fn execute(&self, mut execution: Execution) -> Result<Outcome, Error> {
        let folder = execution.folder.get_or_insert_with(|| self.folder()).clone();
        for input in &execution.inputs {
            folder.write(&input.path, &input.content)?;
        }
        let seen = Execution { folder: None, ..execution.clone() };
        self.seen.lock().unwrap().push(seen);
        (self.act)(execution).await
    }

    async fn open_folder(&self, _bytes: u64, _files: u64) -> Result<Folder, Error> {
        Ok(self.folder())
    }

    async fn protections(&self) -> Result<Vec<Protection>, Error> {
        let detail = "nothing is executed".to_owned();
        Ok(vec![Protection { name: "fake", active: true, required: true, detail }])
    }

    fn profiles(&self) -> Vec<String> {
        vec![sandbox::DEFAULT_PROFILE.to_owned()]
    }
}

/// An execution that gave this back, with what its folder holds as the files it made.
pub fn returned(execution: &Execution, result: Value) -> Outcome {
    ended(execution, Ending::Returned(result))
}

/// An execution that ended like this, with what its folder holds as the files it made.
pub fn ended(execution: &Execution, ending: Ending) -> Outcome {
    let folder = execution.folder.clone().expect("a runner gives every execution a folder");
    let (files, files_truncated): (Vec<FileEntry>, bool) = folder.list(1_000).unwrap();
    Outcome {
        ending,
        stdout: Captured::default(),
        stderr: Captured::default(),
        files,
        files_truncated,
        folder,
        visits: Vec::new(),
        usage: Usage { wall: Duration::from_millis(3), cpu: None, memory: None },
    }
}
