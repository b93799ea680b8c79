//! Patterns over the commands of a shell: `git:*`, `npm run *`, `make test`.
//!
//! A command line is taken apart at `&&`, `||`, `;`, `|`, `&` and line ends, quotes respected. A whitelist admits it when
//! each part is admitted, and nothing in it hides a further command: no substitution, group, comment, here-document or
//! redirection to a file. A blacklist is touched when one part may be meant: also behind `sudo`, `env`, `xargs` and the
//! like, with a path before the name, in quotes, or within the text given to `sh -c`; a name that is computed may be any.
//!
//! What a program does once it runs is not seen here: a blacklist of commands is a hint, a whitelist is a fence.

use serde_json::{Value, json};

use super::glob::Glob;

/// Programs that run the command behind them; words of the shell before a command count too.
const WRAPPERS: [&str; 36] = [
    "!", "builtin", "busybox", "chroot", "command", "do", "doas", "elif", "else", "env", "exec", "find",
    "flock", "if", "ionice", "ltrace", "nice", "nohup", "nsenter", "parallel", "script", "setsid", "ssh",
    "stdbuf", "strace", "su", "sudo", "then", "time", "timeout", "unshare", "until", "watch", "while",
    "xargs", "{",
];
/// Programs that run the text they are given.
const INTERPRETERS: [&str; 12] =
    ["ash", "bash", "dash", "eval", "fish", "ksh", "sh", "source", "ssh", "su", "trap", "zsh"];
/// The names of the argument that holds the command.
const ARGUMENTS: [&str; 3] = ["command", "cmd", "script"];
/// The longest command line that is looked at, in bytes.
const MAX_COMMAND: usize = 1 << 20;

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

    fn matches(&self, command: &str) -> bool {
        match self {
            Self::Prefix(prefix) => command
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            Self::Glob(glob) => glob.matches(command),
            Self::Exact(text) => text == command,
        }
    }

    /// Whether every command line within another pattern is within this one, as far as can be seen.
    pub(super) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::Exact(text)) => admits(&[self], &json!({ "command": text })),
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
    let split = Split::new(line);
    split.clear && split.parts.len() == 1
}

/// Whether a command line is within these patterns for certain.
pub(super) fn admits(patterns: &[&CommandPattern], arguments: &Value) -> bool {
    let Some(lines) = lines(arguments) else { return false };
    lines.iter().all(|line| {
        let whole = one_spaced(line);
        // A line end is no space: it ends a command.
        let one_line = !line.trim().contains(['\n', '\r']);
        let is_whole =
            |pattern: &&&CommandPattern| matches!(pattern, CommandPattern::Exact(text) if *text == whole);
        if one_line && patterns.iter().any(|pattern| is_whole(&pattern)) {
            return true;
        }
        let split = Split::new(line);
        split.clear
            && !split.parts.is_empty()
            && split.parts.iter().all(|part| {
                let written = join(part.iter().map(|word| word.written.as_str()));
                patterns.iter().any(|pattern| pattern.matches(&written))
            })
    })
}

/// Whether some command of a command line may be meant by this pattern.
pub(super) fn touches(pattern: &CommandPattern, arguments: &Value) -> bool {
    let Some(lines) = lines(arguments) else { return true };
    lines.iter().any(|line| {
        let split = Split::new(line);
        let runs_text =
            split.parts.iter().flatten().any(|word| INTERPRETERS.contains(&base_name(&word.plain)));
        pattern.matches(&one_spaced(line))
            || split.parts.iter().any(|part| {
                let plain: Vec<&str> = part.iter().map(|word| word.plain.as_str()).collect();
                pattern.matches(&join(part.iter().map(|word| word.written.as_str())))
                    || may_mean(pattern, &plain)
            })
            || ((!split.clear || runs_text)
                && loose_parts(line).iter().any(|words| {
                    // What is found in quotes and brackets may be text as well; only a name that fits counts.
                    may_mean(pattern, words)
                }))
    })
}

/// The command lines of a call; `None` where there is none, or one that is no text.
fn lines(arguments: &Value) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for value in ARGUMENTS.iter().filter_map(|name| arguments.get(name)) {
        let line = match value {
            Value::String(text) => text.clone(),
            Value::Array(words) => {
                let words = words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
                line_of(&words)
            }
            _ => return None,
        };
        if line.len() > MAX_COMMAND {
            return None;
        }
        found.push(line);
    }
    (!found.is_empty()).then_some(found)
}

