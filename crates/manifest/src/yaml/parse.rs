//! From text to the tree, within a budget that no honest frontmatter reaches.

use std::collections::BTreeSet;

use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle, Tag, options};

use super::{Document, Entry, Node, Value};

/// The longest YAML text.
const MAX_BYTES: usize = 256 * 1024;
/// The most scalars, lists and maps.
const MAX_NODES: usize = 10_000;
/// The deepest nesting.
const MAX_DEPTH: usize = 32;

/// Why a text is not YAML we read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct YamlError {
    /// From 1, in the text that was given.
    pub line: u32,
    /// Lower case, without a full stop.
    pub message: String,
}

impl YamlError {
    fn at(span: &Span, message: impl Into<String>) -> Self {
        Self { line: line_of(span), message: message.into() }
    }
}

/// Reads one document.
pub(crate) fn parse(text: &str) -> Result<Document, YamlError> {
    if text.len() > MAX_BYTES {
        return Err(YamlError { line: 1, message: format!("longer than {MAX_BYTES} bytes") });
    }
    let mut builder =
        Builder { text, stack: Vec::new(), root: None, duplicates: Vec::new(), nodes: 0, documents: 0 };
    for item in Parser::new_from_str_with_options(text, parser_options()) {
        match item {
            Ok((event, span)) => builder.take(event, &span)?,
            Err(error) => {
                let line = u32::try_from(error.marker().line()).unwrap_or(u32::MAX).max(1);
                return Err(YamlError { line, message: plain_words(&error.info()) });
            }
        }
    }
    Ok(Document { root: builder.root, duplicates: builder.duplicates })
}

fn parser_options() -> Options {
    options! {
        disallow_directives: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    }
}

fn plain_words(message: &str) -> String {
    message.lines().next().unwrap_or_default().trim_end_matches('.').chars().take(200).collect()
}

fn line_of(span: &Span) -> u32 {
    u32::try_from(span.start.line()).unwrap_or(u32::MAX).max(1)
}

struct Frame {
    node: Node,
    key: Option<(String, u32, usize)>,
    seen: BTreeSet<String>,
}

struct Builder<'a> {
    text: &'a str,
    stack: Vec<Frame>,
    root: Option<Node>,
    duplicates: Vec<(String, u32)>,
    nodes: usize,
    documents: usize,
}

impl Builder<'_> {
    fn take(&mut self, event: Event<'_>, span: &Span) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(YamlError::at(span, "more than one document"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(span)?;
                let fancy = check_properties(anchor, tag.as_deref(), span)?;
                let plain = style == ScalarStyle::Plain && tag.is_none();
                let value = Value::Scalar { text: text.into_owned(), plain };
                self.push(self.node(value, span, fancy))?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.open(Value::List(Vec::new()), style, anchor, tag.as_deref(), span)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                self.open(Value::Map(Vec::new()), style, anchor, tag.as_deref(), span)?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Frame { mut node, .. }) = self.stack.pop() {
                    node.span.end = self.offset(span.end.byte_offset()).max(node.span.start);
                    self.push(node)?;
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                return Err(YamlError::at(span, "aliases (`*name`) are not supported; quote the value"));
            }
            _ => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        value: Value,
        style: StructureStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<(), YamlError> {
        self.count(span)?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(YamlError::at(span, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        let fancy = check_properties(anchor, tag, span)? || style == StructureStyle::Flow;
        let node = self.node(value, span, fancy);
        self.stack.push(Frame { node, key: None, seen: BTreeSet::new() });
        Ok(())
    }

    fn push(&mut self, node: Node) -> Result<(), YamlError> {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        frame.node.fancy |= node.fancy;
        match (&mut frame.node.value, frame.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(entries), Some((key, line, start))) => {
                if !frame.seen.insert(key.clone()) {
                    entries.retain(|entry| entry.key != key);
                    self.duplicates.push((key.clone(), line));
                }
                entries.push(Entry { key, line, start, value: node });
            }
            (Value::Map(_), None) => match node.value {
                Value::Scalar { text, .. } => frame.key = Some((text, node.line, node.span.start)),
                _ => {
                    return Err(YamlError { line: node.line, message: "a key must be text".to_owned() });
                }
            },
            (Value::Scalar { .. }, _) => {}
        }
        Ok(())
    }

    fn node(&self, value: Value, span: &Span, fancy: bool) -> Node {
        let start = self.offset(span.start.byte_offset());
        let end = self.offset(span.end.byte_offset()).max(start);
        Node { value, line: line_of(span), span: start..end, fancy }
    }

    fn offset(&self, bytes: Option<usize>) -> usize {
        bytes.unwrap_or(self.text.len()).min(self.text.len())
    }

    fn count(&mut self, span: &Span) -> Result<(), YamlError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(YamlError::at(span, format!("more than {MAX_NODES} values")));
        }
        Ok(())
    }
}

/// Whether a harmless tag is there; a foreign one and an anchor are errors.
fn check_properties(anchor: usize, tag: Option<&Tag>, span: &Span) -> Result<bool, YamlError> {
    if anchor != 0 {
        return Err(YamlError::at(span, "anchors (`&name`) are not supported; quote the value"));
    }
    match tag {
        None => Ok(false),
        Some(tag) if tag.is_yaml_core_schema() => Ok(true),
        Some(_) => Err(YamlError::at(span, "tags (`!name`) are not supported; quote the value")),
    }
}
