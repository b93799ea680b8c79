//! `skill delete` and `skill undelete`.

use clap::Args;
use serde_json::json;

use super::Names;
use super::review::find_all;
use crate::client::{Client, Pick, Skill, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::line;
use crate::session::Session;

/// What to delete.
#[derive(Args)]
pub(crate) struct DeleteArgs {
    /// Which: NAME or ID
    #[arg(value_name = "SKILL", required_unless_present = "all")]
    skills: Vec<crate::client::Reference>,
    /// Every skill you can see
    #[arg(long, conflicts_with = "skills")]
    all: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Why; kept in the audit log
    #[arg(short, long)]
    reason: Option<String>,
}

impl DeleteArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        let mut found = session.work(async |client| self.find(client).await).await?;
        // Nobody waits for the library while someone thinks.
        let question = match found.as_slice() {
            [one] => {
                format!("Delete `{}` ({} scope) with all its revisions?", line(&one.name), one.scope.kind)
            }
            many => format!("Delete {} skills with all their revisions?", many.len()),
        };
        if self.yes || output.confirm(&question)? {
            session
                .work(async |client| {
                    for skill in &found {
                        let request = api("DELETE", &["skills", &skill.id]);
                        client.send(request.query("reason", self.reason.as_deref())).await?;
                    }
                    Ok(())
                })
                .await?;
        } else {
            found.clear();
        }
        let deleted = found;
        let list: Vec<_> = deleted.iter().map(|skill| json!({"id": skill.id, "name": skill.name})).collect();
        output.result(&json!({"deleted": list}), || match deleted.as_slice() {
            [] => "nothing was deleted".to_owned(),
            many => many
                .iter()
                .map(|skill| format!("deleted `{}`", line(&skill.name)))
                .collect::<Vec<_>>()
                .join("\n"),
        })
    }
}

impl DeleteArgs {
    async fn find(&self, client: &Client) -> Outcome<Vec<Skill>> {
        let found: Vec<Skill> = if self.all {
            let items = client.all(api("GET", &["skills"]), None).await?;
            items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect()
        } else {
            find_all(client, &Names { skills: self.skills.clone() }).await?
        };
        if found.is_empty() { Err(Failure::not_found("there is no skill to delete")) } else { Ok(found) }
    }
}

/// Brings deleted skills back.
pub(super) async fn undelete(session: &Session, names: &Names) -> Outcome {
    let back = session
        .work(async |client| {
            let mut back = Vec::new();
            for name in &names.skills {
                let skill = find_skill(client, name.whole()?, Pick::Deleted).await.map_err(|failure| {
                    failure.hint("a workspace keeps deleted skills only after `repertoire workspace set --undelete-window HOURS`")
                })?;
                back.push(client.json(api("POST", &["skills", &skill.id, "undelete"])).await?);
            }
            Ok(back)
        })
        .await?;
    session.output.result(&json!({"items": back}), || {
        let told = back.iter().map(|skill| format!("`{}` is back", line(&super::text_of(skill, "name"))));
        told.collect::<Vec<_>>().join("\n")
    })
}
