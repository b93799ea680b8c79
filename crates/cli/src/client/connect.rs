//! Finds the library that the settings name.

use door_http::HttpConfig;

use super::remote::{Credential, Remote};
use super::{Client, Transport, local, need_token};
use crate::config::{Library, Secret, Settings, Source};
use crate::data_folder::{Claim, DataFolder};
use crate::exit::{Failure, Outcome};
use crate::wiring::{self, Life};

/// Opens the library that the settings name: a server, a PostgreSQL database, or the data folder of this machine.
/// One that is not there yet is made.
pub(crate) async fn connect(settings: &Settings) -> Outcome<Client> {
    open(settings, Life::Command).await
}

/// The same, where the library must be there.
pub(crate) async fn connect_existing(settings: &Settings) -> Outcome<Client> {
    open(settings, Life::Visit).await
}

async fn open(settings: &Settings, life: Life) -> Outcome<Client> {
    let library = &settings.library;
    let config = HttpConfig { public_url: settings.serve.url(), ..HttpConfig::default() };
    if let Some(server) = &library.server.value {
        if library.user.source == Source::Flag {
            return Err(Failure::usage(
                "--user works on this machine only; a token says who you are to a server",
            ));
        }
        let token = need_token(settings.token_for(server), server)?;
        return Ok(remote(server, token, standing(library)));
    }
    if let Some(url) = &library.database.value {
        let opened = wiring::open_postgres(url, settings, life).await?;
        let door = opened.http(config).in_process(library.handle()?);
        return Ok(Client { standing: standing(library), ..Client::in_process(door, opened, None) });
    }
    let data = &library.data.value;
    let folder = if life == Life::Visit { DataFolder::existing(data)? } else { DataFolder::open(data)? };
    match folder.claim().await? {
        Claim::Held(lock) => {
            let opened = wiring::open_folder(&folder, settings, life).await?;
            let door = opened.http(config).in_process(library.handle()?);
            Ok(Client { standing: standing(library), ..Client::in_process(door, opened, Some(lock)) })
        }
        Claim::Serving(server, token) => local::through_server(&folder, &server, token, library).await,
    }
}

/// A client of a server.
pub(crate) fn remote(url: &str, token: Secret, standing: Vec<(&'static str, String)>) -> Client {
    Client::over(Transport::Remote(Remote::new(url, Credential::Token(token))), standing)
}

/// Where the caller stands, as headers.
pub(crate) fn standing(library: &Library) -> Vec<(&'static str, String)> {
    let workspace = library.workspace.value.clone().map(|name| ("repertoire-workspace", name));
    let agent = library.agent.value.clone().map(|name| ("repertoire-agent", name));
    workspace.into_iter().chain(agent).collect()
}
