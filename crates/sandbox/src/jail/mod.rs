//! The jail: its first process, and what it starts. All of this runs in a process of its own with a single thread
//! (`repertoire sandbox-jail`), never in the server.

mod isolate;
mod javascript;
mod kernel;
mod native;
mod orders;
mod root;
mod script;

pub(crate) use native::{ErrorReport, Report, Task};

use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::wire;

/// What the jail is built from; the first message to it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// Folders of the machine that are to be readable inside, beside the usual ones.
    pub(crate) readable: Vec<PathBuf>,
    /// What must not be, wherever it stands; without links on the way.
    pub(crate) hidden: Vec<PathBuf>,
    /// The system call filters.
    pub(crate) filters: Vec<u8>,
}

/// What the jail says once it stands.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// The first of the machine's users that stand for those inside.
    pub(crate) first_user: u32,
    /// How many there are; with one, all code runs as the same user.
    pub(crate) users: u32,
}

/// What the server asks of the jail. Each is answered by one [`Answer`].
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Start a fork server; comes with its socket and its standard error.
    Python {
        /// The interpreter.
        python: PathBuf,
        /// What it imports ahead of time.
        preload: Vec<String>,
    },
    /// Start the fork server for JavaScript and scripts; comes with its socket and its standard error.
    Native,
    /// Make a work folder; answered with it.
    Folder {
        /// Its number.
        number: u64,
        /// Bytes it may hold.
        bytes: u64,
        /// Files it may hold.
        files: u64,
        /// Whose it is, inside.
        user: u32,
    },
    /// Remove a work folder.
    Release {
        /// Its number.
        number: u64,
    },
}

/// What became of an order.
pub(crate) type Answer = Result<(), String>;

/// What the jail's first process does. Standard input must be the socket to the server; never returns.
pub fn jail_main() -> ! {
    let server = rustix::stdio::stdin();
    // Nothing the server may have left open comes along, and no priority that it may have.
    kernel::close_from(3);
    kernel::schedule_as_others();
    let status = match receive_plan(server).and_then(|plan| isolate::isolate(&plan)) {
        Ok(Some(standing)) => orders::follow(server, &standing),
        // One of the processes on the way, which is done.
        Ok(None) => 0,
        Err(error) => {
            let answer: Result<Standing, String> = Err(error);
            let _ = wire::send(server, &serde_json::to_vec(&answer).unwrap_or_default(), &[]);
            1
        }
    };
    std::process::exit(status)
}

fn receive_plan(server: BorrowedFd<'_>) -> Result<Plan, String> {
    let (bytes, _) = wire::receive(server).map_err(|error| format!("no plan: {error}"))?;
    serde_json::from_slice(&bytes).map_err(|error| format!("no plan: {error}"))
}
