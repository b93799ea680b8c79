//! Why there was no execution at all.

/// Why there was no execution at all. What goes wrong inside one is an [`crate::Ending`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The machine lacks a protection that is required.
    #[error(
        "this machine cannot isolate code: {missing}; see `repertoire doctor`, or start with --allow-weaker-sandbox to run code without it"
    )]
    Unprotected {
        /// What is missing, with how to get it.
        missing: String,
    },
    /// There is no Python to run code with.
    #[error("there is no Python to run this with: {detail}")]
    NoPython {
        /// Where it was looked for, and what to do.
        detail: String,
    },
    /// There is no such profile.
    #[error("there is no Python profile `{0}`; `repertoire python list` shows those there are")]
    UnknownProfile(String),
    /// A profile's interpreter does not start.
    #[error("the Python profile `{profile}` does not start: {detail}")]
    BrokenProfile {
        /// The profile.
        profile: String,
        /// What it said.
        detail: String,
    },
    /// The program or its files are not such that they could be run.
    #[error("{0}")]
    Invalid(String),
    /// A file of a work folder cannot be read, written or removed.
    #[error("the file `{path}` {problem}")]
    File {
        /// Which file.
        path: String,
        /// What is the matter with it.
        problem: FileProblem,
    },
    /// The sandbox itself failed.
    #[error("the sandbox failed: {0}")]
    Failed(String),
}

/// What is the matter with a file of a work folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FileProblem {
    /// It is not there.
    #[error("is not there")]
    Missing,
    /// Its path leaves the folder or goes through a link.
    #[error("has a path that is not allowed: no `..`, no links, at most 32 parts of 255 bytes")]
    Path,
    /// It is a folder, link, pipe or device.
    #[error("is not a plain file")]
    NotPlain,
    /// The code took away the right to use it.
    #[error("is closed: its mode does not let it be used")]
    Closed,
    /// It has more bytes than may be read.
    #[error("is too large")]
    TooLarge,
    /// The folder is full.
    #[error("does not fit into the work folder any more")]
    Full,
}
