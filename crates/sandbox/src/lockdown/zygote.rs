//! A fork server: forks spares when the server asks, and tells it of those that ended.

use super::channel::{Channel, SOCKET};
use super::sys::{self, PollFd};

const FILTERS: &std::ffi::CStr = c"/.sandbox/filters";

/// Sets up the fork server, locks it as far as it can be, and says that it is ready.
pub(super) fn start(channel: &mut Channel) {
    let mut done = || -> Result<(), i32> {
        let filters = sys::open_path(FILTERS, sys::O_RDONLY)?;
        let mut length = [0; 4];
        sys::read_some(filters, &mut length)?;
        let whole = u32::from_ne_bytes(length) as usize;
        let mapped = sys::map(filters, whole).ok_or(sys::EINVAL)?;
        channel.filters = mapped.get(4..).unwrap_or_default();
        sys::close_fd(filters);
        channel.own_namespace = sys::open_path(c"/proc/self/ns/pid", sys::O_RDONLY)?;
        channel.children = sys::watch_children()?;
        channel.landlock = sys::landlock_version().unwrap_or(0);
        sys::control(sys::PR_SET_NO_NEW_PRIVS, 1)?;
        sys::set_seccomp(channel.filter(0).ok_or(sys::EINVAL)?)?;
        sys::send(SOCKET, b"R", &[])?;
        Ok(())
    };
    if let Err(error) = done() {
        let _ =
            sys::send(SOCKET, format!("Ethe fork server could not be locked: error {error}").as_bytes(), &[]);
        sys::exit(71);
    }
}

/// Waits until the server wants a spare.
pub(super) fn next(channel: &mut Channel) -> bool {
    loop {
        let mut events = [
            PollFd { fd: SOCKET, wanted: 1, found: 0 },
            PollFd { fd: channel.children, wanted: 1, found: 0 },
        ];
        if sys::wait_for_events(&mut events).is_err() {
            continue;
        }
        if events[1].found != 0 {
            let mut drained = [0; 128];
            while sys::read_some(channel.children, &mut drained).is_ok_and(|count| count > 0) {}
            report_ended(channel);
        }
        if events[0].found == 0 {
            continue;
        }
        let mut order = [0; 32];
        let Ok((length, count)) = sys::receive(SOCKET, &mut order, &mut channel.fds) else { return false };
        if length == 0 {
            return false;
        }
        if order[0] == b'F' && length >= 26 && count == 1 {
            let number = |at: usize| {
                let bytes = order.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
                u64::from_ne_bytes(bytes.unwrap_or_default())
            };
            channel.spare_socket = channel.fds[0];
            let both = number(1);
            channel.spare_number = u32::try_from(both >> 32).unwrap_or(0);
            channel.spare_user = u32::try_from(both & 0xffff_ffff).unwrap_or(0);
            channel.folder_bytes = number(9);
            channel.folder_files = number(17);
            channel.hurried = order[25] != 0;
            return true;
        }
    }
}

fn report_ended(channel: &mut Channel) {
    while let Some((pid, status)) = sys::reap() {
        let Some(place) = channel.spares.iter_mut().find(|(known, _)| *known == pid) else { continue };
        let mut word = [b'X', 0, 0, 0, 0, 0, 0, 0, 0];
        word[1..5].copy_from_slice(&place.1.to_ne_bytes());
        word[5..9].copy_from_slice(&status.to_ne_bytes());
        *place = (0, 0);
        let _ = sys::send(SOCKET, &word, &[]);
    }
}

/// Makes the next fork the first process of a new process namespace.
pub(super) fn split(_channel: &mut Channel) {
    if sys::unshare_all(sys::CLONE_NEWPID).is_err() {
        let _ = sys::send(SOCKET, b"Ea process namespace could not be made", &[]);
        sys::exit(72);
    }
}

/// After the fork, in the fork server.
pub(super) fn forked(channel: &mut Channel, pid: i32) {
    sys::close_fd(channel.spare_socket);
    if pid > 0
        && let Some(place) = channel.spares.iter_mut().find(|(known, _)| *known == 0)
    {
        *place = (pid, channel.spare_number);
    }
    if sys::enter_namespace(channel.own_namespace, sys::CLONE_NEWPID).is_err() {
        let _ = sys::send(SOCKET, b"Ethe own process namespace is lost", &[]);
        sys::exit(72);
    }
}
