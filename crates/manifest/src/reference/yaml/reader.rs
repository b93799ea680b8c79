//! The source as characters, with a cursor that knows its line and column.

use super::failure::Mark;

/// What the reader shows past the last character; the source itself holds no such character.
pub(crate) const END: char = '\0';

/// A cursor over the characters of the source.
pub(crate) struct Reader {
    source: Vec<char>,
    index: usize,
    line: usize,
    column: usize,
}

impl Reader {
    pub(crate) fn new(source: &str) -> Self {
        Self { source: source.chars().collect(), index: 0, line: 0, column: 0 }
    }

    pub(crate) fn source(&self) -> &[char] {
        &self.source
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    pub(crate) fn line(&self) -> usize {
        self.line
    }

    pub(crate) fn column(&self) -> usize {
        self.column
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { index: self.index, line: self.line, column: self.column }
    }

    /// The character `ahead` of the cursor, without moving.
    pub(crate) fn peek(&self, ahead: usize) -> char {
        self.source.get(self.index + ahead).copied().unwrap_or(END)
    }

    /// How many characters from the cursor on satisfy the test.
    pub(crate) fn count_while(&self, test: impl Fn(char) -> bool) -> usize {
        self.rest().iter().take_while(|c| test(**c)).count()
    }

    /// Moves on by `count` characters. Only `\n` starts a new line here, although other breaks end scalars.
    pub(crate) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            match self.peek(0) {
                END => return,
                '\n' => {
                    self.line += 1;
                    self.column = 0;
                }
                '\u{feff}' => {}
                _ => self.column += 1,
            }
            self.index += 1;
        }
    }

    /// Moves on past all characters that satisfy the test.
    pub(crate) fn skip_while(&mut self, test: impl Fn(char) -> bool) {
        self.skip(self.count_while(test));
    }

    /// Moves on by `count` characters and appends them to `out`.
    pub(crate) fn take(&mut self, count: usize, out: &mut String) {
        out.extend(self.rest().iter().take(count));
        self.skip(count);
    }

    /// Takes one line break, if there is one, and returns what it counts for in a scalar.
    pub(crate) fn take_break(&mut self) -> Option<char> {
        let c = self.peek(0);
        if !is_break(c) {
            return None;
        }
        self.skip(1);
        Some(if c == '\u{85}' { '\n' } else { c })
    }

    /// Whether `...` stands at the cursor, alone or before a blank. (`---` has ended the source before.)
    pub(crate) fn at_document_end(&self) -> bool {
        (0..3).all(|ahead| self.peek(ahead) == '.') && is_end_or_blank(self.peek(3))
    }

    fn rest(&self) -> &[char] {
        self.source.get(self.index..).unwrap_or_default()
    }
}

/// A line break. Carriage returns were turned into `\n` when the file was read.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// A line break or the end of the source.
pub(crate) fn is_end(c: char) -> bool {
    c == END || is_break(c)
}

/// A line break, the end of the source, or a space (not a tab).
pub(crate) fn is_end_or_space(c: char) -> bool {
    c == ' ' || is_end(c)
}

/// A line break, the end of the source, a space or a tab.
pub(crate) fn is_end_or_blank(c: char) -> bool {
    c == '\t' || is_end_or_space(c)
}
