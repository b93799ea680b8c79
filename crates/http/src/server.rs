//! The router as a whole, and serving it.

use std::future::Future;
use std::sync::Arc;

use app::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::get;
use model::Handle;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::body::BodyBudget;
use crate::cache::AnswerCache;
use crate::local::InProcess;
use crate::rate_limit::SignInLimit;
use crate::serving::{self, ServingSettings};
use crate::web::WebApp;
use crate::{edge, health, instances, problem, sign_in, v1, web};

/// What the door has to be told.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// The names this server answers to, without port. Loopback names are always among them.
    pub allowed_hosts: Vec<String>,
    /// Where people reach it, without a slash at the end.
    pub public_url: String,
    /// The largest body it reads.
    pub max_body_bytes: usize,
    /// How many failed sign-ins an address has a minute.
    pub sign_in_failures_per_minute: u32,
    /// What clients may take up before and while their requests are read.
    pub serving: ServingSettings,
    /// The app that people see.
    pub web_app: WebApp,
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            allowed_hosts: Vec::new(),
            public_url: "http://127.0.0.1:7400".to_owned(),
            max_body_bytes: 32 * 1024 * 1024,
            sign_in_failures_per_minute: 10,
            serving: ServingSettings::default(),
            web_app: WebApp::none(),
        }
    }
}

/// The door.
#[derive(Clone)]
pub struct Http {
    state: HttpState,
    /// The routes of another door on the same socket.
    beside: Router,
}

/// What every handler can reach.
#[derive(Clone)]
pub(crate) struct HttpState {
    pub cx: Context,
    pub config: Arc<HttpConfig>,
    pub answers: AnswerCache,
    pub sign_in_limit: Arc<SignInLimit>,
    pub bodies: Arc<BodyBudget>,
    /// Ends answers that would never end by themselves, so that the server can.
    pub closing: CancellationToken,
}

impl Http {
    /// A door on these use cases.
    pub fn new(cx: Context, config: HttpConfig) -> Self {
        let sign_in_limit = Arc::new(SignInLimit::new(config.sign_in_failures_per_minute));
        let bodies = Arc::new(BodyBudget::new(&config.serving, config.max_body_bytes));
        let state = HttpState {
            cx,
            config: Arc::new(config),
            answers: AnswerCache::default(),
            sign_in_limit,
            bodies,
            closing: CancellationToken::new(),
        };
        Self { state, beside: Router::new() }
    }

    /// The same door with the routes of another one on the same socket. Hosts and origins are checked for them too.
    #[must_use]
    pub fn with_routes(self, beside: Router) -> Self {
        Self { beside, ..self }
    }

    fn routes(&self) -> Router {
        Router::new()
            .route("/", get(web::home))
            .route("/index.html", get(web::home))
            .route("/sign-in", get(sign_in::page))
            .route("/healthz", get(health::alive))
            .route("/readyz", get(health::ready))
            .merge(v1::router())
            .merge(instances::router())
            .fallback(web::elsewhere)
            .method_not_allowed_fallback(problem::method_not_allowed)
            .layer(DefaultBodyLimit::max(self.state.config.max_body_bytes))
            .with_state(self.state.clone())
    }

    /// The router for a socket.
    pub fn router(&self) -> Router {
        self.routes()
            .merge(self.beside.clone())
            .layer(middleware::from_fn_with_state(self.state.clone(), edge::pass))
    }

    /// A way to call the same routes without a socket, as a user of the local machine.
    pub fn in_process(&self, handle: Handle) -> InProcess {
        InProcess::new(self.routes(), handle)
    }

    /// Serves until the future ends, then lets requests that are under way finish. Event streams are ended.
    pub async fn serve(self, listener: TcpListener, shutdown: impl Future<Output = ()> + Send + 'static) {
        let settings = Arc::new(self.state.config.serving.clone());
        let closing = self.state.closing.clone();
        let serving = serving::serve(listener, self.router(), settings, "api", closing.clone());
        let mut serving = std::pin::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            () = shutdown => {
                closing.cancel();
                serving.await;
            }
        }
    }
}

/// Serves the same text at one path, made anew for each request, until the future ends.
pub async fn serve_text(
    listener: TcpListener,
    path: &str,
    text: impl Fn() -> String + Clone + Send + Sync + 'static,
    shutdown: impl Future<Output = ()>,
) {
    let router = Router::new().route(path, get(move || std::future::ready(text())));
    serving::serve_plain(listener, router, shutdown).await;
}
