//! `policy list` and `policy runs`.

use clap::Args;
use serde_json::{Value, json};

use super::super::skill::{moment, text_of};
use super::agent;
use super::people::People;
use crate::client::api;
use crate::exit::Outcome;
use crate::output::{Output, Table};
use crate::session::Session;

/// The policies in force.
pub(super) async fn policies(session: &Session) -> Outcome {
    let request = api("GET", &["governance", "policies"]).query("agent", agent(session));
    let (items, people) =
        session.work(async |client| Ok((client.all(request, None).await?, People::of(client).await))).await?;
    let output = session.output;
    output.result(&json!({"items": items}), || {
        if items.is_empty() {
            return "no policy is in force: nothing is restricted".to_owned();
        }
        output.table(&policy_table(&items, &people))
    })
}

fn policy_table(items: &[Value], people: &People) -> Table {
    let mut table = Table::new(&["policy", "priority", "holds for", "skill", "revision", "state"]);
    for item in items {
        let holds_for = match text_of(item, "scope").as_str() {
            "agent" => format!("agent {}", people.name(item, "agent_id")),
            "user" => format!("user {}", people.name(item, "user_id")),
            "agent_user" => {
                format!("agent {}, user {}", people.name(item, "agent_id"), people.name(item, "user_id"))
            }
            _ => "everybody".to_owned(),
        };
        let state = match text_of(item, "broken") {
            broken if broken.is_empty() => "in force".to_owned(),
            broken => format!("broken, denies every call: {broken}"),
        };
        let number = |key: &str| item.get(key).map(ToString::to_string).unwrap_or_default();
        table.row([
            text_of(item, "id"),
            number("priority"),
            holds_for,
            text_of(item, "skill_id"),
            number("revision"),
            state,
        ]);
    }
    table
}

/// Which governed runs.
#[derive(Args)]
pub(crate) struct RunsArgs {
    /// Only those that go on
    #[arg(long)]
    open: bool,
    /// Only of this user
    #[arg(long, value_name = "HANDLE")]
    by: Option<String>,
    /// Only of this program, such as claude
    #[arg(long)]
    host: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
}

impl RunsArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let request = api("GET", &["governance", "runs"])
            .query("user", self.by.as_deref())
            .query("agent", agent(session))
            .query("host", self.host.as_deref())
            .query("open", self.open.then_some("true"));
        let (items, people) = session
            .work(async |client| Ok((client.all(request, Some(self.limit)).await?, People::of(client).await)))
            .await?;
        let output = session.output;
        output.result(&json!({"items": items}), || run_list(output, &items, &people))
    }
}

fn run_list(output: Output, items: &[Value], people: &People) -> String {
    if items.is_empty() {
        return "no governed runs".to_owned();
    }
    let mut table = Table::new(&["id", "began", "state", "user", "agent", "host", "steps", "denied", "task"]);
    for item in items {
        let number = |key: &str| item.get(key).map(ToString::to_string).unwrap_or_default();
        let state = match (text_of(item, "finished_at").is_empty(), text_of(item, "outcome")) {
            (true, _) => "open".to_owned(),
            (false, outcome) if outcome.is_empty() => "ended".to_owned(),
            (false, outcome) => outcome,
        };
        table.row([
            text_of(item, "id"),
            moment(&text_of(item, "started_at")),
            state,
            people.name(item, "user_id"),
            people.name(item, "agent_id"),
            or_dash(text_of(item, "host")),
            number("steps"),
            number("denied"),
            text_of(item, "task"),
        ]);
    }
    output.table(&table)
}

pub(super) fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}
