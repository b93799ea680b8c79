//! A command line taken apart, once for all patterns that are compared with it.

use std::borrow::Cow;

use serde_json::Value;

use super::names;

/// Programs that run the command behind them; words of the shell before a command count too.
pub(super) const WRAPPERS: [&str; 45] = [
    "!",
    "builtin",
    "busybox",
    "chronic",
    "chroot",
    "command",
    "coproc",
    "do",
    "doas",
    "elif",
    "else",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "find",
    "flock",
    "function",
    "gosu",
    "if",
    "ionice",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "runuser",
    "script",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "then",
    "time",
    "timeout",
    "unshare",
    "until",
    "watch",
    "while",
    "xargs",
    "{",
];
/// Programs that run the text they are given.
pub(super) const INTERPRETERS: [&str; 12] =
    ["ash", "bash", "dash", "eval", "fish", "ksh", "sh", "source", "ssh", "su", "trap", "zsh"];
/// The names of the argument that holds the command.
const ARGUMENTS: [&str; 3] = ["command", "cmd", "script"];
/// What makes a word a text to be read, rather than a name.
pub(super) const NOT_IN_NAMES: [char; 13] =
    [' ', '\t', '\n', '\'', '"', '\\', '$', '`', '(', ';', '&', '|', '<'];
/// How deep texts in texts are read.
pub(super) const MAX_TEXTS: usize = 4;
/// The longest command line that is looked at, in bytes.
const MAX_COMMAND: usize = 1 << 20;

/// A command line, with all that patterns are compared with.
#[derive(Debug)]
pub(in super::super) struct Line {
    /// The whole, with one space between words.
    pub(super) whole: String,
    /// Whether there is a line end within. It is no space: it ends a command.
    pub(super) is_broken: bool,
    /// Whether nothing in it hides a further command.
    pub(super) clear: bool,
    pub(super) parts: Vec<Part>,
    /// What else may be a command, where one may be hidden.
    pub(super) hidden: Vec<Words>,
}

/// A command of a line.
#[derive(Debug)]
pub(super) struct Part {
    /// As it is written, with one space between words.
    pub(super) written: String,
    pub(super) words: Words,
}

/// What words may run.
#[derive(Debug)]
pub(super) struct Words {
    /// The words without what is assigned before them, with one space between.
    text: String,
    /// Where a command may begin in the text: at a word, and behind the folders in its name.
    starts: Vec<(usize, usize)>,
    /// Whether the command cannot be read off the words, so that it may be any.
    pub(super) unclear: bool,
}

impl Line {
    pub(super) fn new(line: &str) -> Self {
        let split = Split::new(line);
        let mut words = split.parts.iter().flatten();
        let runs_text = words.any(|word| INTERPRETERS.contains(&base_name(&word.plain)));
        let mut hidden = if split.clear && !runs_text { Vec::new() } else { loose_parts(line) };
        if runs_text {
            add_given(&split.parts, 0, &mut hidden);
        }
        for text in split.parts.iter().flatten().flat_map(|word| substituted(&word.plain)) {
            let given = Split::new(text).parts;
            hidden.extend(
                given.iter().map(|part| Words::of_part(part.iter().map(|word| word.plain.as_str()), false)),
            );
        }
        let fed = line.contains("<<");
        let part = |words: Vec<Word>| Part {
            written: join(words.iter().map(|word| word.written.as_str())),
            words: Words::of_part(words.iter().map(|word| word.plain.as_str()), fed),
        };
        Self {
            whole: one_spaced(line),
            is_broken: line.trim().contains(['\n', '\r']),
            clear: split.clear,
            parts: split.parts.into_iter().map(part).collect(),
            hidden,
        }
    }
}

impl Words {
    /// Those of a command as the shell reads it.
    fn of_part<'w>(words: impl Iterator<Item = &'w str> + Clone, fed: bool) -> Self {
        let unclear = names::is_unclear(words.clone().skip_while(|word| is_assignment(word)), fed);
        let loose = Self::new(words);
        Self { unclear: unclear || loose.unclear, ..loose }
    }

    /// Those of a text that may be a command or not: only its first word may be computed.
    fn new<'w>(words: impl Iterator<Item = &'w str>) -> Self {
        // Nearly all have one.
        let starts = Vec::with_capacity(1);
        let mut found = Self { text: String::new(), starts, unclear: false };
        let mut wraps = true;
        for (index, word) in words.skip_while(|word| is_assignment(word)).enumerate() {
            if index > 0 {
                found.text.push(' ');
            }
            let base = base_name(word);
            if wraps {
                let start = found.text.len();
                found.starts.push((start, start + word.len() - base.len()));
            }
            if index == 0 {
                found.unclear = is_computed(word);
                wraps = WRAPPERS.contains(&base);
            }
            found.text.push_str(word);
        }
        found
    }

    /// Every text that may be a command, the longest first.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        self.starts.iter().flat_map(|(start, base)| {
            let below = (base != start).then(|| self.text.get(*base..)).flatten();
            self.text.get(*start..).into_iter().chain(below)
        })
    }
}

