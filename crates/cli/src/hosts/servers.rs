//! Servers in a settings file that is JSON: listed, put in, and taken out to the byte.

use jsonc_parser::ast::{Object, Value as Node};
use serde_json::{Map, Value, json};

use super::document::{EMPTY, Inside, Item, Outcome, insert_property, property, remove, with_root};

/// Every server below this key, by name.
pub(super) fn list(text: &str, key: &str) -> Outcome<Vec<(String, Value)>> {
    with_root(text, |root| {
        let Some(servers) = servers(root, key)? else { return Ok(Vec::new()) };
        let mut found: Vec<(String, Value)> = Vec::new();
        for server in &servers.properties {
            let name = server.name.as_str().to_owned();
            if found.iter().any(|(known, _)| *known == name) {
                return Err(format!("`{key}.{name}` is in it twice"));
            }
            found.push((name, value(&server.value)?));
        }
        Ok(found)
    })
}

/// The text with a server that is not in it yet.
pub(super) fn put(text: Option<&str>, key: &str, name: &str, server: &Value) -> Outcome<String> {
    let text = text.unwrap_or(EMPTY);
    let is_first = with_root(text, |root| Ok(servers(root, key)?.is_none()))?;
    if is_first {
        insert_property(text, None, key, &json!({ name: server }))
    } else {
        insert_property(text, Some(key), name, server)
    }
}

/// The text without a server, and without the object of all servers where only this one had needed it.
/// `None` when nothing is left but what we start a new file with.
pub(super) fn take(text: &str, key: &str, name: &str) -> Outcome<Option<String>> {
    let item = with_root(text, |root| {
        let Some(servers) = servers(root, key)? else { return Ok(None) };
        let index = servers.properties.iter().position(|server| server.name.as_str() == name);
        Ok(index.map(|index| Item { inside: Inside::of_object(servers), index }))
    })?;
    let Some(item) = item else { return Ok(Some(text.to_owned())) };
    let rest = remove(text, &item);
    let whole = with_root(&rest, |root| {
        let index = root.properties.iter().position(|property| property.name.as_str() == key);
        let is_left_over = servers(root, key)?.map(Inside::of_object).is_some_and(|inside| {
            // We leave a line end behind; `{}` was there before us.
            let between = rest.get(inside.start..inside.end).unwrap_or_default();
            inside.items.is_empty() && !between.is_empty() && between.trim().is_empty()
        });
        let index = index.filter(|_| is_left_over);
        Ok(index.map(|index| Item { inside: Inside::of_object(root), index }))
    })?;
    let rest = whole.map_or_else(|| rest.clone(), |whole| remove(&rest, &whole));
    Ok(Some(rest).filter(|rest| rest != EMPTY))
}

fn servers<'n, 'a>(root: &'n Object<'a>, key: &str) -> Outcome<Option<&'n Object<'a>>> {
    match property(root, key)? {
        None => Ok(None),
        Some(node) => node.as_object().map(Some).ok_or_else(|| format!("`{key}` is not an object")),
    }
}

/// A node as a value of its own.
fn value(node: &Node<'_>) -> Outcome<Value> {
    Ok(match node {
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::NumberLit(number) => serde_json::from_str(number.value).map_err(|error| error.to_string())?,
        Node::BooleanLit(truth) => Value::from(truth.value),
        Node::NullKeyword(_) => Value::Null,
        Node::Array(list) => Value::Array(list.elements.iter().map(value).collect::<Outcome<_>>()?),
        Node::Object(object) => {
            let pair = |property: &jsonc_parser::ast::ObjectProp<'_>| {
                Ok((property.name.as_str().to_owned(), value(&property.value)?))
            };
            Value::Object(object.properties.iter().map(pair).collect::<Outcome<Map<_, _>>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "mcpServers";

    fn entry() -> Value {
        json!({"type": "stdio", "command": "/bin/repertoire", "args": ["mcp", "--agent", "coder"]})
    }

    const FILES: [&str; 12] = [
        "{\n  \"mcpServers\": {\n    \"x\": {\"command\": \"y\"} // mine\n    // end\n  }, // all\n  \"b\": 2\n}\n",
        "{}",
        "{ }\n",
        "{\"a\":1}",
        "{\n  \"a\": 1\n}\n",
        "{\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {\"command\": \"y\"}\r\n\t}\r\n}\r\n",
        "// mine\n{\n    // above\n    \"model\": \"opus\", // beside\n    /* below */\n}\n// after\n",
        "{\n  \"mcpServers\": {}\n}\n",
        "{\n  \"mcpServers\": {\n    // the first\n    \"x\": {\"url\": \"https://x\"}, // and no other\n  },\n}\n",
        "{\"mcpServers\":{\"x\":{\"command\":\"y\"}},\"z\":[1.5,true,null,\"\u{e4}\"]}",
        "\u{feff}{\n  \"a\": {\n  }\n}",
        "{\n  \"mcpServers\": {\n    \"x\": {\n      \"command\": \"y\"\n    }\n  },\n  \"b\": 2\n}\n",
    ];

    #[test]
    fn what_is_put_in_is_taken_out_to_the_byte() {
        for text in FILES {
            let others = list(text, KEY).unwrap();
            let with = put(Some(text), KEY, "ours", &entry()).unwrap();
            let mut wanted = others.clone();
            wanted.push(("ours".to_owned(), entry()));
            assert_eq!(list(&with, KEY).unwrap(), wanted, "{with}");
            assert_eq!(take(&with, KEY, "ours").unwrap().as_deref(), Some(text), "{with}");
            assert_eq!(take(text, KEY, "ours").unwrap().as_deref(), Some(text));
        }
        let fresh = put(None, KEY, "ours", &entry()).unwrap();
        assert_eq!(take(&fresh, KEY, "ours").unwrap(), None, "a file that we made goes with its only entry");
    }

    #[test]
    fn a_new_file_looks_as_people_write_it() {
        let text = put(None, "servers", "repertoire", &json!({"command": "r", "args": ["mcp"]})).unwrap();
        let wanted = "{\n  \"servers\": {\n    \"repertoire\": {\n      \"command\": \"r\",\n      \"args\": [\n        \"mcp\"\n      \
                      ]\n    }\n  }\n}\n";
        assert_eq!(text, wanted);
    }

    #[test]
    fn what_cannot_be_read_is_left_alone() {
        for text in [
            "",
            "[]",
            "{",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "{\"mcpServers\": {\"x\": 1, \"x\": 2}}",
        ] {
            assert!(list(text, KEY).is_err(), "{text}");
        }
    }
}
