//! Serving a router on a socket: bounded connections, deadlines for slow clients, and an end in order.

mod connections;
mod settings;
mod socket;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::ConnectInfo;
use axum::http::{Request, Response};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use connections::{Activity, Connections, Handling, Ticket};
use socket::Socket;

pub use settings::ServingSettings;

/// The largest head of a request, and the buffer of a connection.
const MAX_HEADER: usize = 32 * 1024;
const MAX_BUFFER: usize = 64 * 1024;
/// How long to wait when no socket can be opened.
const BREATH: Duration = Duration::from_millis(50);
/// How often deadlines are looked at.
const GLANCE: Duration = Duration::from_millis(500);
/// What a client is sent for whom there is no room.
const NO_ROOM: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/problem+json\r\n\
content-length: 141\r\nretry-after: 1\r\nconnection: close\r\n\r\n\
{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,\"code\":\"overloaded\",\
\"detail\":\"too many open connections; retry in a second\"}";

/// Serves a router until the token is cancelled, then lets requests that are under way finish. Measurements of its
/// connections bear the name.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    settings: Arc<ServingSettings>,
    name: &'static str,
    closing: CancellationToken,
) {
    let max = settings.max_connections.min(for_connections(open_files()));
    let connections = Connections::new(settings, max, name);
    let mut tasks = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = closing.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        while tasks.try_join_next().is_some() {}
        match accepted {
            Ok((stream, peer)) => match connections.admit(peer.ip()) {
                Ok(ticket) => {
                    tasks.spawn(connection((stream, peer), ticket, router.clone(), closing.clone()));
                }
                Err(refused) => refuse(&stream, refused.as_str()),
            },
            Err(error) => out_of_sockets(&connections, &error).await,
        }
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

/// How many files this process may have open; connections take at most half of them.
fn open_files() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

fn for_connections(open_files: Option<u64>) -> usize {
    open_files.map_or(usize::MAX, |files| usize::try_from(files / 2).unwrap_or(usize::MAX))
}

fn refuse(stream: &TcpStream, reason: &'static str) {
    metrics::counter!("repertoire_http_connections_refused_total", "reason" => reason).increment(1);
    // What does not go out at once is not worth waiting for.
    let _ = stream.try_write(NO_ROOM);
}

async fn out_of_sockets(connections: &Connections, error: &io::Error) {
    // A client that went away before it was accepted is no trouble.
    let gone =
        [io::ErrorKind::ConnectionAborted, io::ErrorKind::ConnectionReset, io::ErrorKind::ConnectionRefused];
    if !gone.contains(&error.kind()) {
        tracing::warn!(error = %error, "cannot accept a connection");
        connections.make_room();
        tokio::time::sleep(BREATH).await;
    }
}

/// Serves one connection for as long as it makes progress.
async fn connection(
    (stream, peer): (TcpStream, SocketAddr),
    ticket: Ticket,
    router: Router,
    closing: CancellationToken,
) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(error = %error, "could not turn Nagle's algorithm off");
    }
    let activity = Arc::clone(&ticket.activity);
    let service = {
        let activity = Arc::clone(&activity);
        hyper::service::service_fn(move |request| {
            handle(router.clone(), Arc::clone(&activity), peer, request)
        })
    };
    let io = TokioIo::new(Socket::new(stream, Arc::clone(&activity)));
    let serving = http1::Builder::new()
        // Deadlines are ours: this one would also end connections that are kept open between two requests.
        .header_read_timeout(None)
        .max_header_size(MAX_HEADER)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(io, service);
    let mut serving = pin!(serving);
    let mut is_closing = false;
    loop {
        tokio::select! {
            biased;
            ended = &mut serving => {
                if let Err(error) = ended {
                    tracing::debug!(error = %error, "a connection ended early");
                }
                return;
            }
            () = activity.evicted.cancelled() => return,
            () = closing.cancelled(), if !is_closing => {
                is_closing = true;
                if !activity.is_busy() {
                    return;
                }
                serving.as_mut().graceful_shutdown();
            }
            () = tokio::time::sleep(GLANCE) => {
                let (deadline, reason) = activity.deadline();
                if deadline <= Instant::now() {
                    metrics::counter!("repertoire_http_connections_closed_total", "reason" => reason).increment(1);
                    return;
                }
            }
        }
    }
}

async fn handle(
    router: Router,
    activity: Arc<Activity>,
    peer: SocketAddr,
    request: Request<Incoming>,
) -> Result<Response<Answer>, Infallible> {
    let handling = activity.begin();
    let mut request = request.map(Body::new);
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = router.oneshot(request).await?;
    Ok(response.map(|body| Answer { body, _handling: handling }))
}

/// The body of a response; its connection is busy until it is sent.
struct Answer {
    body: Body,
    _handling: Handling,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Serves a router without the checks of the API, such as metrics for a collector, until the future ends.
pub(crate) async fn serve_plain(listener: TcpListener, router: Router, shutdown: impl Future<Output = ()>) {
    let closing = CancellationToken::new();
    let settings = Arc::new(ServingSettings { max_connections: 64, ..ServingSettings::default() });
    let mut serving = pin!(serve(listener, router, settings, "metrics", closing.clone()));
    tokio::select! {
        () = &mut serving => return,
        () = shutdown => closing.cancel(),
    }
    serving.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refusal_is_a_whole_response() {
        let text = std::str::from_utf8(NO_ROOM).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{}", body.len());
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!(problem["code"], "overloaded");
    }

    #[test]
    fn connections_leave_half_of_the_files() {
        assert_eq!(for_connections(Some(1024)), 512);
        assert_eq!(for_connections(None), usize::MAX);
    }
}