/// The command lines of a call, taken apart; `None` where there is none, or one that is no text.
pub(in super::super) fn lines(arguments: &Value) -> Option<Vec<Line>> {
    Some(texts(arguments)?.iter().map(|line| Line::new(line)).collect())
}

/// The command lines of a call.
pub(super) fn texts(arguments: &Value) -> Option<Vec<Cow<'_, str>>> {
    let mut found = Vec::new();
    for value in ARGUMENTS.iter().filter_map(|name| arguments.get(name)) {
        let line = match value {
            Value::String(text) => Cow::Borrowed(text.as_str()),
            Value::Array(words) => {
                let words = words.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
                Cow::Owned(line_of(&words))
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

/// Whether the name of a command is computed.
pub(super) fn is_computed(name: &str) -> bool {
    name.contains(['$', '`', '*', '?', '[', '{']) && !matches!(name, "{" | "[" | "[[")
}

pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

pub(super) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for (index, word) in words.enumerate() {
        if index > 0 {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// The words of a text with one space between.
pub(super) fn one_spaced(text: &str) -> String {
    join(text.split_whitespace())
}

/// Everything that may be a command, quotes and brackets taken as ends.
fn loose_parts(line: &str) -> Vec<Words> {
    line.split([';', '&', '|', '\n', '(', ')', '`', '\'', '"', '{', '}', '<', '>', '#', '$', '\\'])
        .map(|part| Words::new(part.split_whitespace()))
        .filter(|words| !words.starts.is_empty())
        .collect()
}

/// The commands of the texts that these give to a shell, as it reads them.
fn add_given(parts: &[Vec<Word>], depth: usize, found: &mut Vec<Words>) {
    let takes_text = |part: &&Vec<Word>| names::takes_text(&part.iter().map(|word| word.plain.as_str()));
    let is_text = |word: &&Word| word.plain.contains(NOT_IN_NAMES);
    for text in parts.iter().filter(takes_text).flatten().filter(is_text) {
        let given = Split::new(&text.plain).parts;
        let fed = text.plain.contains("<<");
        let words = |part: &Vec<Word>| Words::of_part(part.iter().map(|word| word.plain.as_str()), fed);
        found.extend(given.iter().map(words));
        if depth < MAX_TEXTS {
            add_given(&given, depth + 1, found);
        }
    }
}

/// The texts within a word that are substituted: those of `$(...)` to the bracket that closes it, and all between
/// backticks. One within another is part of it.
pub(super) fn substituted(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let brackets = std::iter::from_fn(move || {
        let (_, inner) = rest.split_once("$(")?;
        let mut open = 1_usize;
        let closes = |letter: char| {
            match letter {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            open == 0
        };
        let (inner, behind) = inner.split_at(inner.find(closes).unwrap_or(inner.len()));
        rest = behind;
        Some(inner)
    });
    brackets.chain(text.split('`').skip(1).step_by(2))
}

/// A word as it is written, and without its quotes.
#[derive(Debug, Default, Clone)]
pub(super) struct Word {
    pub(super) written: String,
    pub(super) plain: String,
}

/// A command line taken apart.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) parts: Vec<Vec<Word>>,
    /// Whether nothing in it hides a further command.
    pub(super) clear: bool,
}

impl Split {
    pub(super) fn new(line: &str) -> Self {
        let mut splitter =
            Splitter { parts: Vec::new(), words: Vec::new(), word: None, clear: true, substitutes: false };
        splitter.run(line);
        Self { parts: splitter.parts, clear: splitter.clear }
    }
}

struct Splitter {
    parts: Vec<Vec<Word>>,
    words: Vec<Word>,
    word: Option<Word>,
    clear: bool,
    /// Whether it is between backticks.
    substitutes: bool,
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
                '`' => self.backtick(),
                '(' | ')' => {
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

    /// What a substitution becomes is computed: with its backtick a word says so. It may become nothing as well.
    fn backtick(&mut self) {
        self.clear = false;
        if !self.substitutes {
            let mut word = self.word.clone().unwrap_or_default();
            word.written.push('`');
            word.plain.push('`');
            self.parts.push(self.words.iter().cloned().chain([word]).collect());
        }
        self.substitutes = !self.substitutes;
        self.end_part();
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
