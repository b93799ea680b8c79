//! How often an address may try to sign in.

use std::net::IpAddr;
use std::num::NonZeroU32;

use governor::clock::DefaultClock;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

/// A budget of attempts for each address, and one for all of them together.
pub(crate) struct SignInLimit {
    each: RateLimiter<IpAddr, DashMapStateStore<IpAddr>, DefaultClock>,
    all: RateLimiter<(), DashMapStateStore<()>, DefaultClock>,
}

impl SignInLimit {
    pub(crate) fn new(per_minute: u32) -> Self {
        let each = NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN);
        let all = each.saturating_mul(NonZeroU32::MIN.saturating_add(19));
        Self {
            each: RateLimiter::keyed(Quota::per_minute(each)),
            all: RateLimiter::keyed(Quota::per_minute(all)),
        }
    }

    /// Whether this address may try once more.
    pub(crate) fn allows(&self, address: IpAddr) -> bool {
        // Addresses come and go; those whose budget is full again need not be remembered.
        if self.each.len() > 10_000 {
            self.each.retain_recent();
        }
        self.each.check_key(&address).is_ok() && self.all.check_key(&()).is_ok()
    }
}
