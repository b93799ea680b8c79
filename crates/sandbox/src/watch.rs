//! Looks at the processes of an execution from outside, for those that take longer than a moment.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::cgroups::Group;
use crate::filters::MOST_SHARED;
use crate::fork_server::Spare;
use crate::{Limit, Limits, processor};

/// How often a running execution is looked at.
pub(crate) const INTERVAL: Duration = Duration::from_millis(20);

/// More processes than any limit allows; a tree is not followed beyond.
const MOST: usize = 4_096;

/// What one socket may hold: the usual size of its buffer, which code cannot change.
const SOCKET_BUFFERS: u64 = 208 << 10;

/// What the processes of an execution have used so far.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    /// The own processor time of each process ever seen, by its number and when it started, where nothing counts it
    /// exactly: a process that ignores the end of its children is not charged for them.
    own_times: HashMap<(i32, u64), Duration>,
    /// How long processes ran that the counter does not see.
    hidden: Duration,
    last_look: Option<Instant>,
    cpu: Duration,
    memory: u64,
}

/// What is seen in one look.
#[derive(Default)]
struct Look {
    /// Of the processes there are, with those that they waited for.
    cpu: Duration,
    memory: u64,
    threads: u64,
    /// Threads of processes that the counter does not see.
    hidden: u32,
    /// Memory that several processes share, by its number: it stays in use also where nobody has touched it lately.
    shared: HashMap<u64, u64>,
}

impl Watch {
    /// Processor time, once some was seen.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        (!self.cpu.is_zero()).then_some(self.cpu)
    }

    /// The most memory at a time, once some was seen.
    pub(crate) fn memory(&self) -> Option<u64> {
        (self.memory > 0).then_some(self.memory)
    }

    /// Looks at an execution's processes: the limit that is passed, if one is.
    /// `init` is whether the first process is ours and does not count.
    pub(crate) fn look(&mut self, spare: &Spare, limits: &Limits, init: bool) -> Option<Limit> {
        let group = spare.group.as_ref();
        let look = self.see(spare.pid, group.is_none(), init);
        let now = Instant::now();
        let since_last = self.last_look.replace(now).map_or(INTERVAL, |last| now - last);
        let own: Duration = self.own_times.values().sum();
        let counted = match (group.and_then(Group::cpu), &spare.counter) {
            (Some(counted), _) => counted,
            (None, Some(counter)) => {
                self.hidden += since_last * look.hidden;
                counter.read().unwrap_or_default() + self.hidden
            }
            (None, None) => Duration::ZERO,
        };
        self.cpu = self.cpu.max(look.cpu).max(own).max(counted);
        self.memory = self.memory.max(look.memory);
        if self.cpu > limits.cpu {
            return Some(Limit::Cpu);
        }
        let out_of_memory = match group {
            Some(group) => group.ran_out_of_memory(),
            None => look.memory > limits.memory,
        };
        if out_of_memory {
            return Some(Limit::Memory);
        }
        (look.threads > u64::from(limits.processes) + u64::from(init)).then_some(Limit::Processes)
    }

    fn see(&mut self, first: i32, count_shared: bool, init: bool) -> Look {
        let mut look = Look::default();
        let mut waiting = vec![first];
        let mut seen = 0;
        while let Some(pid) = waiting.pop() {
            seen += 1;
            if seen > MOST {
                break;
            }
            let running = self.add(pid, &mut look);
            if is_hidden(pid) && !(init && pid == first) {
                look.hidden += running;
            }
            if count_shared {
                add_shared(pid, &mut look.shared);
            }
            for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let children = read(task.path().join("children"));
                waiting.extend(children.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
            }
        }
        look.memory += look.shared.values().sum::<u64>();
        if count_shared {
            look.memory += socket_memory(first);
        }
        look
    }

    /// Adds a process; how many threads it has that may run.
    fn add(&mut self, pid: i32, look: &mut Look) -> u32 {
        let stat = read(format!("/proc/{pid}/stat"));
        // The name may hold anything; the fields begin behind its last bracket.
        let fields: Vec<u64> = stat
            .rsplit_once(')')
            .map(|(_, fields)| fields.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
            .unwrap_or_default();
        let field = |place: usize| fields.get(place).copied().unwrap_or(0);
        let time = |ticks: u64| Duration::from_millis(ticks * 10);
        let own = processor::of_process(pid).unwrap_or_default();
        look.cpu += own + time(field(13) + field(14));
        look.threads += field(17);
        self.own_times.insert((pid, field(19)), own);
        let status = of_living_thread(pid, "status", |status| status.contains("\nRssAnon:"));
        let kilobytes = status
            .lines()
            .filter_map(|line| {
                ["RssAnon:", "RssShmem:", "VmSwap:"].iter().find_map(|name| line.strip_prefix(name))
            })
            .filter_map(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        look.memory += kilobytes.sum::<u64>() * 1_024;
        // A process that ended is there until somebody waits for it, and is a thread of its own.
        let ended = stat.rsplit_once(')').is_some_and(|(_, fields)| fields.trim_start().starts_with('Z'));
        u32::try_from(field(17)).unwrap_or(u32::MAX).saturating_sub(u32::from(ended))
    }
}

/// Whether a process executed a file that it may not read. The kernel stops counting it then, and gives what it shows of
/// it to root, which no execution runs as.
fn is_hidden(pid: i32) -> bool {
    fs::metadata(format!("/proc/{pid}/environ")).is_ok_and(|found| found.uid() == 0)
}

/// A file of the kernel's. Names in it may hold any bytes, as code likes.
fn read(path: impl AsRef<Path>) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// A file about a process that a thread of it still fills when its first has ended.
fn of_living_thread(pid: i32, name: &str, is_filled: impl Fn(&str) -> bool) -> String {
    let text = read(format!("/proc/{pid}/{name}"));
    if is_filled(&text) {
        return text;
    }
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    tasks.map(|task| read(task.path().join(name))).find(|text| is_filled(text)).unwrap_or_default()
}

/// What the buffers of all sockets of an execution may hold; they belong to no process.
fn socket_memory(first: i32) -> u64 {
    let text = read(format!("/proc/{first}/net/sockstat"));
    let used =
        text.lines().find_map(|line| line.strip_prefix("sockets: used ")).and_then(|n| n.trim().parse().ok());
    used.unwrap_or(0_u64) * SOCKET_BUFFERS
}

/// Adds the shared memory without a file that a process has mapped: all of it, since it may be in use unseen.
fn add_shared(pid: i32, shared: &mut HashMap<u64, u64>) {
    let maps = of_living_thread(pid, "maps", |maps| !maps.is_empty());
    let is_shared = |line: &&str| line.ends_with("/dev/zero (deleted)") || line.contains("[anon_shmem:");
    for line in maps.lines().filter(is_shared) {
        let mut words = line.split_whitespace();
        let (range, offset, number) = (words.next(), words.nth(1), words.nth(1));
        let hex = |text: &str| u64::from_str_radix(text, 16).unwrap_or(0);
        let Some((start, end)) = range.and_then(|range| range.split_once('-')) else { continue };
        let reaches = hex(end).saturating_sub(hex(start)).saturating_add(offset.map_or(0, hex));
        let known = shared.entry(number.and_then(|number| number.parse().ok()).unwrap_or(0)).or_default();
        // It keeps all its pages while one is mapped, and none is larger than this.
        *known = (*known).max(reaches).max(u64::from(MOST_SHARED));
    }
}
