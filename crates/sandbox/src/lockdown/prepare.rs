//! What a spare does ahead of a request: namespaces and mounts of its own.

use std::ffi::CStr;

use super::channel::{Channel, SOCKET, decimal, join};
use super::sys;

/// Bytes and files of `/tmp` and of `/dev/shm`.
const SCRATCH: &[u8] = b"size=67108864,nr_inodes=4096";

/// Sets the spare apart and hands the server what it needs of it: its pidfd, its work folder, its program folder.
pub(super) fn prepare(channel: &mut Channel) {
    // There is no request yet that could be answered: the server sees the socket close.
    if let Err((step, error)) = set_apart(channel) {
        let text = format!("Ea spare could not be prepared: {step}: error {error}");
        let _ = sys::send(SOCKET, text.as_bytes(), &[]);
        sys::exit(73);
    }
}

fn set_apart(channel: &mut Channel) -> Result<(), (&'static str, i32)> {
    let at = |step: &'static str| move |error: i32| (step, error);
    sys::new_session().map_err(at("setsid"))?;
    sys::control(sys::PR_SET_PDEATHSIG, sys::SIGKILL).map_err(at("parent death signal"))?;
    sys::unblock_signals().map_err(at("signals"))?;
    sys::duplicate(channel.spare_socket, SOCKET).map_err(at("socket"))?;
    sys::close_from(SOCKET + 1).map_err(at("close"))?;
    let apart =
        sys::CLONE_NEWNS | sys::CLONE_NEWIPC | sys::CLONE_NEWUTS | sys::CLONE_NEWNET | sys::CLONE_NEWCGROUP;
    sys::unshare_all(apart).map_err(at("namespaces"))?;
    sys::mount_at(None, c"/.folders", None, sys::MS_SLAVE, None).map_err(at("propagation"))?;
    mount_proc().map_err(at("proc"))?;
    // Should the machine run out of memory, this goes before anything of its own.
    sys::control(sys::PR_SET_DUMPABLE, 1).map_err(at("dumpable"))?;
    sys::write_file(c"/proc/self/oom_score_adj", b"1000").map_err(at("memory score"))?;
    sys::name_host(c"sandbox").map_err(at("host name"))?;
    sys::set_umask(0o022);
    let user = channel.spare_user;
    mount_scratch(c"/tmp", SCRATCH, user).map_err(at("/tmp"))?;
    mount_scratch(c"/dev/shm", SCRATCH, user).map_err(at("/dev/shm"))?;
    mount_scratch(c"/program", b"size=134217728,nr_inodes=16384", user).map_err(at("/program"))?;
    let mut data = [0; 96];
    let size = sizes(channel.folder_bytes, channel.folder_files, &mut data).map_err(at("sizes"))?;
    mount_scratch(c"/mnt/data", size, user).map_err(at("/mnt/data"))?;
    channel.base_memory = address_space();
    let folder = |path| sys::open_path(path, sys::O_RDONLY | sys::O_DIRECTORY);
    let process = sys::own_pidfd().map_err(at("pidfd"))?;
    let work = folder(c"/mnt/data").map_err(at("work folder"))?;
    let program = folder(c"/program").map_err(at("program folder"))?;
    sys::send(SOCKET, b"H", &[process, work, program]).map_err(at("hello"))?;
    sys::close_from(SOCKET + 1).map_err(at("close"))?;
    Ok(())
}

fn mount_proc() -> Result<i64, i32> {
    let flags = sys::MS_NOSUID | sys::MS_NODEV | sys::MS_NOEXEC;
    let mount = |options| sys::mount_at(Some(c"proc"), c"/proc", Some(c"proc"), flags, Some(options));
    // Kernels before 5.8 know neither word.
    mount(c"hidepid=invisible,subset=pid").or_else(|_| mount(c"hidepid=2"))
}

/// A file system in memory that only this user may enter.
fn mount_scratch(target: &CStr, size: &[u8], user: u32) -> Result<i64, i32> {
    let mut options = [0_u8; 160];
    let mut digits = [0; 12];
    let user = decimal(user.into(), &mut digits);
    // The program may be run by the owner of a kept work folder, who is another user.
    let mode: &[u8] = if target == c"/program" { b",mode=0755,uid=" } else { b",mode=0700,uid=" };
    let options = join(&[size, mode, user, b",gid=", user, b"\0"], &mut options)?;
    let options = CStr::from_bytes_until_nul(options).map_err(|_| sys::EINVAL)?;
    let flags = sys::MS_NOSUID | sys::MS_NODEV;
    sys::mount_at(Some(c"tmpfs"), target, Some(c"tmpfs"), flags, Some(options))
}

/// The options that bound a file system in memory.
pub(super) fn sizes(bytes: u64, files: u64, buffer: &mut [u8; 96]) -> Result<&[u8], i32> {
    let (mut first, mut second) = ([0; 24], [0; 24]);
    // No bytes would mean no limit. The folder itself is a file too.
    let (bytes, files) = (decimal(bytes.max(1), &mut first), decimal(files.saturating_add(1), &mut second));
    join(&[b"size=", bytes, b",nr_inodes=", files], buffer)
}

/// Bytes of address space in use.
fn address_space() -> u64 {
    let mut text = [0; 64];
    let Ok(file) = sys::open_path(c"/proc/self/statm", sys::O_RDONLY) else { return 0 };
    let length = sys::read_some(file, &mut text).unwrap_or(0);
    sys::close_fd(file);
    let pages =
        text.iter().take(usize::try_from(length).unwrap_or(0)).take_while(|byte| byte.is_ascii_digit());
    pages.fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0')) * 4096
}