/// A list of words as a command line. `["bash", "-lc", "..."]` is the text it runs.
fn line_of(words: &[&str]) -> String {
    if let [program, option, text] = words
        && INTERPRETERS.contains(&base_name(program))
        && option.starts_with('-')
        && option.ends_with('c')
    {
        return (*text).to_owned();
    }
    let quoted = words.iter().map(|word| {
        let plain = !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter));
        if plain { (*word).to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether these words may run what a pattern names.
fn may_mean(pattern: &CommandPattern, words: &[&str]) -> bool {
    let mut words = words;
    while let [first, rest @ ..] = words {
        if !is_assignment(first) {
            break;
        }
        words = rest;
    }
    let Some(first) = words.first() else { return false };
    // A computed name may be any.
    if first.contains(['$', '`', '*', '?', '[', '{']) && *first != "{" && *first != "[" && *first != "[[" {
        return true;
    }
    if matches_words(pattern, words) {
        return true;
    }
    WRAPPERS.contains(&base_name(first))
        && (1..words.len()).any(|skip| words.get(skip..).is_some_and(|rest| matches_words(pattern, rest)))
}

fn matches_words(pattern: &CommandPattern, words: &[&str]) -> bool {
    let [first, rest @ ..] = words else { return false };
    let named = join(std::iter::once(base_name(first)).chain(rest.iter().copied()));
    pattern.matches(&named) || pattern.matches(&join(words.iter().copied()))
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

fn one_spaced(text: &str) -> String {
    join(text.split_whitespace())
}

/// Everything that may be a command, quotes and brackets taken as ends.
fn loose_parts(line: &str) -> Vec<Vec<&str>> {
    line.split([';', '&', '|', '\n', '(', ')', '`', '\'', '"', '{', '}', '<', '>', '#', '$', '\\'])
        .map(|part| part.split_whitespace().collect::<Vec<_>>())
        .filter(|words| !words.is_empty())
        .collect()
}

/// A word as it is written, and without its quotes.
#[derive(Debug, Default, Clone)]
struct Word {
    written: String,
    plain: String,
}

/// A command line taken apart.
#[derive(Debug)]
struct Split {
    parts: Vec<Vec<Word>>,
    /// Whether nothing in it hides a further command.
    clear: bool,
}

impl Split {
    fn new(line: &str) -> Self {
        let mut splitter = Splitter { parts: Vec::new(), words: Vec::new(), word: None, clear: true };
        splitter.run(line);
        Self { parts: splitter.parts, clear: splitter.clear }
    }
}

struct Splitter {
    parts: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
    clear: bool,
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

impl Splitter {
    fn run(&mut self, line: &str) {
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => self.escape(&mut letters),
                '\'' => self.single(&mut letters),
                '"' => self.double(&mut letters),
                ' ' | '\t' => self.end_word(),
                '&' if letters.peek() == Some(&'>') => self.end_word(),
                '\n' | ';' | '&' | '|' => self.end_part(),
                '<' | '>' => self.redirect(letter, &mut letters),
                '(' | ')' | '`' => {
                    self.clear = false;
                    self.end_part();
                }
                '#' if self.word.is_none() => {
                    self.clear = false;
                    self.push(letter, letter);
                }
                '$' if matches!(letters.peek(), Some('(' | '\'' | '"')) => {
                    self.clear = false;
                    self.push(letter, letter);
                }
                _ => {
                    self.clear &= !letter.is_control();
                    self.push(letter, letter);
                }
            }
        }
        self.end_part();
    }

    fn push(&mut self, written: char, plain: char) {
        let word = self.word.get_or_insert_default();
        word.written.push(written);
        word.plain.push(plain);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_part(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.parts.push(std::mem::take(&mut self.words));
        }
    }

    fn escape(&mut self, letters: &mut Letters<'_>) {
        match letters.next() {
            // A line that goes on.
            Some('\n') => {}
            Some(next) => {
                let word = self.word.get_or_insert_default();
                word.written.extend(['\\', next]);
                word.plain.push(next);
            }
            None => self.clear = false,
        }
    }

    fn single(&mut self, letters: &mut Letters<'_>) {
        let word = self.word.get_or_insert_default();
        word.written.push('\'');
        for letter in letters.by_ref() {
            word.written.push(letter);
            if letter == '\'' {
                return;
            }
            word.plain.push(letter);
        }
        self.clear = false;
    }

    fn double(&mut self, letters: &mut Letters<'_>) {
        let word = self.word.get_or_insert_default();
        word.written.push('"');
        while let Some(letter) = letters.next() {
            word.written.push(letter);
            match letter {
                '"' => return,
                '\\' => match letters.next() {
                    Some(next) => {
                        word.written.push(next);
                        word.plain.push(next);
                    }
                    None => break,
                },
                '`' => {
                    self.clear = false;
                    word.plain.push(letter);
                }
                '$' if letters.peek() == Some(&'(') => {
                    self.clear = false;
                    word.plain.push(letter);
                }
                _ => word.plain.push(letter),
            }
        }
        self.clear = false;
    }

    /// To another stream or to `/dev/null` is harmless; all else reads or writes a file.
    fn redirect(&mut self, letter: char, letters: &mut Letters<'_>) {
        if self.word.as_ref().is_some_and(|word| word.written.chars().all(|digit| digit.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if letter == '>' {
            letters.next_if_eq(&'>');
        }
        let to_stream = letters.next_if_eq(&'&').is_some();
        while !to_stream && letters.next_if(|next| matches!(next, ' ' | '\t')).is_some() {}
        let mut target = String::new();
        while let Some(next) =
            letters.next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '/' | '.' | '_' | '-'))
        {
            target.push(next);
        }
        let ended = letters.peek().is_none_or(|next| " \t\n;&|".contains(*next));
        let harmless = if to_stream { matches!(target.as_str(), "1" | "2") } else { target == "/dev/null" };
        if letter != '>' || !harmless || !ended {
            self.clear = false;
        }
    }
}
