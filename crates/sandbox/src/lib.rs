//! Runs untrusted Python, JavaScript and scripts under limits.
//!
//! It knows nothing of skills, users or databases. All calls block; nothing here waits on an async runtime.

mod cgroups;
mod error;
mod execution;
mod filters;
mod folder;
mod fork_server;
mod guard;
mod host;
mod interpreters;
mod jail;
mod limits;
mod listener;
mod lockdown;
mod owner;
mod processor;
mod protections;
mod proxy;
mod run;
mod sandbox;
mod search_path;
mod settings;
mod stop;
mod supervise;
mod watch;
mod wire;

pub use error::{Error, FileProblem};
pub use execution::{
    Captured, Ending, Execution, Failure, FailureCode, FileEntry, InputFile, Network, Outcome, Program,
    ProgramFile, Runtime, Usage, Visit,
};
pub use folder::Folder;
pub use host::{HostCall, HostModule};
pub use jail::jail_main;
pub use limits::{Bounds, Limit, Limits};
pub use listener::{Listener, OutputStream};
pub use proxy::HostRule;
pub use sandbox::Sandbox;
pub use search_path::SEARCH_PATH_VARIABLES;
pub use settings::{Cgroups, DEFAULT_PROFILE, Profile, Protection, Settings};
pub use stop::Stop;
