//! Which connections are open, and what each is doing.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ServingSettings;
use crate::client_address::counted;

/// Long enough to be looked at again.
const LATER: Duration = Duration::from_hours(1);

/// The open connections of a listener.
pub(super) struct Connections {
    settings: Arc<ServingSettings>,
    max: usize,
    name: &'static str,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    next: u64,
    open: HashMap<u64, (IpAddr, Arc<Activity>)>,
    by_address: HashMap<IpAddr, usize>,
}

/// Why a connection is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its address has as many busy connections as one may have.
    Address,
    /// All connections of the server are busy.
    Total,
}

impl Refused {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Total => "total",
        }
    }
}

/// An open connection; dropping it gives its place back.
pub(super) struct Ticket {
    connections: Arc<Connections>,
    id: u64,
    pub(super) activity: Arc<Activity>,
}

impl Connections {
    pub(super) fn new(settings: Arc<ServingSettings>, max: usize, name: &'static str) -> Arc<Self> {
        Arc::new(Self { settings, max: max.max(1), name, table: Mutex::default() })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection. Where there is no room, the one that has waited longest for a request makes way.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr) -> Result<Ticket, Refused> {
        let peer = peer.to_canonical();
        let address = counted(peer);
        let limited = !peer.is_loopback() && !self.settings.trusted_proxies.contains(peer);
        let mut table = self.table();
        let of_address = table.by_address.get(&address).copied().unwrap_or_default();
        if limited
            && of_address >= self.settings.max_connections_per_address
            && !table.evict(|open| open == address)
        {
            return Err(Refused::Address);
        }
        if table.open.len() >= self.max && !table.evict(|_| true) {
            return Err(Refused::Total);
        }
        let id = table.next;
        table.next += 1;
        let activity = Arc::new(Activity::new(&self.settings));
        table.open.insert(id, (address, Arc::clone(&activity)));
        *table.by_address.entry(address).or_default() += 1;
        self.measure(&table);
        drop(table);
        Ok(Ticket { connections: Arc::clone(self), id, activity })
    }

    #[allow(clippy::cast_precision_loss)] // a number of connections
    fn measure(&self, table: &Table) {
        metrics::gauge!("repertoire_http_connections", "listener" => self.name).set(table.open.len() as f64);
    }

    /// Closes the connection that has waited longest for a request, if there is one.
    pub(super) fn make_room(&self) -> bool {
        self.table().evict(|_| true)
    }
}

