//! Ends an execution early, from another thread.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::event::{EventfdFlags, eventfd};

/// Ends an execution early. Clones end the same one.
#[derive(Debug, Clone, Default)]
pub struct Stop(Option<Arc<OwnedFd>>);

impl Stop {
    /// A handle that can be used; the default one cannot.
    pub fn new() -> std::io::Result<Self> {
        Ok(Self(Some(Arc::new(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))))
    }

    /// Ends the execution this handle was given to, now or as soon as it starts.
    pub fn stop(&self) {
        if let Some(event) = &self.0 {
            // It can only fail when it was stopped already more often than a counter holds.
            let _ = rustix::io::write(event, &1_u64.to_ne_bytes());
        }
    }

    pub(crate) fn readable(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|event| event.as_fd())
    }
}
