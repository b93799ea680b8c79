//! Counts processor time exactly, where no control group does: `/proc` rounds each process down to 10 ms, and forgets
//! processes that nobody waited for.

#![allow(unsafe_code)] // each function says why it is sound

use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

/// `PERF_TYPE_SOFTWARE`, `PERF_COUNT_SW_TASK_CLOCK`.
const SOFTWARE: u32 = 1;
const TASK_CLOCK: u64 = 1;
/// Counts processes and threads that are started later; leaves out kernel and hypervisor, which only privileged users
/// may observe. This event counts their time all the same.
const INHERIT: u64 = 1 << 1;
const EXCLUDE_KERNEL: u64 = 1 << 5;
const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
/// The first version of `struct perf_event_attr`, in bytes.
const ATTRIBUTE: usize = 64;
/// `PERF_FLAG_FD_CLOEXEC`.
const CLOSE_ON_EXEC: u64 = 8;

/// The processor time of one process and of everything it starts from now on, no matter which process waits for it.
#[derive(Debug)]
pub(crate) struct Counter(OwnedFd);

impl Counter {
    /// Starts to count; `None` where the machine does not allow it (`kernel.perf_event_paranoid` above 2).
    pub(crate) fn start(pid: i32) -> Option<Self> {
        let mut attribute = [0_u8; ATTRIBUTE];
        attribute[0..4].copy_from_slice(&SOFTWARE.to_ne_bytes());
        attribute[4..8].copy_from_slice(&u32::try_from(ATTRIBUTE).unwrap_or_default().to_ne_bytes());
        attribute[8..16].copy_from_slice(&TASK_CLOCK.to_ne_bytes());
        let flags = INHERIT | EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR;
        attribute[40..48].copy_from_slice(&flags.to_ne_bytes());
        // SAFETY: the attribute is as large as it says; any processor, no group.
        let opened = unsafe {
            libc::syscall(libc::SYS_perf_event_open, attribute.as_ptr(), pid, -1_i32, -1_i32, CLOSE_ON_EXEC)
        };
        let descriptor = i32::try_from(opened).ok().filter(|descriptor| *descriptor >= 0)?;
        // SAFETY: the kernel has just made this descriptor, and nobody else knows it.
        Some(Self(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }

    /// Whether this process may count its own children; found out by counting itself.
    pub(crate) fn is_available() -> bool {
        Self::start(0).is_some()
    }

    /// The time so far.
    pub(crate) fn read(&self) -> Option<Duration> {
        let mut count = [0; 8];
        let length = rustix::io::read(&self.0, &mut count).ok()?;
        (length == count.len()).then(|| Duration::from_nanos(u64::from_ne_bytes(count)))
    }
}

/// The processor time of a process and its threads, without its children. A process that ended has it until somebody
/// waited for it.
pub(crate) fn of_process(pid: i32) -> Option<Duration> {
    // The clock of a process: its number inverted, and 2 for the scheduler's own count.
    let clock = (!pid).checked_shl(3)? | 2;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the struct outlives the call.
    if unsafe { libc::clock_gettime(clock, &raw mut time) } != 0 {
        return None;
    }
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_used_time() {
        let used = of_process(i32::try_from(std::process::id()).unwrap()).unwrap();
        assert!(!used.is_zero());
        assert_eq!(of_process(i32::MAX - 1), None);
    }
}
