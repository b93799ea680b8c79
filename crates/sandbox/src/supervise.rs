//! Watches one execution from its request to its end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Signal, pidfd_send_signal};

use crate::fork_server::Spare;
use crate::lockdown::Header;
use crate::watch::{INTERVAL, Watch};
use crate::{Captured, Limit, Limits, Listener, OutputStream, Stop};

/// The reading ends of what the code writes to.
pub(crate) struct Streams {
    stdout: Stream,
    stderr: Stream,
    result: Stream,
}

/// The writing ends, which go to the code.
pub(crate) struct Ends {
    pub(crate) stdout: OwnedFd,
    pub(crate) stderr: OwnedFd,
    pub(crate) result: OwnedFd,
    /// Of the functions it may call.
    pub(crate) host: Option<OwnedFd>,
}

/// How it ended, as seen from outside.
#[derive(Debug)]
pub(crate) enum End {
    /// With a result.
    Result(Vec<u8>),
    /// The lock-down failed; the code never ran.
    Fault(String),
    /// Something else stood where the result belongs.
    Spoofed,
    /// The process ended without a result.
    Silent,
    /// It was ended by us.
    Limit(Limit),
    /// It was ended by the caller.
    Stopped,
}

/// What was seen.
pub(crate) struct Seen {
    pub(crate) end: End,
    pub(crate) stdout: Captured,
    pub(crate) stderr: Captured,
    pub(crate) wall: Duration,
    pub(crate) cpu: Option<Duration>,
    pub(crate) memory: Option<u64>,
}

struct Stream {
    reader: OwnedFd,
    bytes: Vec<u8>,
    open: bool,
    /// Whether there was more than was kept.
    over: bool,
    /// Who hears what is kept, and as what.
    told: Option<(Listener, OutputStream)>,
}

impl Stream {
    fn new() -> Result<(Self, OwnedFd), Errno> {
        let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
        fcntl_setfl(&reader, OFlags::NONBLOCK)?;
        Ok((Self { reader, bytes: Vec::new(), open: true, over: false, told: None }, writer))
    }

    /// The same stream, of which somebody hears.
    fn heard_by(self, listener: &Listener, stream: OutputStream) -> Self {
        Self { told: listener.hears().then(|| (listener.clone(), stream)), ..self }
    }

    /// Reads what is there, up to `most` bytes in all. True when there is more than that.
    fn read(&mut self, most: usize) -> bool {
        let mut buffer = [0; 16 << 10];
        while self.open {
            match rustix::io::read(&self.reader, &mut buffer) {
                Ok(0) => self.open = false,
                Ok(count) => {
                    let room = most.saturating_sub(self.bytes.len());
                    let kept = buffer.get(..count.min(room)).unwrap_or_default();
                    self.bytes.extend_from_slice(kept);
                    if let Some((listener, stream)) = &self.told {
                        listener.tell(*stream, kept);
                    }
                    if count > room {
                        self.over = true;
                        return true;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                Err(_) => self.open = false,
            }
        }
        false
    }
}

impl Streams {
    /// Pipes for one execution.
    pub(crate) fn new(listener: &Listener) -> io::Result<(Self, Ends)> {
        let (stdout, stdout_end) = Stream::new()?;
        let (stderr, stderr_end) = Stream::new()?;
        let (result, result_end) = Stream::new()?;
        let ends = Ends { stdout: stdout_end, stderr: stderr_end, result: result_end, host: None };
        let stdout = stdout.heard_by(listener, OutputStream::Stdout);
        let stderr = stderr.heard_by(listener, OutputStream::Stderr);
        Ok((Self { stdout, stderr, result }, ends))
    }
}

/// What the watching needs to know of the execution.
pub(crate) struct Watched<'a> {
    pub(crate) spare: &'a Spare,
    pub(crate) limits: &'a Limits,
    pub(crate) stop: &'a Stop,
    pub(crate) nonce: [u8; 16],
    pub(crate) init: bool,
}

impl Watched<'_> {
    /// Waits until it is over, and makes sure that it is.
    pub(crate) fn wait(&self, mut streams: Streams) -> Seen {
        let start = Instant::now();
        let mut watch = Watch::default();
        let end = self.follow(&mut streams, start, &mut watch);
        let wall = start.elapsed();
        // The first process of its namespace takes all others with it. It may be gone already.
        let _ = pidfd_send_signal(&self.spare.process, Signal::KILL);
        let most = usize::try_from(self.limits.output).unwrap_or(usize::MAX);
        let mut seen = Seen {
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            wall,
            cpu: watch.cpu(),
            memory: watch.memory(),
        };
        for (stream, captured) in
            [(&mut streams.stdout, &mut seen.stdout), (&mut streams.stderr, &mut seen.stderr)]
        {
            stream.read(most);
            captured.truncated = stream.over;
            captured.bytes = std::mem::take(&mut stream.bytes);
        }
        if let (End::Result(_), Some((header, _))) = (&seen.end, split_header(&streams.result.bytes)) {
            // The code could say anything here; it cannot have used more than it was allowed.
            let cpu = Duration::from_micros(header.cpu_us).min(self.limits.cpu);
            let memory = header.memory_kb.saturating_mul(1_024).min(self.limits.memory);
            seen.cpu = Some(seen.cpu.unwrap_or_default().max(cpu));
            seen.memory = Some(seen.memory.unwrap_or_default().max(memory));
        }
        if (seen.stdout.truncated || seen.stderr.truncated)
            && matches!(seen.end, End::Result(_) | End::Silent)
        {
            seen.end = End::Limit(Limit::Output);
        }
        seen
    }

