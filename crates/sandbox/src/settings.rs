//! What the sandbox is set up with, and what it found on this machine.

use std::path::PathBuf;

use crate::Limits;

/// The name of the profile that is the machine's own Python.
pub const DEFAULT_PROFILE: &str = "default";

/// A Python interpreter with its packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The interpreter: of a virtual environment, or any other.
    pub python: PathBuf,
    /// Modules that are imported ahead of time, for code that names them. What is not installed is left out.
    pub preload: Vec<String>,
}

/// Whether to use control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cgroups {
    /// Where they can be had.
    #[default]
    Auto,
    /// Never; limits are then held by resource limits and a watchdog.
    Off,
}

/// What the sandbox is set up with.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program that becomes the jail's first process, with its arguments; it must call [`crate::jail_main`].
    pub jail_command: Vec<PathBuf>,
    /// The Python profiles; none may be there.
    pub profiles: Vec<Profile>,
    /// The server's own files and folders. Code sees none of them, also where a profile stands around them; a profile
    /// that stands inside of one is shown all the same.
    pub hidden: Vec<PathBuf>,
    /// Whether code may run although a required protection is missing.
    pub allow_weaker: bool,
    /// Whether to use control groups.
    pub cgroups: Cgroups,
    /// How many processes are kept ready at most, of each kind; none is one made for each execution.
    pub spares: usize,
    /// The limits that most executions have; what can be is set up for them ahead of time.
    pub usual: Limits,
}

/// One protection, as found on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protection {
    /// Its name, such as `user_namespace`.
    pub name: &'static str,
    /// Whether it is active.
    pub active: bool,
    /// Whether code is refused without it.
    pub required: bool,
    /// What it does or, where it is missing, why and how to get it.
    pub detail: String,
}
