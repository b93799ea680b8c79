//! The most that evaluating an expression over a given input can cost.
//!
//! The tree is walked once. A part of the input that the expression names stands for itself, or in a loop for one of
//! several, so that sizes are exact; what is computed is as large as what it is made of, at most.

use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::common::types::CelInt;
use serde_json::{Map, Value as Json};

use super::super::inputs::{Values, Variable};
use super::pattern::TextPattern;
use super::{BUDGET, MATCHES};

/// What a value weighs beside the bytes of its text.
pub(in super::super) const NODE: u64 = 32;
/// What a node of the tree costs.
pub(super) const STEP: u64 = 32;
/// What a turn of a loop costs beside its parts.
const TURN: u64 = 128;
/// The deepest input.
pub(in super::super) const MAX_DEPTH: usize = 128;

/// Why an expression is not evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    Costly,
    Deep,
    Unordered,
}

impl Refusal {
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Costly => "the expression costs too much for this input",
            Self::Deep => "the input is nested too deeply",
            Self::Unordered => "`map` and `filter` go over lists; the order of a map is not fixed",
        }
    }
}

/// What evaluating it costs at most, or why it is not evaluated.
pub(super) fn check(tree: &IdedExpr, patterns: &[TextPattern], values: &Values<'_>) -> Result<u64, Refusal> {
    let mut meter = Meter { values, patterns, scope: Vec::new(), turns: 1, spent: 0, entered: Vec::new() };
    meter.bound(tree)?;
    Ok(meter.spent)
}

