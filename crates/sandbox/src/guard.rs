//! The server's side of the jail: starts it, gives it orders, ends it.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, pidfd_send_signal};

use crate::jail::{Answer, Order, Plan, Standing};
use crate::owner::Owner;
use crate::{Error, wire};

/// A jail that stands. It ends, with everything in it, when it is dropped.
#[derive(Debug)]
pub(crate) struct Guard {
    socket: Mutex<OwnedFd>,
    process: OwnedFd,
    /// Whether it has stopped answering. Its process may take its time to end.
    fallen: AtomicBool,
    /// What was started; it waits for the jail's end and ends then.
    starter: Mutex<Child>,
    pub(crate) standing: Standing,
}

impl Guard {
    /// Builds a jail.
    pub(crate) fn build(
        command: &[PathBuf],
        readable: Vec<PathBuf>,
        hidden: Vec<PathBuf>,
    ) -> Result<Self, String> {
        let (program, arguments) = command.split_first().ok_or("no program for the jail is set")?;
        let (ours, theirs) = wire::pair().map_err(|error| error.to_string())?;
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(File::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("{} does not start: {error}", program.display()))?;
        let plan = Plan { readable, hidden, filters: crate::filters::programs() };
        let plan = serde_json::to_vec(&plan).map_err(|error| error.to_string())?;
        let told = wire::send(&ours, &plan, &[])
            .and_then(|()| wire::receive(&ours))
            .map_err(|error| format!("the jail does not answer: {error}"));
        match told.and_then(understand) {
            Ok((standing, process)) => Ok(Self {
                socket: Mutex::new(ours),
                process,
                fallen: AtomicBool::new(false),
                starter: Mutex::new(child),
                standing,
            }),
            Err(error) => {
                drop(ours);
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Whether it still stands.
    pub(crate) fn stands(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        !self.fallen.load(Ordering::Relaxed)
            && matches!(poll(&mut [PollFd::new(&self.process, PollFlags::IN)], Some(&now)), Ok(0))
    }

    /// Has an order followed; gives the descriptors that came of it.
    pub(crate) fn order(&self, order: &Order, fds: &[BorrowedFd<'_>]) -> Result<Vec<OwnedFd>, Error> {
        let failed = |error: String| Error::Failed(error);
        let socket = self.socket.lock().unwrap_or_else(PoisonError::into_inner);
        let order = serde_json::to_vec(order).map_err(|error| failed(error.to_string()))?;
        let (bytes, fds) = wire::send(socket.as_fd(), &order, fds)
            .and_then(|()| wire::receive(socket.as_fd()))
            .inspect_err(|_| self.fallen.store(true, Ordering::Relaxed))
            .map_err(|error| failed(format!("the jail does not answer: {error}")))?;
        if bytes.is_empty() {
            self.fallen.store(true, Ordering::Relaxed);
        }
        let answer: Answer =
            serde_json::from_slice(&bytes).map_err(|_| failed("the jail is gone".to_owned()))?;
        answer.map_err(failed)?;
        Ok(fds)
    }

    /// Ends it and waits until it is gone.
    pub(crate) fn end(&self) {
        // It may be gone already.
        let _ = pidfd_send_signal(&self.process, Signal::KILL);
        let patience = Timespec { tv_sec: 5, tv_nsec: 0 };
        let gone = poll(&mut [PollFd::new(&self.process, PollFlags::IN)], Some(&patience));
        if matches!(gone, Ok(1..)) {
            let _ = self.starter.lock().unwrap_or_else(PoisonError::into_inner).wait();
        }
    }

    /// Which user of the machine stands for one inside; none when that is this very user.
    pub(crate) fn owner(&self, user: u32) -> Option<Owner> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let number = self.standing.first_user + user;
        Some(Owner { uid: number, gid: number })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the jail says of itself: how it stands, and the handle on its first process.
fn understand((bytes, mut fds): (Vec<u8>, Vec<OwnedFd>)) -> Result<(Standing, OwnedFd), String> {
    if bytes.is_empty() {
        return Err("the jail ended before it stood".to_owned());
    }
    let standing: Result<Standing, String> =
        serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let process = fds.pop().ok_or("the jail gave no handle on itself");
    Ok((standing?, process?))
}
