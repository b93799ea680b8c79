//! `repertoire connect undo`.

use clap::Args;
use serde_json::json;

use super::changes::{Changes, Consent};
use super::shelf::{Plan, Shelf};
use super::{HOSTS, ScopeArgs, settings, skills};
use crate::commands::hook;
use crate::exit::{Failure, Outcome};
use crate::hosts::{ToolHost, leads_to_us};
use crate::session::Session;

/// What to take back.
#[derive(Args)]
pub(crate) struct UndoArgs {
    /// The host: claude-code, codex, gemini, cursor or vscode
    #[arg(value_name = "HOST", value_parser = HOSTS, hide_possible_values = true)]
    host: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only the entry of this name; hooks and skills stay
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Remove also skills that someone changed
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    consent: Consent,
}

impl UndoArgs {
    pub(super) fn run(self, session: &Session) -> Outcome {
        let host = ToolHost::ALL.into_iter().find(|host| host.as_str() == self.host);
        let host = host.ok_or_else(|| Failure::usage(format!("`{}` is no host we know", self.host)))?;
        let reach = self.scope.reach();
        let mut changes = Changes::default();
        let place = settings(host, reach)?;
        let mut names = Vec::new();
        if let Some(place) = &place {
            changes.edits.change(place, |text| {
                let Some(text) = text else { return Ok(None) };
                let ours = host.form().list(text)?.into_iter().filter(|(_, entry)| leads_to_us(entry));
                names.extend(
                    ours.map(|(name, _)| name)
                        .filter(|name| self.name.as_ref().is_none_or(|one| one == name)),
                );
                let mut rest = Some(text.to_owned());
                for name in &names {
                    rest = rest.map(|rest| host.form().take(&rest, name)).transpose()?.flatten();
                }
                Ok(rest)
            })?;
        }
        if self.name.is_none() {
            hook::uninstall(host.hooks(), reach, &mut changes.edits)?;
            let folder = Shelf::open(skills(host, reach)?)?;
            changes.shelves.extend(folder.plan_undo(host.as_str(), self.force)?);
        }
        let question = format!("Disconnect {}?", host.title());
        let made = changes.make(session.output, &self.consent, &question)?;
        let value = json!({
            "host": host.as_str(), "scope": reach.as_str(), "names": names, "file": place.map(|place| place.shown()),
            "changed": made.is_change(), "dry_run": self.consent.dry_run,
            "skills": changes.shelves.first().map(Plan::json),
        });
        session.output.result(&value, || {
            made.say(
                &format!("{} is no longer connected; restart it", host.title()),
                &format!("{} is not connected", host.title()),
            )
        })?;
        if made.is_done() {
            changes.say_notes(session.output);
        }
        Ok(())
    }
}
