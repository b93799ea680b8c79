//! The handle through which code is executed.

use crate::{Error, Execution, Folder, Outcome, Protection, Settings};

/// Executes code. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sandbox {}

impl Sandbox {
    /// Finds out what this machine can do and builds the jail.
    pub fn start(_settings: Settings) -> Result<Self, Error> {
        Err(Error::Failed("not built yet".to_owned()))
    }

    /// What protects the machine from the code.
    pub fn protections(&self) -> &[Protection] {
        &[]
    }

    /// Executes code and waits for it.
    pub fn execute(&self, _execution: Execution) -> Result<Outcome, Error> {
        Err(Error::Failed("not built yet".to_owned()))
    }

    /// A work folder of this size for several executions, one after the other or at a time.
    pub fn open_folder(&self, _bytes: u64, _files: u64) -> Result<Folder, Error> {
        Err(Error::Failed("not built yet".to_owned()))
    }
}

/// What the jail's first process does; never returns.
pub fn jail_main() -> ! {
    std::process::exit(1)
}
