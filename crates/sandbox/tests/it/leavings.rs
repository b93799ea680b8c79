//! What a driver must not leave behind once it has ended: processes, control groups, mounts, temporary files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::driver::{Driver, Mode, say};

/// What there was before a driver started.
pub(crate) struct Leavings {
    mounts: BTreeSet<String>,
    own_groups: BTreeSet<PathBuf>,
}

/// What a driver has while it runs, and must be gone after it.
pub(crate) struct Belongings {
    processes: Vec<(u32, String)>,
    groups: BTreeSet<PathBuf>,
}

impl Leavings {
    pub(crate) fn before() -> Self {
        Self { mounts: mounts(), own_groups: groups(std::process::id()).into_iter().collect() }
    }

    /// What the driver has now.
    pub(crate) fn belongings(&self, driver: &Driver) -> Belongings {
        let family = family(driver.process());
        let mut roots = BTreeSet::new();
        for group in family.iter().flat_map(|process| groups(*process)) {
            // The highest group that is the driver's and not also ours.
            let above = |group: &&Path| !self.own_groups.iter().any(|own| own.starts_with(group));
            roots.extend(group.ancestors().take_while(above).last().map(Path::to_owned));
        }
        let processes = family.iter().filter_map(|process| Some((*process, started(*process)?))).collect();
        Belongings { processes, groups: roots }
    }

    /// What the driver has once it has all that it must have in this mode: a spare may just be on its way.
    pub(crate) fn all_belongings(&self, driver: &Driver, mode: Mode) -> Belongings {
        let start = Instant::now();
        loop {
            let belongings = self.belongings(driver);
            if belongings.are_of(mode) {
                return belongings;
            }
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "{mode:?}: too little is there to look for later"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// What is still there a while after the driver ended; empty is right.
    pub(crate) fn left(&self, driver: &Driver, belongings: &Belongings) -> Vec<String> {
        eventually_none(|| {
            let processes = belongings.alive();
            let groups = belongings.groups.iter().filter(|group| group.exists());
            let groups = groups.map(|group| format!("control group {}", group.display()));
            let mounts: Vec<_> =
                mounts().difference(&self.mounts).map(|mount| format!("mount {mount}")).collect();
            let files = std::fs::read_dir(driver.host.temporary()).unwrap();
            let files = files.map(|file| format!("file {}", file.unwrap().path().display()));
            processes.into_iter().chain(groups).chain(mounts).chain(files).collect()
        })
    }
}

impl Belongings {
    /// Whether it has what a driver in this mode must have; else what is looked for at the end would not be found.
    fn are_of(&self, mode: Mode) -> bool {
        self.processes.len() > 2 && (mode != Mode::RootWithCgroups || !self.groups.is_empty())
    }

    fn alive(&self) -> Vec<String> {
        self.processes
            .iter()
            .filter(|(process, since)| started(*process).as_ref() == Some(since))
            .map(|(process, _)| format!("process {process} ({})", name(*process)))
            .collect()
    }

    /// The processes that are still there a while after the driver ended.
    pub(crate) fn processes_left(&self) -> Vec<String> {
        eventually_none(|| self.alive())
    }
}

/// Asks again and again until there is nothing, for some seconds; gives what is left then.
pub(crate) fn eventually_none(find: impl Fn() -> Vec<String>) -> Vec<String> {
    let start = Instant::now();
    loop {
        let found = find();
        if found.is_empty() || start.elapsed() > Duration::from_secs(5) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes of this machine that see this file as part of their program.
pub(crate) fn processes_with(marker: &str) -> Vec<String> {
    let inside = |process: &u32| {
        Path::new(&format!("/proc/{process}/root/program/{marker}")).symlink_metadata().is_ok()
    };
    processes().filter(inside).map(|process| format!("process {process} ({})", name(process))).collect()
}

/// Ends every driver when the test binary ends, and fails it if something is left then.
#[allow(unsafe_code)]
pub(crate) fn at_the_end_of_the_binary() {
    extern "C" fn end() {
        if end_all().is_err() {
            // SAFETY: ends the process, touches nothing.
            unsafe { libc::_exit(101) }
        }
    }
    // SAFETY: registers a function that lives as long as the program.
    assert_eq!(unsafe { libc::atexit(end) }, 0);
}

fn end_all() -> Result<(), ()> {
    static ENDING: Mutex<()> = Mutex::new(());
    let _once = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut result = Ok(());
    for mode in Mode::ALL {
        let Some(driver) = mode.started() else { continue };
        let belongings = driver.leavings.belongings(driver);
        if !driver.end() {
            say(&format!("{mode:?}: the driver did not end well"));
            result = Err(());
        }
        let left = driver.leavings.left(driver, &belongings);
        if !left.is_empty() {
            say(&format!("{mode:?}: left behind after the driver ended: {}", left.join(", ")));
            result = Err(());
        }
        let _ = std::fs::remove_dir_all(driver.host.folder());
    }
    result
}

fn processes() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The processes of the group that this one leads, and all that they and their children started.
pub(crate) fn family(first: u32) -> Vec<u32> {
    let known = |process| Some((process, number(process, PARENT)?, number(process, LEADER)?));
    let all: Vec<_> = processes().filter_map(known).collect();
    let mut family: Vec<_> =
        all.iter().filter(|(_, _, leader)| *leader == first).map(|(process, _, _)| *process).collect();
    let mut at = 0;
    while at < family.len() {
        let children =
            all.iter().filter(|(process, parent, _)| *parent == family[at] && !family.contains(process));
        let children: Vec<_> = children.map(|(child, _, _)| *child).collect();
        family.extend(children);
        at += 1;
    }
    family
}

/// The fields of `/proc/PID/stat` after the name, which may hold anything.
fn stat(process: u32) -> Option<Vec<String>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(stat.rsplit_once(')')?.1.split_whitespace().map(str::to_owned).collect())
}

const PARENT: usize = 1;
const LEADER: usize = 2;

fn number(process: u32, field: usize) -> Option<u32> {
    stat(process)?.get(field)?.parse().ok()
}

/// When it started, if it lives.
fn started(process: u32) -> Option<String> {
    let fields = stat(process)?;
    if fields.first()? == "Z" { None } else { fields.get(19).cloned() }
}

fn name(process: u32) -> String {
    std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default().trim().to_owned()
}

/// Mounts as a jail is built of; what else others mount meanwhile is none of ours.
fn mounts() -> BTreeSet<String> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let ours =
        |line: &&str| line.contains(" - tmpfs ") || line.contains(" - proc ") || line.contains(" /tmp");
    mounts.lines().filter(ours).map(|line| line.split(' ').skip(2).collect::<Vec<_>>().join(" ")).collect()
}

/// The folders of the control groups a process is in.
fn groups(process: u32) -> Vec<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
    let mounts: Vec<Vec<_>> = mounts.lines().map(|line| line.split(' ').collect()).collect();
    let groups = std::fs::read_to_string(format!("/proc/{process}/cgroup")).unwrap_or_default();
    let folder = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        let mount = mounts.iter().find(|mount| match controllers {
            "" => mount[2] == "cgroup2",
            some => {
                mount[2] == "cgroup"
                    && some.split(',').all(|one| mount[3].split(',').any(|option| option == one))
            }
        })?;
        Some(Path::new(mount[1]).join(path.trim_start_matches('/')))
    };
    groups.lines().filter_map(folder).collect()
}
