//! What is recorded of agents.

use app::sessions::RecordingSettings;
use serde::Deserialize;

use super::sandbox_layer::Switch;
use super::sources::{Environment, Number};
use super::values::{count, switch};
use super::{Layer, Setting, Source};
use crate::exit::Outcome;

/// What a source says on `[sessions]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct SessionsLayer {
    pub(crate) record: Option<Switch>,
    pub(crate) history_days: Option<Number>,
}

impl SessionsLayer {
    /// What the environment says: `REPERTOIRE_SESSIONS_` and the key in capitals.
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        let get = |key: &str| environment.get(&format!("REPERTOIRE_SESSIONS_{key}"));
        Self { record: get("RECORD").map(Switch::Text), history_days: get("HISTORY_DAYS").map(Number::Text) }
    }
}

/// What is recorded, and for how long it is kept.
#[derive(Debug)]
pub(crate) struct Sessions {
    pub(crate) record: Setting<bool>,
    pub(crate) history_days: Setting<u32>,
}

impl Sessions {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = RecordingSettings::default();
        Ok(Self {
            record: switch(layers, "sessions.record", usual.record, |layer| layer.sessions.record.clone())?,
            history_days: count(layers, "sessions.history_days", (0, usual.history_days.into()), |layer| {
                layer.sessions.history_days.clone()
            })?,
        })
    }

    /// As use cases take them.
    pub(crate) fn settings(&self) -> RecordingSettings {
        RecordingSettings { record: self.record.value, history_days: self.history_days.value }
    }

    /// Every setting as text with where it comes from.
    pub(crate) fn rows(&self) -> Vec<(String, String, Source)> {
        vec![
            ("sessions.record".to_owned(), self.record.value.to_string(), self.record.source),
            (
                "sessions.history_days".to_owned(),
                self.history_days.value.to_string(),
                self.history_days.source,
            ),
        ]
    }
}
