//! What is on the jail's file system: the machine's programs and libraries to read, a few devices, and nothing of
//! its data. Where the server's own files stand among those libraries, they are covered.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount,
};

use super::Plan;
use super::kernel::{self, NO_DEVICES, READ_ONLY};
use crate::search_path;

/// Where the jail is built, in a mount namespace of its own.
const HERE: &str = "/tmp";

const PROGRAMS: &[&str] =
    &["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];
const SETTINGS: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ca-certificates",
    "/etc/pki/tls/certs",
    "/etc/mime.types",
];
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
const FOLDERS: &[&str] =
    &["proc", "tmp", "dev/shm", "mnt/data", "program", ".folders", ".empty", ".sandbox", ".old", "etc"];
/// A file that nobody may open; it covers files that are hidden.
const NOTHING: &str = ".sandbox/nothing";
const FILES: &[(&str, &[u8])] = &[
    ("etc/passwd", b"root:x:0:0:root:/:/bin/false\nuser:x:1000:1000:user:/mnt/data:/bin/sh\n"),
    ("etc/group", b"root:x:0:\nuser:x:1000:\n"),
    ("etc/hosts", b"127.0.0.1 localhost\n"),
    ("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files\n"),
    (NOTHING, b""),
    (".sandbox/lockdown.so", include_bytes!(concat!(env!("OUT_DIR"), "/lockdown.so"))),
    (".sandbox/zygote.py", include_bytes!("../python/zygote.py")),
    (".sandbox/program.py", include_bytes!("../python/program.py")),
    (".sandbox/warm.py", include_bytes!("../python/warm.py")),
    (".sandbox/rendering.py", include_bytes!("../python/rendering.py")),
];

fn at(what: impl std::fmt::Display) -> impl Fn(io::Error) -> String {
    move |error| format!("{what}: {error}")
}

/// Builds it. The process must have a mount namespace of its own.
pub(super) fn build(plan: &Plan) -> Result<(), String> {
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", private).map_err(|error| format!("mounts: {error}"))?;
    // Opened first: what stands where the jail is built could not be found any more.
    let readable = open_all(&readable(plan));
    let devices: Vec<PathBuf> = DEVICES.iter().map(PathBuf::from).collect();
    let devices = open_all(&devices);
    mount("tmpfs", HERE, "tmpfs", MountFlags::NOSUID, Some(c"mode=0755,size=64m"))
        .map_err(|error| format!("mounting is not allowed: {error}"))?;
    for folder in FOLDERS {
        fs::create_dir_all(inside(folder)).map_err(at(folder))?;
    }
    for (path, content) in FILES {
        fs::write(inside(path), content).map_err(at(path))?;
    }
    fs::write(inside(".sandbox/filters"), &plan.filters).map_err(at("filters"))?;
    fs::create_dir_all(inside(search_path::FOLDER)).map_err(at(search_path::FOLDER))?;
    for (name, content) in search_path::FILES {
        fs::write(inside(search_path::FOLDER).join(name), content).map_err(at(name))?;
    }
    fs::write(inside(".sandbox/search_path.json"), search_path::as_json()).map_err(at("search path"))?;
    fs::set_permissions(inside(NOTHING), fs::Permissions::from_mode(0o000)).map_err(at(NOTHING))?;
    let mut covers = Vec::new();
    for (path, source) in readable {
        show(&path, &source).map_err(at(path.display()))?;
        if let Source::Open { real, .. } = &source {
            covers.extend(cover(&path, real, &plan.hidden).map_err(at(path.display()))?);
        }
    }
    for cover in covers {
        kernel::protect(&cover, READ_ONLY | NO_DEVICES, false).map_err(at(cover.display()))?;
    }
    for (path, source) in devices {
        if let Source::Open { file: source, .. } = source {
            let target = inside(&path);
            fs::write(&target, b"").map_err(at(path.display()))?;
            bind(&source, &target).map_err(at(path.display()))?;
            kernel::protect(&target, READ_ONLY, false).map_err(at(path.display()))?;
        }
    }
    Ok(())
}