    fn follow(&self, streams: &mut Streams, start: Instant, watch: &mut Watch) -> End {
        let deadline = start + self.limits.wall;
        let mut next_look = start + INTERVAL;
        let most_output = usize::try_from(self.limits.output).unwrap_or(usize::MAX);
        loop {
            let now = Instant::now();
            if now >= deadline {
                return End::Limit(Limit::Wall);
            }
            if now >= next_look {
                if let Some(limit) = watch.look(self.spare, self.limits, self.init) {
                    return End::Limit(limit);
                }
                next_look = Instant::now() + INTERVAL;
            }
            let (ended, stopped) =
                self.pause(streams, deadline.min(next_look).saturating_duration_since(now));
            if stopped {
                return End::Stopped;
            }
            if streams.stdout.read(most_output) || streams.stderr.read(most_output) {
                return End::Limit(Limit::Output);
            }
            if let Some(end) = self.hear_result(&mut streams.result) {
                return end;
            }
            if ended {
                return End::Silent;
            }
        }
    }

    /// Waits for something to happen: whether the process ended, and whether it is to be stopped.
    fn pause(&self, streams: &Streams, time: Duration) -> (bool, bool) {
        let mut fds = vec![PollFd::new(&self.spare.process, PollFlags::IN)];
        let stop = self.stop.readable();
        if let Some(stop) = &stop {
            fds.push(PollFd::new(stop, PollFlags::IN));
        }
        for stream in [&streams.result, &streams.stdout, &streams.stderr] {
            if stream.open {
                fds.push(PollFd::new(&stream.reader, PollFlags::IN));
            }
        }
        let wait = Timespec {
            tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        let _ = poll(&mut fds, Some(&wait));
        let happened = |place: usize| fds.get(place).is_some_and(|fd| !fd.revents().is_empty());
        (happened(0), stop.is_some() && happened(1))
    }

    /// Reads the result as far as it is there.
    fn hear_result(&self, stream: &mut Stream) -> Option<End> {
        let body = usize::try_from(self.limits.result).unwrap_or(usize::MAX);
        // Room for an error with its trace, whatever the limit of a result.
        let most = body.saturating_add(64 << 10).saturating_add(Header::LENGTH);
        let too_much = stream.read(most);
        let (header, rest) = split_header(&stream.bytes)?;
        if header.nonce != self.nonce {
            return Some(End::Spoofed);
        }
        if too_much || usize::try_from(header.length).map_or(true, |length| length > most) {
            return Some(End::Limit(Limit::Result));
        }
        let whole = rest.get(..usize::try_from(header.length).ok()?)?;
        if rest.len() > whole.len() {
            return Some(End::Spoofed);
        }
        Some(match header.fault {
            0 => End::Result(whole.to_vec()),
            _ => End::Fault(String::from_utf8_lossy(whole).into_owned()),
        })
    }
}

fn split_header(bytes: &[u8]) -> Option<(Header, &[u8])> {
    let (header, rest) = bytes.split_first_chunk::<{ Header::LENGTH }>()?;
    Some((Header::from_bytes(header), rest))
}

/// Waits until a process is gone, so that nobody writes any more.
pub(crate) fn wait_until_gone(process: impl AsFd) {
    let patience = Timespec { tv_sec: 5, tv_nsec: 0 };
    let _ = poll(&mut [PollFd::new(&process, PollFlags::IN)], Some(&patience));
}
