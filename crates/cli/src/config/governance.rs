//! How decisions about agents' tool calls are kept.

use app::governance::GovernanceSettings;
use serde::Deserialize;

use super::sandbox_layer::Switch;
use super::sources::{Environment, Number};
use super::values::{count, switch};
use super::{Layer, Setting, Source, pick};
use crate::exit::{Failure, Outcome};

/// What a source says on `[governance]`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct GovernanceLayer {
    pub(crate) record: Option<String>,
    pub(crate) reasons: Option<Switch>,
    pub(crate) history_days: Option<Number>,
}

impl GovernanceLayer {
    /// What the environment says: `REPERTOIRE_GOVERNANCE_` and the key in capitals.
    pub(super) fn of_environment(environment: &dyn Environment) -> Self {
        let get = |key: &str| environment.get(&format!("REPERTOIRE_GOVERNANCE_{key}"));
        Self {
            record: get("RECORD"),
            reasons: get("REASONS").map(Switch::Text),
            history_days: get("HISTORY_DAYS").map(Number::Text),
        }
    }
}

/// What is kept of a task, a context and arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recorded {
    /// Their texts, without values whose names are those of secrets.
    Text,
    /// Only their digests: nothing can be read again, and nothing replayed.
    Digest,
}

impl Recorded {
    const ALL: [Self; 2] = [Self::Text, Self::Digest];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Digest => "digest",
        }
    }
}

/// How decisions are kept.
#[derive(Debug)]
pub(crate) struct Governance {
    pub(crate) record: Setting<Recorded>,
    pub(crate) reasons: Setting<bool>,
    pub(crate) history_days: Setting<u32>,
}

impl Governance {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = GovernanceSettings::default();
        let kept = if usual.keep_text { Recorded::Text } else { Recorded::Digest };
        Ok(Self {
            record: record(layers, kept)?,
            reasons: switch(layers, "governance.reasons", usual.keep_reasons, |layer| {
                layer.governance.reasons.clone()
            })?,
            history_days: count(
                layers,
                "governance.history_days",
                (0, usual.history_days.into()),
                |layer| layer.governance.history_days.clone(),
            )?,
        })
    }

    /// As use cases take them.
    pub(crate) fn settings(&self) -> GovernanceSettings {
        GovernanceSettings {
            keep_text: self.record.value == Recorded::Text,
            keep_reasons: self.reasons.value,
            history_days: self.history_days.value,
        }
    }

    /// Every setting as text with where it comes from.
    pub(crate) fn rows(&self) -> Vec<(String, String, Source)> {
        vec![
            ("governance.record".to_owned(), self.record.value.as_str().to_owned(), self.record.source),
            ("governance.reasons".to_owned(), self.reasons.value.to_string(), self.reasons.source),
            (
                "governance.history_days".to_owned(),
                self.history_days.value.to_string(),
                self.history_days.source,
            ),
        ]
    }
}

fn record(layers: &[(Source, Layer)], usual: Recorded) -> Outcome<Setting<Recorded>> {
    let said = pick(layers, usual.as_str().to_owned(), |layer| layer.governance.record.clone());
    let known = Recorded::ALL.into_iter().find(|one| one.as_str() == said.value);
    let value = known.ok_or_else(|| {
        Failure::usage(format!("`governance.record` is `{}`, which is neither text nor digest", said.value))
    })?;
    Ok(Setting { value, source: said.source })
}
