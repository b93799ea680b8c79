//! The way out for code that may use the network: a proxy of the server that knows an allow list.
//!
//! The code's network has nothing but a listening socket of its own loopback, on which this accepts. Names are
//! resolved here, once, and the connection goes to the address that was judged: it must never be resolved again.

mod addresses;
mod http;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Write as _};
use std::net::{IpAddr, Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use self::addresses::is_public;
use self::http::{Body, Refusal, Request, end_of_head};
use self::rules::Host;
pub use self::rules::HostRule;
use crate::Visit;

/// Connections of one execution at a time; a further one waits.
const CONNECTIONS: usize = 16;
/// Hosts that are looked up and connected to at a time, for all executions: neither can be broken off.
const REACHING: usize = 64;
/// How many visits are told apart for one execution.
const VISITS: usize = 256;
/// How long a request's head may take; tests wait for it.
const HEAD_TIME: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });
/// How long connecting to one address may take.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How many of a name's addresses are tried.
const ADDRESSES: usize = 4;
/// How long nothing may go either way.
const IDLE_TIME: Duration = Duration::from_mins(1);
/// How long a refused sender is listened to, so that it reads the refusal before the connection ends.
const LINGER: Duration = Duration::from_millis(500);
const STACK: usize = 256 << 10;

/// The proxy of one execution.
pub(crate) struct Proxy {
    shared: Arc<Shared>,
    listener: Arc<TcpListener>,
    accepting: Option<JoinHandle<()>>,
}

impl Proxy {
    /// Begins to accept on a listening socket.
    pub(crate) fn start(listener: OwnedFd, rules: Vec<HostRule>) -> io::Result<Proxy> {
        let listener = Arc::new(TcpListener::from(listener));
        listener.set_nonblocking(false)?;
        let shared = Arc::new(Shared::new(rules));
        let (accepted, accepting) = (Arc::clone(&listener), Arc::clone(&shared));
        let accepting = thread("proxy").spawn(move || accept(&accepted, &accepting))?;
        Ok(Self { shared, listener, accepting: Some(accepting) })
    }

    /// Ends every connection and gives what was asked for, each host once.
    pub(crate) fn finish(mut self) -> Vec<Visit> {
        self.stop();
        std::mem::take(&mut self.shared.lock().visits)
    }

    fn stop(&mut self) {
        self.shared.close();
        // Wakes the thread that accepts.
        let _ = rustix::net::shutdown(&self.listener, rustix::net::Shutdown::Both);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.stop();
    }
}

struct Shared {
    rules: Vec<HostRule>,
    span: tracing::Span,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    closed: bool,
    next: u64,
    /// The sockets of each connection, to end it from outside.
    connections: BTreeMap<u64, Vec<Arc<TcpStream>>>,
    visits: Vec<Visit>,
}

impl Shared {
    fn new(rules: Vec<HostRule>) -> Self {
        let span = tracing::Span::current();
        Self { rules, span, state: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for a connection; false when there will be none any more.
    fn wait_for_room(&self) -> bool {
        let full = |state: &mut State| !state.closed && state.connections.len() >= CONNECTIONS;
        let state = self.changed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        !state.closed
    }

    /// Waits a little before another attempt to accept: too many files are open, most likely.
    fn pause(&self) {
        let open = |state: &mut State| !state.closed;
        drop(self.changed.wait_timeout_while(self.lock(), Duration::from_millis(5), open));
    }

    fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        for stream in state.connections.values().flatten() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        self.changed.notify_all();
    }

    /// Notes and logs a host that was asked for, each once.
    fn note(&self, host: &str, allowed: bool) {
        let visit = Visit { host: host.to_owned(), allowed };
        let mut state = self.lock();
        if state.closed || state.visits.len() >= VISITS || state.visits.contains(&visit) {
            return;
        }
        state.visits.push(visit);
        drop(state);
        tracing::info!(sandbox.host = host, sandbox.allowed = allowed, "code asked for a host");
    }
}

/// A connection's place among those there may be at a time.
struct Place {
    shared: Arc<Shared>,
    id: u64,
}

impl Place {
    fn take(shared: &Arc<Shared>, stream: &Arc<TcpStream>) -> Option<Self> {
        let mut state = shared.lock();
        if state.closed {
            return None;
        }
        state.next += 1;
        let id = state.next;
        state.connections.insert(id, vec![Arc::clone(stream)]);
        Some(Self { shared: Arc::clone(shared), id })
    }

