//! Limits as people write them: `wall_seconds=2`, `memory_mb=64`; `off` takes one away.

use serde_json::{Map, Value};

/// Each limit: its name for people, its field in the API, and how many of the API's unit it stands for.
const LIMITS: [(&str, &str, f64); 9] = [
    ("wall_seconds", "wall_ms", 1000.0),
    ("cpu_seconds", "cpu_ms", 1000.0),
    ("memory_mb", "memory_bytes", 1_048_576.0),
    ("processes", "processes", 1.0),
    ("open_files", "open_files", 1.0),
    ("disk_mb", "folder_bytes", 1_048_576.0),
    ("files", "folder_files", 1.0),
    ("output_kb", "output_bytes", 1024.0),
    ("result_kb", "result_bytes", 1024.0),
];
/// More than any of them can be.
const MOST: f64 = 1e15;

/// One limit, as the API names it; without a number it is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LimitArg {
    field: &'static str,
    value: Option<u64>,
}

impl std::str::FromStr for LimitArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=NUMBER, such as wall_seconds=2")?;
        let known = LIMITS.iter().find(|(known, ..)| *known == name);
        let &(_, field, unit) = known.ok_or_else(|| {
            let names: Vec<_> = LIMITS.iter().map(|(known, ..)| *known).collect();
            format!("use one of: {}", names.join(", "))
        })?;
        if value == "off" {
            return Ok(Self { field, value: None });
        }
        let number = value.parse::<f64>().ok().map(|number| (number * unit).round());
        let number = number.filter(|number| (1.0..=MOST).contains(number));
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // it is whole, and between 1 and MOST
        let value = number.ok_or("write a number above 0, or off")? as u64;
        Ok(Self { field, value: Some(value) })
    }
}

impl LimitArg {
    /// A bound on the time.
    pub(super) fn wall(seconds: f64) -> Option<Self> {
        format!("wall_seconds={seconds}").parse().ok()
    }

    /// Puts these limits over others.
    pub(crate) fn over(limits: &[Self], stored: &mut Map<String, Value>) {
        for limit in limits {
            stored.insert(limit.field.to_owned(), Value::from(limit.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_said_in_the_units_of_their_names() {
        let read = |text: &str| text.parse::<LimitArg>().map(|limit| (limit.field, limit.value));
        assert_eq!(read("wall_seconds=0.5"), Ok(("wall_ms", Some(500))));
        assert_eq!(read("memory_mb=64"), Ok(("memory_bytes", Some(64 << 20))));
        assert_eq!(read("processes=4"), Ok(("processes", Some(4))));
        assert_eq!(read("output_kb=off"), Ok(("output_bytes", None)));
        for bad in [
            "wall_seconds",
            "wall_seconds=0",
            "wall_seconds=-1",
            "wall_seconds=nan",
            "memory=1",
            "files=many",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
