//! Where the frontmatter of a `SKILL.md` stands, as byte ranges; nothing is copied or changed.

use std::ops::Range;

/// How the frontmatter is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `---` above and below.
    Closed,
    /// `---` above, `...` below.
    Dots,
    /// `---` above, nothing below; taken to end at the first blank line or heading.
    Unclosed,
    /// No `---` above, yet the first line is a `name:` or `description:`.
    Unopened,
    /// There is none.
    Absent,
}

/// The parts of a `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Split {
    pub shape: Shape,
    /// Bytes before the opening line: a byte order mark, blank lines, a code fence.
    pub lead: Range<usize>,
    /// The text between the delimiters, with the line break before the closing one.
    pub yaml: Range<usize>,
    /// The number of the first line of `yaml`, from 1.
    pub yaml_line: u32,
    /// Everything behind the closing line.
    pub body: Range<usize>,
}

/// Finds the parts; every text has them.
pub(crate) fn split(text: &str) -> Split {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lines: Vec<Line> = lines(text, start).collect();
    let mut opener = lines.iter().position(|line| !line.of(text).trim().is_empty()).unwrap_or(lines.len());
    let is_fence = |at: usize| lines.get(at).is_some_and(|line| line.of(text).starts_with("```"));
    if is_fence(opener) && lines.get(opener + 1).is_some_and(|line| is_delimiter(line.of(text))) {
        opener += 1;
    }
    let Some(first) = lines.get(opener) else {
        return absent(text, start);
    };
    if is_delimiter(first.of(text)) {
        return opened(text, &lines, opener);
    }
    if ["name:", "description:"].iter().any(|key| first.of(text).starts_with(key)) {
        return unopened(text, &lines, opener);
    }
    absent(text, start)
}

fn absent(text: &str, start: usize) -> Split {
    Split { shape: Shape::Absent, lead: 0..start, yaml: start..start, yaml_line: 1, body: start..text.len() }
}

fn opened(text: &str, lines: &[Line], opener: usize) -> Split {
    let lead = 0..lines.get(opener).map_or(0, |line| line.start);
    let rest = lines.get(opener + 1..).unwrap_or_default();
    let yaml_start = rest.first().map_or(text.len(), |line| line.start);
    let yaml_line = line_number(opener + 1);
    let close = rest.iter().find(|line| is_delimiter(line.of(text)) || line.of(text).trim_end() == "...");
    if let Some(close) = close {
        let shape = if is_delimiter(close.of(text)) { Shape::Closed } else { Shape::Dots };
        return Split { shape, lead, yaml: yaml_start..close.start, yaml_line, body: close.next..text.len() };
    }
    let end = rest.iter().find(|line| is_break(line.of(text))).map_or(text.len(), |line| line.start);
    Split { shape: Shape::Unclosed, lead, yaml: yaml_start..end, yaml_line, body: end..text.len() }
}

fn unopened(text: &str, lines: &[Line], first: usize) -> Split {
    let rest = lines.get(first..).unwrap_or_default();
    let start = rest.first().map_or(text.len(), |line| line.start);
    let end = rest.iter().find(|line| is_break(line.of(text)) || is_delimiter(line.of(text)));
    let (yaml_end, body) = match end {
        Some(line) if is_delimiter(line.of(text)) => (line.start, line.next),
        Some(line) => (line.start, line.start),
        None => (text.len(), text.len()),
    };
    Split {
        shape: Shape::Unopened,
        lead: 0..start,
        yaml: start..yaml_end,
        yaml_line: line_number(first),
        body: body..text.len(),
    }
}

fn line_number(index: usize) -> u32 {
    u32::try_from(index).map_or(u32::MAX, |number| number.saturating_add(1))
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

fn is_break(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// One line: its text without the line break, and where the next begins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

impl Line {
    pub(crate) fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The lines from a byte on, broken at `\n`, `\r\n` and a lone `\r`.
pub(crate) fn lines(text: &str, start: usize) -> impl Iterator<Item = Line> {
    let bytes = text.as_bytes();
    let mut at = start;
    std::iter::from_fn(move || {
        if at >= bytes.len() {
            return None;
        }
        let rest = bytes.get(at..)?;
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).map_or(bytes.len(), |n| at + n);
        let width = match (bytes.get(end), bytes.get(end + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(_), _) => 1,
            (None, _) => 0,
        };
        let line = Line { start: at, end, next: end + width };
        at = line.next;
        Some(line)
    })
}

/// The body as people mean it: without the blank lines above and the white space below.
pub(crate) fn body_text(body: &str) -> &str {
    let first = lines(body, 0).find(|line| !line.of(body).trim().is_empty());
    first.and_then(|line| body.get(line.start..)).unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_as_a_table() {
        let table = [
            ("---\na: 1\n---\nbody\n", Shape::Closed, "a: 1\n", 2, "body\n"),
            ("\u{feff}---\r\na: 1\r\n--- \r\nbody", Shape::Closed, "a: 1\r\n", 2, "body"),
            ("\n\n---\na: 1\n---", Shape::Closed, "a: 1\n", 4, ""),
            ("---\ra: 1\r---\rbody", Shape::Closed, "a: 1\r", 2, "body"),
            ("---\n---\n", Shape::Closed, "", 2, ""),
            ("---\na: 1\n...\nbody", Shape::Dots, "a: 1\n", 2, "body"),
            ("---\na: x --- y\n# ---\n---\n", Shape::Closed, "a: x --- y\n# ---\n", 2, ""),
            ("---\nname: a\n\n# Body\n", Shape::Unclosed, "name: a\n", 2, "\n# Body\n"),
            ("---", Shape::Unclosed, "", 2, ""),
            ("name: a\ndescription: b\n---\nbody", Shape::Unopened, "name: a\ndescription: b\n", 1, "body"),
            ("```markdown\n---\na: 1\n---\nbody\n```\n", Shape::Closed, "a: 1\n", 3, "body\n```\n"),
            ("# Title\n---\nx\n---\n", Shape::Absent, "", 1, "# Title\n---\nx\n---\n"),
            ("----\na: 1\n---\n", Shape::Absent, "", 1, "----\na: 1\n---\n"),
            ("", Shape::Absent, "", 1, ""),
        ];
        for (text, shape, yaml, line, body) in table {
            let split = split(text);
            let found = (split.shape, &text[split.yaml], split.yaml_line, &text[split.body]);
            assert_eq!(found, (shape, yaml, line, body), "{text:?}");
        }
    }

    #[test]
    fn the_body_loses_only_blank_lines() {
        assert_eq!(body_text("\r\n \n    code\n\nend \n\n"), "    code\n\nend");
        assert_eq!(body_text("\n \n"), "");
    }
}
