//! The server that the bridge speaks to: one that runs, or one of its own.
//!
//! Several hosts on one machine work on one library. The first bridge serves it and says so in the data folder, the
//! others find it there; when it ends, the next that needs it takes its place.

use app::Clock as _;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;
use tokio::net::TcpListener;

use crate::client::{Client, api, connect, need_token, standing};
use crate::config::{Secret, Settings, Source};
use crate::data_folder::{Claim, DataFolder};
use crate::exit::{Failure, Outcome};
use crate::serve::{Claimed, Running};

/// How long a token of a bridge counts. It is taken back when the bridge ends; one that was killed cannot do so.
const HOURS: i64 = 24;

/// A server, and what lets the bridge in.
pub(super) struct Place {
    pub url: String,
    pub token: Secret,
    /// Where the caller stands, as headers.
    pub standing: Vec<(&'static str, String)>,
    /// The token that must be taken back, with a client that can.
    made: Option<(Client, String)>,
    own: Option<Running>,
}

impl Place {
    /// The server of the library that the settings name.
    pub(super) async fn find(settings: &Settings) -> Outcome<Self> {
        let library = &settings.library;
        if let Some(server) = &library.server.value {
            if library.user.source == Source::Flag {
                return Err(Failure::usage(
                    "--user works on this machine only; a token says who you are to a server",
                ));
            }
            let token = need_token(settings.token_for(server), server)?;
            let url = server.trim_end_matches('/').to_owned();
            return Ok(Self { url, token, standing: standing(library), made: None, own: None });
        }
        if library.database.value.is_some() {
            return Self::own(settings, Claimed::open(settings).await?).await;
        }
        let folder = DataFolder::open(&library.data.value)?;
        match folder.claim().await? {
            Claim::Held(lock) => Self::own(settings, Claimed::in_folder(settings, folder, lock).await?).await,
            Claim::Serving(server, _) => {
                let client = connect(settings).await?.standing(workspace(settings));
                Self::with_token(settings, server.url, client, None).await
            }
        }
    }

    /// A server in this process, on a port that nobody else uses.
    async fn own(settings: &Settings, library: Claimed) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .map_err(|error| Failure::unavailable(format!("cannot listen on this machine: {error}")))?;
        let server = Running::begin(settings, library, listener).await?;
        let client = server.client(settings.library.handle()?).standing(workspace(settings));
        Self::with_token(settings, server.own_url(), client, Some(server)).await
    }

    async fn with_token(
        settings: &Settings,
        url: String,
        client: Client,
        own: Option<Running>,
    ) -> Outcome<Self> {
        let end = app::SystemClock.now() + time::Duration::hours(HOURS);
        let body = json!({
            "name": "mcp", "scopes": ["read", "write"], "expires_at": end.format(&Rfc3339).unwrap_or_default(),
        });
        let made: Value = client.json(api("POST", &["tokens"]).json(body)).await?;
        let part = |key: &str| made.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let token = Secret::new(part("secret"));
        let standing = standing(&settings.library).into_iter();
        // The token is of the workspace already.
        let standing = standing.filter(|(name, _)| *name == "repertoire-agent").collect();
        Ok(Self { url, token, standing, made: Some((client, part("id"))), own })
    }

    /// Whether the server is one of the bridge's own.
    pub(super) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Takes the token back, and ends the server if it is the bridge's own.
    pub(super) async fn leave(self) {
        if let Some((client, token)) = self.made {
            let taken = client.send(api("DELETE", &["tokens", &token])).await;
            if let Err(failure) = taken {
                tracing::warn!(error = %failure, "a token could not be taken back; it ends within a day");
            }
            if self.own.is_none()
                && let Err(failure) = client.close().await
            {
                tracing::warn!(error = %failure, "the connection did not end in order");
            }
        }
        if let Some(mut server) = self.own {
            if let Err(failure) = server.stop().await {
                tracing::warn!(error = %failure, "the server did not end in order");
            }
            server.end().await;
        }
    }
}

/// Where a token is made: in the workspace, by a person and not through an agent.
fn workspace(settings: &Settings) -> Vec<(&'static str, String)> {
    standing(&settings.library).into_iter().filter(|(name, _)| *name == "repertoire-workspace").collect()
}
