//! Entries in the settings file of another program: put in, found, and taken out again.
//!
//! Only our own bytes change. What is put in is put behind what is there, and what is taken out is exactly that, so that
//! both together give the file back. A file is taken as it is or not at all: comments and trailing commas may be in it,
//! anything else that is not JSON is an error.

use jsonc_parser::ast::{Array, Object, Value as Node};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize as _;
use serde_json::{Value, json};

/// A file with nothing in it, as we make it.
pub(crate) const EMPTY: &str = "{\n}\n";
const HOOKS: &str = "hooks";
const VERSION: &str = "version";
/// What marks the start of some files, and is no JSON.
const MARK: char = '\u{feff}';

/// Why a file is left as it is.
pub(super) type Outcome<T> = Result<T, String>;

/// An entry of ours, where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) event: String,
    pub(crate) command: String,
}

/// The text with an entry for each of these events, in the place of what we had put in before.
pub(crate) fn install(
    text: &str,
    entries: &[(&str, Value)],
    needs_version: bool,
    is_ours: &dyn Fn(&str) -> bool,
) -> Outcome<String> {
    let mut text = uninstall(text, is_ours)?;
    let has = |text: &str, name: &str| with_root(text, |root| Ok(property(root, name)?.is_some()));
    if !has(&text, HOOKS)? {
        let lists = entries.iter().map(|(event, entry)| ((*event).to_owned(), json!([entry])));
        let hooks = Value::Object(lists.collect());
        text = insert_property(&text, None, HOOKS, &hooks)?;
        if needs_version && !has(&text, VERSION)? {
            text = insert_property(&text, None, VERSION, &json!(1))?;
        }
        return Ok(text);
    }
    for (event, entry) in entries {
        let known = with_root(&text, |root| Ok(events(root)?.iter().any(|(name, _)| name == event)))?;
        text = if known {
            insert_element(&text, event, entry)?
        } else {
            insert_property(&text, Some(HOOKS), event, &json!([entry]))?
        };
    }
    Ok(text)
}

/// The text without entries of ours, and without the lists and objects that only they had needed.
pub(crate) fn uninstall(text: &str, is_ours: &dyn Fn(&str) -> bool) -> Outcome<String> {
    let mut text = text.to_owned();
    while let Some((event, range)) = with_root(&text, |root| first_of_ours(root, is_ours))? {
        text = remove(&text, &range);
        text = drop_empty(&text, &event)?;
    }
    Ok(text)
}

/// Every entry of ours.
pub(crate) fn entries(text: &str, is_ours: &dyn Fn(&str) -> bool) -> Outcome<Vec<Entry>> {
    with_root(text, |root| {
        let mut found = Vec::new();
        for (event, list) in events(root)? {
            let all = list.elements.iter().flat_map(|element| {
                handlers(element).map_or_else(|| vec![element], |list| list.elements.iter().collect())
            });
            let ours = all.filter_map(command).filter(|command| is_ours(command));
            found.extend(ours.map(|command| Entry { event: event.clone(), command: command.to_owned() }));
        }
        Ok(found)
    })
}

