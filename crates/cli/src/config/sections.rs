//! One struct a section, each with its rules.

use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;

use door_http::WebApp;
use model::{Handle, SkillName};

use super::{Layer, Places, Secret, Setting, Source, pick, pick_optional, without_password};
use crate::exit::{Failure, Outcome};

/// Which library a command talks to, and as whom.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) data: Setting<PathBuf>,
    pub(crate) database: Setting<Option<Secret>>,
    pub(crate) server: Setting<Option<String>>,
    pub(crate) token: Setting<Option<Secret>>,
    pub(crate) workspace: Setting<Option<String>>,
    pub(crate) agent: Setting<Option<String>>,
    pub(crate) user: Setting<String>,
}

impl Library {
    pub(super) fn gather(layers: &[(Source, Layer)], places: &Places) -> Self {
        let mut library = Self {
            data: pick(layers, places.data.clone(), |layer| layer.data.clone()),
            database: pick_optional(layers, |layer| layer.database.clone()),
            server: pick_optional(layers, |layer| layer.server.clone()),
            token: pick_optional(layers, |layer| layer.token.clone()),
            workspace: pick_optional(layers, |layer| layer.workspace.clone()),
            agent: pick_optional(layers, |layer| layer.agent.clone()),
            user: pick(layers, app::workspaces::FIRST_USER.to_owned(), |layer| layer.user.clone()),
        };
        // `--data DIR` beside a server that only the file or the environment names means the folder.
        let local = library.data.source.max(library.database.source);
        if library.server.source < local && local == Source::Flag {
            library.server = Setting::default(None);
        }
        // Likewise a data folder on the command line beats a database that only the file names.
        if library.database.source < library.data.source && library.data.source == Source::Flag {
            library.database = Setting::default(None);
        }
        library
    }

    pub(super) fn validate(&self) -> Outcome {
        if let Some(url) = &self.database.value
            && !["postgres://", "postgresql://"].iter().any(|scheme| url.reveal().starts_with(scheme))
        {
            let shown = without_password(url.reveal());
            return Err(Failure::usage(format!("the database `{shown}` is not a postgres:// URL"))
                .hint("for SQLite name a data folder with --data"));
        }
        if let Some(server) = &self.server.value {
            let url = reqwest::Url::parse(server).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            url.ok_or_else(|| {
                Failure::usage(format!("the server `{server}` is not an http:// or https:// URL"))
            })?;
        }
        for (what, name) in [("workspace", &self.workspace.value), ("agent", &self.agent.value)] {
            if let Some(name) = name {
                SkillName::parse(name)
                    .map_err(|_| Failure::usage(format!("`{name}` is not the name of a {what}")))?;
            }
        }
        self.handle().map(drop)
    }

    /// Whom a local command acts as.
    pub(crate) fn handle(&self) -> Outcome<Handle> {
        Handle::parse(&self.user.value).map_err(|error| Failure::usage(error.to_string()))
    }
}

/// How the server listens.
#[derive(Debug)]
pub(crate) struct Serve {
    pub(crate) listen: Setting<String>,
    pub(crate) metrics_listen: Setting<String>,
    pub(crate) allow_hosts: Setting<Vec<String>>,
    pub(crate) public_url: Setting<Option<String>>,
    pub(crate) ui_dir: Setting<Option<PathBuf>>,
}

impl Serve {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Self {
        Self {
            listen: pick(layers, "127.0.0.1:7400".to_owned(), |layer| layer.serve.listen.clone()),
            metrics_listen: pick(layers, "127.0.0.1:7401".to_owned(), |layer| {
                layer.serve.metrics_listen.clone()
            }),
            allow_hosts: pick(layers, Vec::new(), |layer| layer.serve.allow_hosts.clone()),
            public_url: pick_optional(layers, |layer| layer.serve.public_url.clone()),
            ui_dir: pick_optional(layers, |layer| layer.serve.ui_dir.clone()),
        }
    }

    pub(super) fn validate(&self) -> Outcome {
        if let Some(url) = &self.public_url.value {
            let parsed = reqwest::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
            parsed.ok_or_else(|| Failure::usage(format!("the public URL `{url}` is not an http(s) URL")))?;
        }
        for host in &self.allow_hosts.value {
            if host.is_empty() || host.contains(['/', ' ']) {
                return Err(Failure::usage(format!("`{host}` is not a host name"))
                    .hint("name it like `skills.example.org` or `10.0.0.5:7400`"));
            }
        }
        for address in [&self.listen.value, &self.metrics_listen.value] {
            let port = address.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
            if port.is_none() && address != "off" {
                return Err(no_address(address));
            }
        }
        Ok(())
    }

    /// Where people reach a server with these settings.
    pub(crate) fn url(&self) -> String {
        let url = self.public_url.value.clone().unwrap_or_else(|| format!("http://{}", self.listen.value));
        url.trim_end_matches('/').to_owned()
    }

    /// The web app: of the folder that was named, else the one in this program.
    pub(crate) fn web_app(&self) -> Outcome<WebApp> {
        let Some(folder) = &self.ui_dir.value else { return Ok(WebApp::embedded()) };
        WebApp::in_folder(folder).map_err(|error| {
            Failure::usage(error.to_string())
                .hint("build the app with `make ui`, and name its folder: ui/dist")
        })
    }

    /// Where metrics are served, unless they are off.
    pub(crate) fn metrics_address(&self) -> Outcome<Option<SocketAddr>> {
        match self.metrics_listen.value.as_str() {
            "off" => Ok(None),
            text => address(text).map(Some),
        }
    }
}

/// The first address a `HOST:PORT` stands for.
fn address(text: &str) -> Outcome<SocketAddr> {
    let mut addresses = text.to_socket_addrs().into_iter().flatten();
    addresses.next().ok_or_else(|| no_address(text))
}

fn no_address(text: &str) -> Failure {
    Failure::usage(format!("`{text}` is not an address to listen on"))
        .hint("write HOST:PORT, for example 127.0.0.1:7400")
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// What is logged, and how.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) format: Setting<LogFormat>,
    pub(crate) level: Setting<String>,
}

impl Log {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let format = pick(layers, "text".to_owned(), |layer| layer.log.format.clone());
        let value = match format.value.as_str() {
            "text" => LogFormat::Text,
            "json" => LogFormat::Json,
            other => {
                return Err(Failure::usage(format!("the log format `{other}` is neither text nor json")));
            }
        };
        let level = pick(layers, "info".to_owned(), |layer| layer.log.level.clone());
        let log = Self { format: Setting { value, source: format.source }, level };
        log.filter()?;
        Ok(log)
    }

    /// Which records are written.
    pub(crate) fn filter(&self) -> Outcome<tracing_subscriber::EnvFilter> {
        let level = &self.level.value;
        // The protocol's library writes two lines for every request; whoever wants them says so.
        let written = if level.contains("rmcp") { level.clone() } else { format!("{level},rmcp=warn") };
        tracing_subscriber::EnvFilter::try_new(written).map_err(|_| {
            Failure::usage(format!("`{level}` is not a log level")).hint(
                "use error, warn, info, debug or trace, or a filter such as `info,repertoire_http=debug`",
            )
        })
    }
}
