//! A progress bar, where someone watches.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::Output;

/// How far a long command is.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar over so many items; hidden unless a person watches.
    pub(crate) fn new(output: Output, total: usize, doing: &'static str) -> Self {
        let bar = ProgressBar::new(total as u64);
        if output.json || output.quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {human_pos}/{human_len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(doing);
        Self(bar)
    }

    pub(crate) fn add(&self, items: usize) {
        self.0.inc(items as u64);
    }

    pub(crate) fn finish(self) {
        self.0.finish_and_clear();
    }
}