pub(super) fn with_root<T>(text: &str, act: impl FnOnce(&Object<'_>) -> Outcome<T>) -> Outcome<T> {
    // Positions count in the whole text: the mark is made white space of the same length.
    let blank = text.strip_prefix(MARK).map(|rest| format!("   {rest}"));
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(blank.as_deref().unwrap_or(text), &CollectOptions::default(), &options)
        .map_err(|error| format!("line {}: it is not JSON: {}", error.line_display(), error.kind()))?;
    match &parsed.value {
        Some(Node::Object(root)) => act(root),
        _ => Err("it is not a JSON object".to_owned()),
    }
}

/// A property that is there once, or not.
pub(super) fn property<'n, 'a>(object: &'n Object<'a>, name: &str) -> Outcome<Option<&'n Node<'a>>> {
    let mut found = object.properties.iter().filter(|property| property.name.as_str() == name);
    let first = found.next().map(|property| &property.value);
    if found.next().is_some() { Err(format!("`{name}` is in it twice")) } else { Ok(first) }
}

/// The lists of entries by event.
fn events<'n, 'a>(root: &'n Object<'a>) -> Outcome<Vec<(String, &'n Array<'a>)>> {
    let hooks = match property(root, HOOKS)? {
        None => return Ok(Vec::new()),
        Some(node) => node.as_object().ok_or("`hooks` is not an object")?,
    };
    let mut lists: Vec<(String, &Array<'_>)> = Vec::new();
    for entry in &hooks.properties {
        let name = entry.name.as_str().to_owned();
        if lists.iter().any(|(known, _)| *known == name) {
            return Err(format!("`hooks.{name}` is in it twice"));
        }
        // Some hosts keep settings of their own beside the events.
        if let Some(list) = entry.value.as_array() {
            lists.push((name, list));
        }
    }
    Ok(lists)
}

/// The handlers of a group; `None` where an entry is a handler itself.
fn handlers<'n, 'a>(element: &'n Node<'a>) -> Option<&'n Array<'a>> {
    let group = element.as_object()?;
    let list = group.properties.iter().find(|property| property.name.as_str() == HOOKS)?;
    list.value.as_array()
}

fn command<'n>(handler: &'n Node<'_>) -> Option<&'n str> {
    let handler = handler.as_object()?;
    let known = |name: &str| handler.properties.iter().find(|property| property.name.as_str() == name);
    let text = known("command").or_else(|| known("bash"))?.value.as_string_lit()?;
    Some(text.value.as_ref())
}

/// An item of a list or an object: what is around it, and which it is.
pub(super) struct Item {
    pub(super) inside: Inside,
    pub(super) index: usize,
}

/// Where a list or an object begins and ends, within its brackets, and what is in it.
pub(super) struct Inside {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) items: Vec<Range>,
}

impl Inside {
    fn of_array(array: &Array<'_>) -> Self {
        Self::new(array.range, array.elements.iter().map(Ranged::range).collect())
    }

    pub(super) fn of_object(object: &Object<'_>) -> Self {
        Self::new(object.range, object.properties.iter().map(|property| property.range).collect())
    }

    fn new(range: Range, items: Vec<Range>) -> Self {
        Self { start: range.start + 1, end: range.end - 1, items }
    }
}

fn first_of_ours(root: &Object<'_>, is_ours: &dyn Fn(&str) -> bool) -> Outcome<Option<(String, Item)>> {
    let ours = |node: &Node<'_>| command(node).is_some_and(is_ours);
    for (event, list) in events(root)? {
        for (index, element) in list.elements.iter().enumerate() {
            let Some(handlers) = handlers(element) else {
                if ours(element) {
                    return Ok(Some((event, Item { inside: Inside::of_array(list), index })));
                }
                continue;
            };
            let Some(inner) = handlers.elements.iter().position(ours) else { continue };
            let item = if handlers.elements.iter().all(ours) {
                Item { inside: Inside::of_array(list), index }
            } else {
                Item { inside: Inside::of_array(handlers), index: inner }
            };
            return Ok(Some((event, item)));
        }
    }
    Ok(None)
}

/// Takes out the list of an event and the object of all events where nothing but our line ends is left in them.
fn drop_empty(text: &str, event: &str) -> Outcome<String> {
    let is_left_over = |inside: &Inside| {
        let rest = text.get(inside.start..inside.end).unwrap_or_default();
        inside.items.is_empty() && !rest.is_empty() && rest.chars().all(char::is_whitespace)
    };
    let list = with_root(text, |root| {
        let Some(hooks) = property(root, HOOKS)?.and_then(Node::as_object) else { return Ok(None) };
        let index = hooks.properties.iter().position(|property| property.name.as_str() == event);
        let list = index.and_then(|index| hooks.properties.get(index)?.value.as_array());
        let left_over = list.is_some_and(|list| is_left_over(&Inside::of_array(list)));
        Ok(index.filter(|_| left_over).map(|index| Item { inside: Inside::of_object(hooks), index }))
    })?;
    let Some(list) = list else { return Ok(text.to_owned()) };
    let text = remove(text, &list);
    let whole = with_root(&text, |root| {
        let Some(index) = root.properties.iter().position(|property| property.name.as_str() == HOOKS) else {
            return Ok(None);
        };
        let hooks = root.properties.get(index).and_then(|property| property.value.as_object());
        let Some(hooks) = hooks.map(Inside::of_object) else { return Ok(None) };
        let rest = text.get(hooks.start..hooks.end).unwrap_or_default();
        let left_over = hooks.items.is_empty() && !rest.is_empty() && rest.trim().is_empty();
        // A version behind the hooks is ours as well; people write it first.
        let is_version = root.properties.get(index + 1).is_some_and(|next| {
            next.name.as_str() == VERSION && next.value.as_number_lit().is_some_and(|one| one.value == "1")
        });
        let with_version = is_version && root.properties.len() == index + 2;
        Ok(left_over.then_some((index, with_version)))
    })?;
    let Some((index, with_version)) = whole else { return Ok(text) };
    let of_root = |text: &str, index: usize| {
        with_root(text, |root| Ok(remove(text, &Item { inside: Inside::of_object(root), index })))
    };
    let text = if with_version { of_root(&text, index + 1)? } else { text };
    of_root(&text, index)
}

/// The text without an item and the comma that it needs no more.
pub(super) fn remove(text: &str, item: &Item) -> String {
    let Item { inside, index } = item;
    let Some(own) = inside.items.get(*index) else { return text.to_owned() };
    let before = index.checked_sub(1).and_then(|index| inside.items.get(index));
    let after = inside.items.get(index + 1);
    let is_blank = |from: usize, to: usize| {
        let between = text.get(from..to).unwrap_or_default();
        between.chars().all(|letter| letter.is_whitespace() || letter == ',')
    };
    let (from, to) = match (before, after) {
        (Some(before), _) if is_blank(before.end, own.start) => (before.end, own.end),
        (None, Some(after)) if is_blank(own.end, after.start) => (own.start, after.start),
        (None, None) if is_blank(inside.start, own.start) => {
            (inside.start, comma(text, own.end, inside.end).map_or(own.end, |comma| comma + 1))
        }
        // There are comments around it, which stay.
        (Some(before), _) => {
            let start = line_start(text, own.start);
            let limit = after.map_or(inside.end, |after| after.start);
            if let Some(comma) = comma(text, own.end, limit) {
                return cut(text, start, comma + 1);
            }
            let text = cut(text, start, own.end);
            return match comma(&text, before.end, start) {
                Some(comma) => cut(&text, comma, comma + 1),
                None => text,
            };
        }
        (None, _) => (own.start, comma(text, own.end, inside.end).map_or(own.end, |comma| comma + 1)),
    };
    cut(text, from, to)
}

/// Where the line of an item begins, with the line end before it; the item itself where it shares its line.
fn line_start(text: &str, at: usize) -> usize {
    let head = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    head.strip_suffix('\n').map_or(at, |head| head.strip_suffix('\r').unwrap_or(head).len())
}

fn cut(text: &str, from: usize, to: usize) -> String {
    [text.get(..from).unwrap_or_default(), text.get(to..).unwrap_or_default()].concat()
}

/// The first comma between two places, comments left out.
fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut rest = text.get(from..to)?;
    let mut at = from;
    loop {
        let skip = if rest.starts_with("//") {
            rest.find('\n')?
        } else if rest.starts_with("/*") {
            rest.find("*/")? + 2
        } else if rest.starts_with(',') {
            return Some(at);
        } else {
            rest.chars().next()?.len_utf8()
        };
        at += skip;
        rest = rest.get(skip..)?;
    }
}

