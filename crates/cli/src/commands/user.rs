//! `repertoire user`.

use clap::{Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::skill::text_of;
use crate::client::{Client, api};
use crate::exit::{Failure, Outcome};
use crate::output::{Table, line};
use crate::session::Session;

/// A role.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum RoleArg {
    Admin,
    PolicyAdmin,
    Reviewer,
    Member,
}

impl RoleArg {
    fn word(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::PolicyAdmin => "policy_admin",
            Self::Reviewer => "reviewer",
            Self::Member => "member",
        }
    }
}

/// What to do with people.
#[derive(Subcommand)]
pub(crate) enum UserCommand {
    /// List the people of the workspace
    #[command(visible_alias = "ls")]
    List,
    /// Add a person to the workspace
    Add {
        /// What they are called at sign-in; an e-mail address fits
        handle: String,
        /// Their name, for people
        #[arg(long)]
        name: Option<String>,
        /// A role; repeat for more
        #[arg(long, value_enum)]
        role: Vec<RoleArg>,
    },
    /// Change a person's name, roles or standing
    Set {
        /// Whom: handle or id
        handle: String,
        /// Their name, for people
        #[arg(long)]
        name: Option<String>,
        /// All their roles from now on; repeat for more
        #[arg(long, value_enum)]
        role: Vec<RoleArg>,
        /// Shut them out everywhere, or let them in again
        #[arg(long, value_name = "BOOL")]
        disabled: Option<bool>,
        /// Let them run the whole installation, or no longer
        #[arg(long, value_name = "BOOL")]
        operator: Option<bool>,
    },
    /// Take a person out of the workspace
    #[command(visible_alias = "rm")]
    Remove {
        /// Whom: handle or id
        handle: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Make a link that signs a person in, once
    Link {
        /// Whom: handle or id; yourself when left out
        handle: Option<String>,
    },
}

impl UserCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List => {
                let items =
                    session.work(async |client| client.all(api("GET", &["users"]), None).await).await?;
                output.result(&json!({"items": items}), || {
                    let mut table = Table::new(&["handle", "name", "roles", "standing"]);
                    for item in &items {
                        table.row([
                            text_of(item, "handle"),
                            text_of(item, "display_name"),
                            roles(item),
                            standing(item),
                        ]);
                    }
                    output.table(&table)
                })
            }
            Self::Add { handle, name, role } => {
                let roles: Vec<_> = role.into_iter().map(RoleArg::word).collect();
                let body = json!({"handle": handle, "display_name": name, "roles": roles});
                let added = session
                    .work(async |client| client.json(api("POST", &["users"]).json(body)).await)
                    .await?;
                output.result(&added, || {
                    let handle = line(&text_of(&added, "handle"));
                    format!("added `{handle}`; `repertoire user link {handle}` makes a link to sign in with")
                })
            }
            Self::Set { handle, name, role, disabled, operator } => {
                let words: Vec<_> = role.into_iter().map(RoleArg::word).collect();
                let parts = [
                    ("display_name", name.map(Value::from)),
                    ("roles", (!words.is_empty()).then(|| json!(words))),
                    ("disabled", disabled.map(Value::from)),
                    ("operator", operator.map(Value::from)),
                ];
                let body: Map<_, _> =
                    parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
                if body.is_empty() {
                    return Err(Failure::usage("nothing to set").hint("`repertoire user set --help`"));
                }
                let changed = session
                    .work(async |client| {
                        let id = find_user(client, &handle).await?;
                        client.json(api("PATCH", &["users", &id]).json(Value::Object(body))).await
                    })
                    .await?;
                output.result(&changed, || {
                    format!("`{}` is {} ({})", line(&handle), roles(&changed), standing(&changed))
                })
            }
            Self::Remove { handle, yes } => {
                if !yes && !output.confirm(&format!("Take `{}` out of the workspace?", line(&handle)))? {
                    return Ok(());
                }
                session
                    .work(async |client| {
                        let id = find_user(client, &handle).await?;
                        client.send(api("DELETE", &["users", &id])).await
                    })
                    .await?;
                output.result(&json!({"removed": handle}), || format!("took `{}` out", line(&handle)))
            }
            Self::Link { handle } => {
                let made = session
                    .work(async |client| {
                        let id = match &handle {
                            Some(handle) => find_user(client, handle).await?,
                            None => own_id(client).await?,
                        };
                        client.json(api("POST", &["users", &id, "sign-in-link"])).await
                    })
                    .await?;
                output.result(&made, || text_of(&made, "url"))?;
                output.note("Open it in a browser. It works once, within 24 hours.");
                Ok(())
            }
        }
    }
}

/// The id of a person by handle or id.
pub(super) async fn find_user(client: &Client, text: &str) -> Outcome<String> {
    if model::UserId::parse(text).is_ok() {
        return Ok(text.to_owned());
    }
    let found = client.all(api("GET", &["users"]).query("handle", Some(text)), None).await?;
    let id = found.first().map(|user| text_of(user, "id"));
    id.ok_or_else(|| {
        Failure::not_found(format!("there is no user `{text}` here"))
            .hint("`repertoire user list` shows who there is")
    })
}

async fn own_id(client: &Client) -> Outcome<String> {
    let me = client.json(api("GET", &["me"])).await?;
    Ok(me.pointer("/user/id").and_then(Value::as_str).unwrap_or_default().to_owned())
}

pub(super) fn roles(user: &Value) -> String {
    let roles = user.get("roles").and_then(Value::as_array).cloned().unwrap_or_default();
    roles.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
}

fn standing(user: &Value) -> String {
    let is = |key: &str| user.get(key).and_then(Value::as_bool).unwrap_or_default();
    match (is("disabled"), is("operator")) {
        (true, _) => "shut out".to_owned(),
        (false, true) => "operator".to_owned(),
        (false, false) => "-".to_owned(),
    }
}
