//! How much of anything is taken from a stranger.

use super::{Layer, LimitsLayer, Number, Setting, Source, pick_optional};
use crate::exit::{Failure, Outcome};

/// The limits on bundles, archives and requests.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Every limit with where it comes from, for showing.
    pub(crate) all: Vec<(&'static str, Setting<u64>)>,
    /// Those on bundles and archives.
    pub(crate) bundles: manifest::Limits,
    /// The largest body a server reads.
    pub(crate) max_body_bytes: usize,
}

impl Limits {
    pub(super) fn gather(layers: &[(Source, Layer)]) -> Outcome<Self> {
        let usual = manifest::Limits::default();
        let body = door_http::HttpConfig::default().max_body_bytes;
        let mut all = Vec::new();
        let mut limit = |name: &'static str, default: u64, of: fn(&LimitsLayer) -> &Option<Number>| {
            let said = pick_optional(layers, |layer| of(&layer.limits).clone());
            let value = said.value.map_or(Ok(default), |number| read(name, number))?;
            all.push((name, Setting { value, source: said.source }));
            Ok::<_, Failure>(value)
        };
        let small = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let bundles = manifest::Limits {
            max_files: small(limit("max_files", usual.max_files as u64, |layer| &layer.max_files)?),
            max_file_bytes: limit("max_file_bytes", usual.max_file_bytes, |layer| &layer.max_file_bytes)?,
            max_bundle_bytes: limit("max_bundle_bytes", usual.max_bundle_bytes, |layer| {
                &layer.max_bundle_bytes
            })?,
            max_skill_file_bytes: limit("max_skill_file_bytes", usual.max_skill_file_bytes, |layer| {
                &layer.max_skill_file_bytes
            })?,
            max_archive_bytes: limit("max_archive_bytes", usual.max_archive_bytes, |layer| {
                &layer.max_archive_bytes
            })?,
            max_archive_entries: small(limit(
                "max_archive_entries",
                usual.max_archive_entries as u64,
                |layer| &layer.max_archive_entries,
            )?),
            max_expansion: limit("max_expansion", usual.max_expansion, |layer| &layer.max_expansion)?,
        };
        let max_body_bytes = small(limit("max_body_bytes", body as u64, |layer| &layer.max_body_bytes)?);
        Ok(Self { all, bundles, max_body_bytes })
    }
}

fn read(name: &str, number: Number) -> Outcome<u64> {
    let value = match number {
        Number::Whole(number) => Some(number),
        Number::Fraction(_) => None,
        Number::Text(text) => text.trim().parse().ok(),
    };
    value.filter(|&number| number > 0).ok_or_else(|| {
        Failure::usage(format!("the limit `{name}` is not a number above 0"))
            .hint("write it without a unit, in bytes")
    })
}