pub(super) fn insert_property(
    text: &str,
    within: Option<&str>,
    name: &str,
    value: &Value,
) -> Outcome<String> {
    let inside = with_root(text, |root| {
        let object = match within {
            None => root,
            Some(outer) => {
                let object = property(root, outer)?.and_then(Node::as_object);
                object.ok_or_else(|| format!("`{outer}` is not an object"))?
            }
        };
        match property(object, name)? {
            None => Ok(Inside::of_object(object)),
            Some(_) => Err(format!("`{name}` is not a list")),
        }
    })?;
    insert(text, &inside, Some(name), value)
}

fn insert_element(text: &str, event: &str, value: &Value) -> Outcome<String> {
    let inside = with_root(text, |root| {
        let lists = events(root)?;
        let list = lists.iter().find(|(name, _)| name == event);
        list.map(|(_, list)| Inside::of_array(list)).ok_or_else(|| format!("`hooks.{event}` is not a list"))
    })?;
    insert(text, &inside, None, value)
}

/// Puts an item behind all others, on lines of its own.
fn insert(text: &str, inside: &Inside, name: Option<&str>, value: &Value) -> Outcome<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let unit = with_root(text, |root| {
        let first = root.properties.first().map(|property| property.range.start);
        Ok(first.and_then(|at| own_line_indent(text, at)).filter(|indent| !indent.is_empty()))
    })?
    .unwrap_or("  ");
    let last = inside.items.last();
    let indent = last
        .and_then(|last| own_line_indent(text, last.start))
        .map_or_else(|| format!("{}{unit}", line_indent(text, inside.start)), str::to_owned);
    let mut shown = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = serde_json::Serializer::with_formatter(&mut shown, formatter);
    value.serialize(&mut serializer).map_err(|error| error.to_string())?;
    let shown = String::from_utf8(shown).map_err(|error| error.to_string())?;
    let shown = shown.replace('\n', &format!("{line_end}{indent}"));
    let name = name.map(|name| format!("{}: ", Value::from(name))).unwrap_or_default();
    let item = format!("{line_end}{indent}{name}{shown}");
    let Some(last) = last else { return Ok(put(text, inside.start, &item)) };
    let Some(line) = remark_after(text, last.end, inside.end) else {
        return Ok(put(text, last.end, &format!(",{item}")));
    };
    // A remark beside the last item stays beside it; where a comma stands behind that item, one stands behind ours.
    if comma(text, last.end, line).is_some() {
        return Ok(put(text, line, &format!("{item},")));
    }
    Ok(put(&put(text, line, &item), last.end, ","))
}

