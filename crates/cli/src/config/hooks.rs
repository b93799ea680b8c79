//! What a hook does when it cannot ask.

use serde::Deserialize;

use super::sources::Environment;
use super::{Layer, Setting, Source, pick};
use crate::exit::{Failure, Outcome};

/// What a source says on `[hooks]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct HooksLayer {
    pub(crate) on_failure: Option<String>,
}

impl HooksLayer {
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        Self { on_failure: environment.get("REPERTOIRE_HOOKS_ON_FAILURE") }
    }
}

/// Whether an agent may go on when its hook failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum OnFailure {
    /// It may not.
    Deny,
    /// It may, and nobody was asked.
    Allow,
}

impl OnFailure {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Deny => "deny",
            Self::Allow => "allow",
        }
    }

    /// What a word says; nothing else is taken for `allow`.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Deny, Self::Allow].into_iter().find(|known| known.as_str() == word)
    }
}

/// How hooks behave.
#[derive(Debug)]
pub(crate) struct Hooks {
    pub(crate) on_failure: Setting<OnFailure>,
}

impl Hooks {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let said = pick(layers, OnFailure::Deny.as_str().to_owned(), |layer| layer.hooks.on_failure.clone());
        let value = OnFailure::parse(&said.value).ok_or_else(|| {
            Failure::usage(format!("`hooks.on_failure` is `{}`", said.value)).hint("it is deny or allow")
        })?;
        Ok(Self { on_failure: Setting { value, source: said.source } })
    }
}
