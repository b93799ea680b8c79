//! What policies are asked about: a task and a context, or a tool call and a context.
//!
//! Both are made once for all policies, so that a text is folded, and a value turned into CEL's form, once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use serde_json::{Number, Value};

use super::checks::each_likely_path;
use super::checks::hosts::Targets;
use super::expression::{BUDGET, MAX_INPUT_DEPTH, NODE};
use super::pattern::{Line, lines, paths};
use super::place::{Bases, Place, Readings};
use super::{Context, Failure, Task, ToolCall};

/// A task and what is known beside it.
#[derive(Debug)]
pub struct Situation<'a> {
    task: Task<'a>,
    context: &'a Context,
    values: Values<'a>,
}

impl<'a> Situation<'a> {
    /// A task in a context.
    pub fn new(task: &'a str, context: &'a Context) -> Self {
        let values = Values::new(Texts { task, tool: "" }, None, context);
        Self { task: Task::new(task), context, values }
    }

    /// The task.
    pub fn task(&self) -> &Task<'a> {
        &self.task
    }

    /// What is known beside it.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    pub(super) fn values(&self) -> &Values<'a> {
        &self.values
    }
}

/// A tool call that an agent wants to make, and what is known beside it.
#[derive(Debug)]
pub struct Attempt<'a> {
    call: ToolCall<'a>,
    context: &'a Context,
    values: Values<'a>,
    seen: Seen<'a>,
}

/// The most paths of which is kept what they may mean; the others are read again each time.
const MAX_KEPT: usize = 100;

/// What is read off a call when it is first asked for.
#[derive(Debug, Default)]
struct Seen<'a> {
    commands: OnceLock<Option<Vec<Line>>>,
    bases: OnceLock<Bases>,
    /// The paths, and what the first of them may mean.
    paths: OnceLock<Option<(Vec<&'a str>, Vec<Readings>)>>,
    /// `None` where there are too many.
    likely_paths: OnceLock<Option<Vec<Readings>>>,
    targets: OnceLock<Targets>,
}

impl<'a> Attempt<'a> {
    /// A tool call in a context.
    pub fn new(call: ToolCall<'a>, context: &'a Context) -> Self {
        let values = Values::new(Texts { task: "", tool: call.tool }, Some(call.arguments), context);
        Self { call, context, values, seen: Seen::default() }
    }

    /// The name of the tool.
    pub fn tool(&self) -> &'a str {
        self.call.tool
    }

    /// The arguments of the call.
    pub fn arguments(&self) -> &'a Value {
        self.call.arguments
    }

    /// What is known beside it.
    pub fn context(&self) -> &'a Context {
        self.context
    }

    pub(super) fn values(&self) -> &Values<'a> {
        &self.values
    }

    /// Everything the tool is called.
    pub(super) fn names(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.call.names()
    }

    /// The command lines of the call; `None` where there is none, or one that is no text.
    pub(super) fn commands(&self) -> Option<&[Line]> {
        self.seen.commands.get_or_init(|| lines(self.call.arguments)).as_deref()
    }

    /// The folders that relative paths begin at.
    pub(super) fn bases(&self) -> &Bases {
        self.seen.bases.get_or_init(|| Bases::of(self.context))
    }

    /// What each path of a tool that works on files may mean; `None` where there is something that is no path.
    pub(super) fn paths(&self) -> Option<impl Iterator<Item = Cow<'_, Readings>>> {
        let read = |text: &&str| Place::readings(text, self.bases());
        let found = self.seen.paths.get_or_init(|| {
            let texts = paths(self.call)?;
            let kept = texts.iter().take(MAX_KEPT).map(read).collect();
            Some((texts, kept))
        });
        let (texts, kept) = found.as_ref()?;
        let others = texts.iter().skip(MAX_KEPT).map(move |text| Cow::Owned(read(text)));
        Some(kept.iter().map(Cow::Borrowed).chain(others))
    }

    /// Whether something is true of all in the arguments that has the name or the look of a path, whatever the tool.
    pub(super) fn all_likely_paths(&self, is: impl Fn(&Readings) -> bool) -> Result<bool, Failure> {
        let kept = self.seen.likely_paths.get_or_init(|| {
            let mut found = Vec::new();
            let read = each_likely_path(self.call.arguments, self.bases(), &mut |readings| {
                found.push(readings);
                if found.len() > MAX_KEPT { Err(Failure::new("there are too many")) } else { Ok(()) }
            });
            read.is_ok().then_some(found)
        });
        if let Some(found) = kept {
            return Ok(found.iter().all(is));
        }
        let mut all = true;
        each_likely_path(self.call.arguments, self.bases(), &mut |readings| {
            all = all && is(&readings);
            Ok(())
        })?;
        Ok(all)
    }

    /// The URLs in the arguments.
    pub(super) fn targets(&self) -> &Targets {
        self.seen.targets.get_or_init(|| Targets::of(self.call.arguments))
    }
}