fn inside(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    Path::new(HERE).join(path.strip_prefix("/").unwrap_or(path))
}

enum Source {
    Link(PathBuf),
    /// With the place it really stands at.
    Open {
        file: OwnedFd,
        real: PathBuf,
    },
}

/// What is shown, in this order: what stands inside of something hidden comes on top of its cover.
fn readable(plan: &Plan) -> Vec<PathBuf> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let within = |path: &Path| plan.hidden.iter().any(|hidden| real(path).starts_with(hidden));
    let mut readable: Vec<PathBuf> = PROGRAMS.iter().chain(SETTINGS).map(PathBuf::from).collect();
    for folder in plan.readable.iter().filter(|folder| !within(folder)) {
        if !readable.iter().any(|known| folder.starts_with(known)) {
            readable.push(folder.clone());
        }
    }
    let inner = plan.readable.iter().filter(|folder| within(folder)).map(|folder| {
        // A link among what is shown already leads to where it is on this machine.
        let known = readable.iter().any(|known| folder.starts_with(known));
        if known { real(folder) } else { folder.clone() }
    });
    let inner: Vec<PathBuf> = inner.collect();
    readable.extend(inner);
    readable
}

/// Covers what is hidden in a folder that is shown; tells the covers, which can still be written to.
fn cover(path: &Path, real: &Path, hidden: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut covers = Vec::new();
    for rest in hidden.iter().filter_map(|hidden| hidden.strip_prefix(real).ok()) {
        let target: PathBuf = inside(path).iter().chain(rest).collect();
        match fs::symlink_metadata(&target) {
            Ok(found) if found.is_dir() => {
                mount("tmpfs", &target, "tmpfs", MountFlags::NOSUID, Some(c"mode=0755,size=1m"))?;
            }
            Ok(_) => mount_bind_recursive(inside(NOTHING), &target)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        covers.push(target);
    }
    Ok(covers)
}

/// What is there of these; the rest is left out.
fn open_all(paths: &[PathBuf]) -> Vec<(PathBuf, Source)> {
    let open = |path: &PathBuf| {
        if let Ok(target) = fs::read_link(path) {
            return Some((path.clone(), Source::Link(target)));
        }
        let opened = openat(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let real = fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd())).ok()?;
        Some((path.clone(), Source::Open { file: opened, real }))
    };
    paths.iter().filter_map(open).collect()
}

fn show(path: &Path, source: &Source) -> io::Result<()> {
    let target = inside(path);
    if let Some(above) = target.parent() {
        fs::create_dir_all(above)?;
    }
    let source = match source {
        Source::Link(to) => return symlink(to, target),
        Source::Open { file, .. } => file,
    };
    let is_folder = fs::metadata(format!("/proc/self/fd/{}", source.as_raw_fd()))?.is_dir();
    if is_folder {
        fs::create_dir_all(&target)?;
        fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
    } else {
        fs::write(&target, b"")?;
    }
    bind(source, &target)?;
    kernel::protect(&target, READ_ONLY | NO_DEVICES, true)
}

fn bind(source: &OwnedFd, target: &Path) -> io::Result<()> {
    Ok(mount_bind_recursive(format!("/proc/self/fd/{}", source.as_raw_fd()), target)?)
}

/// Makes it the root. The process must be the first of its process namespace.
pub(super) fn enter() -> io::Result<()> {
    let plain = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", inside("proc"), "proc", plain, None)?;
    // A mount that came from a namespace above cannot become the root; a copy of it can.
    mount_bind_recursive(HERE, HERE)?;
    rustix::process::chdir(HERE)?;
    rustix::process::pivot_root(".", ".old")?;
    rustix::process::chdir("/")?;
    unmount("/.old", UnmountFlags::DETACH)?;
    kernel::protect(Path::new("/"), READ_ONLY, false)?;
    mount("tmpfs", "/.folders", "tmpfs", plain, Some(c"mode=0711,size=1m,nr_inodes=65536"))?;
    // Work folders that are made later must appear in spares that are there already.
    mount_change("/.folders", MountPropagationFlags::SHARED)?;
    Ok(())
}
