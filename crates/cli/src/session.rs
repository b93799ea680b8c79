//! One run of the program: its settings, its voice, and its way to the library.

use crate::client::{Client, connect};
use crate::config::Settings;
use crate::exit::Outcome;
use crate::output::Output;

/// What every command gets.
pub(crate) struct Session {
    pub(crate) settings: Settings,
    pub(crate) output: Output,
}

impl Session {
    /// Does something with the library, and ends the connection in order whatever comes of it.
    pub(crate) async fn work<T>(&self, act: impl AsyncFnOnce(&Client) -> Outcome<T>) -> Outcome<T> {
        let client = connect(&self.settings).await?;
        let done = act(&client).await;
        let closed = client.close().await;
        let value = done?;
        closed?;
        Ok(value)
    }
}
