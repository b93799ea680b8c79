//! What can be said of an expression without an input.
//!
//! Whether some input makes an expression true cannot be decided in general. Here is what is cheap: parts without a
//! variable are evaluated, and put together by `&&`, `||` and `!`; and one value cannot equal two texts.

use cel::common::ast::{CallExpr, Expr, IdedExpr, LiteralValue, operators};

use super::super::Context;
use super::super::inputs::Situation;
use super::Expression;

/// What an expression comes to whatever the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Truth {
    /// It is always true.
    True,
    /// It is always false.
    False,
    /// It can never be evaluated.
    Fails,
    /// It is false or cannot be evaluated.
    NeverTrue,
    /// It depends on the input, as far as can be seen.
    Depends,
}

impl Expression {
    /// What it comes to whatever the input, as far as can be seen.
    pub(in super::super) fn truth(&self) -> Truth {
        self.truth_of(&self.tree)
    }

    fn truth_of(&self, node: &IdedExpr) -> Truth {
        if !names_input(node) {
            return self.constant(node);
        }
        let Expr::Call(call) = &node.expr else { return Truth::Depends };
        match call.func_name.as_str() {
            operators::LOGICAL_NOT => match call.args.first().map(|part| self.truth_of(part)) {
                Some(Truth::True) => Truth::False,
                Some(Truth::False) => Truth::True,
                Some(Truth::Fails) => Truth::Fails,
                _ => Truth::Depends,
            },
            operators::LOGICAL_AND => self.conjunction(call),
            operators::LOGICAL_OR => {
                let parts = self.parts(call, operators::LOGICAL_OR);
                if parts.contains(&Truth::True) {
                    Truth::True
                } else if parts.iter().all(|part| *part == Truth::False) {
                    Truth::False
                } else if parts.contains(&Truth::Depends) {
                    Truth::Depends
                } else {
                    Truth::NeverTrue
                }
            }
            _ => Truth::Depends,
        }
    }

    fn conjunction(&self, call: &CallExpr) -> Truth {
        let parts = self.parts(call, operators::LOGICAL_AND);
        let mut leaves = Vec::new();
        flatten(call, operators::LOGICAL_AND, &mut leaves);
        let equalities: Vec<(String, &str)> = leaves.into_iter().filter_map(equality).collect();
        let contradiction = equalities.iter().enumerate().find(|(index, (path, text))| {
            equalities.iter().skip(index + 1).any(|(other, given)| other == path && given != text)
        });
        if parts.contains(&Truth::False) {
            return Truth::False;
        }
        match contradiction {
            // These are always there; what is not there cannot be compared, which is an error.
            Some((_, (path, _))) if matches!(path.as_str(), "task" | "tool") => Truth::False,
            Some(_) => Truth::NeverTrue,
            None if parts.iter().all(|part| *part == Truth::True) => Truth::True,
            None if parts.iter().any(|part| matches!(part, Truth::Fails | Truth::NeverTrue)) => {
                Truth::NeverTrue
            }
            None => Truth::Depends,
        }
    }

    fn parts(&self, call: &CallExpr, operator: &str) -> Vec<Truth> {
        let mut leaves = Vec::new();
        flatten(call, operator, &mut leaves);
        leaves.into_iter().map(|leaf| self.truth_of(leaf)).collect()
    }

    fn constant(&self, node: &IdedExpr) -> Truth {
        let part = Self { tree: node.clone().into(), ..self.clone() };
        match part.holds_for(&Situation::new("", &Context::new())) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(_) => Truth::Fails,
        }
    }
}

/// The parts of `a && b && c`, however they are grouped.
fn flatten<'t>(call: &'t CallExpr, operator: &str, leaves: &mut Vec<&'t IdedExpr>) {
    for argument in &call.args {
        match &argument.expr {
            Expr::Call(inner) if inner.func_name == operator => flatten(inner, operator, leaves),
            _ => leaves.push(argument),
        }
    }
}

/// `context.a == 'x'` as the path and the text.
fn equality(node: &IdedExpr) -> Option<(String, &str)> {
    let Expr::Call(call) = &node.expr else { return None };
    let [one, other] = call.args.as_slice() else { return None };
    if call.func_name != operators::EQUALS {
        return None;
    }
    let text = |node: &'_ IdedExpr| matches!(&node.expr, Expr::Literal(LiteralValue::String(_)));
    let (path_of, literal) = if text(other) { (one, other) } else { (other, one) };
    let Expr::Literal(LiteralValue::String(literal)) = &literal.expr else { return None };
    Some((path(path_of)?, literal.inner()))
}

fn path(node: &IdedExpr) -> Option<String> {
    match &node.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => Some(format!("{}.{}", path(&select.operand)?, select.field)),
        _ => None,
    }
}

/// Whether a part of the tree names a variable. The variable of a loop counts, as it may have the same name.
fn names_input(node: &IdedExpr) -> bool {
    const INPUTS: [&str; 4] = ["task", "tool", "args", "context"];
    match &node.expr {
        Expr::Ident(name) => INPUTS.contains(&name.as_str()),
        Expr::Literal(_) | Expr::Unspecified => false,
        Expr::Select(select) => names_input(&select.operand),
        Expr::Call(call) => call.target.as_deref().into_iter().chain(&call.args).any(names_input),
        Expr::List(list) => list.elements.iter().any(names_input),
        Expr::Comprehension(part) => {
            [&part.iter_range, &part.accu_init, &part.loop_cond, &part.loop_step, &part.result]
                .into_iter()
                .any(names_input)
        }
        Expr::Map(_) | Expr::Struct(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Variables;
    use super::*;

    #[test]
    fn what_does_not_depend_on_the_input_is_seen() {
        for (source, expected) in [
            ("true", Truth::True),
            ("false", Truth::False),
            ("1 > 2", Truth::False),
            ("[1, 2].exists(x, x == 2)", Truth::True),
            ("'abc'.matches('^b')", Truth::False),
            ("1 / 0 == 1", Truth::Fails),
            ("1 + 1", Truth::Fails),
            ("task == 'x'", Truth::Depends),
            ("task == 'x' && false", Truth::False),
            ("context.a && (1 == 1 && 2 == 3)", Truth::False),
            ("context.a || true", Truth::True),
            ("!(context.a || true)", Truth::False),
            ("(task == 'x' && false) || 1 == 2", Truth::False),
            ("task == 'x' && task == 'y'", Truth::False),
            ("task == 'x' && 'x' == task", Truth::Depends),
            ("context.a == 'x' && context.b == 'y'", Truth::Depends),
            ("context.a == 'x' && (task == 'z' && context.a == 'y')", Truth::NeverTrue),
            ("task == 'x' && 1 / 0 == 1", Truth::NeverTrue),
            ("(context.a == 'x' && context.a == 'y') || false", Truth::NeverTrue),
            ("context.a == 'x' || context.a == 'y'", Truth::Depends),
        ] {
            let expression = Expression::compile(source, Variables::Activation).unwrap();
            assert_eq!(expression.truth(), expected, "{source}");
        }
    }
}
