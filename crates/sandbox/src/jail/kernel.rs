//! The few calls that no safe library offers, for a process with a single thread.

#![allow(unsafe_code)] // each function says why it is sound

use std::ffi::CString;
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Read-only, no setuid programs.
pub(super) const READ_ONLY: u64 = 1 | 2;
/// No devices.
pub(super) const NO_DEVICES: u64 = 4;

/// Which process this is after a fork.
pub(super) enum Forked {
    /// The new one.
    Child,
    /// The old one, with the new one's number.
    Parent(i32),
}

/// Forks.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: the process has a single thread, so the child finds no lock held.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Forked::Child),
        pid => Ok(Forked::Parent(pid)),
    }
}

/// Waits for a child.
pub(super) fn wait(pid: i32) {
    // SAFETY: takes a number and no place for a status.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
}

/// Forgets children that ended.
pub(super) fn reap() {
    // SAFETY: as above.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) } > 0 {}
}

/// New namespaces for this process, or for its children.
pub(super) fn unshare(flags: i32) -> io::Result<()> {
    // SAFETY: takes a number; there is a single thread.
    check(unsafe { libc::unshare(flags) })
}

/// Becomes the first user of the namespace, in no other group.
pub(super) fn become_first_user() -> io::Result<()> {
    // SAFETY: an empty list, and numbers.
    unsafe {
        check(libc::setgroups(0, std::ptr::null()))?;
        check(libc::setresgid(0, 0, 0))?;
        check(libc::setresuid(0, 0, 0))
    }
}

/// Gives up real-time priority, with which code could keep everybody else from running.
pub(super) fn schedule_as_others() {
    let plain = libc::sched_param { sched_priority: 0 };
    // SAFETY: the struct outlives the call; 0 is this process.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_OTHER, &raw const plain) };
}

/// Closes every descriptor from this one on.
pub(super) fn close_from(first: u32) {
    // SAFETY: nothing in this process owns any of them.
    unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
}

/// Makes a descriptor stand at a number, where it stays open in programs that are executed.
pub(super) fn place(fd: BorrowedFd<'_>, number: RawFd) -> io::Result<()> {
    // SAFETY: takes numbers; whoever owned the target number is gone or was replaced on purpose.
    check(unsafe { libc::dup2(fd.as_raw_fd(), number) })
}

/// Asks the host a question and waits for its answer, on the descriptor that the lock-down left for it.
pub(super) fn ask_host(asked: &[u8]) -> io::Result<Vec<u8>> {
    const HOST: RawFd = 4;
    // SAFETY: code that has functions to call has this descriptor, and nothing in this process closes it.
    let host = unsafe { BorrowedFd::borrow_raw(HOST) };
    let mut host = fs::File::from(host.try_clone_to_owned()?);
    let length = u32::try_from(asked.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    host.write_all(&length.to_be_bytes())?;
    host.write_all(asked)?;
    let mut length = [0; 4];
    host.read_exact(&mut length)?;
    let mut answer = vec![0; u32::from_be_bytes(length) as usize];
    host.read_exact(&mut answer)?;
    Ok(answer)
}

/// Sets flags on a mount and on all below it.
pub(super) fn protect(path: &Path, flags: u64, all_below: bool) -> io::Result<()> {
    #[repr(C)]
    struct Attributes {
        set: u64,
        clear: u64,
        propagation: u64,
        user_namespace: u64,
    }
    let path = CString::new(path.as_os_str().as_bytes())?;
    let attributes = Attributes { set: flags, clear: 0, propagation: 0, user_namespace: 0 };
    let below = if all_below { libc::AT_RECURSIVE } else { 0 };
    // SAFETY: the path ends with a zero and the struct has the size that is said.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            below,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    check(i32::try_from(done).unwrap_or(-1))
}

fn check(result: i32) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
