//! Patterns over the commands of a shell: `git:*`, `npm run *`, `make test`.
//!
//! A command line is taken apart at `&&`, `||`, `;`, `|`, `&` and line ends, quotes respected. A whitelist admits it when
//! each part is admitted, and nothing in it hides a further command: no substitution, group, comment, here-document or
//! redirection to a file. A blacklist is touched when one part may be meant: also behind `sudo`, `env`, `xargs` and the
//! like, with a path before the name, in quotes, or within the text given to `sh -c`. A name that is computed may be any,
//! and so may what a shell reads from its standard input.
//!
//! What a program does once it runs is not seen here: a blacklist of commands is a hint, a whitelist is a fence.

use serde_json::json;

use super::super::members::{Common, Members};
use super::glob::Glob;
use super::lines::{Line, Words, lines, one_spaced};

/// A pattern over commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CommandPattern {
    /// These words, and any others behind them.
    Prefix(String),
    /// With stars.
    Glob(Glob),
    /// Just this.
    Exact(String),
}

impl CommandPattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let text = one_spaced(text);
        let prefix = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        match prefix {
            Some(prefix) if !prefix.contains('*') => match prefix.trim_end() {
                "" => Err("a prefix has at least a word".to_owned()),
                prefix => Ok(Self::Prefix(prefix.to_owned())),
            },
            _ if text.contains('*') => Ok(Self::Glob(Glob::new(&text))),
            _ => Ok(Self::Exact(text)),
        }
    }

    pub(super) fn matches(&self, command: &str) -> bool {
        match self {
            Self::Prefix(prefix) => command
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Self::Glob(glob) => glob.matches(command),
            Self::Exact(text) => text == command,
        }
    }

    /// Whether these words may run what it names.
    fn may_be_meant(&self, words: &Words) -> bool {
        // What begins with a star fits the longest text if it fits any.
        let begins_anywhere = matches!(self, Self::Glob(glob) if glob.start().is_empty());
        let most = if begins_anywhere { 1 } else { usize::MAX };
        words.unclear || words.commands().take(most).any(|command| self.matches(command))
    }

    /// Whether some command of these lines may be meant; so it is where there are none that can be read.
    pub(super) fn touches(&self, lines: Option<&[Line]>) -> bool {
        let touches_line = |line: &Line| {
            self.matches(&line.whole)
                || line.parts.iter().any(|part| self.matches(&part.written) || self.may_be_meant(&part.words))
                // What is found in quotes and brackets may be text as well; only a name that fits counts.
                || line.hidden.iter().any(|words| self.may_be_meant(words))
        };
        lines.is_none_or(|lines| lines.iter().any(touches_line))
    }

    /// Whether every command line within another pattern is within this one, as far as can be seen.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Exact(text)) => {
                admitting(&[(self, &[0])], lines(&json!({ "command": text })).as_deref()).has(0)
            }
            (Self::Exact(_), _) => false,
            (_, Self::Prefix(prefix)) => self.matches(prefix) && self.matches(&format!("{prefix} *")),
            // A star can only be taken by a star, or stand behind a prefix.
            (_, Self::Glob(glob)) => self.matches(&glob.text()),
        }
    }

    /// Whether some command line may be within both.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Exact(one), Self::Exact(two)) => one == two || !is_simple(one) || !is_simple(two),
            (Self::Exact(text), other) | (other, Self::Exact(text)) => {
                !is_simple(text) || other.matches(text)
            }
            (Self::Prefix(one), Self::Prefix(two)) => self.matches(two) || other.matches(one),
            (Self::Prefix(prefix), Self::Glob(glob)) | (Self::Glob(glob), Self::Prefix(prefix)) => {
                prefix.starts_with(glob.start()) || glob.start().starts_with(prefix.as_str())
            }
            (Self::Glob(one), Self::Glob(two)) => one.may_meet(two),
        }
    }
}

/// Whether a line is one command with nothing hidden in it.
fn is_simple(line: &str) -> bool {
    let line = Line::new(line);
    line.clear && line.parts.len() == 1
}

/// Who has patterns that the lines of a call are within for certain.
pub(super) fn admitting(patterns: &[(&CommandPattern, &[u32])], lines: Option<&[Line]>) -> Members {
    let having = |fits: &dyn Fn(&CommandPattern) -> bool| {
        let mut members = Members::default();
        for (_, holders) in patterns.iter().filter(|(pattern, _)| fits(pattern)) {
            members.add_all(holders);
        }
        members
    };
    let mut all = Common::default();
    for line in lines.unwrap_or_default() {
        let mut parts = Common::default();
        if line.clear {
            line.parts.iter().all(|part| parts.keep(having(&|pattern| pattern.matches(&part.written))));
        }
        let mut members = parts.members();
        if !line.is_broken {
            let is_whole = |pattern: &CommandPattern| matches!(pattern, CommandPattern::Exact(text) if *text == line.whole);
            members.join(&having(&is_whole));
        }
        if !all.keep(members) {
            break;
        }
    }
    all.members()
}
