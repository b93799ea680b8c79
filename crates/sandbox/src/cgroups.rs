//! Control groups, version 1 or 2, where this process may make them: they count memory, processor time and processes
//! exactly.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Cgroups, Limits};

/// Where groups for executions are made.
#[derive(Debug)]
pub(crate) struct Groups {
    version: Version,
    /// The folder of ours in each hierarchy.
    bases: Vec<PathBuf>,
    /// Groups whose execution is over; each is cleared as soon as it is empty.
    over: Mutex<Vec<Folders>>,
    /// Empty groups for the next executions: making one costs more than running a small function.
    idle: Mutex<Vec<Folders>>,
}

/// The folders of one group, one in each hierarchy, and what is set in them.
#[derive(Debug, Default)]
struct Folders {
    paths: Vec<PathBuf>,
    memory: u64,
    processes: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// The group of one execution. Once it is dropped it is cleared as soon as it is empty.
#[derive(Debug)]
pub(crate) struct Group {
    groups: Arc<Groups>,
    version: Version,
    folders: Folders,
    /// What earlier executions had left on its counters.
    kills_before: u64,
    cpu_before: Duration,
}

/// What a process that waits for code has in use already; a group cannot have less.
const LEAST_MEMORY: u64 = 24 << 20;
/// Empty groups that are kept.
const MOST_IDLE: usize = 16;
/// What may still be charged to an empty group that is used again. More is left where its files outlive it.
const MOST_LEFT: u64 = 1 << 20;
/// Processes beyond the limit that the kernel lets through, so that the watchdog can tell.
const SLACK: u32 = 2;

impl Groups {
    /// Groups, if this process may make them; else why not.
    pub(crate) fn find(wanted: Cgroups) -> Result<Self, String> {
        if wanted == Cgroups::Off {
            return Err("switched off in the settings".to_owned());
        }
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        version_two(&own).or_else(|second| version_one(&own).map_err(|first| format!("{second}; {first}")))
    }

    /// Which version, for people.
    pub(crate) fn describe(&self) -> &'static str {
        match self.version {
            Version::One if self.counts_cpu() => "version 1: memory, processor time and processes",
            Version::One => "version 1: memory and processes",
            Version::Two => "version 2: memory, processor time and processes",
        }
    }

    /// Whether processor time is counted.
    pub(crate) fn counts_cpu(&self) -> bool {
        self.version == Version::Two || self.bases.len() > 2
    }

    /// A group with this process alone in it.
    pub(crate) fn take(self: &Arc<Self>, number: u32, pid: i32, limits: &Limits) -> io::Result<Group> {
        let idle = lock(&self.idle).pop();
        let folders = idle.map_or_else(|| self.make(number), Ok)?;
        let mut group = Group {
            groups: Arc::clone(self),
            version: self.version,
            folders,
            kills_before: 0,
            cpu_before: Duration::ZERO,
        };
        group.kills_before = group.kills();
        group.cpu_before = group.cpu_in_all().unwrap_or_default();
        for folder in &group.folders.paths {
            fs::write(folder.join("cgroup.procs"), pid.to_string())?;
        }
        group.limit(limits)?;
        Ok(group)
    }

    fn make(&self, number: u32) -> io::Result<Folders> {
        let paths: Vec<_> = self.bases.iter().map(|base| base.join(number.to_string())).collect();
        for folder in &paths {
            fs::create_dir(folder)?;
        }
        Ok(Folders { paths, ..Folders::default() })
    }

    /// Clears dropped groups that are empty by now: keeps a few, removes the others. Whether none is left to clear.
    pub(crate) fn sweep(&self) -> bool {
        let mut waiting = std::mem::take(&mut *lock(&self.over));
        waiting.retain_mut(|folders| !self.clear(folders));
        let mut over = lock(&self.over);
        over.append(&mut waiting);
        over.is_empty()
    }

    /// Whether the group is out of the way: kept for the next execution, or removed.
    fn clear(&self, folders: &mut Folders) -> bool {
        if folders.paths.iter().any(|folder| !is_empty(folder)) {
            return false;
        }
        let mut idle = lock(&self.idle);
        if idle.len() < MOST_IDLE && self.left_behind(folders).is_some_and(|bytes| bytes <= MOST_LEFT) {
            idle.push(std::mem::take(folders));
            return true;
        }
        drop(idle);
        folders.paths.retain(|folder| match fs::remove_dir(folder) {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        });
        folders.paths.is_empty()
    }

    /// Memory charged to a group without processes.
    fn left_behind(&self, folders: &Folders) -> Option<u64> {
        let name = if self.version == Version::One { "memory.usage_in_bytes" } else { "memory.current" };
        fs::read_to_string(folders.paths.first()?.join(name)).ok()?.trim().parse().ok()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_empty(folder: &Path) -> bool {
    match fs::read(folder.join("cgroup.procs")) {
        Ok(processes) => processes.is_empty(),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Not cleared here: its processes take a moment to go, and whoever drops it should not wait for that.
        lock(&self.groups.over).push(std::mem::take(&mut self.folders));
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for base in &self.bases {
            remove_with_children(base);
        }
    }
}

fn remove_with_children(base: &Path) {
    for child in fs::read_dir(base).into_iter().flatten().flatten() {
        // Only folders are groups; one that is still in use stays for the next start.
        let _ = fs::remove_dir(child.path());
    }
    let _ = fs::remove_dir(base);
}

fn base_name() -> String {
    format!("repertoire-sandbox-{}", std::process::id())
}

/// Groups of servers that were killed.
fn remove_left_overs(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix("repertoire-sandbox-"));
        if pid.is_some_and(|pid| !Path::new("/proc").join(pid).exists()) {
            remove_with_children(&entry.path());
        }
    }
}

