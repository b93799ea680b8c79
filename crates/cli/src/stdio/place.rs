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
use crate::serve::{Claimed, Purpose, Running};

/// How long a token of a bridge counts. It is taken back when the bridge ends; one that was killed cannot do so.
const HOURS: i64 = 24;

/// A server, and what lets the bridge in.
pub(super) struct Place {
    pub url: String,
    pub token: Secret,
    /// Where the caller stands, as headers.
    pub standing: Vec<(&'static str, String)>,
    /// The token that must be taken back, with a client that can.
    made: Option<Made>,
}

struct Made {
    client: Client,
    token: String,
    /// Whether the client speaks over a connection, which has to be closed.
    is_connected: bool,
}

impl Place {
    /// The server of the library that the settings name. The bridge's own is the place as long as it has one.
    pub(super) async fn find(settings: &Settings, own: &mut Option<Running>) -> Outcome<Self> {
        if let Some(server) = own {
            return Self::at(settings, server).await;
        }
        let library = &settings.library;
        if let Some(server) = &library.server.value {
            if library.user.source == Source::Flag {
                return Err(Failure::usage(
                    "--user works on this machine only; a token says who you are to a server",
                ));
            }
            let token = need_token(settings.token_for(server), server)?;
            let url = server.trim_end_matches('/').to_owned();
            return Ok(Self { url, token, standing: standing(library), made: None });
        }
        if library.database.value.is_some() {
            let server = serve(settings, Claimed::open(settings).await?).await?;
            return Self::at(settings, own.insert(server)).await;
        }
        let folder = DataFolder::open(&library.data.value)?;
        match folder.claim().await? {
            Claim::Held(lock) => {
                let server = serve(settings, Claimed::in_folder(settings, folder, lock).await?).await?;
                Self::at(settings, own.insert(server)).await
            }
            Claim::Serving(server, _) => {
                let client = connect(settings).await?.standing(workspace(settings));
                Self::with_token(settings, server.url, client, true).await
            }
        }
    }

    /// The bridge's own server.
    async fn at(settings: &Settings, server: &Running) -> Outcome<Self> {
        let client = server.client(settings.library.handle()?).standing(workspace(settings));
        Self::with_token(settings, server.own_url(), client, false).await
    }

    async fn with_token(
        settings: &Settings,
        url: String,
        client: Client,
        is_connected: bool,
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
        let made = Made { client, token: part("id"), is_connected };
        Ok(Self { url, token, standing, made: Some(made) })
    }

    /// The token that was made for this place.
    pub(super) fn made(&self) -> Option<&str> {
        self.made.as_ref().map(|made| made.token.as_str())
    }

    /// Takes back a token that was made for a place before this one, in the same library.
    pub(super) async fn take_back(&self, token: &str) {
        let Some(made) = &self.made else { return };
        if let Err(failure) = made.client.send(api("DELETE", &["tokens", token])).await {
            tracing::warn!(error = %failure, "a token could not be taken back; it ends within a day");
        }
    }

    /// Takes the token back and lets go of the server.
    pub(super) async fn leave(self) {
        if let Some(token) = self.made() {
            self.take_back(token).await;
        }
        if let Some(Made { client, is_connected: true, .. }) = self.made
            && let Err(failure) = client.close().await
        {
            tracing::warn!(error = %failure, "the connection did not end in order");
        }
    }
}

/// A server in this process, on a port that nobody else uses.
async fn serve(settings: &Settings, library: Claimed) -> Outcome<Running> {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .map_err(|error| Failure::unavailable(format!("cannot listen on this machine: {error}")))?;
    Running::begin(settings, library, listener, Purpose::Bridge).await
}

/// Where a token is made: in the workspace, by a person and not through an agent.
fn workspace(settings: &Settings) -> Vec<(&'static str, String)> {
    standing(&settings.library).into_iter().filter(|(name, _)| *name == "repertoire-workspace").collect()
}
