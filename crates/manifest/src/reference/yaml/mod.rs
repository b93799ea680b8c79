//! YAML as strictyaml reads it: every scalar a string; flow style, anchors, tags and duplicate keys refused.
//!
//! Three steps, each in its own file: tokens (`scanner`), nodes (`parser`), values (`constructor`).
//! It must never accept, refuse or word anything by its own lights.

mod constructor;
mod failure;
mod node;
mod parser;
mod reader;
mod scanner;
mod token;
mod value;

pub use value::Value;

use self::failure::Failure;
use self::parser::Parser;

/// Why a source was refused, in the words to report.
pub(super) enum Refusal {
    /// The text of the exception that the reference reports.
    Reported(String),
    /// The reference ends in an uncaught exception; the reason is in our words.
    Crashed(&'static str),
}

/// Reads a source without `---` and carriage returns; `None` if it is no mapping and no sequence.
pub(super) fn load(source: &str) -> Result<Option<Value>, Refusal> {
    if !source.chars().all(is_acceptable) {
        return Err(Refusal::Crashed("the frontmatter holds a control character"));
    }
    let mut parser = Parser::new(source);
    let document = parser.document().and_then(|root| match root {
        None => Ok(None),
        Some(root) => constructor::construct(&root),
    });
    document.map_err(|failure| match failure {
        Failure::Problem(problem) => Refusal::Reported(problem.render(parser.source())),
        Failure::Crash(reason) => Refusal::Crashed(reason),
    })
}

fn is_acceptable(c: char) -> bool {
    match c {
        '\t' | '\n' | ' '..='~' | '\u{85}' => true,
        _ => c >= '\u{a0}' && !matches!(c, '\u{fffe}' | '\u{ffff}'),
    }
}