fn version_one(own: &str) -> Result<Groups, String> {
    let mut bases = Vec::new();
    // Memory is first and processes last, see `Group::limit`.
    for controller in ["memory", "cpuacct", "pids"] {
        let path = own.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let controllers = parts.next()?;
            controllers.split(',').any(|word| word == controller).then(|| parts.next())?
        });
        // Without it processor time is counted in another way.
        if path.is_none() && controller == "cpuacct" {
            continue;
        }
        let path = path.ok_or_else(|| format!("there is no {controller} control group"))?;
        let above = Path::new("/sys/fs/cgroup").join(controller).join(path.trim_start_matches('/'));
        remove_left_overs(&above);
        let base = above.join(base_name());
        make_if_missing(&base).map_err(|error| format!("{}: {error}", base.display()))?;
        bases.push(base);
    }
    Ok(Groups { version: Version::One, bases, over: Mutex::default(), idle: Mutex::default() })
}

fn make_if_missing(base: &Path) -> io::Result<()> {
    match fs::create_dir(base) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Needs a delegated group of our own: the server moves into a leaf of it, executions into another.
fn version_two(own: &str) -> Result<Groups, String> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::")).ok_or("no control groups version 2")?;
    let path = path.trim_start_matches('/').trim_end_matches("/repertoire-server");
    let above = Path::new("/sys/fs/cgroup").join(path);
    let controllers = fs::read_to_string(above.join("cgroup.controllers")).unwrap_or_default();
    if !["memory", "pids"].iter().all(|name| controllers.split_whitespace().any(|word| word == *name)) {
        return Err("control groups version 2 have no memory and pids controller here".to_owned());
    }
    let set_up = || -> io::Result<PathBuf> {
        let server = above.join("repertoire-server");
        make_if_missing(&server)?;
        fs::write(server.join("cgroup.procs"), std::process::id().to_string())?;
        fs::write(above.join("cgroup.subtree_control"), "+memory +pids")?;
        remove_left_overs(&above);
        let base = above.join(base_name());
        make_if_missing(&base)?;
        fs::write(base.join("cgroup.subtree_control"), "+memory +pids")?;
        Ok(base)
    };
    let base =
        set_up().map_err(|error| format!("control groups version 2 are not delegated to us: {error}"))?;
    Ok(Groups { version: Version::Two, bases: vec![base], over: Mutex::default(), idle: Mutex::default() })
}

impl Group {
    fn file(&self, one: &str, two: &str) -> Option<PathBuf> {
        let name = if self.version == Version::One { one } else { two };
        Some(self.folders.paths.first()?.join(name))
    }

    /// Sets the limits, where they are not set already.
    pub(crate) fn limit(&mut self, limits: &Limits) -> io::Result<()> {
        if (self.folders.memory, self.folders.processes) == (limits.memory, limits.processes) {
            return Ok(());
        }
        let processes = limits.processes.saturating_add(SLACK).to_string();
        let memory = limits.memory.max(LEAST_MEMORY).to_string();
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        fs::write(self.folders.paths.last().ok_or_else(missing)?.join("pids.max"), processes)?;
        let file = self.file("memory.limit_in_bytes", "memory.max").ok_or_else(missing)?;
        // Not every kernel counts swap; without swap there is nothing to count.
        let swap = self.file("memory.memsw.limit_in_bytes", "memory.swap.max").filter(|file| file.exists());
        let with_swap = if self.version == Version::One { &*memory } else { "0" };
        let set_swap = || swap.as_ref().map_or(Ok(()), |swap| fs::write(swap, with_swap));
        // In version 1 the one with swap is never the smaller: it is raised first and lowered last.
        if fs::write(&file, &memory).is_err() {
            set_swap()?;
            fs::write(&file, &memory)?;
        }
        set_swap()?;
        if self.version == Version::Two {
            let _ = fs::write(self.file("", "memory.oom.group").ok_or_else(missing)?, "1");
        }
        (self.folders.memory, self.folders.processes) = (limits.memory, limits.processes);
        Ok(())
    }

    /// Processor time of all its processes, those that ended included.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        Some(self.cpu_in_all()?.saturating_sub(self.cpu_before))
    }

    fn cpu_in_all(&self) -> Option<Duration> {
        if self.version == Version::One {
            let [_, accounting, _] = self.folders.paths.as_slice() else { return None };
            let usage = fs::read_to_string(accounting.join("cpuacct.usage")).ok()?;
            return usage.trim().parse().ok().map(Duration::from_nanos);
        }
        let stat = fs::read_to_string(self.folders.paths.first()?.join("cpu.stat")).ok()?;
        let usage = stat.lines().find_map(|line| line.strip_prefix("usage_usec "))?;
        usage.trim().parse().ok().map(Duration::from_micros)
    }

    /// Whether the kernel ended a process because memory ran out.
    pub(crate) fn ran_out_of_memory(&self) -> bool {
        self.kills() > self.kills_before
    }

    fn kills(&self) -> u64 {
        let file = self.file("memory.oom_control", "memory.events");
        let text = file.and_then(|file| fs::read_to_string(file).ok()).unwrap_or_default();
        let kills = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
        kills.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
    }
}
