//! What a process does to itself before untrusted code runs in it, for Python, JavaScript and scripts alike.
//!
//! This folder is compiled twice: as a module of the crate, and by `build.rs` as a shared library that the Python
//! fork server loads. So it depends on nothing but the C library, keeps its state in one static, and never
//! allocates between the request and the code. Every step must succeed: the first that does not ends the process,
//! and the code never runs.

#![allow(unsafe_code)] // every line here is a call into the kernel; each function says why it is sound
#![allow(unreachable_pub)] // the library's functions are called by name

mod channel;
mod confine;
mod landlock;
mod prepare;
mod sys;
mod zygote;

#[allow(unused_imports)] // the library does not use them
pub(crate) use channel::{Header, Request, flags};

use channel::Channel;
use std::cell::UnsafeCell;

/// The state of a process on its way into the jail. There is one thread until the code runs.
struct State(UnsafeCell<Channel>);

// SAFETY: the processes that use it have a single thread until the code runs, and the code has no way to call in
// here that could do more than harm itself.
unsafe impl Sync for State {}

static STATE: State = State(UnsafeCell::new(Channel::new()));

/// The state; callers must not hold two at a time, which no function here does.
#[allow(clippy::mut_from_ref)]
fn state() -> &'static mut Channel {
    // SAFETY: see `State`.
    unsafe { &mut *STATE.0.get() }
}

/// Locks the fork server down as far as it can be, and tells the server that it is ready.
/// `filters` is the file of programs that `filters.rs` wrote.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_zygote() {
    zygote::start(state());
}

/// Waits until the server wants a spare, and reports children that ended meanwhile. False when the server is gone.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_next() -> bool {
    zygote::next(state())
}

/// Makes the next fork the first process of a new process namespace.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_split() {
    zygote::split(state());
}

/// In the fork server after the fork: back to its own process namespace.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_forked(pid: i32) {
    zygote::forked(state(), pid);
}

/// In the child: everything that can be done ahead of a request.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_prepare() {
    prepare::prepare(state());
}

/// Whether this process should be there as soon as it can, and not warm up.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_hurried() -> bool {
    state().hurried
}

/// Waits for the request and gives the length of its payload.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_await() -> usize {
    channel::receive(state());
    state().payload().len()
}

/// Where the payload stands.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_payload() -> *const u8 {
    state().payload().as_ptr()
}

/// The rest of the lock-down. What runs after it is untrusted.
#[unsafe(no_mangle)]
pub extern "C" fn lockdown_enter() {
    confine::enter(state());
}

/// The version of Landlock that the kernel has; 0 is none.
#[allow(dead_code)] // the library does not use it
pub fn landlock_version() -> i64 {
    sys::landlock_version().unwrap_or(0)
}

/// The payload, for callers in this crate.
#[allow(dead_code)] // the library does not use it
pub fn payload() -> &'static [u8] {
    state().payload()
}

/// Sends the result and ends the process, for callers in this crate.
#[allow(dead_code)] // the library does not use it
pub fn finish(body: &[u8]) -> ! {
    channel::finish(state(), body)
}

/// Sends the result and ends the process, without any tear-down.
///
/// # Safety
/// `body` must point at `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lockdown_finish(body: *const u8, length: usize) -> ! {
    // SAFETY: the caller's promise.
    let body = unsafe { std::slice::from_raw_parts(body, length) };
    channel::finish(state(), body)
}
