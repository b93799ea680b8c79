//! How many sign-ins of an address may fail.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use app::Code;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, StatusCode};

use crate::client_address::ClientAddress;
use crate::problem::Problem;
use crate::server::HttpState;

/// How many addresses' worth of failures all addresses have together before each has only one.
const ALL: f64 = 20.0;
/// From how many addresses on those without recent failures are dropped.
const MANY: usize = 10_000;
const MINUTE: f64 = 60.0;

/// Failed sign-ins: so many a minute for each address, and fewer for each while there are many of all together.
/// An address without failures can always try.
pub(crate) struct SignInLimit {
    each: f64,
    counts: Mutex<Counts>,
}

struct Counts {
    by_address: HashMap<IpAddr, Bucket>,
    all: Bucket,
}

/// Failures that leak away with time.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    failures: f64,
    at: Instant,
}

impl Bucket {
    fn empty(now: Instant) -> Self {
        Self { failures: 0.0, at: now }
    }

    /// The failures that still count, when so many a minute are forgotten.
    fn count(&mut self, per_minute: f64, now: Instant) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.failures = (self.failures - passed * per_minute / MINUTE).max(0.0);
        self.failures
    }
}

impl SignInLimit {
    pub(crate) fn new(per_minute: u32) -> Self {
        let counts = Counts { by_address: HashMap::new(), all: Bucket::empty(Instant::now()) };
        Self { each: f64::from(per_minute.max(1)), counts: Mutex::new(counts) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts an attempt as failed until it is settled, so that attempts at the same time count as well.
    fn begin(self: &Arc<Self>, address: IpAddr, now: Instant) -> Result<SignInAttempt, Duration> {
        let mut counts = self.counts();
        let Counts { by_address, all } = &mut *counts;
        if by_address.len() > MANY {
            by_address.retain(|_, bucket| bucket.count(self.each, now) > 0.0);
        }
        let allowed = if all.count(self.each * ALL, now) < self.each * ALL { self.each } else { 1.0 };
        let bucket = by_address.entry(address).or_insert_with(|| Bucket::empty(now));
        let failures = bucket.count(self.each, now);
        if failures + 1.0 > allowed {
            return Err(Duration::from_secs_f64((failures + 1.0 - allowed) * MINUTE / self.each));
        }
        bucket.failures += 1.0;
        all.failures += 1.0;
        Ok(SignInAttempt { limit: Arc::clone(self), address })
    }

    fn refund(&self, address: IpAddr) {
        let mut counts = self.counts();
        counts.all.failures = (counts.all.failures - 1.0).max(0.0);
        if let Some(bucket) = counts.by_address.get_mut(&address) {
            bucket.failures = (bucket.failures - 1.0).max(0.0);
        }
    }
}

/// An attempt to sign in, which counts as failed until it is settled.
pub(crate) struct SignInAttempt {
    limit: Arc<SignInLimit>,
    address: IpAddr,
}

impl SignInAttempt {
    /// Forgets an attempt that succeeded, or failed for a reason of ours.
    pub(crate) fn settle<T>(self, result: Result<T, app::Error>) -> Result<T, app::Error> {
        if !matches!(&result, Err(error) if error.code() == Code::Unauthenticated) {
            self.limit.refund(self.address);
        }
        result
    }
}

impl SignInAttempt {
    /// An attempt of the client of a request.
    pub(crate) fn begin(state: &HttpState, extensions: &Extensions) -> Result<Self, Problem> {
        let local = ClientAddress(IpAddr::from([127, 0, 0, 1]));
        let client = extensions.get::<ClientAddress>().copied().unwrap_or(local);
        state.sign_in_limit.begin(client.counted(), Instant::now()).map_err(|wait| {
            metrics::counter!("repertoire_sign_ins_refused_total").increment(1);
            let detail = "too many failed sign-ins from this address; wait a minute";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail).retry_after(wait)
        })
    }
}

/// As an extractor it refuses clients whose failures are used up before the body is read.
impl FromRequestParts<HttpState> for SignInAttempt {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &HttpState) -> Result<Self, Problem> {
        Self::begin(state, &parts.extensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn failed() -> Result<(), app::Error> {
        Err(app::Error::Unauthenticated("no"))
    }

    #[test]
    fn only_failures_count_and_only_for_their_address() {
        let (limit, now) = (Arc::new(SignInLimit::new(3)), Instant::now());
        for _ in 0..50 {
            limit.begin(ip(1), now).ok().unwrap().settle(Ok(())).unwrap();
        }
        for _ in 0..3 {
            limit.begin(ip(1), now).ok().unwrap().settle(failed()).unwrap_err();
        }
        assert_eq!(limit.begin(ip(1), now).err(), Some(Duration::from_secs(20)));
        assert!(limit.begin(ip(2), now).is_ok());
        assert!(limit.begin(ip(1), now + Duration::from_secs(21)).is_ok());
    }

    #[test]
    fn many_failures_of_all_leave_each_address_one_attempt() {
        let (limit, now) = (Arc::new(SignInLimit::new(3)), Instant::now());
        for last in 0..20 {
            for _ in 0..3 {
                drop(limit.begin(ip(last), now).ok().unwrap());
            }
        }
        for last in 100..200 {
            limit.begin(ip(last), now).ok().unwrap().settle(failed()).unwrap_err();
            assert!(limit.begin(ip(last), now).is_err(), "a second one has to wait");
        }
        limit.begin(ip(201), now).ok().unwrap().settle(Ok(())).unwrap();
    }

    #[test]
    fn attempts_at_the_same_time_count() {
        let (limit, now) = (Arc::new(SignInLimit::new(3)), Instant::now());
        let open: Vec<_> = (0..4).map(|_| limit.begin(ip(1), now)).collect();
        assert_eq!(open.iter().filter(|attempt| attempt.is_ok()).count(), 3);
    }
}
