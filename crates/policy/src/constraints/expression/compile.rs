//! From text to a checked tree.

use std::sync::Arc;

use cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue, operators};
use cel::common::types::CelInt;
use cel::parser::{ParseErrors, PrattParser};

use super::pattern::{TextPattern, compile_pattern};
use super::size::Size;
use super::{Expression, ExpressionError, MATCHES, MAX_DEPTH, MAX_LOOPS, MAX_NODES, MAX_SOURCE, Variables};

/// The most brackets and the like inside each other; the parser goes down one level of the stack for each.
const MAX_NESTING: u16 = 32;
/// The most `?` in a source: conditions in a row go down the parser's stack, but are not counted as nesting there.
const MAX_CONDITIONS: usize = 100;

const TYPES: [&str; 10] =
    ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint"];
const FUNCTIONS: [&str; 9] = ["bool", "bytes", "double", "dyn", "int", "size", "string", "type", "uint"];
const METHODS: [(&str, usize); 5] =
    [("contains", 1), ("endsWith", 1), ("lowerAscii", 0), ("size", 0), ("startsWith", 1)];

pub(super) fn compile(source: &str, variables: Variables) -> Result<Expression, ExpressionError> {
    if source.trim().is_empty() || source.len() > MAX_SOURCE {
        return Err(ExpressionError::Length);
    }
    if source.bytes().filter(|byte| *byte == b'?').count() > MAX_CONDITIONS {
        return Err(ExpressionError::Depth);
    }
    let parser = PrattParser::new().max_recursion_depth(MAX_NESTING).max_expression_node_count(MAX_NODES);
    let mut tree = parser.parse(source).map_err(|errors| syntax(&errors))?;
    measure(&tree)?;
    let mut checker = Checker { variables, scope: Vec::new(), patterns: Vec::new(), loops: 0, looped: false };
    checker.check(&mut tree)?;
    let size = Size::of(&tree);
    Ok(Expression { tree: Arc::new(tree), patterns: checker.patterns.into(), loops: checker.looped, size })
}

fn syntax(errors: &ParseErrors) -> ExpressionError {
    let Some(error) = errors.errors.first() else {
        return ExpressionError::Syntax { line: 1, column: 1, message: "not an expression".to_owned() };
    };
    let place = |number: isize| usize::try_from(number).unwrap_or_default().max(1);
    let message: String = error.msg.chars().filter(|character| !character.is_control()).take(200).collect();
    ExpressionError::Syntax { line: place(error.pos.0), column: place(error.pos.1), message }
}

/// Counts the tree without going down the stack, before anything does.
fn measure(tree: &IdedExpr) -> Result<(), ExpressionError> {
    let mut nodes = 0;
    let mut waiting = vec![(tree, 1)];
    while let Some((node, depth)) = waiting.pop() {
        nodes += 1;
        if nodes > MAX_NODES {
            return Err(ExpressionError::Nodes);
        }
        if depth > MAX_DEPTH {
            return Err(ExpressionError::Depth);
        }
        let mut push = |child| waiting.push((child, depth + 1));
        match &node.expr {
            Expr::Call(call) => {
                call.target.as_deref().into_iter().chain(&call.args).for_each(push);
            }
            Expr::Comprehension(part) => {
                for child in
                    [&part.iter_range, &part.accu_init, &part.loop_cond, &part.loop_step, &part.result]
                {
                    push(child);
                }
            }
            Expr::List(list) => list.elements.iter().for_each(push),
            Expr::Map(map) => {
                for entry in &map.entries {
                    match &entry.expr {
                        EntryExpr::MapEntry(entry) => {
                            [&entry.key, &entry.value].into_iter().for_each(&mut push);
                        }
                        EntryExpr::StructField(field) => push(&field.value),
                    }
                }
            }
            Expr::Select(select) => push(&select.operand),
            Expr::Struct(_) | Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
        }
    }
    Ok(())
}

struct Checker {
    variables: Variables,
    /// The variables of the loops around.
    scope: Vec<String>,
    patterns: Vec<TextPattern>,
    loops: usize,
    looped: bool,
}