    /// Adds a socket that ends with the connection; false when it has ended already.
    fn add(&self, stream: &Arc<TcpStream>) -> bool {
        let mut state = self.shared.lock();
        let open = !state.closed;
        if let Some(streams) = state.connections.get_mut(&self.id).filter(|_| open) {
            streams.push(Arc::clone(stream));
        }
        open
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.shared.lock().connections.remove(&self.id);
        self.shared.changed.notify_all();
    }
}

fn thread(name: &str) -> thread::Builder {
    thread::Builder::new().name(format!("sandbox-{name}")).stack_size(STACK)
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    while shared.wait_for_room() {
        let Ok((stream, _)) = listener.accept() else {
            shared.pause();
            continue;
        };
        let stream = Arc::new(stream);
        if let Some(place) = Place::take(shared, &stream) {
            // Without a thread to be had, the connection ends here.
            let _ = thread("connection").spawn(move || {
                let span = place.shared.span.clone();
                span.in_scope(|| serve(&place, &stream));
            });
        }
    }
}

/// Serves the one request of a connection.
fn serve(place: &Place, client: &TcpStream) {
    match open(place, client) {
        // Either side may end the exchange; it is over then, not failed.
        Ok(Some(opened)) => drop(exchange(&opened, client)),
        Ok(None) => {}
        Err(refusal) => refuse(client, &refusal),
    }
}

/// A request with its origin.
struct Opened {
    request: Request,
    /// What came after the head.
    rest: Vec<u8>,
    origin: Arc<TcpStream>,
}

/// Reads the request and connects to its host. Nothing: the client has gone.
fn open(place: &Place, client: &TcpStream) -> Result<Option<Opened>, Refusal> {
    let Some(mut head) = read_head(client)? else { return Ok(None) };
    let rest = head.bytes.split_off(head.end);
    let request = Request::parse(&head.bytes)?;
    let origin = Arc::new(reach(&place.shared, &request)?);
    Ok(place.add(&origin).then_some(Opened { request, rest, origin }))
}

/// What was read when the head had ended, and where it ends.
struct Head {
    bytes: Vec<u8>,
    end: usize,
}

fn read_head(mut client: &TcpStream) -> Result<Option<Head>, Refusal> {
    let deadline = Instant::now() + HEAD_TIME;
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        if let Some(end) = end_of_head(&bytes)? {
            return Ok(Some(Head { bytes, end }));
        }
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        let read = client.set_read_timeout(Some(left)).and_then(|()| client.read(&mut buffer));
        match read {
            Ok(0) => return Ok(None),
            Ok(count) if Instant::now() < deadline => {
                bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if !timed_out(&error) => return Ok(None),
            _ => return Err(Refusal::new(408, "the head of the request took too long to come")),
        }
    }
}

fn timed_out(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}

fn refuse(mut client: &TcpStream, refusal: &Refusal) {
    let _ = client.set_write_timeout(Some(LINGER)).and_then(|()| client.write_all(&refusal.answer()));
    let _ = client.shutdown(Shutdown::Write);
    let _ = client.set_read_timeout(Some(LINGER));
    let deadline = Instant::now() + LINGER;
    let mut buffer = [0; 4096];
    while Instant::now() < deadline && matches!(client.read(&mut buffer), Ok(count) if count > 0) {}
}

/// Connects to the host of a request, if the rules let it through.
fn reach(shared: &Shared, request: &Request) -> Result<TcpStream, Refusal> {
    let (host, port) = (&request.host, request.port);
    let asked = format!("{host}:{port}");
    if !shared.rules.iter().any(|rule| rule.allows(host, port)) {
        shared.note(&asked, false);
        return Err(Refusal::new(403, format!("{asked} is not a host this code may reach")));
    }
    let turn = Turn::take()?;
    let found = match host {
        Host::Address(address) => Ok(vec![SocketAddr::new(*address, port)]),
        Host::Name(name) => (name.as_str(), port).to_socket_addrs().map(Iterator::collect),
    };
    let Ok(found) = found else {
        shared.note(&asked, true);
        return Err(Refusal::new(502, format!("{host} was not found: no address is known for it")));
    };
    let named = |address: IpAddr| {
        let address = Host::Address(address.to_canonical());
        shared.rules.iter().any(|rule| rule.allows(&address, port))
    };
    let judged: Vec<_> = found.into_iter().filter(|at| is_public(at.ip()) || named(at.ip())).collect();
    shared.note(&asked, !judged.is_empty());
    if judged.is_empty() {
        return Err(Refusal::new(
            403,
            format!("{asked} is not a host this code may reach: it leads to an address that is not public"),
        ));
    }
    let mut connected = judged.iter().take(ADDRESSES).map(|at| TcpStream::connect_timeout(at, CONNECT_TIME));
    let origin = connected.find_map(Result::ok);
    drop(turn);
    origin.ok_or_else(|| Refusal::new(502, format!("{asked} cannot be reached: it takes no connection")))
}

/// A turn at reaching a host.
struct Turn;

static TURNS: AtomicUsize = AtomicUsize::new(0);

impl Turn {
    fn take() -> Result<Self, Refusal> {
        let turn = Self;
        if TURNS.fetch_add(1, Ordering::Relaxed) < REACHING {
            return Ok(turn);
        }
        Err(Refusal::new(503, "too many hosts are being connected to; try again"))
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        TURNS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Passes the request up and the answer down until both are through or one side has gone.
fn exchange(opened: &Opened, client: &TcpStream) -> io::Result<()> {
    let (request, origin) = (&opened.request, &*opened.origin);
    for stream in [client, origin] {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(IDLE_TIME))?;
        stream.set_write_timeout(Some(IDLE_TIME))?;
    }
    let tunnel = request.body == Body::Tunnel;
    if tunnel {
        (&mut &*client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    } else {
        (&mut &*origin).write_all(&request.head)?;
    }
    let activity = Activity::new();
    let up = || {
        let body = io::Cursor::new(&opened.rest).chain(Watched { stream: client, activity: &activity });
        match request.body.pass(&mut BufReader::new(body), &mut &*origin) {
            Ok(()) if tunnel => origin.shutdown(Shutdown::Write),
            Ok(()) => Ok(()),
            Err(error) => end(client, origin).and(Err(error)),
        }
    };
    let down = || {
        let answered = io::copy(&mut Watched { stream: origin, activity: &activity }, &mut &*client);
        if tunnel && answered.is_ok() { client.shutdown(Shutdown::Write) } else { end(client, origin) }
    };
    thread::scope(|scope| {
        let up = thread("connection").spawn_scoped(scope, up)?;
        let answered = down();
        // It ends by itself when the sockets do; what it says then is of no use.
        let _ = up.join();
        answered
    })
}

fn end(client: &TcpStream, origin: &TcpStream) -> io::Result<()> {
    origin.shutdown(Shutdown::Both).and(client.shutdown(Shutdown::Both))
}

/// When anything last went either way.
struct Activity {
    start: Instant,
    last_ms: AtomicU64,
}

impl Activity {
    fn new() -> Self {
        Self { start: Instant::now(), last_ms: AtomicU64::new(0) }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn touch(&self) {
        self.last_ms.store(self.now_ms(), Ordering::Relaxed);
    }

    fn idle(&self) -> bool {
        let idle_ms = self.now_ms().saturating_sub(self.last_ms.load(Ordering::Relaxed));
        Duration::from_millis(idle_ms) >= IDLE_TIME
    }
}

/// A side of the exchange that may be silent as long as the other is not.
struct Watched<'a> {
    stream: &'a TcpStream,
    activity: &'a Activity,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match (&mut &*self.stream).read(buffer) {
                Err(error) if timed_out(&error) && !self.activity.idle() => {}
                read => {
                    self.activity.touch();
                    return read;
                }
            }
        }
    }
}
