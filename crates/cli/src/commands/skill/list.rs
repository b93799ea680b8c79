//! `skill list`.

use clap::Args;
use serde_json::{Value, json};

use super::ScopeArg;
use crate::client::{Request, Skill, api};
use crate::exit::Outcome;
use crate::output::Table;
use crate::session::Session;

/// Which skills to list.
#[derive(Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct ListArgs {
    /// Only with all these words in name, title, description or tags
    #[arg(long, value_name = "WORDS")]
    q: Option<String>,
    /// Only with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only in this status: draft, pending_approval, active, rejected or archived
    #[arg(long)]
    status: Option<String>,
    /// Only those that are on (true) or off (false)
    #[arg(long, value_name = "BOOL")]
    enabled: Option<bool>,
    /// Only of this origin, such as user, learned or imported
    #[arg(long)]
    origin: Option<String>,
    /// Only in this scope
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Only in the scopes of this agent
    #[arg(long, value_name = "AGENT")]
    owner_agent: Option<String>,
    /// Only in the scopes of this user
    #[arg(long, value_name = "HANDLE")]
    owner: Option<String>,
    /// Only with this facet: instructions, procedure or policy
    #[arg(long)]
    facet: Option<String>,
    /// Only what waits for a decision
    #[arg(long)]
    waiting: bool,
    /// Only what was deleted and can be brought back
    #[arg(long)]
    deleted: bool,
    /// Only what an agent would get: usable, and the nearest of its name
    #[arg(long)]
    nearest: bool,
    /// In this order: name, updated or created
    #[arg(long, default_value = "name")]
    sort: String,
    /// At most so many; all when left out
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
}

impl ListArgs {
    fn request(&self) -> Request {
        let flag = |on: bool| on.then_some("true");
        let enabled = self.enabled.map(|on| on.to_string());
        api("GET", &["skills"])
            .query("q", self.q.as_deref())
            .query("tag", self.tag.as_deref())
            .query("status", self.status.as_deref())
            .query("enabled", enabled.as_deref())
            .query("origin", self.origin.as_deref())
            .query("scope", self.scope.map(ScopeArg::word))
            .query("agent", self.owner_agent.as_deref())
            .query("user", self.owner.as_deref())
            .query("facet", self.facet.as_deref())
            .query("waiting", flag(self.waiting))
            .query("deleted", flag(self.deleted))
            .query("nearest", flag(self.nearest))
            .query("sort", Some(&self.sort))
    }

    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let items = session.work(async |client| client.all(self.request(), self.limit).await).await?;
        if items.is_empty() && !session.output.json {
            session.output.note("nothing to show; `repertoire import DIR` brings skills in");
            return Ok(());
        }
        show(session, &items)
    }
}

fn show(session: &Session, items: &[Value]) -> Outcome {
    session.output.result(&json!({"items": items}), || {
        let mut table = Table::new(&["name", "rev", "status", "scope", "updated", "description"]);
        for skill in items.iter().filter_map(|item| serde_json::from_value::<Skill>(item.clone()).ok()) {
            let updated = skill.updated_at.get(..10).unwrap_or_default().to_owned();
            let state = skill.state();
            table.row([
                skill.name,
                skill.revision.to_string(),
                state,
                skill.scope.kind,
                updated,
                skill.description,
            ]);
        }
        session.output.table(&table)
    })
}
