//! Request bodies: how slowly they may come in, and how much of them is held in memory at once.

use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::StatusCode;
use http_body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::PollSemaphore;

use crate::problem::Problem;
use crate::serving::ServingSettings;

/// How much of each body is not counted, so that small requests never wait for large ones.
const FREE: u64 = 64 * 1024;
/// In which steps larger ones are counted.
const STEP: u64 = 1024 * 1024;
/// The unit of the budget.
const UNIT: u64 = 1024;
/// How long a body waits for room.
const PATIENCE: Duration = Duration::from_secs(2);

/// The bytes of request bodies that may be in memory at once.
pub(crate) struct BodyBudget {
    room: Arc<Semaphore>,
    settings: Pace,
}

#[derive(Clone, Copy)]
struct Pace {
    timeout: Duration,
    stall: Duration,
    rate: u32,
}

impl BodyBudget {
    /// A budget that has room for at least one body of the largest size.
    pub(crate) fn new(settings: &ServingSettings, max_body_bytes: usize) -> Self {
        let bytes = settings.body_budget.max(max_body_bytes.saturating_add(1024 * 1024));
        let units = (bytes / 1024).min(Semaphore::MAX_PERMITS);
        let pace = Pace {
            timeout: settings.body_timeout,
            stall: settings.body_stall,
            rate: settings.min_body_rate.max(1),
        };
        Self { room: Arc::new(Semaphore::new(units)), settings: pace }
    }

    /// The same body within the budget, and the lease that holds its bytes.
    pub(crate) fn bound(&self, body: Body) -> (Body, Arc<BodyLease>) {
        let lease = Arc::new(BodyLease::default());
        if body.is_end_stream() {
            return (body, lease);
        }
        let bounded = BoundedBody {
            body,
            room: PollSemaphore::new(Arc::clone(&self.room)),
            lease: Arc::clone(&lease),
            pace: self.settings,
            covered: FREE,
            received: 0,
            credit: self.settings.stall,
            waited: Duration::ZERO,
            stalled: None,
            queued: None,
        };
        (Body::new(bounded), lease)
    }
}

/// The part of the budget that a request holds until it is answered, and why its body was not read to the end.
#[derive(Default)]
pub(crate) struct BodyLease {
    held: Mutex<(Vec<OwnedSemaphorePermit>, Option<BodyFault>)>,
}

impl BodyLease {
    fn hold(&self, permit: OwnedSemaphorePermit) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).0.push(permit);
    }

    fn fail(&self, fault: BodyFault) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).1 = Some(fault);
    }

    /// The problem of a request whose body could not be read.
    pub(crate) fn problem(&self) -> Option<Problem> {
        let fault = self.held.lock().unwrap_or_else(PoisonError::into_inner).1?;
        let status = match fault {
            BodyFault::Slow => StatusCode::REQUEST_TIMEOUT,
            BodyFault::NoRoom => StatusCode::SERVICE_UNAVAILABLE,
        };
        Some(Problem::new(status, fault.code(), fault.to_string()))
    }
}

/// Why a body was not read to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyFault {
    Slow,
    NoRoom,
}

impl BodyFault {
    fn code(self) -> &'static str {
        match self {
            Self::Slow => "request_timeout",
            Self::NoRoom => "overloaded",
        }
    }
}

impl fmt::Display for BodyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Slow => "the request body arrived too slowly; send it again over a faster connection",
            Self::NoRoom => "too many large requests are in progress; retry in a second",
        })
    }
}

impl StdError for BodyFault {}

/// A body that ends with an error when it comes too slowly, or when there is no room for it.
struct BoundedBody {
    body: Body,
    room: PollSemaphore,
    lease: Arc<BodyLease>,
    pace: Pace,
    /// How many bytes may be in memory without a further permit.
    covered: u64,
    received: u64,
    /// How long it may wait before it falls below the minimum rate.
    credit: Duration,
    /// How long it has waited for the client in all.
    waited: Duration,
    /// Since when it waits for the client, and until when it may.
    stalled: Option<(Instant, Pin<Box<Sleep>>)>,
    /// Until when it waits for room.
    queued: Option<Pin<Box<Sleep>>>,
}

impl BoundedBody {
    fn fault(&self, fault: BodyFault) -> axum::Error {
        metrics::counter!("repertoire_http_bodies_refused_total", "reason" => fault.code()).increment(1);
        self.lease.fail(fault);
        axum::Error::new(fault)
    }

