//! What an expression costs at most by its size alone.
//!
//! Nearly all expressions are so small beside the budget that walking the tree over the input, as `cost` does, would take
//! longer than it is worth. What is said here is never less than what `cost` would find. Loops and `matches` are left to
//! `cost`.

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr};

use super::super::inputs::{VARIABLES, Values};
use super::MATCHES;
use super::cost::{NODE, STEP, grows, literal_weight};

/// The size of an expression without loops and patterns.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Size {
    nodes: u64,
    /// What its heaviest literal weighs.
    literal: u64,
    /// Whether a value may be larger than what it is made of.
    grows: bool,
    /// Which variables it names.
    names: [bool; VARIABLES.len()],
}

impl Size {
    /// The size of a tree; `None` where it has loops or patterns.
    pub(super) fn of(tree: &IdedExpr) -> Option<Self> {
        let mut size = Self::default();
        size.add(tree)?;
        Some(size)
    }

    fn add(&mut self, node: &IdedExpr) -> Option<()> {
        self.nodes += 1;
        match &node.expr {
            Expr::Literal(literal) => self.literal = self.literal.max(literal_weight(literal)),
            Expr::Ident(name) => {
                for (named, _) in self.names.iter_mut().zip(VARIABLES).filter(|(_, known)| known == name) {
                    *named = true;
                }
            }
            Expr::Select(select) => self.add(&select.operand)?,
            Expr::List(list) => {
                self.grows = true;
                list.elements.iter().try_for_each(|element| self.add(element))?;
            }
            Expr::Map(map) => {
                self.grows = true;
                for entry in &map.entries {
                    let EntryExpr::MapEntry(entry) = &entry.expr else { return None };
                    self.add(&entry.key)?;
                    self.add(&entry.value)?;
                }
            }
            Expr::Call(call) => self.add_call(call)?,
            Expr::Comprehension(_) | Expr::Struct(_) | Expr::Unspecified => return None,
        }
        Some(())
    }

    fn add_call(&mut self, call: &CallExpr) -> Option<()> {
        self.grows |= grows(&call.func_name);
        let mut parts = call.target.as_deref().into_iter().chain(&call.args);
        if call.func_name == MATCHES { None } else { parts.try_for_each(|part| self.add(part)) }
    }

    /// The most that `cost` can find for this input; `None` where that cannot be said.
    ///
    /// A value that is not made by putting others together weighs no more than the input or a literal; one that is, no
    /// more than all nodes together. Each node is touched once, as a part of the one above; and weighing it goes over as
    /// many values as there are in the input, a node's weight each, at most once for each variable in it.
    pub(super) fn most(&self, values: &Values<'_>) -> Option<u64> {
        let mut input = self.literal.saturating_add(NODE);
        for (_, name) in self.names.iter().zip(VARIABLES).filter(|(named, _)| **named) {
            input = input.saturating_add(values.weight(name)?);
        }
        let together = input.saturating_mul(self.nodes);
        let value = if self.grows { together.saturating_mul(2) } else { input };
        let each = STEP.saturating_add(value).saturating_add(together / NODE * 2);
        Some(each.saturating_mul(self.nodes).saturating_add(input.saturating_mul(2)))
    }
}
