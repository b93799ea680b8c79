//! The settings: defaults, then the file, then the environment, then flags; the later one wins.
//!
//! Only this folder reads the environment, and only this crate knows that there are settings at all.

mod analytics;
mod connections;
mod credentials;
mod governance;
mod hooks;
mod limits;
mod sandbox;
mod sandbox_layer;
mod search;
mod secret;
mod sections;
mod sessions;
mod sources;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use analytics::Analytics;
pub(crate) use connections::Connections;
pub(crate) use credentials::{forget_token, store_token};
pub(crate) use governance::Governance;
pub(crate) use hooks::{Hooks, OnFailure};
pub(crate) use limits::Limits;
pub(crate) use sandbox::{Sandbox, is_module};
pub(crate) use sandbox_layer::{SandboxLayer, Switch};
pub(crate) use search::{EmbedderKind, Search};
pub(crate) use secret::{Secret, without_password};
pub(crate) use sections::{Library, Log, LogFormat, Serve};
pub(crate) use sessions::Sessions;
pub(crate) use sources::{
    Environment, HookEnvironment, Layer, LimitsLayer, LogLayer, Number, Places, ProcessEnvironment,
    ServeLayer, ServerEntry, Source,
};

use std::collections::BTreeMap;

use crate::exit::Outcome;

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) source: Source,
}

impl<T> Setting<T> {
    fn default(value: T) -> Self {
        Self { value, source: Source::Default }
    }
}

/// All settings.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) places: Places,
    pub(crate) library: Library,
    pub(crate) serve: Serve,
    pub(crate) connections: Connections,
    pub(crate) log: Log,
    pub(crate) limits: Limits,
    pub(crate) sandbox: Sandbox,
    pub(crate) search: Search,
    pub(crate) governance: Governance,
    pub(crate) sessions: Sessions,
    pub(crate) analytics: Analytics,
    pub(crate) hooks: Hooks,
    /// The servers with a known token.
    pub(crate) servers: BTreeMap<String, ServerEntry>,
}

impl Settings {
    /// The settings of this process with these flags.
    pub(crate) fn load(flags: Layer) -> Outcome<Self> {
        Self::gather(&ProcessEnvironment, flags)
    }

    /// The settings from an environment, the files it points at, and flags.
    pub(crate) fn gather(environment: &dyn Environment, flags: Layer) -> Outcome<Self> {
        let places = Places::find(environment);
        let file = match &places.file {
            Some(path) => Layer::read_file(path)?,
            None => Layer::default(),
        };
        let mut servers = credentials::read(&places.credentials)?;
        servers.extend(file.servers.clone());
        let layers = [
            (Source::File, file),
            (Source::Environment, Layer::of_environment(environment)),
            (Source::Flag, flags),
        ];
        let settings = Self {
            library: Library::gather(&layers, &places),
            serve: Serve::gather(&layers),
            connections: Connections::gather(&layers)?,
            log: Log::gather(&layers)?,
            limits: Limits::gather(&layers)?,
            sandbox: Sandbox::gather(&layers, environment)?,
            search: Search::gather(&layers)?,
            governance: Governance::gather(&layers)?,
            sessions: Sessions::gather(&layers)?,
            analytics: Analytics::gather(&layers)?,
            hooks: Hooks::gather(&layers)?,
            servers,
            places,
        };
        settings.library.validate()?;
        settings.serve.validate()?;
        Ok(settings)
    }

    /// The token for a server: the one that was named, else the one that was stored for it.
    pub(crate) fn token_for(&self, server: &str) -> Option<Secret> {
        let named = self.library.token.value.clone();
        named.or_else(|| self.servers.get(server.trim_end_matches('/')).map(|entry| entry.token.clone()))
    }
}

/// The last word on a setting, or the default.
fn pick<T: Clone>(layers: &[(Source, Layer)], default: T, of: impl Fn(&Layer) -> Option<T>) -> Setting<T> {
    let said = layers.iter().rev().find_map(|(source, layer)| Some((of(layer)?, *source)));
    said.map_or_else(|| Setting::default(default), |(value, source)| Setting { value, source })
}

/// The last word on a setting that may stay unsaid.
fn pick_optional<T: Clone>(
    layers: &[(Source, Layer)],
    of: impl Fn(&Layer) -> Option<T>,
) -> Setting<Option<T>> {
    pick(layers, None, |layer| of(layer).map(Some))
}
