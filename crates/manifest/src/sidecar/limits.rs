//! The `limits` and `network` of a procedure: how much a run may use, and which hosts it needs.

use std::fmt::Write as _;

use model::{HostPattern, RunLimits};
use serde_json::{Map, Value as Json, json};

use super::bounds;
use super::cursor::Cursor;
use crate::yaml::Entry;

/// A limit as people write it.
struct Field {
    name: &'static str,
    /// How many of the model's units one of these is; of what is counted there are no parts.
    unit: u32,
    max: u32,
    description: &'static str,
}

const fn field(name: &'static str, unit: u32, max: u32, description: &'static str) -> Field {
    Field { name, unit, max, description }
}

const FIELDS: [Field; 9] = [
    field("wall_seconds", 1_000, 86_400, "The longest it may take, in seconds."),
    field("cpu_seconds", 1_000, 86_400, "The most processor time, in seconds."),
    field("memory_mb", 1 << 20, 1 << 20, "The most memory, in MiB."),
    field("processes", 1, 1 << 16, "The most processes and threads at a time."),
    field("open_files", 1, 1 << 20, "The most open files of one process."),
    field("disk_mb", 1 << 20, 1 << 20, "The most that may stand in the work folder, in MiB."),
    field("files", 1, 10_000_000, "The most files and folders in the work folder."),
    field("output_kb", 1 << 10, 1 << 20, "The most output on stdout, and on stderr, in KiB."),
    field("result_kb", 1 << 10, 1 << 20, "The largest result as JSON, in KiB."),
];

pub(super) fn read(place: &Entry, cursor: &mut Cursor<'_>) -> RunLimits {
    let entries = cursor.map("limits", &place.value).unwrap_or_default();
    cursor.only(entries, "limits", &FIELDS.each_ref().map(|field| field.name));
    let mut limits = RunLimits::default();
    for entry in entries {
        let Some(field) = FIELDS.iter().find(|field| field.name == entry.key) else { continue };
        let value = cursor.amount(entry, field.unit, field.max);
        let small = value.and_then(|value| u32::try_from(value).ok());
        match field.name {
            "wall_seconds" => limits.wall_ms = value,
            "cpu_seconds" => limits.cpu_ms = value,
            "memory_mb" => limits.memory_bytes = value,
            "processes" => limits.processes = small,
            "open_files" => limits.open_files = small,
            "disk_mb" => limits.folder_bytes = value,
            "files" => limits.folder_files = value,
            "output_kb" => limits.output_bytes = value,
            _ => limits.result_bytes = value,
        }
    }
    limits
}

pub(super) fn read_network(entry: &Entry, cursor: &mut Cursor<'_>) -> Vec<HostPattern> {
    let mut hosts = Vec::new();
    for text in cursor.list(entry, bounds::HOSTS).unwrap_or_default() {
        match HostPattern::parse(&text) {
            Ok(host) if hosts.contains(&host) => {
                cursor.error(
                    "sidecar_duplicate",
                    entry.line,
                    format!("`network` has `{host}` twice; remove one"),
                );
            }
            Ok(host) => hosts.push(host),
            Err(error) => cursor.error("sidecar_value", entry.line, format!("`network`: {error}")),
        }
    }
    hosts
}

#[allow(clippy::cast_precision_loss)] // what a field may hold is far below 2^52
pub(super) fn write(out: &mut String, limits: &RunLimits) {
    if *limits == RunLimits::default() {
        return;
    }
    out.push_str("  limits:\n");
    let values = [
        limits.wall_ms,
        limits.cpu_ms,
        limits.memory_bytes,
        limits.processes.map(u64::from),
        limits.open_files.map(u64::from),
        limits.folder_bytes,
        limits.folder_files,
        limits.output_bytes,
        limits.result_bytes,
    ];
    for (field, value) in FIELDS.iter().zip(values) {
        if let Some(value) = value {
            let _ = writeln!(out, "    {}: {}", field.name, value as f64 / f64::from(field.unit));
        }
    }
}

pub(super) fn schema() -> Json {
    let properties: Map<String, Json> = FIELDS
        .iter()
        .map(|field| {
            let range = if field.unit == 1 {
                json!({ "description": field.description, "type": "integer", "minimum": 1, "maximum": field.max })
            } else {
                json!({ "description": field.description, "type": "number", "exclusiveMinimum": 0, "maximum": field.max })
            };
            (field.name.to_owned(), range)
        })
        .collect();
    json!({
        "description": "What a run may use; the installation's and the agent's limits hold as well.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
    })
}