impl Checker {
    fn check(&mut self, node: &mut IdedExpr) -> Result<(), ExpressionError> {
        match &mut node.expr {
            Expr::Unspecified => Err(ExpressionError::NotOffered("empty expressions")),
            Expr::Struct(_) => Err(ExpressionError::NotOffered("messages")),
            Expr::Literal(_) => Ok(()),
            Expr::Ident(name) => self.name(name),
            Expr::Select(select) => self.check(&mut select.operand),
            Expr::List(list) if !list.optional_indices.is_empty() => {
                Err(ExpressionError::NotOffered("optional values"))
            }
            Expr::List(list) => list.elements.iter_mut().try_for_each(|element| self.check(element)),
            Expr::Map(map) => map.entries.iter_mut().try_for_each(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) if !entry.optional => {
                    self.check(&mut entry.key)?;
                    self.check(&mut entry.value)
                }
                _ => Err(ExpressionError::NotOffered("optional values")),
            }),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(part) => {
                self.check(&mut part.iter_range)?;
                self.check(&mut part.accu_init)?;
                if self.loops == MAX_LOOPS {
                    return Err(ExpressionError::Loops);
                }
                self.loops += 1;
                self.looped = true;
                self.scope.extend([part.iter_var.clone(), part.accu_var.clone()]);
                let inner = [&mut part.loop_cond, &mut part.loop_step, &mut part.result]
                    .into_iter()
                    .try_for_each(|child| self.check(child));
                self.scope.truncate(self.scope.len().saturating_sub(2));
                self.loops -= 1;
                inner
            }
        }
    }

    fn name(&self, name: &str) -> Result<(), ExpressionError> {
        let known = self.variables.names();
        if known.contains(&name) || TYPES.contains(&name) || self.scope.iter().any(|inner| inner == name) {
            return Ok(());
        }
        let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        Err(ExpressionError::Name { name: name.chars().take(80).collect(), known })
    }

    fn call(&mut self, call: &mut CallExpr) -> Result<(), ExpressionError> {
        if call.func_name == "matches" {
            return self.matches(call);
        }
        let name = call.func_name.as_str();
        let known = match &call.target {
            Some(_) => METHODS.contains(&(name, call.args.len())),
            None => is_operator(name) || (FUNCTIONS.contains(&name) && call.args.len() == 1),
        };
        if !known {
            return Err(ExpressionError::Function(name.chars().take(80).collect()));
        }
        if let Some(target) = &mut call.target {
            self.check(target)?;
        }
        call.args.iter_mut().try_for_each(|argument| self.check(argument))
    }

    /// `text.matches('pattern')` and `matches(text, 'pattern')` become `@matches(text, n)`.
    fn matches(&mut self, call: &mut CallExpr) -> Result<(), ExpressionError> {
        let mut arguments = std::mem::take(&mut call.args);
        arguments.splice(0..0, call.target.take().map(|target| *target));
        let Ok([mut text, mut pattern]) = <[IdedExpr; 2]>::try_from(arguments) else {
            return Err(ExpressionError::Function("matches".to_owned()));
        };
        let Expr::Literal(LiteralValue::String(literal)) = &pattern.expr else {
            return Err(ExpressionError::PatternNotLiteral);
        };
        let number = i64::try_from(self.patterns.len()).map_err(|_| ExpressionError::Nodes)?;
        self.patterns.push(compile_pattern(literal.inner()).map_err(ExpressionError::Pattern)?);
        pattern.expr = Expr::Literal(LiteralValue::Int(CelInt::from(number)));
        self.check(&mut text)?;
        MATCHES.clone_into(&mut call.func_name);
        call.args = vec![text, pattern];
        Ok(())
    }
}

fn is_operator(name: &str) -> bool {
    matches!(
        name,
        operators::CONDITIONAL
            | operators::LOGICAL_AND
            | operators::LOGICAL_OR
            | operators::LOGICAL_NOT
            | operators::SUBSTRACT
            | operators::ADD
            | operators::MULTIPLY
            | operators::DIVIDE
            | operators::MODULO
            | operators::EQUALS
            | operators::NOT_EQUALS
            | operators::GREATER_EQUALS
            | operators::LESS_EQUALS
            | operators::GREATER
            | operators::LESS
            | operators::NEGATE
            | operators::INDEX
            | operators::IN
            | operators::NOT_STRICTLY_FALSE
    )
}
