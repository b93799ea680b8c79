//! The C library and the kernel, as far as the lock-down needs them.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_ulong, c_void};

unsafe extern "C" {
    fn syscall(number: c_long, ...) -> c_long;
    fn __errno_location() -> *mut c_int;
    fn unshare(flags: c_int) -> c_int;
    fn setns(fd: c_int, kind: c_int) -> c_int;
    fn mount(
        source: *const c_char,
        target: *const c_char,
        kind: *const c_char,
        flags: c_ulong,
        data: *const c_void,
    ) -> c_int;
    fn prctl(option: c_int, ...) -> c_int;
    fn sethostname(name: *const c_char, length: usize) -> c_int;
    fn getrlimit(resource: c_uint, limit: *mut Limit) -> c_int;
    fn setrlimit(resource: c_uint, limit: *const Limit) -> c_int;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn write(fd: c_int, bytes: *const c_void, count: usize) -> isize;
    fn read(fd: c_int, bytes: *mut c_void, count: usize) -> isize;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn dup2(from: c_int, to: c_int) -> c_int;
    fn close(fd: c_int) -> c_int;
    fn chdir(path: *const c_char) -> c_int;
    fn chown(path: *const c_char, user: c_uint, group: c_uint) -> c_int;
    fn setsid() -> c_int;
    fn getpid() -> c_int;
    fn umask(mask: c_uint) -> c_uint;
    fn setgroups(count: usize, groups: *const c_uint) -> c_int;
    fn setresgid(real: c_uint, effective: c_uint, saved: c_uint) -> c_int;
    fn setresuid(real: c_uint, effective: c_uint, saved: c_uint) -> c_int;
    fn _exit(status: c_int) -> !;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn poll(fds: *mut PollFd, count: c_ulong, timeout: c_int) -> c_int;
    fn sendmsg(fd: c_int, message: *const MessageHeader, flags: c_int) -> isize;
    fn recvmsg(fd: c_int, message: *mut MessageHeader, flags: c_int) -> isize;
    fn socket(family: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn bind(fd: c_int, address: *const c_void, length: c_uint) -> c_int;
    fn listen(fd: c_int, backlog: c_int) -> c_int;
    fn ioctl(fd: c_int, request: c_ulong, ...) -> c_int;
    fn mmap(
        at: *mut c_void,
        length: usize,
        protection: c_int,
        flags: c_int,
        fd: c_int,
        offset: i64,
    ) -> *mut c_void;
    fn getrusage(who: c_int, usage: *mut ResourceUsage) -> c_int;
    fn signalfd(fd: c_int, mask: *const SignalSet, flags: c_int) -> c_int;
    fn sigemptyset(set: *mut SignalSet) -> c_int;
    fn sigaddset(set: *mut SignalSet, signal: c_int) -> c_int;
    fn sigprocmask(how: c_int, set: *const SignalSet, old: *mut SignalSet) -> c_int;
}

/// What the kernel said went wrong.
pub(super) type Errno = i32;
pub(super) type Done = Result<i64, Errno>;

#[repr(C)]
struct Limit {
    soft: u64,
    hard: u64,
}

#[repr(C)]
pub(super) struct PollFd {
    pub(super) fd: c_int,
    pub(super) wanted: i16,
    pub(super) found: i16,
}

#[repr(C)]
struct Slice {
    start: *mut c_void,
    length: usize,
}

#[repr(C)]
struct MessageHeader {
    name: *mut c_void,
    name_length: c_uint,
    slices: *mut Slice,
    slice_count: usize,
    control: *mut c_void,
    control_length: usize,
    flags: c_int,
}

/// Room for the descriptors of one message, laid out as `struct cmsghdr` wants it.
#[repr(C, align(8))]
struct Control {
    length: usize,
    level: c_int,
    kind: c_int,
    fds: [c_int; MOST_FDS],
}

/// The kernel's and the C library's signal set are both at most this large.
#[repr(C)]
struct SignalSet([u64; 16]);

#[repr(C)]
struct ResourceUsage {
    user: [i64; 2],
    system: [i64; 2],
    max_resident_kb: i64,
    rest: [i64; 13],
}

/// How many descriptors a message carries at most.
pub(super) const MOST_FDS: usize = 6;

pub(super) const CLONE_NEWNS: c_int = 0x0002_0000;
pub(super) const CLONE_NEWCGROUP: c_int = 0x0200_0000;
pub(super) const CLONE_NEWUTS: c_int = 0x0400_0000;
pub(super) const CLONE_NEWIPC: c_int = 0x0800_0000;
pub(super) const CLONE_NEWUSER: c_int = 0x1000_0000;
pub(super) const CLONE_NEWPID: c_int = 0x2000_0000;
pub(super) const CLONE_NEWNET: c_int = 0x4000_0000;

pub(super) const MS_RDONLY: u64 = 1;
pub(super) const MS_NOSUID: u64 = 2;
pub(super) const MS_NODEV: u64 = 4;
pub(super) const MS_NOEXEC: u64 = 8;
pub(super) const MS_REMOUNT: u64 = 32;
pub(super) const MS_BIND: u64 = 4096;
pub(super) const MS_SLAVE: u64 = 1 << 19;

pub(super) const O_RDONLY: c_int = 0;
pub(super) const O_WRONLY: c_int = 1;
pub(super) const O_CLOEXEC: c_int = 0o2_000_000;
#[cfg(target_arch = "x86_64")]
pub(super) const O_DIRECTORY: c_int = 0o200_000;
#[cfg(target_arch = "aarch64")]
pub(super) const O_DIRECTORY: c_int = 0o40_000;
pub(super) const O_PATH: c_int = 0o10_000_000;

pub(super) const PR_SET_PDEATHSIG: c_int = 1;
pub(super) const PR_SET_DUMPABLE: c_int = 4;
pub(super) const PR_CAPBSET_DROP: c_int = 24;
pub(super) const PR_SET_SECUREBITS: c_int = 28;
pub(super) const PR_SET_NO_NEW_PRIVS: c_int = 38;
pub(super) const PR_CAP_AMBIENT: c_int = 47;
pub(super) const PR_SET_SECCOMP: c_int = 22;
pub(super) const SIGKILL: u64 = 9;
const SIGCHLD: c_int = 17;

pub(super) const EINTR: Errno = 4;
pub(super) const EINVAL: Errno = 22;

// These have the same number on every architecture.
const SYS_PIDFD_OPEN: c_long = 434;
const SYS_CLOSE_RANGE: c_long = 436;
const SYS_LANDLOCK_CREATE_RULESET: c_long = 444;
const SYS_LANDLOCK_ADD_RULE: c_long = 445;
const SYS_LANDLOCK_RESTRICT_SELF: c_long = 446;
#[cfg(target_arch = "x86_64")]
const SYS_CAPSET: c_long = 126;
#[cfg(target_arch = "aarch64")]
const SYS_CAPSET: c_long = 91;

/// A result in the C manner as one in ours.
fn done(result: impl Into<i64>) -> Done {
    let result = result.into();
    if result >= 0 {
        return Ok(result);
    }
    // SAFETY: the C library gives a valid place for this thread.
    Err(unsafe { *__errno_location() })
}

fn small(number: i64) -> c_int {
    c_int::try_from(number).unwrap_or(-1)
}

pub(super) fn unshare_all(flags: c_int) -> Done {
    // SAFETY: takes a number; the caller has a single thread.
    done(unsafe { unshare(flags) })
}

pub(super) fn enter_namespace(fd: c_int, kind: c_int) -> Done {
    // SAFETY: takes numbers.
    done(unsafe { setns(fd, kind) })
}

fn pointer(text: Option<&CStr>) -> *const c_char {
    text.map_or(std::ptr::null(), CStr::as_ptr)
}

pub(super) fn mount_at(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: u64,
    data: Option<&CStr>,
) -> Done {
    // SAFETY: all strings end with a zero and outlive the call.
    done(unsafe { mount(pointer(source), target.as_ptr(), pointer(kind), flags, pointer(data).cast()) })
}

pub(super) fn control(option: c_int, value: u64) -> Done {
    // SAFETY: every option used here takes a plain number, and zeros behind it.
    done(unsafe { prctl(option, value, 0_u64, 0_u64, 0_u64) })
}

pub(super) fn clear_ambient_capabilities() -> Done {
    // SAFETY: as above; 4 is PR_CAP_AMBIENT_CLEAR_ALL.
    done(unsafe { prctl(PR_CAP_AMBIENT, 4_u64, 0_u64, 0_u64, 0_u64) })
}

pub(super) fn drop_capabilities() -> Done {
    // Version 3, this process; no capability in any set.
    let header = [0x2008_0522_u32, 0];
    let none = [0_u32; 6];
    // SAFETY: both arrays have the size that version 3 prescribes.
    done(unsafe { syscall(SYS_CAPSET, header.as_ptr(), none.as_ptr()) })
}

pub(super) fn set_seccomp(program: &[u8]) -> Done {
    #[repr(C)]
    struct Program {
        count: u16,
        instructions: *const c_void,
    }
    if program.is_empty() {
        return Ok(0);
    }
    let count = u16::try_from(program.len() / 8).map_err(|_| EINVAL)?;
    let program = Program { count, instructions: program.as_ptr().cast() };
    // SAFETY: the program is `count` instructions of 8 bytes; the kernel copies it. 2 is SECCOMP_MODE_FILTER.
    done(unsafe { prctl(PR_SET_SECCOMP, 2_u64, &raw const program, 0_u64, 0_u64) })
}

pub(super) fn name_host(name: &CStr) -> Done {
    // SAFETY: the length is that of the string.
    done(unsafe { sethostname(name.as_ptr(), name.to_bytes().len()) })
}

/// Sets a limit, or leaves the one that is narrower already.
pub(super) fn limit(resource: c_uint, value: u64) -> Done {
    let mut limit = Limit { soft: 0, hard: 0 };
    // SAFETY: the struct outlives both calls.
    unsafe {
        done(getrlimit(resource, &raw mut limit))?;
        let value = value.min(limit.hard);
        limit = Limit { soft: value, hard: value };
        done(setrlimit(resource, &raw const limit))
    }
}

pub(super) fn open_path(path: &CStr, flags: c_int) -> Result<c_int, Errno> {
    // SAFETY: the path ends with a zero; no file is created, so no mode is read.
    done(unsafe { open(path.as_ptr(), flags | O_CLOEXEC) }).map(small)
}

pub(super) fn write_some(fd: c_int, bytes: &[u8]) -> Done {
    // SAFETY: the slice is valid for its length.
    done(i64::try_from(unsafe { write(fd, bytes.as_ptr().cast(), bytes.len()) }).unwrap_or(-1))
}

pub(super) fn read_some(fd: c_int, bytes: &mut [u8]) -> Done {
    // SAFETY: the slice is valid for its length.
    done(i64::try_from(unsafe { read(fd, bytes.as_mut_ptr().cast(), bytes.len()) }).unwrap_or(-1))
}

/// Writes a short text to a file of the kernel's.
pub(super) fn write_file(path: &CStr, text: &[u8]) -> Done {
    let fd = open_path(path, O_WRONLY)?;
    let written = write_some(fd, text);
    close_fd(fd);
    written
}

pub(super) fn duplicate(from: c_int, to: c_int) -> Done {
    // SAFETY: takes numbers.
    done(unsafe { dup2(from, to) })
}

/// A copy at this number or above.
pub(super) fn duplicate_above(fd: c_int, least: c_int) -> Result<c_int, Errno> {
    // SAFETY: takes numbers; 1030 is F_DUPFD_CLOEXEC.
    done(unsafe { fcntl(fd, 1030, least) }).map(small)
}

/// Whether this is the first process of its namespace.
pub(super) fn is_first_process() -> bool {
    // SAFETY: takes nothing.
    unsafe { getpid() == 1 }
}

pub(super) fn close_fd(fd: c_int) {
    // SAFETY: takes a number; nobody else owns it.
    unsafe { close(fd) };
}

pub(super) fn close_from(first: c_int) -> Done {
    // SAFETY: takes numbers; the process keeps nothing open from there on.
    done(unsafe { syscall(SYS_CLOSE_RANGE, first, c_uint::MAX, 0) })
}

pub(super) fn go_to(path: &CStr) -> Done {
    // SAFETY: the path ends with a zero.
    done(unsafe { chdir(path.as_ptr()) })
}

/// Gives a folder to a user.
pub(super) fn give(path: &CStr, user: u32) -> Done {
    // SAFETY: the path ends with a zero.
    done(unsafe { chown(path.as_ptr(), user, user) })
}

pub(super) fn new_session() -> Done {
    // SAFETY: takes nothing.
    done(unsafe { setsid() })
}

pub(super) fn set_umask(mask: u32) {
    // SAFETY: takes a number.
    unsafe { umask(mask) };
}

pub(super) fn own_pidfd() -> Result<c_int, Errno> {
    // SAFETY: takes numbers.
    done(unsafe { syscall(SYS_PIDFD_OPEN, getpid(), 0) }).map(small)
}

/// Becomes this user in this group, and in no other.
pub(super) fn become_user(id: u32) -> Done {
    // SAFETY: an empty list of groups, and numbers.
    unsafe {
        done(setgroups(0, std::ptr::null()))?;
        done(setresgid(id, id, id))?;
        done(setresuid(id, id, id))
    }
}

pub(super) fn exit(status: c_int) -> ! {
    // SAFETY: ends the process.
    unsafe { _exit(status) }
}

/// A child that has ended, with its status.
pub(super) fn reap() -> Option<(c_int, c_int)> {
    let mut status = 0;
    // SAFETY: the place for the status is valid. 1 is WNOHANG.
    let pid = unsafe { waitpid(-1, &raw mut status, 1) };
    (pid > 0).then_some((pid, status))
}

pub(super) fn wait_for_events(fds: &mut [PollFd]) -> Done {
    // SAFETY: the slice is valid for its length.
    done(unsafe { poll(fds.as_mut_ptr(), fds.len() as c_ulong, -1) })
}

/// A descriptor that becomes readable when a child ends.
pub(super) fn watch_children() -> Result<c_int, Errno> {
    let mut set = SignalSet([0; 16]);
    // SAFETY: the set is large enough for the C library's; 0 is SIG_BLOCK; 0o2004000 are CLOEXEC and NONBLOCK.
    unsafe {
        done(sigemptyset(&raw mut set))?;
        done(sigaddset(&raw mut set, SIGCHLD))?;
        done(sigprocmask(0, &raw const set, std::ptr::null_mut()))?;
        done(signalfd(-1, &raw const set, 0o2_004_000)).map(small)
    }
}

/// No signal is blocked any more.
pub(super) fn unblock_signals() -> Done {
    let mut set = SignalSet([0; 16]);
    // SAFETY: as above; 2 is SIG_SETMASK.
    unsafe {
        done(sigemptyset(&raw mut set))?;
        done(sigprocmask(2, &raw const set, std::ptr::null_mut()))
    }
}

/// Sends bytes with descriptors.
pub(super) fn send(socket: c_int, bytes: &[u8], fds: &[c_int]) -> Done {
    let mut control = Control { length: 16 + 4 * fds.len(), level: 1, kind: 1, fds: [-1; MOST_FDS] };
    for (place, fd) in control.fds.iter_mut().zip(fds) {
        *place = *fd;
    }
    let mut slice = Slice { start: bytes.as_ptr().cast_mut().cast(), length: bytes.len() };
    let message = MessageHeader {
        name: std::ptr::null_mut(),
        name_length: 0,
        slices: &raw mut slice,
        slice_count: 1,
        control: if fds.is_empty() { std::ptr::null_mut() } else { (&raw mut control).cast() },
        control_length: if fds.is_empty() { 0 } else { (control.length + 7) & !7 },
        flags: 0,
    };
    // SAFETY: every pointer stands on this stack frame; the kernel only reads. 0x4000 is MSG_NOSIGNAL.
    done(i64::try_from(unsafe { sendmsg(socket, &raw const message, 0x4000) }).unwrap_or(-1))
}

/// Receives bytes and descriptors; how many of each.
pub(super) fn receive(
    socket: c_int,
    bytes: &mut [u8],
    fds: &mut [c_int; MOST_FDS],
) -> Result<(usize, usize), Errno> {
    let mut control = Control { length: 0, level: 0, kind: 0, fds: [-1; MOST_FDS] };
    let mut slice = Slice { start: bytes.as_mut_ptr().cast(), length: bytes.len() };
    let mut message = MessageHeader {
        name: std::ptr::null_mut(),
        name_length: 0,
        slices: &raw mut slice,
        slice_count: 1,
        control: (&raw mut control).cast(),
        control_length: size_of::<Control>(),
        flags: 0,
    };
    // SAFETY: every pointer stands on this stack frame and is as large as said. 0x40000000 is MSG_CMSG_CLOEXEC.
    let received = unsafe { recvmsg(socket, &raw mut message, 0x4000_0000) };
    let received = done(i64::try_from(received).unwrap_or(-1))?;
    *fds = control.fds;
    let count = if message.control_length >= 16 { control.length.saturating_sub(16) / 4 } else { 0 };
    Ok((usize::try_from(received).unwrap_or(0), count.min(MOST_FDS)))
}

/// Brings the loopback interface up and listens there; the listening socket.
pub(super) fn listen_on_loopback(port: u16) -> Result<c_int, Errno> {
    // `struct ifreq` with the flags UP and RUNNING; `struct sockaddr_in`.
    let mut interface = [0_u8; 40];
    interface[..2].copy_from_slice(b"lo");
    interface[16..18].copy_from_slice(&0x41_u16.to_ne_bytes());
    let mut address = [0_u8; 16];
    address[..2].copy_from_slice(&2_u16.to_ne_bytes());
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    // SAFETY: both buffers have the size of their structs. 0x8914 is SIOCSIFFLAGS; 0o2000001 a stream, CLOEXEC.
    unsafe {
        let socket = done(socket(2, 0o2_000_001, 0)).map(small)?;
        done(ioctl(socket, 0x8914, interface.as_mut_ptr()))?;
        done(bind(socket, address.as_ptr().cast(), 16))?;
        done(listen(socket, 64))?;
        Ok(socket)
    }
}

/// Maps a file for reading; gives nothing when that cannot be.
pub(super) fn map(fd: c_int, length: usize) -> Option<&'static [u8]> {
    if length == 0 {
        return Some(&[]);
    }
    // SAFETY: a new private mapping, which nobody unmaps. 1 is PROT_READ, 2 is MAP_PRIVATE.
    let start = unsafe { mmap(std::ptr::null_mut(), length, 1, 2, fd, 0) };
    if start.addr() == usize::MAX {
        return None;
    }
    // SAFETY: the kernel just mapped so many bytes there; the file is not cut while it is in use.
    Some(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) })
}

