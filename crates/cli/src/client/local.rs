//! The data folder while a server works in it: the same commands, through that server.
//!
//! The server leaves a token of its admin in the folder. Another workspace is reached with a session, which that token
//! opens; another user with a token that lives as long as the command.

use app::Clock as _;
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::connect::standing;
use super::remote::{Credential, Remote};
use super::{Client, Transport, api};
use crate::config::{Library, Secret};
use crate::data_folder::{DataFolder, RunningServer};
use crate::disk::write_private;
use crate::exit::{Exit, Failure, Outcome};

/// What must be undone when a command ends: its user's token.
pub(super) struct Afterwards {
    client: Client,
    token: String,
}

impl Afterwards {
    pub(super) async fn run(self) -> Outcome {
        self.client.send(api("DELETE", &["tokens", &self.token])).await.map(drop)
    }
}

/// A client of the server that works in the data folder, as the user and in the workspace that are asked for.
pub(super) async fn through_server(
    folder: &DataFolder,
    server: &RunningServer,
    token: Secret,
    library: &Library,
) -> Outcome<Client> {
    let default = app::workspaces::DEFAULT_WORKSPACE;
    let workspace = library.workspace.value.as_deref().unwrap_or(default);
    let user = library.handle()?;
    let is_admin = user.as_str() == app::workspaces::FIRST_USER;
    if is_admin && workspace == default {
        return Ok(super::remote(&server.url, token, standing(library)));
    }
    let admin = if workspace == default {
        super::remote(&server.url, token, Vec::new())
    } else {
        with_session(folder, server, &token, workspace).await?
    };
    if is_admin {
        return Ok(Client { standing: standing(library), ..admin });
    }
    let users: Value = admin.json(api("GET", &["users"]).query("handle", Some(user.as_str()))).await?;
    let id = users.pointer("/items/0/id").and_then(Value::as_str);
    let id = id.ok_or_else(|| Failure::not_found(format!("there is no user `{user}` in `{workspace}`")))?;
    let end = (app::SystemClock.now() + time::Duration::hours(1)).format(&Rfc3339).unwrap_or_default();
    let body = json!({
        "name": "local command", "user": id, "scopes": ["read", "write", "review", "admin"], "expires_at": end,
    });
    let made: Value = admin.json(api("POST", &["tokens"]).json(body)).await?;
    let part = |key: &str| made.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let mut remote = Remote::new(&server.url, Credential::Token(Secret::new(part("secret"))));
    remote.afterwards = Some(Box::new(Afterwards { client: admin, token: part("id") }));
    Ok(Client::over(Transport::Remote(remote), standing(library)))
}

/// A client that can turn to any workspace of the admin.
async fn with_session(
    folder: &DataFolder,
    server: &RunningServer,
    token: &Secret,
    workspace: &str,
) -> Outcome<Client> {
    let there = vec![("repertoire-workspace", workspace.to_owned())];
    let open = |cookie: Secret| {
        let remote = Remote::new(&server.url, Credential::Cookie(cookie));
        Client::over(Transport::Remote(remote), there.clone())
    };
    if let Ok(known) = std::fs::read_to_string(folder.session_file()) {
        let client = open(Secret::new(known.trim()));
        if client.raw(api("GET", &["me"])).await?.status != 401 {
            return Ok(client);
        }
    }
    let asking = super::remote(&server.url, token.clone(), Vec::new());
    let body = json!({"token": token.reveal()});
    let answer = asking.send(api("POST", &["sign-in"]).json(body)).await?;
    let cookie = answer.header("set-cookie").and_then(|cookie| cookie.split(';').next());
    let cookie = cookie.ok_or_else(|| {
        Failure::new(Exit::Internal, "unexpected_answer", "the server gave no session for another workspace")
    })?;
    write_private(&folder.session_file(), cookie.as_bytes())?;
    Ok(open(Secret::new(cookie)))
}
