//! What a person or a program sees: tables and notes, or JSON.
//!
//! Everything that comes from a skill is hostile: it is escaped here before it reaches a terminal.

mod escape;
mod progress;
mod table;

pub(crate) use escape::{line, text};
pub(crate) use model::counted as count;
pub(crate) use progress::Progress;
pub(crate) use table::Table;

use std::io::{IsTerminal as _, Write as _};

use serde_json::Value;

use crate::exit::{Exit, Failure, Outcome};

/// How to speak.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    pub(crate) json: bool,
    pub(crate) quiet: bool,
    color: bool,
}

#[allow(clippy::unused_self)] // where a command speaks, it has its voice in hand
impl Output {
    pub(crate) fn new(json: bool, quiet: bool, no_color: bool) -> Self {
        let color = !no_color && !json && std::io::stdout().is_terminal() && console::colors_enabled();
        Self { json, quiet, color }
    }

    /// The result of a command: JSON when asked for, else what the closure makes for people.
    pub(crate) fn result(self, value: &Value, people: impl FnOnce() -> String) -> Outcome {
        if self.json { self.json(value) } else { self.print(&people()) }
    }

    /// One JSON document.
    pub(crate) fn json(self, value: &Value) -> Outcome {
        let text =
            serde_json::to_string_pretty(value).map_err(|error| Failure::internal(error.to_string()))?;
        self.print(&escape::json(&text))
    }

    /// Text on standard output, with a line break at its end.
    pub(crate) fn print(self, text: &str) -> Outcome {
        if text.is_empty() {
            return Ok(());
        }
        let ending: &[u8] = if text.ends_with('\n') { b"" } else { b"\n" };
        self.bytes(&[text.as_bytes(), ending].concat())
    }

    /// Bytes on standard output, as they are.
    pub(crate) fn bytes(self, bytes: &[u8]) -> Outcome {
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            // `repertoire … | head` is no failure.
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(Failure::new(
                Exit::Unavailable,
                "file_system",
                format!("cannot write the output: {error}"),
            )),
            _ => Ok(()),
        }
    }

    /// A remark beside the result: on standard error, and not when quiet.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            // Nothing sensible is left to do when standard error is closed.
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }

    /// A table, fitted to the terminal.
    pub(crate) fn table(self, table: &Table) -> String {
        let width = std::io::stdout().is_terminal().then(|| usize::from(console::Term::stdout().size().1));
        table.render(width, self.color)
    }

    /// Emphasis, where colours are welcome.
    pub(crate) fn bold(self, text: &str) -> String {
        if self.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Text in a colour, where colours are welcome.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        if self.color { format!("\u{1b}[{}m{text}\u{1b}[0m", paint as u8) } else { text.to_owned() }
    }

    /// A failure, on standard error.
    pub(crate) fn failure(self, failure: &Failure) {
        let mut out = std::io::stderr().lock();
        let shown = if self.json {
            failure.to_json().to_string()
        } else {
            let color = std::io::stderr().is_terminal() && console::colors_enabled_stderr();
            let word = if color { "\u{1b}[1;31merror:\u{1b}[0m" } else { "error:" };
            let mut lines = vec![format!("{word} {} [{}]", text(&failure.message), line(&failure.code))];
            lines.extend(failure.findings.iter().map(|finding| format!("  - {}", line(finding))));
            lines.extend(failure.hint.iter().map(|hint| format!("hint: {}", text(hint))));
            lines.join("\n")
        };
        // Nothing sensible is left to do when standard error is closed.
        let _ = writeln!(out, "{shown}");
    }

    /// Asks a yes-or-no question; without a terminal the answer is a usage error.
    pub(crate) fn confirm(self, question: &str) -> Outcome<bool> {
        if !std::io::stdin().is_terminal() {
            return Err(
                Failure::usage(format!("{question} There is no terminal to ask on")).hint("pass --yes")
            );
        }
        let mut err = std::io::stderr().lock();
        let _ = write!(err, "{question} [y/N] ");
        let _ = err.flush();
        let mut answer = String::new();
        std::io::stdin()
            .read_line(&mut answer)
            .map_err(|error| Failure::usage(format!("cannot read the answer: {error}")))?;
        Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
    }
}

/// So many bytes, as people say it.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 3] = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = UNITS.iter().find(|(_, shift)| bytes >> shift > 0);
    #[allow(clippy::cast_precision_loss)] // two digits are shown
    unit.map_or_else(
        || count(bytes, "byte"),
        |(name, shift)| format!("{:.1} {name}", bytes as f64 / (1_u64 << shift) as f64),
    )
}

/// Colours by their terminal number.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(crate) enum Paint {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Dim = 2,
}
