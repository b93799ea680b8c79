//! How much one execution may use, and which limit it ran into.

use std::time::Duration;

/// How much one execution may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Time from the start to the result.
    pub wall: Duration,
    /// Processor time of all its processes together.
    pub cpu: Duration,
    /// Memory of all its processes together, in bytes.
    pub memory: u64,
    /// Processes and threads at a time.
    pub processes: u32,
    /// Open files of one process.
    pub open_files: u32,
    /// Bytes in the work folder.
    pub folder_bytes: u64,
    /// Files and folders in the work folder.
    pub folder_files: u64,
    /// Bytes on each of stdout and stderr.
    pub output: u64,
    /// Bytes of the result, as JSON.
    pub result: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(30),
            memory: 512 << 20,
            processes: 32,
            open_files: 256,
            folder_bytes: 256 << 20,
            folder_files: 4_096,
            output: 1 << 20,
            result: 1 << 20,
        }
    }
}

/// Limits of which only some are set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    /// See [`Limits::wall`].
    pub wall: Option<Duration>,
    /// See [`Limits::cpu`].
    pub cpu: Option<Duration>,
    /// See [`Limits::memory`].
    pub memory: Option<u64>,
    /// See [`Limits::processes`].
    pub processes: Option<u32>,
    /// See [`Limits::open_files`].
    pub open_files: Option<u32>,
    /// See [`Limits::folder_bytes`].
    pub folder_bytes: Option<u64>,
    /// See [`Limits::folder_files`].
    pub folder_files: Option<u64>,
    /// See [`Limits::output`].
    pub output: Option<u64>,
    /// See [`Limits::result`].
    pub result: Option<u64>,
}

fn lower<T: Ord + Copy>(limit: &mut T, bound: Option<T>) {
    if let Some(bound) = bound {
        *limit = (*limit).min(bound);
    }
}

impl Limits {
    /// These limits, lowered where the bounds are lower; bounds never raise one.
    #[must_use]
    pub fn within(mut self, bounds: &Bounds) -> Self {
        lower(&mut self.wall, bounds.wall);
        lower(&mut self.cpu, bounds.cpu);
        lower(&mut self.memory, bounds.memory);
        lower(&mut self.processes, bounds.processes);
        lower(&mut self.open_files, bounds.open_files);
        lower(&mut self.folder_bytes, bounds.folder_bytes);
        lower(&mut self.folder_files, bounds.folder_files);
        lower(&mut self.output, bounds.output);
        lower(&mut self.result, bounds.result);
        self
    }
}

/// A limit an execution ran into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// [`Limits::wall`].
    Wall,
    /// [`Limits::cpu`].
    Cpu,
    /// [`Limits::memory`].
    Memory,
    /// [`Limits::processes`].
    Processes,
    /// [`Limits::open_files`].
    OpenFiles,
    /// [`Limits::folder_bytes`] or [`Limits::folder_files`].
    Disk,
    /// [`Limits::output`].
    Output,
    /// [`Limits::result`].
    Result,
}

impl Limit {
    /// Every limit.
    pub const ALL: [Self; 8] = [
        Self::Wall,
        Self::Cpu,
        Self::Memory,
        Self::Processes,
        Self::OpenFiles,
        Self::Disk,
        Self::Output,
        Self::Result,
    ];

    /// The stable code of an execution that ended here.
    pub fn code(self) -> &'static str {
        match self {
            Self::Wall => "time_limit",
            Self::Cpu => "cpu_limit",
            Self::Memory => "memory_limit",
            Self::Processes => "process_limit",
            Self::OpenFiles => "open_files_limit",
            Self::Disk => "disk_limit",
            Self::Output => "output_limit",
            Self::Result => "result_limit",
        }
    }

    /// What happened, for a person.
    pub fn describe(self, limits: &Limits) -> String {
        match self {
            Self::Wall => format!("stopped after {}, the time limit", seconds(limits.wall)),
            Self::Cpu => format!("stopped after {} of processor time, the limit", seconds(limits.cpu)),
            Self::Memory => format!("needed more than {} of memory, the limit", size(limits.memory)),
            Self::Processes => {
                format!("started more than {} processes and threads, the limit", limits.processes)
            }
            Self::OpenFiles => format!("opened more than {} files at a time, the limit", limits.open_files),
            Self::Disk => format!(
                "filled its work folder: the limits are {} and {} files",
                size(limits.folder_bytes),
                limits.folder_files
            ),
            Self::Output => {
                format!("wrote more than {} to stdout or stderr, the limit", size(limits.output))
            }
            Self::Result => format!("returned more than {} as JSON, the limit", size(limits.result)),
        }
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

fn size(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_narrowest_wins_and_bounds_never_widen() {
        let narrow =
            Bounds { wall: Some(Duration::from_secs(2)), memory: Some(u64::MAX), ..Bounds::default() };
        let limits = Limits::default().within(&narrow);
        assert_eq!(limits.wall, Duration::from_secs(2));
        assert_eq!(limits.memory, Limits::default().memory);
    }

    #[test]
    fn each_limit_has_its_own_code_and_text() {
        let codes: std::collections::BTreeSet<_> = Limit::ALL.map(Limit::code).into();
        let texts: std::collections::BTreeSet<_> =
            Limit::ALL.map(|limit| limit.describe(&Limits::default())).into();
        assert_eq!((codes.len(), texts.len()), (8, 8));
    }
}
