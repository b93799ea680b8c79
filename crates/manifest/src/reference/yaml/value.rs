//! What the reference has in hand after parsing.

use std::fmt::Write as _;

use crate::reference::python::repr;

/// A value of the frontmatter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A scalar, always a string.
    Text(String),
    /// A bare `=` or `<<`, which the reference keeps as an object that is no string.
    Indicator(&'static str),
    /// A block sequence.
    Sequence(Vec<Value>),
    /// A block mapping, in the order of the source.
    Mapping(Vec<(String, Value)>),
}

impl Value {
    /// The text, if the value is a string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// What Python's `str` makes of the value.
    pub(crate) fn to_python_str(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Indicator(text) => (*text).to_owned(),
            collection => collection.to_python_repr(),
        }
    }

    /// What Python's `repr` makes of the value, but for the address it gives to an indicator.
    pub(crate) fn to_python_repr(&self) -> String {
        let mut out = String::new();
        self.push_python_repr(&mut out);
        out
    }

    fn push_python_repr(&self, out: &mut String) {
        match self {
            Self::Text(text) => out.push_str(&repr(text)),
            Self::Indicator(_) => out.push_str("<strictyaml.ruamel.comments.TaggedScalar object>"),
            Self::Sequence(items) => {
                out.push('[');
                for (position, item) in items.iter().enumerate() {
                    out.push_str(if position == 0 { "" } else { ", " });
                    item.push_python_repr(out);
                }
                out.push(']');
            }
            Self::Mapping(entries) => {
                out.push('{');
                for (position, (key, value)) in entries.iter().enumerate() {
                    let separator = if position == 0 { "" } else { ", " };
                    // Writing to a String cannot fail.
                    let _ = write!(out, "{separator}{}: ", repr(key));
                    value.push_python_repr(out);
                }
                out.push('}');
            }
        }
    }
}
