//! What policies are asked about: a task and a context, or a tool call and a context.
//!
//! Both are made once for all policies, so that a text is folded, and a value turned into CEL's form, once.

use std::collections::HashMap;
use std::sync::OnceLock;

use cel::common::types::{
    CelBool, CelDouble, CelInt, CelList, CelMap, CelMapKey, CelNull, CelString, CelUInt,
};
use cel::common::value::{CowVal, Val};
use cel::context::VariableResolver;
use serde_json::{Number, Value};

use super::checks::hosts::Targets;
use super::checks::likely_paths;
use super::pattern::{Line, lines, paths};
use super::place::{Bases, Readings};
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
    seen: Seen,
}

/// What is read off a call when it is first asked for.
#[derive(Debug, Default)]
struct Seen {
    commands: OnceLock<Option<Vec<Line>>>,
    bases: OnceLock<Bases>,
    paths: OnceLock<Option<Vec<Readings>>>,
    likely_paths: OnceLock<Result<Vec<Readings>, Failure>>,
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

    /// The paths of a tool that works on files; `None` where there is something that is no path.
    pub(super) fn paths(&self) -> Option<&[Readings]> {
        self.seen.paths.get_or_init(|| paths(self.call, self.bases())).as_deref()
    }

    /// All in the arguments that has the name or the look of a path, whatever the tool.
    pub(super) fn likely_paths(&self) -> &Result<Vec<Readings>, Failure> {
        self.seen.likely_paths.get_or_init(|| likely_paths(self.call.arguments, self.bases()))
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
    made: [OnceLock<Box<dyn Val + 'a>>; 4],
}

impl<'a> Values<'a> {
    fn new(texts: Texts<'a>, arguments: Option<&'a Value>, context: &'a Context) -> Self {
        Self { texts, arguments, context, made: Default::default() }
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
}

impl VariableResolver for Values<'_> {
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        let variable = self.get(name)?;
        let [task, tool, args, context] = &self.made;
        let made = match name {
            "task" => task,
            "tool" => tool,
            "args" => args,
            _ => context,
        };
        let value = made.get_or_init(|| match variable {
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
