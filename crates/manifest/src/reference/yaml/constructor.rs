//! Nodes to values: duplicate keys, merge keys, and the indentation of sibling mappings.
//!
//! The reference puts off collections that are not inside a mapping, so mistakes in them surface later.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::failure::Failure;
use super::node::{Content, Meaning, Node};
use super::token::{Before, Comment};
use super::value::Value;

/// How deep collections may nest before Python gives up building them.
const DEEPEST_COLLECTION: usize = 240;

/// Builds the value of a document; `None` if it is a lone scalar.
pub(crate) fn construct(root: &Node) -> Result<Option<Value>, Failure> {
    if matches!(root.content, Content::Scalar { .. }) {
        return Ok(None);
    }
    let mut constructor =
        Constructor { depth: 0, put_off: Vec::new(), place: Place::Document, has_tuple_key: false };
    let value = constructor.collection(root, Mode::PutOff)?;
    let mut pending = std::mem::take(&mut constructor.put_off);
    while !pending.is_empty() {
        for (node, place) in pending {
            constructor.place = place;
            constructor.collection(node, Mode::PutOff)?;
        }
        pending = std::mem::take(&mut constructor.put_off);
    }
    if constructor.has_tuple_key {
        return Err(Failure::Crash("a key is a sequence"));
    }
    Ok(Some(value))
}

/// Whether the collections inside a collection are built at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    AtOnce,
    PutOff,
}

/// Whether what is built becomes part of the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Document,
    /// What `<<` names, built only after it was merged as an empty mapping.
    LateMerge,
}

struct Constructor<'a> {
    depth: usize,
    put_off: Vec<(&'a Node, Place)>,
    place: Place,
    /// A sequence as a key of the document, which the reference trips over in the end.
    has_tuple_key: bool,
}

/// A key as Python compares it.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Text(String),
    /// A sequence as a key, told apart by what Python writes for it.
    Tuple(String),
}

/// Which places of an entry already carry comments; a second comment there is what Python cannot add.
struct Commented {
    key: bool,
    value: bool,
}

impl<'a> Constructor<'a> {
    fn object(&mut self, node: &'a Node, mode: Mode) -> Result<Value, Failure> {
        match &node.content {
            Content::Scalar { meaning: Meaning::Default, .. } => Ok(Value::Indicator("=")),
            Content::Scalar { meaning: Meaning::Merge, .. } => Ok(Value::Indicator("<<")),
            Content::Scalar { value, .. } => Ok(Value::Text(value.clone())),
            _ if mode == Mode::AtOnce => self.collection(node, mode),
            _ => {
                self.put_off.push((node, self.place));
                Ok(Value::Sequence(Vec::new()))
            }
        }
    }

