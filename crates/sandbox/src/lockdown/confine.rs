//! What is left to do when the request is there: from now on the process gives up every power it has.

use std::ffi::{CStr, c_uint};

use super::channel::{self, Channel, SOCKET, decimal, fail, flags, join};
use super::{landlock, prepare, sys};

/// The port of the proxy, inside.
const PROXY_PORT: u16 = 3128;
/// Who the code is, inside.
const INSIDE_USER: &[u8] = b"1000 ";

const CPU: c_uint = 0;
const FILE_SIZE: c_uint = 1;
const CORE: c_uint = 4;
const PROCESSES: c_uint = 6;
const OPEN_FILES: c_uint = 7;
const LOCKED_MEMORY: c_uint = 8;
const ADDRESS_SPACE: c_uint = 9;
const PENDING_SIGNALS: c_uint = 11;
const MESSAGE_QUEUES: c_uint = 12;

/// The rest of the lock-down.
pub(super) fn enter(channel: &mut Channel) {
    if let Err((step, error)) = confine(channel) {
        fail(channel, step, error);
    }
}

fn confine(channel: &mut Channel) -> Result<(), (&'static str, i32)> {
    let at = |step: &'static str| move |error: i32| (step, error);
    let request = channel.request;
    let asks = |flag: u32| request.flags & flag != 0;
    place_folder(channel).map_err(at("work folder"))?;
    sys::mount_at(Some(c"/.empty"), c"/.folders", None, sys::MS_BIND, None).map_err(at("other folders"))?;
    let read_only = sys::MS_REMOUNT | sys::MS_BIND | sys::MS_RDONLY | sys::MS_NOSUID | sys::MS_NODEV;
    sys::mount_at(None, c"/program", None, read_only, None).map_err(at("program folder"))?;
    if asks(flags::NETWORK) {
        let listener = sys::listen_on_loopback(PROXY_PORT).map_err(at("loopback"))?;
        sys::send(SOCKET, b"N", &[listener]).map_err(at("proxy"))?;
    }
    channel::move_streams(channel).map_err(at("streams"))?;
    channel.fds = [-1; sys::MOST_FDS];
    if request.user != channel.spare_user {
        for folder in [c"/tmp", c"/dev/shm"] {
            sys::give(folder, request.user).map_err(at("folders"))?;
        }
    }
    if request.user != 0 {
        sys::become_user(request.user).map_err(at("user"))?;
        sys::control(sys::PR_SET_DUMPABLE, 1).map_err(at("dumpable"))?;
    }
    set_limits(channel).map_err(at("limits"))?;
    sys::unshare_all(sys::CLONE_NEWUSER).map_err(at("user namespace"))?;
    map_user(request.user).map_err(at("user map"))?;
    // Before the namespace it would be one limit for all executions of this user.
    sys::limit(PROCESSES, request.processes).map_err(at("process limit"))?;
    drop_powers().map_err(at("capabilities"))?;
    sys::control(sys::PR_SET_PDEATHSIG, sys::SIGKILL).map_err(at("parent death signal"))?;
    sys::control(sys::PR_SET_NO_NEW_PRIVS, 1).map_err(at("no_new_privs"))?;
    if asks(flags::INIT) {
        // What the code may see of its own processes, it may not see of the one above them.
        sys::control(sys::PR_SET_DUMPABLE, 0).map_err(at("dumpable"))?;
    }
    sys::go_to(c"/mnt/data").map_err(at("/mnt/data"))?;
    let port = asks(flags::NETWORK).then_some(PROXY_PORT);
    landlock::restrict(channel.landlock, port).map_err(at("landlock"))?;
    channel::say_entered().map_err(at("entry"))?;
    let number = 1 + usize::from(asks(flags::NETWORK)) + 2 * usize::from(asks(flags::NO_MEMORY_GROUP));
    let filter = channel.filter(number).ok_or(("seccomp", sys::EINVAL))?;
    sys::set_seccomp(filter).map_err(at("seccomp"))?;
    Ok(())
}

fn place_folder(channel: &Channel) -> Result<i64, i32> {
    let request = channel.request;
    if request.folder != 0 {
        let mut path = [0; 48];
        let mut digits = [0; 24];
        let number = decimal(request.folder, &mut digits);
        let path = join(&[b"/.folders/", number, b"\0"], &mut path)?;
        let path = CStr::from_bytes_until_nul(path).map_err(|_| sys::EINVAL)?;
        return sys::mount_at(Some(path), c"/mnt/data", None, sys::MS_BIND, None);
    }
    if request.flags & flags::RESIZE == 0 {
        return Ok(0);
    }
    let (mut sizes, mut options) = ([0; 96], [0; 97]);
    let sizes = prepare::sizes(request.folder_bytes, request.folder_files, &mut sizes)?;
    let options = join(&[sizes, b"\0"], &mut options)?;
    let options = CStr::from_bytes_until_nul(options).map_err(|_| sys::EINVAL)?;
    let flags = sys::MS_REMOUNT | sys::MS_NOSUID | sys::MS_NODEV;
    sys::mount_at(None, c"/mnt/data", None, flags, Some(options))
}

fn set_limits(channel: &Channel) -> Result<(), i32> {
    let request = channel.request;
    let file_size = request.folder_bytes.max(64 << 20);
    let memory = match request.memory {
        0 => u64::MAX,
        memory => channel.base_memory.saturating_add(memory),
    };
    let limits = [
        (CPU, request.cpu_seconds),
        (FILE_SIZE, file_size),
        // Not 0: that would still hand a crash to a program of the machine's, where one is set; 1 does not.
        (CORE, 1),
        (OPEN_FILES, request.open_files),
        (LOCKED_MEMORY, 65_536),
        (ADDRESS_SPACE, memory),
        (PENDING_SIGNALS, 1_024),
        (MESSAGE_QUEUES, 0),
    ];
    for (resource, value) in limits {
        sys::limit(resource, value)?;
    }
    Ok(())
}

/// One user and one group, and no way to any other.
fn map_user(outside: u32) -> Result<(), i32> {
    let mut text = [0; 32];
    let mut digits = [0; 12];
    let outside = decimal(outside.into(), &mut digits);
    let text = join(&[INSIDE_USER, outside, b" 1\n"], &mut text)?;
    sys::write_file(c"/proc/self/setgroups", b"deny")?;
    sys::write_file(c"/proc/self/gid_map", text)?;
    sys::write_file(c"/proc/self/uid_map", text)?;
    Ok(())
}

fn drop_powers() -> Result<(), i32> {
    let mut capability = 0;
    // The kernel says where the list ends.
    while capability < 64 && sys::control(sys::PR_CAPBSET_DROP, capability).is_ok() {
        capability += 1;
    }
    if capability < 38 {
        return Err(sys::EINVAL);
    }
    sys::clear_ambient_capabilities()?;
    // Root means nothing, nothing is kept over a change of user, nothing is raised; all of it locked.
    sys::control(sys::PR_SET_SECUREBITS, 0b1110_1111)?;
    sys::drop_capabilities()?;
    Ok(())
}