fn put(text: &str, at: usize, new: &str) -> String {
    [text.get(..at).unwrap_or_default(), new, text.get(at..).unwrap_or_default()].concat()
}

/// Where the line of an item ends that has a remark behind it and its comma, if it has one.
fn remark_after(text: &str, end: usize, limit: usize) -> Option<usize> {
    let rest = text.get(end..limit)?;
    let (line, below) = rest.split_once('\n')?;
    let remark = line.trim_start_matches([' ', '\t', ',']).trim_end();
    let is_whole =
        remark.starts_with("//") || (remark.starts_with("/*") && remark.find("*/")? + 2 == remark.len());
    // A comma further down is too strange to keep.
    (is_whole && comma(below, 0, below.len()).is_none()).then(|| end + line.trim_end_matches('\r').len())
}

/// The white space that the line of a place begins with.
fn line_indent(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let line = head.rsplit('\n').next().unwrap_or_default().trim_start_matches(MARK);
    let length = line.len() - line.trim_start_matches([' ', '\t']).len();
    line.get(..length).unwrap_or_default()
}

/// The same, where nothing else stands before the place.
fn own_line_indent(text: &str, at: usize) -> Option<&str> {
    let indent = line_indent(text, at);
    let head = text.get(..at)?;
    (head.ends_with(indent) && head.strip_suffix(indent)?.ends_with('\n')).then_some(indent)
}

#[cfg(test)]
mod tests;
