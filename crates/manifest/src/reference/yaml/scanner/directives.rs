//! Lines that begin with `%`.

use super::Scanner;
use crate::reference::python::repr_char;
use crate::reference::yaml::failure::{Failure, Mark};
use crate::reference::yaml::reader::{is_end, is_end_or_space};
use crate::reference::yaml::token::{Directive, Token, TokenKind};

const CONTEXT: &str = "while scanning a directive";
/// Python refuses to read a longer number.
const LONGEST_NUMBER: usize = 4300;

impl Scanner {
    /// Scans a directive and the line it is on.
    pub(super) fn scan_directive(&mut self) -> Result<Token, Failure> {
        let start = self.reader.mark();
        self.reader.skip(1);
        let directive = match self.scan_directive_name(start)?.as_str() {
            "YAML" => self.scan_version(start)?,
            "TAG" => self.scan_tag_directive(start)?,
            _ => Directive::Other,
        };
        let end = self.reader.mark();
        if matches!(directive, Directive::Other) {
            self.reader.skip_while(|c| !is_end(c));
        }
        self.scan_directive_rest(start)?;
        Ok(Token::new(TokenKind::Directive(directive), start, end))
    }

    fn scan_directive_name(&mut self, start: Mark) -> Result<String, Failure> {
        let mut name = String::new();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
        self.reader.take(self.reader.count_while(is_name), &mut name);
        if name.is_empty() || !is_end_or_space(self.reader.peek(0)) {
            return Err(self.expected(CONTEXT, start, "alphabetic or numeric character"));
        }
        Ok(name)
    }

    fn scan_version(&mut self, start: Mark) -> Result<Directive, Failure> {
        self.reader.skip_while(|c| c == ' ');
        let major = self.scan_version_number(start)?;
        if self.reader.peek(0) != '.' {
            return Err(self.expected(CONTEXT, start, "a digit or '.'"));
        }
        self.reader.skip(1);
        let minor = self.scan_version_number(start)?;
        if !is_end_or_space(self.reader.peek(0)) {
            return Err(self.expected(CONTEXT, start, "a digit or ' '"));
        }
        self.version = Some((major, minor));
        Ok(Directive::Yaml { major })
    }

    fn scan_version_number(&mut self, start: Mark) -> Result<u64, Failure> {
        let mut digits = String::new();
        self.reader.take(self.reader.count_while(|c| c.is_ascii_digit()), &mut digits);
        match digits.len() {
            0 => Err(self.expected(CONTEXT, start, "a digit")),
            1..=LONGEST_NUMBER => Ok(digits.parse().unwrap_or(u64::MAX)),
            _ => Err(Failure::Crash("a version number is too long")),
        }
    }

    fn scan_tag_directive(&mut self, start: Mark) -> Result<Directive, Failure> {
        self.reader.skip_while(|c| c == ' ');
        let handle = self.scan_tag_handle("directive", start)?;
        if self.reader.peek(0) != ' ' {
            return Err(self.expected(CONTEXT, start, "' '"));
        }
        self.reader.skip_while(|c| c == ' ');
        self.scan_tag_uri("directive", start)?;
        if !is_end_or_space(self.reader.peek(0)) {
            return Err(self.expected(CONTEXT, start, "' '"));
        }
        Ok(Directive::Tag { handle })
    }

    fn scan_directive_rest(&mut self, start: Mark) -> Result<(), Failure> {
        self.reader.skip_while(|c| c == ' ');
        if self.reader.peek(0) == '#' {
            self.reader.skip_while(|c| !is_end(c));
        }
        let c = self.reader.peek(0);
        if !is_end(c) {
            let problem = format!("expected a comment or a line break, but found {}", repr_char(c));
            return Err(Failure::within(CONTEXT, start, problem, self.reader.mark()));
        }
        self.reader.take_break();
        Ok(())
    }
}