impl Table {
    fn evict(&mut self, of: impl Fn(IpAddr) -> bool) -> bool {
        let waiting = self.open.iter().filter(|(_, (address, _))| of(*address));
        let oldest = waiting.filter_map(|(id, (_, activity))| Some((activity.waiting_since()?, *id))).min();
        let Some((_, id)) = oldest else { return false };
        if let Some(activity) = self.remove(id) {
            activity.evicted.cancel();
            metrics::counter!("repertoire_http_connections_closed_total", "reason" => "evicted").increment(1);
        }
        true
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Activity>> {
        let (address, activity) = self.open.remove(&id)?;
        if let Some(count) = self.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
        Some(activity)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let mut table = self.connections.table();
        table.remove(self.id);
        self.connections.measure(&table);
    }
}

/// What a connection is doing, and so how long it may go on.
pub(super) struct Activity {
    header_timeout: Duration,
    idle_timeout: Duration,
    write_timeout: Duration,
    /// Ends it, to make room for another.
    pub(super) evicted: CancellationToken,
    state: Mutex<State>,
}

struct State {
    /// Whether a request is being handled or its response being sent.
    busy: bool,
    /// Since when it waits for a request.
    waiting: Instant,
    /// Since when the headers of a request are coming in.
    headers: Option<Instant>,
    /// Since when the client leaves the response unread.
    unread: Option<Instant>,
    /// Whether there was a request before.
    used: bool,
}

impl Activity {
    fn new(settings: &ServingSettings) -> Self {
        let waiting = Instant::now();
        Self {
            header_timeout: settings.header_timeout,
            idle_timeout: settings.idle_timeout,
            write_timeout: settings.write_timeout,
            evicted: CancellationToken::new(),
            state: Mutex::new(State { busy: false, waiting, headers: None, unread: None, used: false }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Since when it waits for a request to be complete; `None` while it handles one.
    fn waiting_since(&self) -> Option<Instant> {
        let state = self.state();
        (!state.busy).then_some(state.waiting)
    }

    pub(super) fn is_busy(&self) -> bool {
        self.state().busy
    }

    /// When it has to be looked at again, and why it is over if nothing has changed by then.
    pub(super) fn deadline(&self) -> (Instant, &'static str) {
        let state = self.state();
        let mut deadline = (Instant::now() + LATER, "busy");
        if !state.busy {
            deadline = match state.headers {
                Some(since) => (since + self.header_timeout, "slow_headers"),
                None if state.used => (state.waiting + self.idle_timeout, "idle"),
                None => (state.waiting + self.header_timeout, "idle"),
            };
        }
        if let Some(since) = state.unread {
            deadline = deadline.min((since + self.write_timeout, "slow_reader"));
        }
        deadline
    }

    /// Bytes came in.
    pub(super) fn received(&self) {
        let mut state = self.state();
        if !state.busy && state.headers.is_none() {
            state.headers = Some(Instant::now());
        }
    }

    /// Bytes could be sent, or could not.
    pub(super) fn sent(&self, progress: bool) {
        let mut state = self.state();
        if progress {
            state.unread = None;
            if !state.busy {
                state.waiting = Instant::now();
            }
        } else if state.unread.is_none() {
            state.unread = Some(Instant::now());
        }
    }

    /// A request is complete but for its body; it is handled until the guard is dropped.
    pub(super) fn begin(self: &Arc<Self>) -> Handling {
        let mut state = self.state();
        state.busy = true;
        state.used = true;
        state.headers = None;
        drop(state);
        Handling(Arc::clone(self))
    }
}

/// A request that is handled, up to the end of its response.
pub(super) struct Handling(Arc<Activity>);

impl Drop for Handling {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.busy = false;
        state.waiting = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(max: usize, each: usize) -> Arc<Connections> {
        let settings = ServingSettings { max_connections_per_address: each, ..ServingSettings::default() };
        Connections::new(Arc::new(settings), max, "test")
    }

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[tokio::test]
    async fn the_longest_idle_connection_makes_way() {
        let all = connections(3, 2);
        let first = all.admit(ip(1)).unwrap();
        let second = all.admit(ip(1)).unwrap();
        let handling = first.activity.begin();
        let third = all.admit(ip(1)).unwrap();
        assert!(second.activity.evicted.is_cancelled() && !first.activity.evicted.is_cancelled());
        let also = third.activity.begin();
        assert_eq!(all.admit(ip(1)).err(), Some(Refused::Address), "both are busy");
        let other = all.admit(ip(2)).unwrap();
        let last = other.activity.begin();
        assert_eq!(all.admit(ip(3)).err(), Some(Refused::Total));
        drop(handling);
        assert!(all.admit(ip(3)).is_ok());
        assert!(first.activity.evicted.is_cancelled());
        drop((also, last));
    }

    #[tokio::test]
    async fn places_are_given_back_once() {
        let all = connections(2, 2);
        let counts = || {
            let table = all.table();
            (table.open.len(), table.by_address.len())
        };
        let first = all.admit(ip(1)).unwrap();
        assert!(all.make_room());
        drop(first);
        let kept: Vec<_> = (0..2).map(|_| all.admit(ip(1)).unwrap()).collect();
        assert_eq!(counts(), (2, 1));
        drop(kept);
        assert_eq!(counts(), (0, 0));
    }

    #[tokio::test]
    async fn loopback_and_trusted_proxies_share_the_total_only() {
        let proxies = crate::client_address::TrustedProxies::parse(&["192.0.2.7".to_owned()]).unwrap();
        let settings = ServingSettings {
            max_connections_per_address: 1,
            trusted_proxies: proxies,
            ..ServingSettings::default()
        };
        let all = Connections::new(Arc::new(settings), 10, "test");
        for address in [ip(7), IpAddr::from([127, 0, 0, 1])] {
            let many: Vec<_> = (0..3).map(|_| all.admit(address).unwrap()).collect();
            assert!(many.iter().all(|one| !one.activity.evicted.is_cancelled()));
        }
    }

    #[tokio::test]
    async fn what_a_connection_does_decides_how_long_it_stays() {
        let all = connections(1, 1);
        let one = all.admit(ip(1)).unwrap();
        let settings = ServingSettings::default();
        let started = one.activity.state().waiting;
        assert_eq!(one.activity.deadline(), (started + settings.header_timeout, "idle"));
        one.activity.received();
        let slow = one.activity.deadline();
        assert_eq!(slow.1, "slow_headers");
        one.activity.received();
        assert_eq!(one.activity.deadline(), slow, "trickling does not help");
        let handling = one.activity.begin();
        one.activity.received();
        assert_eq!(one.activity.deadline().1, "busy");
        one.activity.sent(false);
        assert_eq!(one.activity.deadline().1, "slow_reader");
        one.activity.sent(true);
        drop(handling);
        let waiting = one.activity.state().waiting;
        assert_eq!(one.activity.deadline(), (waiting + settings.idle_timeout, "idle"));
    }
}
