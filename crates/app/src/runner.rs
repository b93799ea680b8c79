//! The port to the sandbox, and its implementation on the real one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sandbox::{Error, Execution, Folder, Outcome, Protection, Sandbox, Settings, Stop};

/// Executes untrusted code.
#[async_trait]
pub trait Runner: Send + Sync {
    /// Executes code. Dropping the future ends the execution.
    async fn execute(&self, execution: Execution) -> Result<Outcome, Error>;
    /// A work folder for several executions.
    async fn open_folder(&self, bytes: u64, files: u64) -> Result<Folder, Error>;
    /// What protects the machine from the code, and which protection is missing.
    async fn protections(&self) -> Result<Vec<Protection>, Error>;
    /// The names of the Python profiles.
    fn profiles(&self) -> Vec<String>;
    /// Ends what is being executed; who waits for it is told that it was stopped.
    fn stop_all(&self) {}
}

/// The real sandbox, built when it is first needed.
#[derive(Clone)]
pub struct SandboxRunner {
    settings: Settings,
    started: Arc<Mutex<Option<Sandbox>>>,
    running: Arc<Mutex<Running>>,
}

/// What is being executed, by a number of its own.
#[derive(Default)]
struct Running {
    next: u64,
    stops: HashMap<u64, Stop>,
}

impl SandboxRunner {
    /// A sandbox with these settings. Nothing is started yet.
    pub fn new(settings: Settings) -> Self {
        Self { settings, started: Arc::default(), running: Arc::default() }
    }

    /// The sandbox; a failed start is tried again the next time.
    fn sandbox(&self) -> Result<Sandbox, Error> {
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sandbox) = &*started {
            return Ok(sandbox.clone());
        }
        Ok(started.insert(Sandbox::start(self.settings.clone())?).clone())
    }

    async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Sandbox) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let runner = self.clone();
        tokio::task::spawn_blocking(move || act(&runner.sandbox()?))
            .await
            .map_err(|error| Error::Failed(error.to_string()))?
    }
}

#[async_trait]
impl Runner for SandboxRunner {
    async fn execute(&self, mut execution: Execution) -> Result<Outcome, Error> {
        let stop = Stop::new().map_err(|error| Error::Failed(error.to_string()))?;
        execution.stop = stop.clone();
        let _ends_when_dropped = StopOnDrop::new(stop, &self.running);
        self.blocking(move |sandbox| sandbox.execute(&execution)).await
    }

    async fn open_folder(&self, bytes: u64, files: u64) -> Result<Folder, Error> {
        self.blocking(move |sandbox| sandbox.open_folder(bytes, files)).await
    }

    async fn protections(&self) -> Result<Vec<Protection>, Error> {
        self.blocking(|sandbox| Ok(sandbox.protections().to_vec())).await
    }

    fn profiles(&self) -> Vec<String> {
        self.settings.profiles.iter().map(|profile| profile.name.clone()).collect()
    }

    fn stop_all(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.stops.values().for_each(Stop::stop);
    }
}

/// An execution that is listed while it goes on, and ended when nobody waits for it any more.
struct StopOnDrop {
    number: u64,
    stop: Stop,
    running: Arc<Mutex<Running>>,
}

impl StopOnDrop {
    fn new(stop: Stop, running: &Arc<Mutex<Running>>) -> Self {
        let mut all = running.lock().unwrap_or_else(PoisonError::into_inner);
        all.next += 1;
        let number = all.next;
        all.stops.insert(number, stop.clone());
        Self { number, stop, running: Arc::clone(running) }
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.stop.stop();
        self.running.lock().unwrap_or_else(PoisonError::into_inner).stops.remove(&self.number);
    }
}

/// What stands where the sandbox is switched off.
pub(crate) struct NoRunner;

impl NoRunner {
    fn refuse<T>() -> Result<T, Error> {
        Err(Error::Failed("it is switched off; set `enabled = true` under [sandbox]".to_owned()))
    }
}

#[async_trait]
impl Runner for NoRunner {
    async fn execute(&self, _execution: Execution) -> Result<Outcome, Error> {
        Self::refuse()
    }

    async fn open_folder(&self, _bytes: u64, _files: u64) -> Result<Folder, Error> {
        Self::refuse()
    }

    async fn protections(&self) -> Result<Vec<Protection>, Error> {
        Self::refuse()
    }

    fn profiles(&self) -> Vec<String> {
        Vec::new()
    }
}
