//! Which files the code may use, said to the kernel a second time: mounts and modes say it already.

use std::ffi::CStr;

use super::sys;

const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
const REMOVE_DIR: u64 = 1 << 4;
const REMOVE_FILE: u64 = 1 << 5;
const MAKE_DIR: u64 = 1 << 7;
const MAKE_REG: u64 = 1 << 8;
const MAKE_SOCK: u64 = 1 << 9;
const MAKE_FIFO: u64 = 1 << 10;
const MAKE_SYM: u64 = 1 << 12;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEV: u64 = 1 << 15;

const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
/// Everything but devices: no character or block device may be made or spoken to.
const WRITE: u64 = READ
    | WRITE_FILE
    | REMOVE_DIR
    | REMOVE_FILE
    | MAKE_DIR
    | MAKE_REG
    | MAKE_SOCK
    | MAKE_FIFO
    | MAKE_SYM
    | REFER
    | TRUNCATE;
const DEVICE: u64 = READ_FILE | WRITE_FILE | TRUNCATE;

const RULES: [(&CStr, u64); 9] = [
    (c"/", READ),
    (c"/tmp", WRITE),
    (c"/dev/shm", WRITE),
    (c"/mnt/data", WRITE),
    (c"/dev/null", DEVICE),
    // Not to be written: a shared mapping of it would be memory that belongs to no process.
    (c"/dev/zero", READ_FILE),
    (c"/dev/full", DEVICE),
    (c"/dev/random", READ_FILE),
    (c"/dev/urandom", READ_FILE),
];

/// Restricts this process and all it will ever start; a connection only to this port of the loopback, if any.
/// `version` is what the kernel knows; 0 is nothing, which the server allows only when it was told to.
pub(super) fn restrict(version: i64, port: Option<u16>) -> Result<(), i32> {
    if version < 1 {
        return Ok(());
    }
    let devices = if version >= 5 { IOCTL_DEV } else { 0 };
    let handled = ((1_u64 << (12 + version.clamp(1, 3))) - 1) | devices;
    let network: u64 = if version >= 4 { 0b11 } else { 0 };
    let scopes: u64 = if version >= 6 { 0b11 } else { 0 };
    let mut attribute = [0; 24];
    for (place, word) in attribute.chunks_exact_mut(8).zip([handled, network, scopes]) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    let known = match version {
        1..=3 => 8,
        4..=5 => 16,
        _ => 24,
    };
    let ruleset = sys::landlock_create(attribute.get(..known).unwrap_or_default())?;
    for (path, access) in RULES {
        let file = sys::open_path(path, sys::O_PATH)?;
        let mut rule = [0; 12];
        rule[..8].copy_from_slice(&(access & handled).to_ne_bytes());
        rule[8..].copy_from_slice(&file.to_ne_bytes());
        let added = sys::landlock_add(ruleset, 1, &rule);
        sys::close_fd(file);
        added?;
    }
    if let (Some(port), 4..) = (port, version) {
        let mut rule = [0; 16];
        rule[..8].copy_from_slice(&0b10_u64.to_ne_bytes());
        rule[8..].copy_from_slice(&u64::from(port).to_ne_bytes());
        sys::landlock_add(ruleset, 2, &rule)?;
    }
    sys::landlock_restrict(ruleset)?;
    sys::close_fd(ruleset);
    Ok(())
}
