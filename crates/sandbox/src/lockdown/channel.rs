//! The words between the server, the fork server and a spare.

use std::ffi::c_int;

use super::sys::{self, Errno, MOST_FDS};

/// Where the socket to the server stands while a process waits.
pub(super) const SOCKET: c_int = 3;
/// Where the result goes once the code runs; the socket is closed by then.
const RESULT: c_int = 3;
/// Where calls of the host go, for code that has any.
const HOST: c_int = 4;
/// Where the socket stands meanwhile.
const LAST_SOCKET: c_int = 5;

/// What a request may ask for beyond the usual.
pub mod flags {
    /// The work folder must get other sizes than it was made with.
    pub const RESIZE: u32 = 1;
    /// The code may reach hosts through the proxy.
    pub const NETWORK: u32 = 2;
    /// There is no memory control group: memory that belongs to no process must be refused.
    pub const NO_MEMORY_GROUP: u32 = 4;
    /// The process is the small init of a program that will be executed.
    pub const INIT: u32 = 8;
}

/// What the server asks of a spare. Sent as its bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// What the result must open with.
    pub nonce: [u8; 16],
    /// The number of a kept work folder; 0 is the spare's own.
    pub folder: u64,
    /// Bytes for the work folder.
    pub folder_bytes: u64,
    /// Files for the work folder.
    pub folder_files: u64,
    /// Seconds of processor time for one process.
    pub cpu_seconds: u64,
    /// Bytes of address space beyond those in use; 0 is no limit.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Open files.
    pub open_files: u64,
    /// Bytes of the payload.
    pub payload: u64,
    /// The user to become, by its number in the jail.
    pub user: u32,
    /// See [`flags`].
    pub flags: u32,
}

impl Request {
    /// As bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: plain numbers without padding: 16 + 8 * 8 + 2 * 4.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), size_of::<Self>()) }
    }

    fn from_bytes(bytes: &[u8; size_of::<Self>()]) -> Self {
        // SAFETY: every pattern of bits is a request.
        unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) }
    }
}

/// What stands in front of a result.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// That of the request.
    pub nonce: [u8; 16],
    /// Bytes that follow.
    pub length: u64,
    /// Processor time in microseconds.
    pub cpu_us: u64,
    /// Most memory in kilobytes.
    pub memory_kb: u64,
    /// 0: the code's result; 1: why the lock-down failed.
    pub fault: u64,
}

impl Header {
    /// How many bytes it has.
    pub const LENGTH: usize = size_of::<Self>();

    fn bytes(&self) -> &[u8] {
        // SAFETY: plain numbers without padding.
        unsafe { std::slice::from_raw_parts(std::ptr::from_ref(self).cast(), Self::LENGTH) }
    }

    /// Reads one.
    pub fn from_bytes(bytes: &[u8; Self::LENGTH]) -> Self {
        // SAFETY: every pattern of bits is a header.
        unsafe { std::ptr::read_unaligned(bytes.as_ptr().cast()) }
    }
}

/// Everything a process on its way into the jail knows.
pub(super) struct Channel {
    pub(super) spare_socket: c_int,
    pub(super) spare_user: u32,
    pub(super) spare_number: u32,
    pub(super) folder_bytes: u64,
    pub(super) folder_files: u64,
    /// Whether the spare should be there as soon as it can.
    pub(super) hurried: bool,
    pub(super) children: c_int,
    pub(super) own_namespace: c_int,
    pub(super) filters: &'static [u8],
    pub(super) landlock: i64,
    /// Pages in use when the spare was prepared.
    pub(super) base_memory: u64,
    pub(super) request: Request,
    pub(super) fds: [c_int; MOST_FDS],
    payload: &'static [u8],
    /// Which spare each child is.
    pub(super) spares: Spares,
}

/// The children of a fork server: process and spare number. More than fit are never forked at a time.
pub(super) type Spares = [(c_int, u32); 1024];

impl Channel {
    pub(super) const fn new() -> Self {
        Self {
            spare_socket: -1,
            spare_user: 0,
            spare_number: 0,
            folder_bytes: 0,
            folder_files: 0,
            hurried: false,
            children: -1,
            own_namespace: -1,
            filters: &[],
            landlock: 0,
            base_memory: 0,
            request: Request {
                nonce: [0; 16],
                folder: 0,
                folder_bytes: 0,
                folder_files: 0,
                cpu_seconds: 0,
                memory: 0,
                processes: 0,
                open_files: 0,
                payload: 0,
                user: 0,
                flags: 0,
            },
            fds: [-1; MOST_FDS],
            payload: &[],
            spares: [(0, 0); 1024],
        }
    }