#[derive(Debug, Clone, Copy)]
struct Texts<'a> {
    task: &'a str,
    tool: &'a str,
}

/// A variable of an expression, as JSON.
#[derive(Debug, Clone, Copy)]
pub(super) enum Variable<'a> {
    Text(&'a str),
    Object(&'a Context),
    Any(&'a Value),
}

/// The variables of an expression. CEL's form of each is made when it is first asked for; texts are borrowed.
#[derive(Debug)]
pub(super) struct Values<'a> {
    texts: Texts<'a>,
    arguments: Option<&'a Value>,
    context: &'a Context,
    made: [OnceLock<Box<dyn Val + 'a>>; VARIABLES.len()],
    weights: [OnceLock<Option<u64>>; VARIABLES.len()],
}

/// The names of the variables.
pub(super) const VARIABLES: [&str; 4] = ["task", "tool", "args", "context"];

impl<'a> Values<'a> {
    fn new(texts: Texts<'a>, arguments: Option<&'a Value>, context: &'a Context) -> Self {
        Self { texts, arguments, context, made: Default::default(), weights: Default::default() }
    }

    pub(super) fn get(&self, name: &str) -> Option<Variable<'a>> {
        match name {
            "task" => Some(Variable::Text(self.texts.task)),
            "tool" => Some(Variable::Text(self.texts.tool)),
            "args" => self.arguments.map(Variable::Any),
            "context" => Some(Variable::Object(self.context)),
            _ => None,
        }
    }

    /// What a variable weighs, as costs are counted; `None` where it is too deep or too large to say.
    pub(super) fn weight(&self, name: &str) -> Option<u64> {
        *slot(&self.weights, name)?.get_or_init(|| {
            let mut left = BUDGET;
            match self.get(name) {
                Some(Variable::Text(text)) => take_text(text, &mut left)?,
                Some(Variable::Object(map)) => take_object(map, 0, &mut left)?,
                Some(Variable::Any(value)) => take(value, 0, &mut left)?,
                None => take_text("", &mut left)?,
            }
            Some(BUDGET - left)
        })
    }
}

/// The place of a variable.
fn slot<'s, T>(places: &'s [T; VARIABLES.len()], name: &str) -> Option<&'s T> {
    places.iter().zip(VARIABLES).find(|(_, known)| *known == name).map(|(place, _)| place)
}

/// Takes off what a value weighs.
fn take(value: &Value, depth: usize, left: &mut u64) -> Option<()> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => take_text("", left),
        Value::String(text) => take_text(text, left),
        Value::Array(items) => {
            take_text("", left)?;
            items.iter().try_for_each(|item| below(item, depth, left))
        }
        Value::Object(map) => take_object(map, depth, left),
    }
}

fn take_object(map: &Context, depth: usize, left: &mut u64) -> Option<()> {
    take_text("", left)?;
    map.iter().try_for_each(|(key, item)| {
        take_text(key, left)?;
        below(item, depth, left)
    })
}

fn below(value: &Value, depth: usize, left: &mut u64) -> Option<()> {
    if depth == MAX_INPUT_DEPTH { None } else { take(value, depth + 1, left) }
}

fn take_text(text: &str, left: &mut u64) -> Option<()> {
    *left = left.checked_sub(NODE + text.len() as u64)?;
    Some(())
}

impl VariableResolver for Values<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let variable = self.get(name)?;
        let value = slot(&self.made, name)?.get_or_init(|| match variable {
            Variable::Text(text) => Box::new(CelString::from(text)),
            Variable::Object(map) => object(map),
            Variable::Any(value) => convert(value),
        });
        // Shortened to the borrow, which is all a resolver may promise.
        let value: &(dyn Val + 'b) = value.as_ref();
        Some(CowVal::Borrowed(value))
    }
}

fn convert<'a>(value: &'a Value) -> Box<dyn Val + 'a> {
    match value {
        Value::Null => Box::new(CelNull),
        Value::Bool(value) => Box::new(CelBool::from(*value)),
        Value::Number(number) => convert_number(number),
        Value::String(text) => Box::new(CelString::from(text.as_str())),
        Value::Array(items) => {
            let items: Vec<Box<dyn Val + 'a>> = items.iter().map(convert).collect();
            Box::new(CelList::from(items))
        }
        Value::Object(map) => object(map),
    }
}

fn object<'a>(map: &'a Context) -> Box<dyn Val + 'a> {
    let entries: HashMap<CelMapKey<'a>, Box<dyn Val + 'a>> =
        map.iter().map(|(key, value)| (CelMapKey::from(key.as_str()), convert(value))).collect();
    Box::new(CelMap::from(entries))
}

fn convert_number<'a>(number: &Number) -> Box<dyn Val + 'a> {
    if let Some(value) = number.as_i64() {
        Box::new(CelInt::from(value))
    } else if let Some(value) = number.as_u64() {
        Box::new(CelUInt::from(value))
    } else {
        Box::new(CelDouble::from(number.as_f64().unwrap_or(f64::NAN)))
    }
}
