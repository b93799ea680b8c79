//! The same routes without a socket: how the command line works on a local data folder.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use bytes::Bytes;
use model::Handle;
use tower::ServiceExt as _;

/// Marks a request as made by a user of this machine. Only [`InProcess`] can put it there; no socket can.
#[derive(Debug, Clone)]
pub(crate) struct LocalUser(pub Handle);

/// Calls routes in this process, as a user of the local machine.
#[derive(Clone)]
pub struct InProcess {
    router: Router,
    handle: Handle,
}

/// A request.
#[derive(Debug, Clone)]
pub struct LocalRequest {
    /// The method, such as `GET`.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Bytes,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct LocalResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
}

impl InProcess {
    pub(crate) fn new(router: Router, handle: Handle) -> Self {
        Self { router, handle }
    }

    /// Sends a request and waits for the whole answer.
    pub async fn send(&self, request: LocalRequest) -> LocalResponse {
        let failed = |detail: &str| LocalResponse {
            status: 400,
            headers: Vec::new(),
            body: Bytes::from(detail.to_owned()),
        };
        let mut builder = Request::builder().method(request.method).uri(&request.path);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let Ok(mut http) = builder.body(Body::from(request.body)) else {
            return failed("the request cannot be put into HTTP");
        };
        http.extensions_mut().insert(LocalUser(self.handle.clone()));
        let response = match self.router.clone().oneshot(http).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status().as_u16();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        match axum::body::to_bytes(response.into_body(), usize::MAX).await {
            Ok(body) => LocalResponse { status, headers, body },
            Err(error) => LocalResponse { status: 500, headers, body: Bytes::from(error.to_string()) },
        }
    }
}
