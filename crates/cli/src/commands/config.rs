//! `repertoire config`.

use clap::Subcommand;
use serde_json::json;

use crate::config::{LogFormat, Setting, Source, without_password};
use crate::exit::Outcome;
use crate::output::Table;
use crate::session::Session;

/// What to do with the settings.
#[derive(Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show every setting and where it comes from; secrets are hidden
    Show,
    /// Say which files are read
    Path,
}

impl ConfigCommand {
    pub(crate) fn run(self, session: &Session) -> Outcome {
        match self {
            Self::Show => show(session),
            Self::Path => path(session),
        }
    }
}

type Row = (String, String, Source);

fn row<T>(name: &str, setting: &Setting<T>, shown: impl FnOnce(&T) -> String) -> Row {
    (name.to_owned(), shown(&setting.value), setting.source)
}

fn optional(value: Option<&String>) -> String {
    value.cloned().unwrap_or_else(|| "-".to_owned())
}

fn show(session: &Session) -> Outcome {
    let settings = &session.settings;
    let (library, serve, log) = (&settings.library, &settings.serve, &settings.log);
    let limits = settings.limits.all.iter().map(|(name, limit)| row(name, limit, ToString::to_string));
    let mut rows = vec![
        row("data", &library.data, |path| path.display().to_string()),
        row("database", &library.database, |url| {
            url.as_ref().map_or_else(|| "-".to_owned(), |url| without_password(url.reveal()))
        }),
        row("server", &library.server, |value| optional(value.as_ref())),
        row("token", &library.token, |token| {
            token.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string)
        }),
        row("workspace", &library.workspace, |value| optional(value.as_ref())),
        row("agent", &library.agent, |value| optional(value.as_ref())),
        row("user", &library.user, Clone::clone),
        row("serve.listen", &serve.listen, Clone::clone),
        row("serve.metrics_listen", &serve.metrics_listen, Clone::clone),
        row("serve.allow_hosts", &serve.allow_hosts, |hosts| {
            if hosts.is_empty() { "-".to_owned() } else { hosts.join(", ") }
        }),
        row("serve.public_url", &serve.public_url, |value| optional(value.as_ref())),
        row("serve.ui_dir", &serve.ui_dir, |path| {
            path.as_ref().map_or_else(|| "-".to_owned(), |path| path.display().to_string())
        }),
        row("log.format", &log.format, |format| match format {
            LogFormat::Text => "text".to_owned(),
            LogFormat::Json => "json".to_owned(),
        }),
        row("log.level", &log.level, Clone::clone),
    ];
    rows.extend(settings.connections.rows());
    rows.extend(limits);
    rows.extend(settings.sandbox.rows());
    rows.extend(settings.search.rows());
    rows.extend(settings.governance.rows());
    rows.extend(settings.sessions.rows());
    rows.push(row("analytics.history_days", &settings.analytics.history_days, ToString::to_string));
    rows.push(row("hooks.on_failure", &settings.hooks.on_failure, |value| value.as_str().to_owned()));
    let servers: Vec<_> = settings.servers.keys().cloned().collect();
    let values: serde_json::Map<_, _> = rows
        .iter()
        .map(|(name, value, source)| (name.clone(), json!({"value": value, "source": source.as_str()})))
        .collect();
    session.output.result(&json!({"settings": values, "servers": servers}), || {
        let mut table = Table::new(&["setting", "from", "value"]);
        for (name, value, source) in &rows {
            table.row([name.as_str(), source.as_str(), value.as_str()]);
        }
        for server in &servers {
            table.row(["token for", "login", server.as_str()]);
        }
        session.output.table(&table)
    })
}

fn path(session: &Session) -> Outcome {
    let places = &session.settings.places;
    let file = places.file.as_ref().map(|path| path.display().to_string());
    let credentials = places.credentials.display().to_string();
    let data = session.settings.library.data.value.display().to_string();
    let value = json!({"config": file, "credentials": credentials, "data": data});
    session.output.result(&value, || {
        let config = file
            .as_deref()
            .unwrap_or("none; $REPERTOIRE_CONFIG or ~/.config/repertoire/config.toml would be");
        format!("config       {config}\ncredentials  {credentials}\ndata         {data}")
    })
}
