//! What stops the reference: a marked problem with its text, or a crash without one.

use std::fmt::Write as _;

/// A place in the source: character index, line and column, all from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) index: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Why the source was refused.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The reference reports it, in these words.
    Problem(Box<Problem>),
    /// The reference ends in an uncaught exception; the words are ours.
    Crash(&'static str),
}

/// A problem as the reference describes it: what it was doing and where, what it found and where.
#[derive(Debug)]
pub(crate) struct Problem {
    context: Option<String>,
    context_mark: Option<Mark>,
    found: String,
    found_mark: Mark,
}

impl Failure {
    /// A problem without context.
    pub(crate) fn at(problem: impl Into<String>, problem_mark: Mark) -> Self {
        Self::problem(None, None, problem.into(), problem_mark)
    }

    /// A problem found while doing something at no place of its own.
    pub(crate) fn during(context: &str, problem: impl Into<String>, problem_mark: Mark) -> Self {
        Self::problem(Some(context.to_owned()), None, problem.into(), problem_mark)
    }

    /// A problem found inside something that began at `context_mark`.
    pub(crate) fn within(
        context: &str,
        context_mark: Mark,
        problem: impl Into<String>,
        problem_mark: Mark,
    ) -> Self {
        Self::problem(Some(context.to_owned()), Some(context_mark), problem.into(), problem_mark)
    }

    fn problem(context: Option<String>, context_mark: Option<Mark>, found: String, found_mark: Mark) -> Self {
        Self::Problem(Box::new(Problem { context, context_mark, found, found_mark }))
    }
}

impl Problem {
    /// The text of the reference, with a snippet of the source under each mark.
    pub(crate) fn render(&self, source: &[char]) -> String {
        let mut out = String::new();
        if let Some(context) = &self.context {
            out.push_str(context);
            out.push('\n');
        }
        if let Some(mark) = self.context_mark
            && (mark.line, mark.column) != (self.found_mark.line, self.found_mark.column)
        {
            push_mark(&mut out, mark, source);
            out.push('\n');
        }
        out.push_str(&self.found);
        out.push('\n');
        push_mark(&mut out, self.found_mark, source);
        out
    }
}

/// How far a snippet may reach to either side of its mark before it is cut.
const REACH: usize = 37;
/// How many characters the cut takes back to make room for the ellipsis.
const CUT: usize = 5;
const ELLIPSIS: &str = " ... ";
const INDENT: usize = 4;

fn push_mark(out: &mut String, mark: Mark, source: &[char]) {
    let line = mark.line + 1;
    let before = source.get(..mark.index).unwrap_or(source);
    let after = source.get(mark.index..).unwrap_or_default();

    let reach = before.iter().rev().take(REACH).take_while(|c| !ends_snippet(**c)).count();
    let (head, left) = if reach == REACH { (ELLIPSIS, REACH - CUT) } else { ("", reach) };
    let reach = after.iter().take(REACH).take_while(|c| !ends_snippet(**c)).count();
    let (tail, right) = if reach == REACH { (ELLIPSIS, REACH - CUT) } else { ("", reach) };

    // Writing to a String cannot fail.
    let _ = writeln!(out, "  in \"<unicode string>\", line {line}, column {}:", mark.column + 1);
    out.extend(std::iter::repeat_n(' ', INDENT));
    out.push_str(head);
    out.extend(before.iter().skip(before.len() - left));
    out.extend(after.iter().take(right));
    out.push_str(tail);
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', INDENT + left + head.len()));
    let _ = write!(out, "^ (line: {line})");
}

fn ends_snippet(c: char) -> bool {
    matches!(c, '\0' | '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}
