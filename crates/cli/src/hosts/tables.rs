//! Servers in a settings file that is TOML: the same as in JSON, as tables at the end of the text.
//!
//! The text is only ever added to or cut, so that comments, order and line ends stay as people wrote them.

use std::ops::Range;

use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::document::Outcome;

/// Every server below this key, by name.
pub(super) fn list(text: &str, key: &str) -> Outcome<Vec<(String, Value)>> {
    let root: toml::Table = toml::from_str(text).map_err(|error| not_toml(text, &error))?;
    match root.get(key) {
        None => Ok(Vec::new()),
        Some(toml::Value::Table(servers)) => servers
            .iter()
            .map(|(name, server)| {
                let server = serde_json::to_value(server).map_err(|error| error.to_string())?;
                Ok((name.clone(), server))
            })
            .collect(),
        Some(_) => Err(format!("`{key}` is not a table")),
    }
}

/// The text with a server that is not in it yet.
pub(super) fn put(text: Option<&str>, key: &str, name: &str, server: &Value) -> Outcome<String> {
    let before = list(text.unwrap_or_default(), key)?;
    let line_end = if text.is_some_and(|text| text.contains("\r\n")) { "\r\n" } else { "\n" };
    let mut lines = vec![format!("[{key}.{name}]")];
    for (field, value) in server.as_object().into_iter().flatten() {
        let value: toml::Value = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
        lines.push(format!("{field} = {value}"));
    }
    let block = lines.join(line_end);
    let after = match text {
        None => format!("{block}{line_end}"),
        Some(text) if is_open(text) => format!("{text}{line_end}{line_end}{block}"),
        Some(text) => format!("{text}{line_end}{block}{line_end}"),
    };
    // Where all servers stand in one pair of braces, a table cannot be added.
    match list(&after, key) {
        Ok(servers) if servers.len() == before.len() + 1 => Ok(after),
        _ => {
            Err(format!("its servers are not written as `[{key}.NAME]`, and nothing can be put beside them"))
        }
    }
}

/// The text without a server. `None` when nothing is left of a file that we made.
pub(super) fn take(text: &str, key: &str, name: &str) -> Outcome<Option<String>> {
    let root = DeTable::parse(text).map_err(|error| not_toml(text, &error))?;
    let servers = root.get_ref().get(key).and_then(|servers| servers.get_ref().as_table());
    let Some(server) = servers.and_then(|servers| servers.get(name)) else {
        return Ok(Some(text.to_owned()));
    };
    let mut tables = Vec::new();
    collect(text, server, &mut tables)
        .ok_or_else(|| format!("`{key}.{name}` is not written as `[{key}.{name}]`: take it out yourself"))?;
    tables.sort_by_key(|table| table.start);
    let mut rest = text.to_owned();
    for table in tables.iter().rev() {
        rest = cut(&rest, table);
    }
    if list(&rest, key)?.iter().any(|(known, _)| known == name) {
        return Err(format!("`{key}.{name}` is written in several places: take it out yourself"));
    }
    let made_by_us = tables.first().is_some_and(|first| first.start == 0);
    Ok(Some(rest).filter(|rest| !(made_by_us && rest.is_empty())))
}

/// From its header to the end of its last value, for a table and each below it that has a header.
fn collect(text: &str, table: &Spanned<DeValue<'_>>, into: &mut Vec<Range<usize>>) -> Option<()> {
    let header = table.span();
    if !text.get(header.start..)?.starts_with('[') {
        return None;
    }
    let mut end = header.end;
    for (_, value) in table.get_ref().as_table()? {
        let has_header = value.get_ref().is_table() && text.get(value.span().start..)?.starts_with('[');
        if has_header {
            collect(text, value, into)?;
        } else {
            end = end.max(last(value));
        }
    }
    into.push(header.start..end);
    Some(())
}

/// Where the last value within a value ends.
fn last(value: &Spanned<DeValue<'_>>) -> usize {
    let inner = value.get_ref().as_table().into_iter().flatten().map(|(_, value)| last(value));
    inner.fold(value.span().end, usize::max)
}

