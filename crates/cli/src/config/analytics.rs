//! How long uses are remembered by day.

use app::analytics::AnalyticsSettings;
use serde::Deserialize;

use super::sources::{Environment, Number};
use super::values::count;
use super::{Layer, Setting, Source};
use crate::exit::Outcome;

/// What a source says on `[analytics]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct AnalyticsLayer {
    pub(crate) history_days: Option<Number>,
}

impl AnalyticsLayer {
    /// What the environment says: `REPERTOIRE_ANALYTICS_` and the key in capitals.
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        Self { history_days: environment.get("REPERTOIRE_ANALYTICS_HISTORY_DAYS").map(Number::Text) }
    }
}

/// How long uses are remembered by day.
#[derive(Debug)]
pub(crate) struct Analytics {
    pub(crate) history_days: Setting<u32>,
}

impl Analytics {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = AnalyticsSettings::default();
        let history_days =
            count(layers, "analytics.history_days", (0, usual.history_days.into()), |layer| {
                layer.analytics.history_days.clone()
            })?;
        Ok(Self { history_days })
    }

    /// As use cases take them.
    pub(crate) fn settings(&self) -> AnalyticsSettings {
        AnalyticsSettings { history_days: self.history_days.value }
    }
}
