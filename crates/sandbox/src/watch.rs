//! Looks at the processes of an execution from outside, for those that take longer than a moment.

use std::fs;
use std::time::Duration;

use crate::{Limit, Limits};

/// How often a running execution is looked at.
pub(crate) const INTERVAL: Duration = Duration::from_millis(20);

/// More processes than any limit allows; a tree is not followed beyond.
const MOST: usize = 4_096;

/// What the processes of an execution use together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sample {
    pub(crate) cpu: Duration,
    pub(crate) memory: u64,
    threads: u64,
}

impl Sample {
    /// Adds up a process and all below it.
    pub(crate) fn take(first: i32) -> Self {
        let mut sample = Self::default();
        let mut waiting = vec![first];
        let mut seen = 0;
        while let Some(pid) = waiting.pop() {
            seen += 1;
            if seen > MOST {
                break;
            }
            sample.add(pid);
            for task in fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
                let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
                waiting.extend(children.split_whitespace().filter_map(|pid| pid.parse::<i32>().ok()));
            }
        }
        sample
    }

    fn add(&mut self, pid: i32) {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name may hold anything; the fields begin behind its last bracket.
        let fields: Vec<u64> = stat
            .rsplit_once(')')
            .map(|(_, fields)| fields.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
            .unwrap_or_default();
        let ticks: u64 = fields.iter().skip(11).take(4).sum();
        self.cpu += Duration::from_millis(ticks * 10);
        self.threads += fields.get(17).copied().unwrap_or(0);
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let kilobytes = status
            .lines()
            .filter_map(|line| line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:")))
            .filter_map(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
        self.memory += kilobytes.sum::<u64>() * 1_024;
    }

    /// The limit that is passed, if one is. `init` is whether the first process is ours and does not count.
    pub(crate) fn beyond(&self, limits: &Limits, memory_is_counted: bool, init: bool) -> Option<Limit> {
        if self.cpu > limits.cpu {
            return Some(Limit::Cpu);
        }
        if !memory_is_counted && self.memory > limits.memory {
            return Some(Limit::Memory);
        }
        (self.threads > u64::from(limits.processes) + u64::from(init)).then_some(Limit::Processes)
    }
}
