//! From an ordinary process to the first one of its own world: its own users, files, processes, network and names.

use std::fs;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use rustix::process::{getegid, geteuid};

use super::kernel::{self, Forked};
use super::{Plan, Standing, root};

/// Users of the machine that stand for those in the jail when root starts it.
const FIRST_USER: u32 = 100_000;
const USERS: u32 = 65_536;
/// The one that does where the machine has no such users, as in containers.
const NOBODY: u32 = 65_534;

const OWN_WORLD: i32 = libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// Sets this process apart. `None` in those that were only needed on the way.
pub(super) fn isolate(plan: &Plan) -> Result<Option<Standing>, String> {
    let first = if geteuid().is_root() { as_root(plan) } else { as_user(plan) }?;
    let Some(standing) = first else { return Ok(None) };
    root::enter().map_err(at("the root folder"))?;
    Ok(Some(standing))
}

fn at(step: &'static str) -> impl Fn(io::Error) -> String {
    move |error| format!("{step}: {error}")
}

/// An ordinary user is itself in the jail, and there is no other.
fn as_user(plan: &Plan) -> Result<Option<Standing>, String> {
    let (uid, gid) = (geteuid().as_raw(), getegid().as_raw());
    kernel::unshare(OWN_WORLD).map_err(at("user namespace"))?;
    fs::write("/proc/self/setgroups", "deny").map_err(at("groups"))?;
    fs::write("/proc/self/gid_map", format!("0 {gid} 1\n")).map_err(at("group map"))?;
    fs::write("/proc/self/uid_map", format!("0 {uid} 1\n")).map_err(at("user map"))?;
    root::build(plan)?;
    first_process(Standing { first_user: uid, users: 1 })
}

/// Root builds the files, since it may read what the users of the jail may not; then it gives up being root.
fn as_root(plan: &Plan) -> Result<Option<Standing>, String> {
    kernel::unshare(libc::CLONE_NEWNS).map_err(at("mount namespace"))?;
    root::build(plan)?;
    let standing = choose_users();
    let (mut apart, apart_writer) = pipe()?;
    let (mut mapped_reader, mapped) = pipe()?;
    match kernel::fork().map_err(at("fork"))? {
        Forked::Child => {
            drop((apart, mapped));
            kernel::unshare(OWN_WORLD).map_err(at("user namespace"))?;
            drop(apart_writer);
            let _ = mapped_reader.read(&mut [0]);
            drop(mapped_reader);
            kernel::become_first_user().map_err(at("user"))?;
            first_process(standing)
        }
        Forked::Parent(child) => {
            drop((apart_writer, mapped_reader));
            let _ = apart.read(&mut [0]);
            let map = format!("0 {} {}\n", standing.first_user, standing.users);
            for kind in ["gid_map", "uid_map"] {
                fs::write(format!("/proc/{child}/{kind}"), &map).map_err(at("user map"))?;
            }
            drop((mapped, apart));
            wait_for_first_process(child);
            Ok(None)
        }
    }
}

/// Forks the first process of the new process namespace.
fn first_process(standing: Standing) -> Result<Option<Standing>, String> {
    match kernel::fork().map_err(at("fork"))? {
        Forked::Child => Ok(Some(standing)),
        Forked::Parent(child) => {
            wait_for_first_process(child);
            Ok(None)
        }
    }
}

/// Stays until the jail ends, so that its end is noticed by whoever started it and by nobody else.
fn wait_for_first_process(child: i32) {
    // The server must see the jail's end of the socket close, which is not this one.
    kernel::close_from(0);
    kernel::wait(child);
}

fn pipe() -> Result<(fs::File, fs::File), String> {
    let ends: (OwnedFd, OwnedFd) =
        rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).map_err(|error| error.to_string())?;
    Ok((ends.0.into(), ends.1.into()))
}

/// Users of the machine that this one may give away.
fn choose_users() -> Standing {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let covered = map.lines().any(|line| {
        let mut numbers = line.split_whitespace().filter_map(|number| number.parse::<u64>().ok());
        let (Some(start), _, Some(count)) = (numbers.next(), numbers.next(), numbers.next()) else {
            return false;
        };
        start <= u64::from(FIRST_USER) && start + count >= u64::from(FIRST_USER + USERS)
    });
    if covered {
        Standing { first_user: FIRST_USER, users: USERS }
    } else {
        Standing { first_user: NOBODY, users: 1 }
    }
}
