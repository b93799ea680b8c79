//! `repertoire login`, `logout` and `whoami`.

use std::io::IsTerminal as _;

use clap::Args;
use serde_json::{Value, json};

use super::skill::text_of;
use super::user::roles;
use crate::client::{api, remote};
use crate::config::{Secret, forget_token, store_token};
use crate::exit::{Failure, Outcome};
use crate::output::line;
use crate::session::Session;

/// How to sign in.
#[derive(Args)]
pub(crate) struct LoginArgs {
    /// The token; read from the terminal or from standard input when left out
    #[arg(long)]
    token: Option<String>,
}

impl LoginArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let server = server(session)?;
        let given = self.token.map(Secret::new).or_else(|| session.settings.library.token.value.clone());
        let token = match given {
            Some(token) => token,
            None => read_token(&server)?,
        };
        let client = remote(&server, token.clone(), Vec::new());
        let me = client.json(api("GET", &["me"])).await?;
        store_token(&session.settings.places.credentials, &server, &token)?;
        session.output.result(&me, || {
            format!(
                "{}\nuse it with `--server {server}`, or set REPERTOIRE_SERVER={server}",
                describe(&me, &server)
            )
        })
    }
}

/// Forgets the token of a server.
pub(crate) fn logout(session: &Session) -> Outcome {
    let server = server(session)?;
    let known = forget_token(&session.settings.places.credentials, &server)?;
    session.output.result(&json!({"server": server, "forgotten": known}), || {
        if known {
            format!("forgot the token for {server}; `repertoire token revoke` would end it for everyone")
        } else {
            format!("there was no token for {server}")
        }
    })
}

fn server(session: &Session) -> Outcome<String> {
    let server = session.settings.library.server.value.as_deref();
    let server = server.ok_or_else(|| Failure::usage("which server?").hint("name it with --server URL"))?;
    Ok(server.trim_end_matches('/').to_owned())
}

fn read_token(server: &str) -> Outcome<Secret> {
    let failed = |error: std::io::Error| Failure::usage(format!("cannot read the token: {error}"));
    let text = if std::io::stdin().is_terminal() {
        eprint!("token for {server}: ");
        console::Term::stderr().read_secure_line().map_err(failed)?
    } else {
        let mut text = String::new();
        std::io::stdin().read_line(&mut text).map_err(failed)?;
        text
    };
    match text.trim() {
        "" => Err(Failure::usage("no token was given")
            .hint("`repertoire token create NAME` makes one where the server runs")),
        token => Ok(Secret::new(token)),
    }
}

/// Says who the caller is.
pub(crate) async fn whoami(session: &Session) -> Outcome {
    let (me, place) =
        session.work(async |client| Ok((client.json(api("GET", &["me"])).await?, client.place()))).await?;
    session.output.result(&me, || describe(&me, &place))
}

fn describe(me: &Value, place: &str) -> String {
    let none = Value::Null;
    let user = me.get("user").unwrap_or(&none);
    let workspace = me.get("workspace").unwrap_or(&none);
    format!(
        "{} ({}) in workspace `{}` on {place}",
        line(&text_of(user, "handle")),
        roles(user),
        line(&text_of(workspace, "name"))
    )
}