    fn collection(&mut self, node: &'a Node, mode: Mode) -> Result<Value, Failure> {
        self.depth += 1;
        if self.depth > DEEPEST_COLLECTION {
            return Err(Failure::Crash("the frontmatter nests too deeply"));
        }
        let value = match &node.content {
            Content::Mapping(entries) => self.mapping(node, entries, mode)?,
            Content::Sequence(items) => {
                Value::Sequence(items.iter().map(|item| self.object(item, mode)).collect::<Result<_, _>>()?)
            }
            Content::Scalar { .. } => self.object(node, mode)?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn mapping(&mut self, node: &'a Node, entries: &'a [(Node, Node)], mode: Mode) -> Result<Value, Failure> {
        let merged = self.merged(node, entries, mode)?;
        let mut seen = HashMap::new();
        let mut values = Vec::new();
        for (key_node, value_node) in entries.iter().filter(|(key, _)| !is_merge(key)) {
            let key = self.key(node, key_node)?;
            let value = self.object(value_node, Mode::AtOnce)?;
            let key = key.ok_or(Failure::Crash("a key is a sequence of collections"))?;
            note_key(&mut seen, key.clone(), key_node, value_node)?;
            match key {
                Key::Text(text) => values.push((text, value)),
                Key::Tuple(_) => self.has_tuple_key |= self.place == Place::Document,
            }
        }
        for (text, value) in merged {
            if let Entry::Vacant(entry) = seen.entry(Key::Text(text.clone())) {
                entry.insert(Commented { key: false, value: false });
                values.push((text, value));
            }
        }
        check_indentation(entries)?;
        Ok(Value::Mapping(values))
    }

    /// The entries that `<<` keys bring in.
    fn merged(
        &mut self,
        node: &'a Node,
        entries: &'a [(Node, Node)],
        mode: Mode,
    ) -> Result<Vec<(String, Value)>, Failure> {
        let mut merged = Vec::new();
        let mut has_merge = false;
        for (_, value_node) in entries.iter().filter(|(key, _)| is_merge(key)) {
            if has_merge {
                return Err(Failure::Crash("a mapping has two `<<` keys"));
            }
            has_merge = true;
            let sources = match &value_node.content {
                Content::Sequence(items) => items.as_slice(),
                Content::Mapping(_) => std::slice::from_ref(value_node),
                Content::Scalar { .. } => {
                    return Err(Failure::within(
                        "while constructing a mapping",
                        node.start,
                        "expected a mapping or list of mappings for merging, but found scalar",
                        value_node.start,
                    ));
                }
            };
            for source in sources {
                if !matches!(source.content, Content::Mapping(_)) {
                    return Err(Failure::within(
                        "while constructing a mapping",
                        node.start,
                        format!("expected a mapping for merging, but found {}", source.content.name()),
                        source.start,
                    ));
                }
                if mode == Mode::PutOff {
                    self.put_off.push((source, Place::LateMerge));
                } else if let Value::Mapping(values) = self.object(source, mode)? {
                    merged.extend(values);
                }
            }
        }
        Ok(merged)
    }

    /// The key of a node; `None` if Python cannot hash it, which it notices only after the value.
    fn key(&mut self, mapping: &Node, node: &'a Node) -> Result<Option<Key>, Failure> {
        if let Content::Scalar { value, .. } = &node.content {
            return Ok(Some(Key::Text(value.clone())));
        }
        match self.object(node, Mode::AtOnce)? {
            Value::Sequence(items) => Ok(tuple_key(&items)),
            _ => Err(Failure::within(
                "while constructing a mapping",
                mapping.start,
                "found unhashable key",
                node.start,
            )),
        }
    }
}

fn is_merge(key: &Node) -> bool {
    matches!(key.content, Content::Scalar { meaning: Meaning::Merge, .. })
}

fn tuple_key(items: &[Value]) -> Option<Key> {
    let hashable = |item: &Value| matches!(item, Value::Text(_) | Value::Indicator(_));
    if !items.iter().all(hashable) {
        return None;
    }
    let parts = items.iter().map(Value::to_python_repr).collect::<Vec<_>>().join(", ");
    let comma = if items.len() == 1 { "," } else { "" };
    Some(Key::Tuple(format!("({parts}{comma})")))
}

/// Notes a key with its comments, and refuses one that was there before.
fn note_key(
    seen: &mut HashMap<Key, Commented>,
    key: Key,
    key_node: &Node,
    value_node: &Node,
) -> Result<(), Failure> {
    let has_before = |comment: Option<Comment>| comment.is_some_and(|c| c.before != Before::Absent);
    let entry = match seen.entry(key) {
        Entry::Vacant(entry) => {
            entry.insert(Commented {
                key: has_before(key_node.comment),
                value: has_before(value_node.comment),
            });
            return Ok(());
        }
        Entry::Occupied(entry) => entry,
    };
    let earlier = entry.get();
    let collides =
        (earlier.key && key_node.comment.is_some()) || (earlier.value && value_node.comment.is_some());
    if collides {
        return Err(Failure::Crash("a duplicate key has comments"));
    }
    let (Key::Text(text) | Key::Tuple(text)) = entry.key();
    Err(Failure::within(
        "While parsing",
        key_node.start,
        format!("Duplicate key '{text}' found"),
        key_node.end,
    ))
}

/// All mappings that are values of one mapping must begin at the same column.
fn check_indentation(entries: &[(Node, Node)]) -> Result<(), Failure> {
    let mut mappings = entries
        .iter()
        .filter(|(key, value)| !is_merge(key) && matches!(value.content, Content::Mapping(_)))
        .map(|(_, value)| value);
    let Some(first) = mappings.next() else { return Ok(()) };
    match mappings.find(|node| node.start.column != first.start.column) {
        None => Ok(()),
        Some(node) => Err(Failure::within(
            "While parsing",
            node.start,
            "Found mapping with indentation inconsistent with previous mapping",
            node.end,
        )),
    }
}
