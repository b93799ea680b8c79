//! Changes to settings and skills: shown, agreed to, made.

use clap::Args;

use super::shelf::Plan;
use crate::exit::Outcome;
use crate::hosts::Edits;
use crate::output::{Output, text};

/// Whether to ask.
#[derive(Args)]
pub(super) struct Consent {
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    pub(super) yes: bool,
}

/// What is to be changed.
#[derive(Default)]
pub(super) struct Changes {
    pub(super) edits: Edits,
    pub(super) shelves: Vec<Plan>,
}

/// What came of it.
pub(super) enum Made {
    /// There was nothing to do.
    Nothing,
    /// It was only shown, as this text.
    Shown(String),
    /// Nobody wanted it.
    Declined,
    /// It is done.
    Done,
}

impl Changes {
    /// Shows the changes, asks, and makes them.
    pub(super) fn make(&self, output: Output, consent: &Consent, question: &str) -> Outcome<Made> {
        if self.edits.is_empty() && self.shelves.iter().all(Plan::is_empty) {
            return Ok(Made::Nothing);
        }
        // The files are of others, and may hold anything.
        let shown = text(&self.shown());
        if consent.dry_run {
            return Ok(Made::Shown(shown));
        }
        output.note(shown.trim_end());
        if !consent.yes && !output.confirm(question)? {
            return Ok(Made::Declined);
        }
        self.edits.write()?;
        self.shelves.iter().try_for_each(Plan::apply)?;
        Ok(Made::Done)
    }

    /// Says what a person should know afterwards.
    pub(super) fn say_notes(&self, output: Output) {
        for note in self.shelves.iter().flat_map(Plan::notes) {
            output.note(&format!("note: {note}"));
        }
    }

    fn shown(&self) -> String {
        let shelves: String = self.shelves.iter().map(Plan::shown).collect();
        self.edits.difference() + &shelves
    }
}

impl Made {
    /// Whether anything is, or would be, different.
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Self::Shown(_) | Self::Done)
    }

    /// Whether things are now as they were to be.
    pub(super) fn is_done(&self) -> bool {
        matches!(self, Self::Nothing | Self::Done)
    }

    /// What to say about it.
    pub(super) fn say(&self, done: &str, nothing: &str) -> String {
        match self {
            Self::Nothing => nothing.to_owned(),
            Self::Shown(shown) => shown.clone(),
            Self::Declined => "nothing was changed".to_owned(),
            Self::Done => done.to_owned(),
        }
    }
}