/// The text without these lines, and without the empty line that parts them from what stands before.
fn cut(text: &str, lines: &Range<usize>) -> String {
    let head = text.get(..lines.start).unwrap_or_default();
    let tail = text.get(lines.end..).unwrap_or_default();
    let without_end = |text: &'_ str| -> Option<usize> {
        let shorter = text.strip_suffix('\n')?;
        Some(shorter.strip_suffix('\r').unwrap_or(shorter).len())
    };
    let parted = |text: &'_ str| {
        without_end(text).filter(|&length| {
            let shorter = text.get(..length).unwrap_or_default();
            shorter.is_empty() || shorter.ends_with('\n')
        })
    };
    let head = head.get(..parted(head).unwrap_or(head.len())).unwrap_or_default();
    match tail.find('\n') {
        Some(end) => [head, tail.get(end + 1..).unwrap_or_default()].concat(),
        // The file had no line end at its end, and gets none.
        None => head.get(..without_end(head).unwrap_or(head.len())).unwrap_or_default().to_owned(),
    }
}

/// Whether the last line has no end.
fn is_open(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('\n')
}

fn not_toml(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |span| span.start);
    let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    format!("line {line}: it is not TOML: {}", error.message())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "mcp_servers";

    fn entry() -> Value {
        json!({"command": "/bin/repertoire", "args": ["mcp", "--data", "/a \"b\"\\c"]})
    }

    const FILES: [&str; 9] = [
        "",
        "\n",
        "model = \"x\"",
        "# mine\nmodel = \"x\" # beside\n\n[a]\nb = [ 1,\n  2, # two\n]\n# after\n",
        "model = \"x\"\r\n\r\n[mcp_servers.other]\r\ncommand = 'y'\r\n",
        "[mcp_servers]\n[mcp_servers.other]\nurl = \"https://x\"\nenv.A = \"1\"\n\n\n",
        "text = \"\"\"\n[mcp_servers.repertoire]\n\"\"\"\n",
        "[projects.\"/p\"]\ntrust_level = \"trusted\"",
        "[[things]]\na = 1\n[[things]]\na = 2\n",
    ];

    #[test]
    fn what_is_put_in_is_taken_out_to_the_byte() {
        for text in FILES {
            let others = list(text, KEY).unwrap();
            let with = put(Some(text), KEY, "repertoire", &entry()).unwrap();
            assert!(with.starts_with(text), "{with}");
            assert_eq!(list(&with, KEY).unwrap().len(), others.len() + 1, "{with}");
            assert!(list(&with, KEY).unwrap().contains(&("repertoire".to_owned(), entry())), "{with}");
            assert_eq!(take(&with, KEY, "repertoire").unwrap().as_deref(), Some(text), "{with}");
            assert_eq!(take(text, KEY, "repertoire").unwrap().as_deref(), Some(text));
        }
        let fresh = put(None, KEY, "repertoire", &entry()).unwrap();
        assert!(
            fresh.starts_with("[mcp_servers.repertoire]\ncommand = \"/bin/repertoire\"\nargs = ["),
            "{fresh}"
        );
        assert_eq!(take(&fresh, KEY, "repertoire").unwrap(), None);
    }

    #[test]
    fn what_was_written_behind_it_and_below_it_is_told_apart() {
        let text = "a = 1\n";
        let with = put(Some(text), KEY, "repertoire", &entry()).unwrap();
        let later = format!(
            "{with}startup_timeout_sec = 5 # mine\n\n[mcp_servers.repertoire.tools.find]\napproval_mode = \"auto\"\n\n[z]\ny = 2\n"
        );
        assert_eq!(take(&later, KEY, "repertoire").unwrap().as_deref(), Some("a = 1\n\n[z]\ny = 2\n"));
    }

    #[test]
    fn what_cannot_be_read_or_added_to_is_left_alone() {
        for text in ["[", "a = ", "mcp_servers = 1\n"] {
            assert!(list(text, KEY).is_err(), "{text}");
        }
        let done = put(Some("mcp_servers = { x = { command = \"y\" } }\n"), KEY, "repertoire", &entry());
        assert!(done.as_ref().is_err_and(|why| why.contains("[mcp_servers.NAME]")), "{done:?}");
        for text in
            ["[mcp_servers]\nrepertoire = { command = \"y\" }\n", "mcp_servers.repertoire.command = \"y\"\n"]
        {
            assert!(take(text, KEY, "repertoire").is_err(), "{text}");
        }
    }
}
