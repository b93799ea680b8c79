//! Parameters as people write them: `k=v` by the declared type, `k=@file`, `k:=json`.

use std::io::Read as _;
use std::path::Path;

use serde_json::{Map, Value};

use crate::exit::{Failure, Outcome};

/// Named values: those of a JSON file, then those that were named one by one, by the types that a skill declares.
pub(in super::super) fn gather(
    file: Option<&Path>,
    named: &[String],
    skill: &Value,
) -> Outcome<Map<String, Value>> {
    let mut parameters = match file {
        Some(path) => from_file(path)?,
        None => Map::new(),
    };
    for text in named {
        let (name, value) = parse(text, |name| declared_type(skill, name))?;
        parameters.insert(name, value);
    }
    Ok(parameters)
}

fn from_file(path: &Path) -> Outcome<Map<String, Value>> {
    let text = if path == Path::new("-") {
        let mut text = String::new();
        let read = std::io::stdin().read_to_string(&mut text);
        read.map_err(|error| Failure::usage(format!("cannot read standard input: {error}")))?;
        text
    } else {
        std::fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))?
    };
    serde_json::from_str(&text).map_err(|error| {
        Failure::usage(format!("`{}` does not hold a JSON object: {error}", path.display()))
            .hint("write {\"name\": value, …}")
    })
}

/// The type a skill declares for a parameter.
fn declared_type(skill: &Value, name: &str) -> Option<String> {
    let parameters = skill.pointer("/procedure/parameters").and_then(Value::as_array)?;
    let one = parameters.iter().find(|one| one.get("name").and_then(Value::as_str) == Some(name))?;
    one.get("type").and_then(Value::as_str).map(str::to_owned)
}

/// One parameter. What does not fit its type goes as text: the library says what is wrong with it, and with all others.
fn parse(text: &str, type_of: impl Fn(&str) -> Option<String>) -> Outcome<(String, Value)> {
    let (name, value) =
        text.split_once('=').filter(|(name, _)| !name.trim_end_matches(':').is_empty()).ok_or_else(|| {
            Failure::usage(format!("`{text}` does not say what is what"))
                .hint("write NAME=VALUE, NAME=@FILE or NAME:=JSON")
        })?;
    if let Some(name) = name.strip_suffix(':') {
        let value = serde_json::from_str(value)
            .map_err(|error| Failure::usage(format!("the value of `{name}` is not JSON: {error}")))?;
        return Ok((name.to_owned(), value));
    }
    let value = match value.strip_prefix('@') {
        Some(path) => {
            std::fs::read_to_string(path).map_err(|error| Failure::file("read", Path::new(path), &error))?
        }
        None => value.to_owned(),
    };
    let value = match type_of(name).as_deref() {
        Some("string") => Value::String(value),
        _ => serde_json::from_str(&value).unwrap_or(Value::String(value)),
    };
    Ok((name.to_owned(), value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_value_is_read_by_its_declared_type() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "[1, 2]").unwrap();
        let at = format!("x=@{}", file.path().display());
        let table = [
            ("x=5", Some("string"), json!("5")),
            ("x=5", Some("integer"), json!(5)),
            ("x=5", None, json!(5)),
            ("x=five", None, json!("five")),
            ("x=five", Some("number"), json!("five")),
            ("x=", Some("string"), json!("")),
            ("x=a=b", Some("string"), json!("a=b")),
            ("x=true", Some("boolean"), json!(true)),
            ("x=[1]", Some("array"), json!([1])),
            ("x:=\"@x\"", Some("any"), json!("@x")),
            ("x:=null", Some("string"), json!(null)),
            (&at, Some("array"), json!([1, 2])),
            (&at, Some("string"), json!("[1, 2]")),
        ];
        for (text, kind, wanted) in table {
            let (name, value) = parse(text, |_| kind.map(str::to_owned)).unwrap();
            assert_eq!((name.as_str(), value), ("x", wanted), "{text} {kind:?}");
        }
        for bad in ["x", "=1", ":=1", "x:=nonsense", "x=@/not/there"] {
            assert!(parse(bad, |_| None).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_named_parameter_beats_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "{\"a\": 1, \"b\": 2}").unwrap();
        let skill = json!({"procedure": {"parameters": [{"name": "b", "type": "string"}]}});
        let found = gather(Some(file.path()), &["b=3".to_owned()], &skill).unwrap();
        assert_eq!(Value::Object(found), json!({"a": 1, "b": "3"}));
        std::fs::write(file.path(), "[1]").unwrap();
        assert!(gather(Some(file.path()), &[], &skill).is_err());
    }
}
