//! From the bytes of `SKILL.md` to the entries of its frontmatter.

use super::UNREADABLE;
use super::python::universal_newlines;
use super::yaml::{self, Refusal, Value};

/// The fence of the frontmatter, which the reference finds anywhere, not only on a line of its own.
const FENCE: &str = "---";

/// The entries of a frontmatter, in the order of the source.
pub(super) type Entries = Vec<(String, Value)>;

/// Parses the frontmatter; the error is the message to report.
pub(super) fn parse(bytes: &[u8]) -> Result<Entries, String> {
    let content = std::str::from_utf8(bytes).map_err(|_| format!("{UNREADABLE}it is not UTF-8"))?;
    let after_opening =
        content.strip_prefix(FENCE).ok_or("SKILL.md must start with YAML frontmatter (---)")?;
    let (source, _body) =
        after_opening.split_once(FENCE).ok_or("SKILL.md frontmatter not properly closed with ---")?;

    let value = yaml::load(&universal_newlines(source)).map_err(|refusal| match refusal {
        Refusal::Reported(text) => format!("Invalid YAML in frontmatter: {text}"),
        Refusal::Crashed(reason) => format!("{UNREADABLE}{reason}"),
    })?;
    let Some(Value::Mapping(mut entries)) = value else {
        return Err("SKILL.md frontmatter must be a YAML mapping".to_owned());
    };
    flatten_metadata(&mut entries);
    Ok(entries)
}

/// The value of a field.
pub(super) fn field<'a>(entries: &'a Entries, name: &str) -> Option<&'a Value> {
    entries.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Makes every value inside `metadata` a string, as Python's `str` would.
fn flatten_metadata(entries: &mut Entries) {
    let metadata = entries.iter_mut().find(|(key, _)| key == "metadata");
    if let Some((_, Value::Mapping(values))) = metadata {
        for (_, value) in values {
            *value = Value::Text(value.to_python_str());
        }
    }
}
