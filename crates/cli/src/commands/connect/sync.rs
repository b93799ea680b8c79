//! `repertoire connect sync`.

use clap::Args;
use serde_json::json;

use super::changes::{Changes, Consent, Made};
use super::shelf::{Plan, Shelf, Wish};
use super::{ScopeArgs, library, skills};
use crate::exit::{Failure, Outcome};
use crate::hosts::ToolHost;
use crate::session::Session;

/// What to bring in step.
#[derive(Args)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Replace and remove also what someone changed or made there
    #[arg(long)]
    force: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

impl SyncArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let reach = self.scope.reach();
        // One of each kind of folder.
        let mut shelves = Vec::new();
        for host in [ToolHost::ClaudeCode, ToolHost::Codex] {
            shelves.push(Shelf::open(skills(host, reach)?)?);
        }
        // One of them may be a link to the other.
        shelves.dedup_by(|one, other| one.is_same_folder(other));
        shelves.retain(Shelf::is_kept);
        if shelves.is_empty() {
            return Err(Failure::not_found("there are no skills to bring in step")
                .hint("`repertoire connect HOST --skills` writes them"));
        }
        let wish = Wish { library: library(session)?, host: None, personal: None, force: self.force };
        let plans = session.work(async |client| {
            let mut plans = Vec::new();
            for shelf in shelves {
                plans.push(shelf.plan(client, &wish).await?);
            }
            Ok(plans)
        });
        let changes = Changes { shelves: plans.await?, ..Changes::default() };
        // Nothing of a person's is touched unless they said so on the command line.
        let consent = Consent { dry_run: self.dry_run, yes: true };
        let made = changes.make(session.output, &consent, "")?;
        let folders: Vec<_> = changes.shelves.iter().map(Plan::json).collect();
        let value = json!({"changed": made.is_change(), "dry_run": self.dry_run, "items": folders});
        session.output.result(&value, || {
            made.say(
                "the skills are in step with the library",
                "the skills are in step with the library already",
            )
        })?;
        if !matches!(made, Made::Shown(_)) {
            changes.say_notes(session.output);
        }
        Ok(())
    }
}
