//! Runs untrusted Python, JavaScript and scripts under limits.
//!
//! It knows nothing of skills, users or databases. All calls block; nothing here waits on an async runtime.

mod error;
mod execution;
mod folder;
mod limits;
mod owner;
mod sandbox;
mod settings;
mod stop;

pub use error::{Error, FileProblem};
pub use execution::{
    Captured, Ending, Execution, Failure, FailureCode, FileEntry, InputFile, Network, Outcome, Program,
    ProgramFile, Runtime, Usage, Visit,
};
pub use folder::Folder;
pub use limits::{Bounds, Limit, Limits};
pub use sandbox::{Sandbox, jail_main};
pub use settings::{Cgroups, DEFAULT_PROFILE, Profile, Protection, Settings};
pub use stop::Stop;
