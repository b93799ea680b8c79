//! Findings: what a reader noticed, how grave it is, and where.

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// It must change.
    Error,
    /// It works here, and may not elsewhere.
    Warning,
    /// Worth knowing.
    Info,
}

impl Level {
    /// The level as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing a reader noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How grave it is.
    pub level: Level,
    /// A stable word for programs, in snake case.
    pub code: &'static str,
    /// For people: lower case, no full stop, says what to do.
    pub message: String,
    /// The file it is about.
    pub file: Option<String>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
}

impl Finding {
    /// A finding that must change.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Error, code, message: message.into(), file: None, line: None }
    }

    /// A finding that may matter elsewhere.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Warning, ..Self::error(code, message) }
    }

    /// A finding worth knowing.
    pub fn info(code: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Info, ..Self::error(code, message) }
    }

    /// The same finding, about this file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same finding, on this line.
    #[must_use]
    pub fn at(mut self, line: u32) -> Self {
        self.line = Some(line);
        self
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}[{}]", self.level, self.code)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, " {file}:{line}")?,
            (Some(file), None) => write!(f, " {file}")?,
            (None, _) => {}
        }
        write!(f, ": {}", self.message)
    }
}

/// A stranger's text short enough for a message.
pub(crate) fn shown(text: &str) -> String {
    const MAX: usize = 80;
    let mut short: String = text.chars().take(MAX).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MAX).is_some() {
        short.push('…');
    }
    short
}
