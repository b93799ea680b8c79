//! `policy explain`: what would be decided and why, or why something was decided.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use super::super::run::named_values;
use super::super::skill::text_of;
use super::decision;
use super::people::People;
use crate::client::{Client, Request, api};
use crate::exit::{Failure, Outcome};
use crate::output::{Output, Paint, Table, line, text};
use crate::session::Session;

pub(super) const EXAMPLES: &str = "Examples:
  repertoire policy explain --task \"review this change\"
  repertoire policy explain --task \"review\" --tool Bash --arguments '{\"command\": \"rm -rf build\"}'
  repertoire policy explain --task \"deploy\" --context environment=production --agent coder
  repertoire policy explain 01999999-9999-7999-8999-999999999999    a decision of `policy log`";

/// What to explain.
#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// Why was this decided: the id of a decision
    #[arg(value_name = "DECISION", conflicts_with_all = ["task", "context", "context_file", "tool", "for_user"])]
    decision: Option<String>,
    /// What would be decided: the task, as an agent would be asked
    #[arg(long, value_name = "TEXT", required_unless_present_any = ["decision", "tool"])]
    task: Option<String>,
    /// What the agent knows beside it: NAME=VALUE, NAME=@FILE or NAME:=JSON; repeat for more
    #[arg(long, value_name = "VALUE")]
    context: Vec<String>,
    /// The same from a JSON file; - is standard input
    #[arg(long, value_name = "FILE")]
    context_file: Option<PathBuf>,
    /// A tool whose call is judged
    #[arg(long)]
    tool: Option<String>,
    /// The arguments of that call, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    arguments: Option<String>,
    /// The steps that the run has taken before
    #[arg(long, value_name = "COUNT", requires = "tool")]
    steps: Option<u32>,
    /// The seconds since the run began
    #[arg(long, value_name = "SECONDS", requires = "tool")]
    elapsed: Option<u32>,
    /// For this user instead of yourself; for admins and policy admins
    #[arg(long = "for", value_name = "HANDLE")]
    for_user: Option<String>,
}

impl ExplainArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        if let Some(id) = &self.decision {
            let (found, people) = session.work(async |client| read(client, id).await).await?;
            return output.result(&found, || decision::describe(output, &found, &people));
        }
        let request = self.request()?;
        let found = session.work(async |client| client.json(request).await).await?;
        output.result(&found, || show(output, &found))
    }

    /// The agent is the one that the caller acts through.
    fn request(&self) -> Outcome<Request> {
        let context = named_values(self.context_file.as_deref(), &self.context, &Value::Null)?;
        let usage = json!({
            "steps": self.steps.unwrap_or_default(),
            "elapsed_ms": u64::from(self.elapsed.unwrap_or_default()) * 1000,
        });
        let parts = [
            ("task", self.task.as_deref().map(Value::from)),
            ("context", Some(Value::Object(context))),
            ("user", self.for_user.as_deref().map(Value::from)),
            ("tool", self.tool.as_deref().map(Value::from)),
            ("arguments", self.arguments.as_deref().map(arguments).transpose()?.map(Value::Object)),
            ("usage", self.tool.as_ref().map(|_| usage)),
        ];
        let body: Map<_, _> =
            parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        Ok(api("POST", &["governance", "explain"]).json(Value::Object(body)))
    }
}

fn arguments(text: &str) -> Outcome<Map<String, Value>> {
    serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("--arguments is not a JSON object: {error}"))
            .hint("write it like '{\"path\": \"a.txt\"}'")
    })
}

async fn read(client: &Client, id: &str) -> Outcome<(Value, People)> {
    let found = client.json(api("GET", &["governance", "decisions", id])).await?;
    Ok((found, People::of(client).await))
}

fn show(output: Output, found: &Value) -> String {
    let items = |key: &str| found.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    let active = items("active");
    if active.is_empty() {
        lines.push("no policy is active".to_owned());
    } else {
        let mut table = Table::new(&["active policy", "priority", "revision", "name"]);
        for one in &active {
            let number = |key: &str| one.get(key).map(ToString::to_string).unwrap_or_default();
            table.row([text_of(one, "id"), number("priority"), number("revision"), text_of(one, "name")]);
        }
        lines.push(output.table(&table));
    }
    let policies = items("policies");
    let idle = policies.iter().filter(|one| one.get("active").and_then(Value::as_bool) == Some(false));
    let idle: Vec<String> = idle.map(|one| line(&text_of(one, "id"))).collect();
    if !idle.is_empty() {
        lines.push(format!("not active: {}", idle.join(", ")));
    }
    lines.push(String::new());
    lines.push(output.bold("why"));
    lines.extend(items("reasons").iter().filter_map(Value::as_str).map(|one| format!("  {}", line(one))));
    let planning = text_of(found, "planning");
    if !planning.is_empty() {
        lines.extend([String::new(), output.bold("added to planning")]);
        lines.extend(text(&planning).lines().map(|one| format!("  {one}")));
    }
    if let Some(verdict) = found.get("verdict").filter(|verdict| verdict.is_object()) {
        lines.push(String::new());
        lines.extend(verdict_lines(output, verdict));
    }
    lines.join("\n")
}

/// A verdict, and why not if not.
fn verdict_lines(output: Output, verdict: &Value) -> Vec<String> {
    let tool = line(&text_of(verdict, "tool"));
    if verdict.get("allowed").and_then(Value::as_bool) == Some(true) {
        return vec![format!("{} {tool}", output.paint(Paint::Green, "allowed"))];
    }
    let cause = text_of(verdict, "cause");
    let mut lines = vec![
        format!("{} {tool} [{}]", output.paint(Paint::Red, "denied"), line(&cause)),
        format!("  {}", line(&denial_reason(verdict))),
    ];
    for check in verdict.get("failed_checks").and_then(Value::as_array).into_iter().flatten() {
        let number = check.get("number").and_then(Value::as_u64).unwrap_or_default();
        let error = match text_of(check, "error") {
            error if error.is_empty() => String::new(),
            error => format!(": {error}"),
        };
        let (policy, name) = (text_of(check, "policy"), text_of(check, "name"));
        lines.push(format!("  {}", line(&format!("validator {number} of {policy}, {name}{error}"))));
    }
    lines
}

/// The reason of a verdict that denies; empty of one that allows.
pub(super) fn denial_reason(verdict: &Value) -> String {
    verdict.get("metadata").map(|metadata| text_of(metadata, "denial_reason")).unwrap_or_default()
}