    pub(super) fn payload(&self) -> &'static [u8] {
        self.payload
    }

    /// The filter program of this number: 0 for the fork server, 1 to 4 for executions.
    pub(super) fn filter(&self, number: usize) -> Option<&'static [u8]> {
        let mut rest = self.filters;
        for _ in 0..number {
            rest = split_program(rest)?.1;
        }
        Some(split_program(rest)?.0)
    }
}

fn split_program(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_ne_bytes(*length) as usize)
}

/// Waits for the request.
pub(super) fn receive(channel: &mut Channel) {
    let mut bytes = [0; size_of::<Request>()];
    let (length, count) = loop {
        match sys::receive(SOCKET, &mut bytes, &mut channel.fds) {
            Err(sys::EINTR) => {}
            Ok((0, _)) | Err(_) => sys::exit(0),
            Ok(received) => break received,
        }
    };
    channel.request = Request::from_bytes(&bytes);
    let payload = usize::try_from(channel.request.payload).ok();
    let mapped = payload.and_then(|payload| sys::map(channel.fds[3], payload));
    match mapped {
        Some(mapped) if length == bytes.len() && count >= 4 => channel.payload = mapped,
        _ => fail(channel, "request", sys::EINVAL),
    }
}

/// The streams take their places; nothing else stays open but the socket.
pub(super) fn move_streams(channel: &Channel) -> Result<(), Errno> {
    let [stdout, stderr, result, _, host, _] = channel.fds;
    sys::duplicate(stdout, 1)?;
    sys::duplicate(stderr, 2)?;
    // Out of the way of each other, since any may have the number that another will take.
    let socket = sys::duplicate_above(SOCKET, 16)?;
    let result = sys::duplicate_above(result, 16)?;
    let host = if host < 0 { None } else { Some(sys::duplicate_above(host, 16)?) };
    sys::duplicate(result, RESULT)?;
    match host {
        Some(host) => sys::duplicate(host, HOST).map(drop)?,
        None => sys::close_fd(HOST),
    }
    sys::duplicate(socket, LAST_SOCKET)?;
    sys::close_from(LAST_SOCKET + 1)?;
    Ok(())
}

/// Tells the server that from now on it hears the code itself, and closes the way to it.
pub(super) fn say_entered() -> Result<(), Errno> {
    sys::send(LAST_SOCKET, b"C", &[])?;
    sys::close_fd(LAST_SOCKET);
    Ok(())
}

/// Ends the process because a step failed; the code does not run.
pub(super) fn fail(channel: &Channel, step: &str, error: Errno) -> ! {
    let mut text = [0_u8; 96];
    let mut digits = [0_u8; 12];
    let number = decimal(error.unsigned_abs().into(), &mut digits);
    let text = join(&[step.as_bytes(), b": error ", number], &mut text).unwrap_or(b"a step of the lock-down");
    let result = if channel.fds[2] > RESULT { channel.fds[2] } else { RESULT };
    let header =
        Header { nonce: channel.request.nonce, length: text.len() as u64, fault: 1, ..Header::default() };
    write_all(result, header.bytes());
    write_all(result, text);
    sys::exit(70)
}

/// Joins texts in a buffer; what does not fit is an error, because half a text would mean something else.
pub(super) fn join<'a>(texts: &[&[u8]], buffer: &'a mut [u8]) -> Result<&'a [u8], Errno> {
    let mut length = 0;
    for text in texts {
        let place = buffer.get_mut(length..length + text.len()).ok_or(sys::EINVAL)?;
        place.copy_from_slice(text);
        length += text.len();
    }
    buffer.get(..length).ok_or(sys::EINVAL)
}

/// A number in decimal digits, without allocating.
pub(super) fn decimal(mut number: u64, digits: &mut [u8]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start = start.saturating_sub(1);
        if let Some(digit) = digits.get_mut(start) {
            *digit = b'0' + u8::try_from(number % 10).unwrap_or(0);
        }
        number /= 10;
        if number == 0 || start == 0 {
            return digits.get(start..).unwrap_or_default();
        }
    }
}

/// Sends the result and ends the process.
pub(super) fn finish(channel: &Channel, body: &[u8]) -> ! {
    // A process that the code forked may come here too; the result is that of the first.
    if !sys::is_first_process() {
        sys::exit(0);
    }
    let (cpu_us, memory_kb) = sys::usage();
    let header =
        Header { nonce: channel.request.nonce, length: body.len() as u64, cpu_us, memory_kb, fault: 0 };
    write_all(RESULT, header.bytes());
    write_all(RESULT, body);
    // The reader must not wait for the tear-down of the memory.
    sys::close_fd(RESULT);
    sys::exit(0)
}

fn write_all(fd: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        match sys::write_some(fd, bytes) {
            Ok(count) => bytes = bytes.get(usize::try_from(count).unwrap_or(0)..).unwrap_or_default(),
            Err(sys::EINTR) => {}
            Err(_) => return,
        }
    }
}
