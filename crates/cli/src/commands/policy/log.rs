//! `policy log`: the record of decisions.

use clap::Args;
use clap::builder::PossibleValuesParser;
use model::DenialCause;
use serde_json::{Value, json};

use super::super::moments::moment_of;
use super::super::skill::{moment, text_of};
use super::agent;
use super::list::or_dash;
use super::people::People;
use crate::client::{Client, Pick, Reference, Request, api, find_skill};
use crate::exit::Outcome;
use crate::output::{Output, Table};
use crate::session::Session;

pub(super) const EXAMPLES: &str = "Examples:
  repertoire policy log --denied --since 7d          what was refused in a week
  repertoire policy log --agent coder --tool Bash    what one agent wanted of one tool
  repertoire policy log --denied-by no-secrets       what one policy refused
  repertoire policy explain ID                       why, in full";

/// Which decisions.
#[derive(Args)]
pub(crate) struct LogArgs {
    /// Only calls that were denied
    #[arg(long, conflicts_with = "allowed")]
    denied: bool,
    /// Only calls that were allowed
    #[arg(long)]
    allowed: bool,
    /// Only for this user
    #[arg(long, value_name = "HANDLE")]
    by: Option<String>,
    /// Only while the policy of this skill was active: NAME or ID
    #[arg(long, value_name = "SKILL")]
    policy: Option<Reference>,
    /// Only what this policy denied, as reasons call it
    #[arg(long, value_name = "POLICY")]
    denied_by: Option<String>,
    /// Only about this tool
    #[arg(long)]
    tool: Option<String>,
    /// Only denials that rest on this
    #[arg(long, value_parser = PossibleValuesParser::new(DenialCause::ALL.iter().map(|cause| cause.as_str())))]
    cause: Option<String>,
    /// Only asked by this program, such as claude
    #[arg(long)]
    host: Option<String>,
    /// Only in this governed run
    #[arg(long, value_name = "ID")]
    run: Option<String>,
    /// Only from this moment on: a date, a moment as in RFC 3339, or how long ago (30m, 12h, 7d)
    #[arg(long, value_name = "MOMENT")]
    since: Option<String>,
    /// Only before this moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_name = "COUNT")]
    limit: usize,
}

impl LogArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        let (items, people) = session
            .work(async |client| {
                let request = self.request(client, agent(session)).await?;
                Ok((client.all(request, Some(self.limit)).await?, People::of(client).await))
            })
            .await?;
        output.result(&json!({"items": items}), || table(output, &items, &people))
    }

    async fn request(&self, client: &Client, agent: Option<&str>) -> Outcome<Request> {
        let skill = match &self.policy {
            Some(skill) => Some(find_skill(client, skill.whole()?, Pick::Only).await?.id),
            None => None,
        };
        let verdict = match (self.denied, self.allowed) {
            (true, _) => Some("denied"),
            (_, true) => Some("allowed"),
            _ => None,
        };
        let since = self.since.as_deref().map(moment_of).transpose()?;
        let until = self.until.as_deref().map(moment_of).transpose()?;
        Ok(api("GET", &["governance", "decisions"])
            .query("verdict", verdict)
            .query("user", self.by.as_deref())
            .query("agent", agent)
            .query("host", self.host.as_deref())
            .query("run_id", self.run.as_deref())
            .query("policy", skill.as_deref())
            .query("denied_by", self.denied_by.as_deref())
            .query("tool", self.tool.as_deref())
            .query("cause", self.cause.as_deref())
            .query("since", since.as_deref())
            .query("until", until.as_deref()))
    }
}

fn table(output: Output, items: &[Value], people: &People) -> String {
    if items.is_empty() {
        return "no decisions".to_owned();
    }
    let mut table = Table::new(&["id", "when", "decided", "user", "agent", "host", "tool", "why"]);
    for item in items {
        table.row([
            text_of(item, "id"),
            moment(&text_of(item, "at")),
            decided(item).to_owned(),
            people.name(item, "user_id"),
            people.name(item, "agent_id"),
            or_dash(text_of(item, "host")),
            or_dash(text_of(item, "tool")),
            why(item),
        ]);
    }
    output.table(&table)
}

/// `allowed`, `denied`, or `resolved` where no call was judged.
pub(super) fn decided(decision: &Value) -> &'static str {
    match decision.get("allowed").and_then(Value::as_bool) {
        Some(true) => "allowed",
        Some(false) => "denied",
        None => "resolved",
    }
}

/// The reason of a denial, else which policies were active.
fn why(decision: &Value) -> String {
    let reason = text_of(decision, "reason");
    if !reason.is_empty() {
        return reason;
    }
    let policies = decision.get("policies").and_then(Value::as_array).into_iter().flatten();
    let ids: Vec<String> = policies.map(|policy| text_of(policy, "id")).collect();
    if ids.is_empty() { "no policy was active".to_owned() } else { format!("active: {}", ids.join(", ")) }
}
