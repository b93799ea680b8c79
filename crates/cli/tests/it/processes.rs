//! The processes of this machine, as code in a sandbox leaves them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

/// A process: its number and when it began, which no later process has both.
pub(crate) type Process = (u32, String);

/// A time to sleep that no other process of this machine sleeps.
pub(crate) fn marked_seconds() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("1000.{}{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Whether a process has this word as one of its arguments.
pub(crate) fn is_running(word: &str) -> bool {
    pids().any(|pid| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes())
    })
}

/// All processes below one.
pub(crate) fn below(pid: u32) -> BTreeSet<Process> {
    let all: BTreeMap<u32, (u32, String)> = pids().filter_map(|pid| Some((pid, stat(pid)?))).collect();
    let is_below = |mut at: u32| {
        while let Some((parent, _)) = all.get(&at) {
            if *parent == pid {
                return true;
            }
            at = *parent;
        }
        false
    };
    all.iter().filter(|(at, _)| is_below(**at)).map(|(at, (_, began))| (*at, began.clone())).collect()
}

/// Whether it is still there, and more than the record of its end.
pub(crate) fn is_alive((pid, began): &Process) -> bool {
    stat(*pid).is_some_and(|(_, now)| now == *began)
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The parent of a process and when it began; none of one that ended.
fn stat(pid: u32) -> Option<(u32, String)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before may have anything in it.
    let fields: Vec<_> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    (*fields.first()? != "Z").then_some(())?;
    Some((fields.get(1)?.parse().ok()?, (*fields.get(19)?).to_owned()))
}