/// A part of the input.
#[derive(Debug, Clone, Copy)]
enum Part<'a> {
    Object(&'a Map<String, Json>),
    Array(&'a [Json]),
    Text(&'a str),
    Scalar,
}

impl<'a> From<&'a Json> for Part<'a> {
    fn from(value: &'a Json) -> Self {
        match value {
            Json::Object(map) => Self::Object(map),
            Json::Array(items) => Self::Array(items),
            Json::String(text) => Self::Text(text),
            _ => Self::Scalar,
        }
    }
}

/// What is known of a value that is not there yet.
#[derive(Debug, Clone)]
enum Bound<'a> {
    /// It is one of these.
    OneOf(Vec<Part<'a>>),
    /// It will be computed.
    Computed(Size),
}

/// How large a value is at most.
#[derive(Debug, Clone, Copy)]
struct Size {
    weight: u64,
    /// How many elements it has.
    count: u64,
    /// What its heaviest part weighs.
    element: u64,
    /// Whether it may be a map.
    is_map: bool,
    /// Whether a map may be in it.
    holds_map: bool,
}

impl Size {
    const fn of(weight: u64) -> Self {
        Self { weight, count: 0, element: 0, is_map: false, holds_map: false }
    }

    fn or(self, other: Self) -> Self {
        Self {
            weight: self.weight.max(other.weight),
            count: self.count.max(other.count),
            element: self.element.max(other.element),
            is_map: self.is_map || other.is_map,
            holds_map: self.holds_map || other.holds_map,
        }
    }

    /// Something taken out of it. A value weighs at least a node, so it has no more elements than that.
    fn part(self) -> Self {
        Self { weight: self.element, count: self.element / NODE, is_map: self.holds_map, ..self }
    }

    /// It with a copy of another in it.
    fn and(self, part: Self) -> Self {
        Self {
            weight: self.weight.saturating_add(part.weight),
            count: self.count.saturating_add(1),
            element: self.element.max(part.weight),
            is_map: self.is_map,
            holds_map: self.holds_map || part.is_map || part.holds_map,
        }
    }
}

const SMALL: Size = Size::of(NODE);

struct Meter<'a, 'v> {
    values: &'v Values<'a>,
    patterns: &'v [TextPattern],
    scope: Vec<(&'v str, Bound<'a>)>,
    /// How often the part that is looked at is evaluated at most.
    turns: u64,
    spent: u64,
    /// The variables whose form for CEL is paid for.
    entered: Vec<&'v str>,
}

impl<'a, 'v> Meter<'a, 'v> {
    fn spend(&mut self, units: u64) -> Result<(), Refusal> {
        self.once(units.saturating_mul(self.turns))
    }

    /// Spends what is spent once, however often the part that is looked at is evaluated.
    fn once(&mut self, units: u64) -> Result<(), Refusal> {
        self.spent = self.spent.saturating_add(units);
        if self.spent > BUDGET { Err(Refusal::Costly) } else { Ok(()) }
    }

    fn weigh(&mut self, part: Part<'a>, depth: usize) -> Result<Size, Refusal> {
        self.once(1)?;
        if depth > MAX_DEPTH {
            return Err(Refusal::Deep);
        }
        let mut size = SMALL;
        match part {
            Part::Scalar => {}
            Part::Text(text) => size.weight += length(text),
            Part::Array(items) => {
                for item in items {
                    size = size.and(self.weigh(item.into(), depth + 1)?);
                }
            }
            Part::Object(map) => {
                size.is_map = true;
                for (key, item) in map {
                    size.weight += NODE + length(key);
                    size.element = size.element.max(NODE + length(key));
                    size = size.and(self.weigh(item.into(), depth + 1)?);
                }
            }
        }
        Ok(size)
    }

    fn size(&mut self, bound: &Bound<'a>) -> Result<Size, Refusal> {
        match bound {
            Bound::Computed(size) => Ok(*size),
            Bound::OneOf(parts) => {
                parts.iter().try_fold(SMALL, |most, part| Ok(most.or(self.weigh(*part, 0)?)))
            }
        }
    }

    fn bound(&mut self, node: &'v IdedExpr) -> Result<Bound<'a>, Refusal> {
        self.spend(STEP)?;
        match &node.expr {
            Expr::Literal(literal) => Ok(Bound::Computed(Size::of(literal_weight(literal)))),
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.bound(&select.operand)?;
                let part = self.part(operand, Key::Field(&select.field))?;
                Ok(if select.test { Bound::Computed(SMALL) } else { part })
            }
            Expr::List(list) => {
                let mut whole = SMALL;
                for element in &list.elements {
                    let element = self.bound(element)?;
                    whole = whole.and(self.touch(&element)?);
                }
                Ok(Bound::Computed(whole))
            }
            Expr::Map(map) => {
                let mut whole = Size { is_map: true, ..SMALL };
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return Err(Refusal::Costly) };
                    for part in [&entry.key, &entry.value] {
                        let part = self.bound(part)?;
                        whole = whole.and(self.touch(&part)?);
                    }
                }
                Ok(Bound::Computed(whole))
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(part) => self.repeat(part),
            // The compiler lets neither through.
            Expr::Struct(_) | Expr::Unspecified => Err(Refusal::Costly),
        }
    }

    /// Reads or copies a whole value.
    fn touch(&mut self, bound: &Bound<'a>) -> Result<Size, Refusal> {
        let size = self.size(bound)?;
        self.spend(size.weight)?;
        Ok(size)
    }

    fn variable(&mut self, name: &'v str) -> Result<Bound<'a>, Refusal> {
        if let Some((_, bound)) = self.scope.iter().rev().find(|(inner, _)| *inner == name) {
            return Ok(bound.clone());
        }
        let part = match self.values.get(name) {
            Some(Variable::Text(text)) => Part::Text(text),
            Some(Variable::Object(map)) => Part::Object(map),
            Some(Variable::Any(value)) => value.into(),
            // The name of a type.
            None => Part::Scalar,
        };
        if !self.entered.contains(&name) {
            self.entered.push(name);
            let size = self.weigh(part, 0)?;
            if !matches!(part, Part::Text(_)) {
                self.once(size.weight)?;
            }
        }
        Ok(Bound::OneOf(vec![part]))
    }

    /// A field or an element. Of a computed value the part may have to be taken out of the whole.
    fn part(&mut self, operand: Bound<'a>, key: Key<'v>) -> Result<Bound<'a>, Refusal> {
        match operand {
            Bound::Computed(size) => {
                self.spend(size.weight)?;
                Ok(Bound::Computed(size.part()))
            }
            Bound::OneOf(parts) => {
                self.once(parts.len() as u64)?;
                Ok(Bound::OneOf(parts.into_iter().filter_map(|part| key.of(part)).collect()))
            }
        }
    }

    /// `operand[index]` with an index that is computed.
    fn any_part(&mut self, operand: Bound<'a>) -> Result<Bound<'a>, Refusal> {
        match operand {
            Bound::Computed(size) => {
                self.spend(size.weight)?;
                Ok(Bound::Computed(size.part()))
            }
            Bound::OneOf(parts) => {
                let mut all: Vec<Part<'a>> = Vec::new();
                for part in parts {
                    match part {
                        Part::Array(items) => all.extend(items.iter().map(Part::from)),
                        Part::Object(map) => all.extend(map.values().map(Part::from)),
                        Part::Text(_) | Part::Scalar => {}
                    }
                }
                self.once(all.len() as u64)?;
                Ok(Bound::OneOf(all))
            }
        }
    }

    fn call(&mut self, call: &'v CallExpr) -> Result<Bound<'a>, Refusal> {
        let mut arguments = Vec::with_capacity(3);
        for argument in call.target.as_deref().into_iter().chain(&call.args) {
            arguments.push(self.bound(argument)?);
        }
        match (call.func_name.as_str(), arguments.as_slice()) {
            (operators::CONDITIONAL, [_, yes, no]) => self.either(yes, no),
            (operators::INDEX, [operand, index]) => {
                self.touch(index)?;
                match call.args.last().and_then(Key::literal) {
                    Some(key) => self.part(operand.clone(), key),
                    None => self.any_part(operand.clone()),
                }
            }
            (MATCHES, [text, _]) => {
                let weight = self.size(text)?.weight;
                let pattern = call.args.last().and_then(pattern_number);
                let pattern = pattern.and_then(|number| self.patterns.get(number)).ok_or(Refusal::Costly)?;
                self.spend(pattern.cost(weight))?;
                Ok(Bound::Computed(SMALL))
            }
            (name, arguments) => {
                let mut whole = SMALL;
                for argument in arguments {
                    let size = self.touch(argument)?;
                    whole.weight = whole.weight.saturating_add(size.weight);
                    whole.count = whole.count.saturating_add(size.count);
                    whole.element = whole.element.max(size.element);
                    whole.is_map |= size.is_map;
                    whole.holds_map |= size.holds_map;
                }
                Ok(Bound::Computed(if grows(name) { whole } else { SMALL }))
            }
        }
    }

    fn either(&mut self, yes: &Bound<'a>, no: &Bound<'a>) -> Result<Bound<'a>, Refusal> {
        if let (Bound::OneOf(yes), Bound::OneOf(no)) = (yes, no) {
            let all: Vec<_> = yes.iter().chain(no).copied().collect();
            self.once(all.len() as u64)?;
            return Ok(Bound::OneOf(all));
        }
        Ok(Bound::Computed(self.size(yes)?.or(self.size(no)?)))
    }

    /// `all`, `exists`, `exists_one`, `map` or `filter`: the parser makes no other loops.
    fn repeat(&mut self, part: &'v ComprehensionExpr) -> Result<Bound<'a>, Refusal> {
        let range = self.bound(&part.iter_range)?;
        self.bound(&part.accu_init)?;
        let collects = matches!(part.accu_init.expr, Expr::List(_));
        if collects && may_be_map(&range) {
            return Err(Refusal::Unordered);
        }
        let (count, element) = self.elements(range)?;
        let turns = self.turns;
        self.turns = turns.saturating_mul(count);
        self.spend(TURN)?;
        self.touch(&element)?;
        self.scope.push((&part.iter_var, element));
        // What is collected is counted below; within a turn only the new element is made.
        self.scope.push((&part.accu_var, Bound::Computed(SMALL)));
        self.bound(&part.loop_cond)?;
        let step = self.bound(&part.loop_step)?;
        self.scope.truncate(self.scope.len().saturating_sub(2));
        self.turns = turns;
        if !collects {
            return Ok(Bound::Computed(SMALL));
        }
        let mut whole = self.size(&step)?;
        whole.weight = NODE.saturating_add(whole.weight.saturating_mul(count));
        whole.count = whole.count.saturating_mul(count);
        whole.is_map = false;
        self.spend(whole.weight)?;
        Ok(Bound::Computed(whole))
    }

    /// How many elements there are at most, and one of them.
    fn elements(&mut self, range: Bound<'a>) -> Result<(u64, Bound<'a>), Refusal> {
        let parts = match range {
            Bound::Computed(size) => return Ok((size.count, Bound::Computed(size.part()))),
            Bound::OneOf(parts) => parts,
        };
        let mut most = 0;
        let mut all: Vec<Part<'a>> = Vec::new();
        for part in parts {
            let count = match part {
                Part::Array(items) => {
                    all.extend(items.iter().map(Part::from));
                    items.len()
                }
                Part::Object(map) => {
                    all.extend(map.keys().map(|key| Part::Text(key)));
                    map.len()
                }
                Part::Text(_) | Part::Scalar => 0,
            };
            self.once(count as u64)?;
            most = most.max(count as u64);
        }
        Ok((most, Bound::OneOf(all)))
    }
}

#[derive(Clone, Copy)]
enum Key<'v> {
    Field(&'v str),
    Place(usize),
}

impl<'v> Key<'v> {
    fn literal(index: &'v IdedExpr) -> Option<Self> {
        match &index.expr {
            Expr::Literal(LiteralValue::String(text)) => Some(Self::Field(text.inner())),
            Expr::Literal(LiteralValue::Int(place)) => usize::try_from(*place.inner()).ok().map(Self::Place),
            _ => None,
        }
    }

    fn of(self, part: Part<'_>) -> Option<Part<'_>> {
        match (self, part) {
            (Self::Field(name), Part::Object(map)) => map.get(name).map(Part::from),
            (Self::Place(place), Part::Array(items)) => items.get(place).map(Part::from),
            _ => None,
        }
    }
}

fn length(text: &str) -> u64 {
    text.len() as u64
}

pub(super) fn literal_weight(literal: &LiteralValue) -> u64 {
    match literal {
        LiteralValue::String(text) => NODE + length(text.inner()),
        LiteralValue::Bytes(bytes) => NODE + bytes.inner().len() as u64,
        _ => NODE,
    }
}

fn pattern_number(node: &IdedExpr) -> Option<usize> {
    match &node.expr {
        Expr::Literal(LiteralValue::Int(number)) => usize::try_from(*CelInt::inner(number)).ok(),
        _ => None,
    }
}

/// Whether the result of a call may be as large as its arguments together.
pub(super) fn grows(name: &str) -> bool {
    matches!(name, operators::ADD | "string" | "bytes" | "dyn" | "lowerAscii")
}

fn may_be_map(bound: &Bound<'_>) -> bool {
    match bound {
        Bound::OneOf(parts) => parts.iter().any(|part| matches!(part, Part::Object(_))),
        Bound::Computed(size) => size.is_map,
    }
}
