//! The first process of the jail: starts fork servers and keeps work folders until the server is gone. When it
//! ends, the kernel ends every process in the jail.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use rustix::process::{PidfdFlags, getpid, pidfd_open};

use super::kernel::{self, Forked};
use super::{Answer, Order, Standing, native};
use crate::wire;

/// Follows the server's orders until it is gone.
pub(super) fn follow(server: BorrowedFd<'_>, standing: &Standing) -> i32 {
    let Ok(process) = pidfd_open(getpid(), PidfdFlags::empty()) else { return 1 };
    let answer: Result<&Standing, String> = Ok(standing);
    let hello = serde_json::to_vec(&answer).unwrap_or_default();
    if wire::send(server, &hello, &[process.as_fd()]).is_err() {
        return 1;
    }
    drop(process);
    loop {
        kernel::reap();
        let mut events = [PollFd::new(&server, PollFlags::IN)];
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        if !matches!(poll(&mut events, Some(&second)), Ok(1..)) {
            continue;
        }
        let Ok((bytes, fds)) = wire::receive(server) else { return 0 };
        if bytes.is_empty() {
            return 0;
        }
        let done = match serde_json::from_slice(&bytes) {
            Ok(order) => obey(order, fds),
            Err(error) => Err(error.to_string()),
        };
        let (answer, fd): (Answer, _) = match done {
            Ok(fd) => (Ok(()), fd),
            Err(error) => (Err(error), None),
        };
        let fds: Vec<_> = fd.iter().map(AsFd::as_fd).collect();
        if wire::send(server, &serde_json::to_vec(&answer).unwrap_or_default(), &fds).is_err() {
            return 0;
        }
    }
}

fn obey(order: Order, fds: Vec<OwnedFd>) -> Result<Option<OwnedFd>, String> {
    match order {
        Order::Python { python, preload } => start_python(&python, &preload, fds).map(|()| None),
        Order::Native => start(fds, native::serve).map(|()| None),
        Order::Folder { number, bytes, files, user } => make_folder(number, bytes, files, user).map(Some),
        Order::Release { number } => release(number).map(|()| None),
    }
}

/// Starts a child with its socket at 3 and its standard error at 2, and nothing else open.
fn start(fds: Vec<OwnedFd>, run: impl FnOnce() -> i32) -> Result<(), String> {
    let [socket, errors] = <[OwnedFd; 2]>::try_from(fds).map_err(|_| "two descriptors are needed")?;
    match kernel::fork().map_err(|error| format!("fork: {error}"))? {
        Forked::Parent(_) => Ok(()),
        Forked::Child => std::process::exit(match place_all(socket, errors) {
            Ok(()) => run(),
            Err(_) => 74,
        }),
    }
}

fn place_all(socket: OwnedFd, errors: OwnedFd) -> std::io::Result<()> {
    let nothing: OwnedFd = fs::File::options().read(true).write(true).open("/dev/null")?.into();
    // Not below 10, or placing one would close another.
    let keep = |fd: &OwnedFd| rustix::io::fcntl_dupfd_cloexec(fd, 10);
    let high = (keep(&nothing)?, keep(&socket)?, keep(&errors)?);
    for (fd, number) in [(&high.0, 0), (&high.0, 1), (&high.2, 2), (&high.1, 3)] {
        kernel::place(fd.as_fd(), number)?;
    }
    // They are closed below, all at once.
    std::mem::forget((nothing, socket, errors, high));
    kernel::close_from(4);
    Ok(())
}

/// What Python finds in its environment. Threads in numeric libraries would not survive a fork.
const PYTHON_ENVIRONMENT: &[(&str, &str)] = &[
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("HOME", "/tmp"),
    ("LANG", "C.UTF-8"),
    ("TMPDIR", "/tmp"),
    ("PYTHONHASHSEED", "0"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PYTHONNOUSERSITE", "1"),
    ("PYTHONUTF8", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("MPLBACKEND", "Agg"),
    ("MPLCONFIGDIR", "/tmp"),
];

fn start_python(python: &Path, preload: &[String], fds: Vec<OwnedFd>) -> Result<(), String> {
    start(fds, || {
        use std::os::unix::process::CommandExt;
        let error = std::process::Command::new(python)
            .args(["-s", "-B", "/.sandbox/zygote.py"])
            .args(preload)
            .env_clear()
            .envs(PYTHON_ENVIRONMENT.iter().copied())
            .exec();
        eprintln!("{} does not start: {error}", python.display());
        75
    })
}

fn folder(number: u64) -> PathBuf {
    Path::new("/.folders").join(number.to_string())
}

fn make_folder(number: u64, bytes: u64, files: u64, user: u32) -> Result<OwnedFd, String> {
    let path = folder(number);
    let made = || -> std::io::Result<OwnedFd> {
        fs::create_dir(&path)?;
        // No bytes would mean no limit. The folder itself is a file too.
        let (bytes, files) = (bytes.max(1), files.saturating_add(1));
        let options = format!("size={bytes},nr_inodes={files},mode=0700,uid={user},gid={user}");
        let options = std::ffi::CString::new(options)?;
        mount("tmpfs", &path, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, Some(&*options))?;
        Ok(open(&path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
    };
    made().map_err(|error| format!("work folder: {error}"))
}

fn release(number: u64) -> Result<(), String> {
    let path = folder(number);
    unmount(&path, UnmountFlags::DETACH).map_err(|error| format!("work folder: {error}"))?;
    fs::remove_dir(&path).map_err(|error| format!("work folder: {error}"))
}