    fn poll_room(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BodyFault>> {
        let left = self.body.size_hint().upper().unwrap_or(STEP);
        if self.received < self.covered || (self.received == self.covered && left == 0) {
            return Poll::Ready(Ok(()));
        }
        let step = (self.received - self.covered + left.clamp(UNIT, STEP)).div_ceil(UNIT);
        let units = u32::try_from(step).unwrap_or(u32::MAX);
        match self.room.poll_acquire_many(cx, units) {
            Poll::Ready(Some(permit)) => {
                self.queued = None;
                self.covered += step * UNIT;
                self.lease.hold(permit);
                Poll::Ready(Ok(()))
            }
            Poll::Ready(None) => Poll::Ready(Err(BodyFault::NoRoom)),
            Poll::Pending => {
                let timer =
                    self.queued.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + PATIENCE)));
                ready!(timer.as_mut().poll(cx));
                Poll::Ready(Err(BodyFault::NoRoom))
            }
        }
    }

    /// Notes that bytes came in.
    fn arrived(&mut self, bytes: u64) {
        self.received += bytes;
        if let Some((since, _)) = self.stalled.take() {
            let waited = since.elapsed();
            self.waited += waited;
            self.credit = self.credit.saturating_sub(waited);
        }
        let earned = Duration::from_secs_f64(count(bytes) / f64::from(self.pace.rate));
        self.credit = self.credit.saturating_add(earned).min(self.pace.stall);
    }
}

#[allow(clippy::cast_precision_loss)] // the size of a frame
fn count(bytes: u64) -> f64 {
    bytes as f64
}

impl HttpBody for BoundedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        if let Err(fault) = ready!(this.poll_room(cx)) {
            return Poll::Ready(Some(Err(this.fault(fault))));
        }
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                this.arrived(frame.data_ref().map_or(0, |data| data.len() as u64));
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(ended) => Poll::Ready(ended),
            Poll::Pending => {
                let allowed = this.credit.min(this.pace.timeout.saturating_sub(this.waited));
                let (_, timer) = this.stalled.get_or_insert_with(|| {
                    let now = Instant::now();
                    (now, Box::pin(sleep_until(now + allowed)))
                });
                ready!(timer.as_mut().poll(cx));
                Poll::Ready(Some(Err(this.fault(BodyFault::Slow))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use futures::stream;

    use super::*;

    fn budget(settings: &ServingSettings) -> BodyBudget {
        BodyBudget::new(settings, 0)
    }

    /// A body of this many parts, one after each pause.
    fn parts(count: usize, bytes: usize, pause: Duration) -> Body {
        Body::from_stream(stream::iter(0..count).then(move |_| async move {
            tokio::time::sleep(pause).await;
            Ok::<_, axum::Error>(Bytes::from(vec![b'x'; bytes]))
        }))
    }

    async fn read(budget: &BodyBudget, body: Body) -> (usize, Option<&'static str>) {
        let (body, lease) = budget.bound(body);
        let read = axum::body::to_bytes(body, usize::MAX).await.map_or(0, |bytes| bytes.len());
        (read, lease.problem().map(|problem| problem.code()))
    }

    #[tokio::test]
    async fn a_body_may_be_slow_but_not_too_slow() {
        let usual = ServingSettings::default();
        let moment = Duration::from_millis(20);
        assert_eq!(read(&budget(&usual), parts(60, 4_096, moment)).await, (60 * 4_096, None));
        let hasty = ServingSettings { body_stall: 5 * moment, ..usual.clone() };
        let slow = (0, Some("request_timeout"));
        let never = || Body::from_stream(stream::pending::<Result<Bytes, axum::Error>>());
        assert_eq!(read(&budget(&hasty), never()).await, slow);
        assert_eq!(read(&budget(&hasty), parts(1_000, 1, moment)).await, slow, "a trickle");
        let quick = parts(8, 1 << 20, Duration::ZERO).into_data_stream();
        let stalling = Body::from_stream(quick.chain(never().into_data_stream()));
        assert_eq!(read(&budget(&hasty), stalling).await, slow, "a fast start earns no right to stall later");
        let short = ServingSettings { body_timeout: 5 * moment, ..usual };
        assert_eq!(read(&budget(&short), parts(1_000, 8_192, moment)).await, slow, "too long in all");
    }

    #[tokio::test]
    async fn large_bodies_share_a_budget_and_small_ones_do_not_wait() {
        let settings = ServingSettings { body_budget: 4 << 20, ..ServingSettings::default() };
        let budget = budget(&settings);
        let (first, lease) = budget.bound(Body::from(vec![0; 3 << 20]));
        assert_eq!(axum::body::to_bytes(first, usize::MAX).await.unwrap().len(), 3 << 20);
        assert_eq!(read(&budget, parts(2, 1 << 20, Duration::ZERO)).await, (0, Some("overloaded")));
        assert_eq!(read(&budget, parts(1, 60_000, Duration::ZERO)).await, (60_000, None));
        drop(lease);
        assert_eq!(read(&budget, parts(2, 1 << 20, Duration::ZERO)).await, (2 << 20, None));
    }
}
