//! Acts on files as another user of this machine: a work folder inside a user namespace knows no host root.

use rustix::io::Errno;

/// A user of this machine by its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// Does something with files as this owner, on this thread alone.
pub(crate) fn acting_as<T>(owner: Option<Owner>, act: impl FnOnce() -> Result<T, Errno>) -> Result<T, Errno> {
    let Some(owner) = owner else { return act() };
    let _restored = Acting::start(owner)?;
    act()
}

struct Acting(Owner);

impl Acting {
    fn start(owner: Owner) -> Result<Self, Errno> {
        let before = Owner { uid: set_uid(u32::MAX), gid: set_gid(u32::MAX) };
        set_gid(owner.gid);
        set_uid(owner.uid);
        let acting = Self(before);
        if set_uid(u32::MAX) == owner.uid && set_gid(u32::MAX) == owner.gid {
            return Ok(acting);
        }
        Err(Errno::PERM)
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        set_uid(self.0.uid);
        set_gid(self.0.gid);
    }
}

/// Sets the user for file access and gives the one before; a number nobody has only asks.
#[allow(unsafe_code)]
fn set_uid(uid: u32) -> u32 {
    // SAFETY: takes a number, changes this thread's credentials for files, touches no memory.
    u32::from_ne_bytes(unsafe { libc::setfsuid(uid) }.to_ne_bytes())
}

#[allow(unsafe_code)]
fn set_gid(gid: u32) -> u32 {
    // SAFETY: as above.
    u32::from_ne_bytes(unsafe { libc::setfsgid(gid) }.to_ne_bytes())
}