/// Processor time in microseconds and the most memory in kilobytes, of this process and its ended children.
pub(super) fn usage() -> (u64, u64) {
    let mut all = (0, 0);
    for who in [0, -1] {
        let mut usage = ResourceUsage { user: [0; 2], system: [0; 2], max_resident_kb: 0, rest: [0; 13] };
        // SAFETY: the struct has the size of the C library's.
        unsafe { getrusage(who, &raw mut usage) };
        let time = |[seconds, micros]: [i64; 2]| seconds.unsigned_abs() * 1_000_000 + micros.unsigned_abs();
        all.0 += time(usage.user) + time(usage.system);
        all.1 = all.1.max(usage.max_resident_kb.unsigned_abs());
    }
    all
}

pub(super) fn landlock_create(attribute: &[u8]) -> Result<c_int, Errno> {
    // SAFETY: the attribute is valid for its length.
    done(unsafe { syscall(SYS_LANDLOCK_CREATE_RULESET, attribute.as_ptr(), attribute.len(), 0) }).map(small)
}

pub(super) fn landlock_version() -> Done {
    // SAFETY: with the version flag no attribute is read.
    done(unsafe { syscall(SYS_LANDLOCK_CREATE_RULESET, std::ptr::null::<u8>(), 0_usize, 1) })
}

pub(super) fn landlock_add(ruleset: c_int, kind: c_int, attribute: &[u8]) -> Done {
    // SAFETY: the attribute is as large as this kind of rule says.
    done(unsafe { syscall(SYS_LANDLOCK_ADD_RULE, ruleset, kind, attribute.as_ptr(), 0) })
}

pub(super) fn landlock_restrict(ruleset: c_int) -> Done {
    // SAFETY: takes numbers.
    done(unsafe { syscall(SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0) })
}
