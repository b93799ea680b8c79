//! `repertoire token`.

use app::Clock as _;
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::skill::{moment, text_of};
use crate::client::{Client, api};
use crate::exit::{Exit, Failure, Outcome};
use crate::output::{Table, line};
use crate::session::Session;

/// What a token may be used for.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ScopeArg {
    Read,
    Write,
    Review,
    Admin,
}

impl ScopeArg {
    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Review => "review",
            Self::Admin => "admin",
        }
    }
}

/// What to do with tokens.
#[derive(Subcommand)]
pub(crate) enum TokenCommand {
    /// List tokens; their secrets are never shown
    #[command(visible_alias = "ls")]
    List {
        /// Of this user; for admins
        #[arg(long, value_name = "HANDLE", conflicts_with = "all")]
        of: Option<String>,
        /// Of everyone; for admins
        #[arg(long)]
        all: bool,
        /// Also those that were revoked or are over
        #[arg(long)]
        ended: bool,
    },
    /// Make a token and show its secret, once
    Create {
        /// What it is called
        name: String,
        /// What it may be used for; repeat for more
        #[arg(long, value_enum, default_values = ["read", "write"])]
        scope: Vec<ScopeArg>,
        /// After how many days it ends; never when left out
        #[arg(long, value_name = "DAYS")]
        days: Option<u32>,
        /// Make it for this user; for admins
        #[arg(long = "for", value_name = "HANDLE")]
        of: Option<String>,
        /// Let its bearer act through this agent only
        #[arg(long, value_name = "AGENT")]
        bind: Option<String>,
    },
    /// End a token at once
    #[command(visible_alias = "rm")]
    Revoke {
        /// Which: name or id
        token: String,
    },
}

impl TokenCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List { of, all, ended } => {
                let whose = if all { Some("all") } else { of.as_deref() };
                let request = api("GET", &["tokens"]).query("user", whose);
                let mut items = session.work(async |client| client.all(request, None).await).await?;
                if !ended {
                    items.retain(counts);
                }
                output.result(&json!({"items": items}), || {
                    let mut table = Table::new(&["name", "scopes", "created", "ends", "id"]);
                    for item in &items {
                        let scopes =
                            item.get("scopes").and_then(Value::as_array).cloned().unwrap_or_default();
                        let scopes: Vec<_> = scopes.iter().filter_map(Value::as_str).collect();
                        let end = match (text_of(item, "revoked_at"), text_of(item, "expires_at")) {
                            (revoked, _) if !revoked.is_empty() => "revoked".to_owned(),
                            (_, end) if end.is_empty() => "never".to_owned(),
                            (_, end) => moment(&end),
                        };
                        let created = moment(&text_of(item, "created_at"));
                        table.row([
                            text_of(item, "name"),
                            scopes.join(" "),
                            created,
                            end,
                            text_of(item, "id"),
                        ]);
                    }
                    output.table(&table)
                })
            }
            Self::Create { name, scope, days, of, bind } => {
                let end = days.map(|days| app::SystemClock.now() + time::Duration::days(i64::from(days)));
                let end = end.and_then(|end| end.format(&Rfc3339).ok());
                let scopes: Vec<_> = scope.into_iter().map(ScopeArg::word).collect();
                let body =
                    json!({"name": name, "scopes": scopes, "expires_at": end, "user": of, "agent": bind});
                let made = session
                    .work(async |client| client.json(api("POST", &["tokens"]).json(body)).await)
                    .await?;
                output.result(&made, || text_of(&made, "secret"))?;
                output.note("Keep it; it is not shown again.");
                Ok(())
            }
            Self::Revoke { token } => {
                let id = session
                    .work(async |client| {
                        let id = find(client, &token).await?;
                        client.send(api("DELETE", &["tokens", &id])).await?;
                        Ok(id)
                    })
                    .await?;
                output.result(&json!({"revoked": id}), || format!("revoked `{}`", line(&token)))
            }
        }
    }
}

/// Whether a token still opens anything.
fn counts(token: &Value) -> bool {
    let end = time::OffsetDateTime::parse(&text_of(token, "expires_at"), &Rfc3339);
    text_of(token, "revoked_at").is_empty() && end.map_or(true, |end| end > app::SystemClock.now())
}

async fn find(client: &Client, text: &str) -> Outcome<String> {
    if model::TokenId::parse(text).is_ok() {
        return Ok(text.to_owned());
    }
    let tokens = client.all(api("GET", &["tokens"]), None).await?;
    let named: Vec<_> = tokens
        .iter()
        .filter(|token| text_of(token, "name") == text && text_of(token, "revoked_at").is_empty())
        .map(|token| text_of(token, "id"))
        .collect();
    match named.as_slice() {
        [id] => Ok(id.clone()),
        [] => Err(Failure::not_found(format!("you have no token `{text}`"))
            .hint("`repertoire token list` shows them; name another user's by its id")),
        several => {
            let mut failure =
                Failure::new(Exit::Usage, "ambiguous_name", format!("several tokens are called `{text}`"));
            failure.findings = several.to_vec();
            Err(failure)
        }
    }
}
