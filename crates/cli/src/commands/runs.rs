//! `repertoire runs`: what was executed, and what came of it.

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::moments::moment_of;
use super::run::duration;
use super::skill::{moment, text_of};
use crate::client::{Client, Pick, Reference, Request, api, find_skill};
use crate::exit::Outcome;
use crate::output::{Output, Table, count, line, size, text};
use crate::session::Session;

/// What to do with the history of runs.
#[derive(Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show the record of a run
    Show {
        /// Which: its id
        run: String,
    },
    /// Show how a skill does: in all, and each revision
    Stats {
        /// Which skill: NAME or ID
        skill: Reference,
    },
    /// Forget runs from before a moment
    Prune(PruneArgs),
}

/// Which runs.
#[derive(Args)]
pub(crate) struct ListArgs {
    /// Only of this skill: NAME or ID
    skill: Option<Reference>,
    /// Only those that failed
    #[arg(long)]
    failed: bool,
    /// Only those that failed with this code, such as time_limit
    #[arg(long, value_name = "CODE")]
    error: Option<String>,
    /// Only what this user ran
    #[arg(long, value_name = "HANDLE")]
    by: Option<String>,
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

/// Which runs to forget.
#[derive(Args)]
#[group(required = true, multiple = false)]
pub(crate) struct PruneArgs {
    /// Those from before this moment: a date, or a moment as in RFC 3339
    #[arg(long, value_name = "MOMENT")]
    before: Option<String>,
    /// Those that are older than so many days
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
}

impl RunsCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List(args) => {
                let limit = args.limit;
                let items = session
                    .work(async |client| {
                        let request = args.request(client).await?;
                        client.all(request, Some(limit)).await
                    })
                    .await?;
                output.result(&json!({"items": items}), || list(output, &items))
            }
            Self::Show { run } => {
                let run = session.work(async |client| client.json(api("GET", &["runs", &run])).await).await?;
                output.result(&run, || describe(&run))
            }
            Self::Stats { skill } => {
                let statistics = session
                    .work(async |client| {
                        let found = find_skill(client, skill.whole()?, Pick::Nearest).await?;
                        client.json(api("GET", &["skills", &found.id, "statistics"])).await
                    })
                    .await?;
                output.result(&statistics, || statistics_table(output, &statistics))
            }
            Self::Prune(args) => {
                let request = api("POST", &["runs", "prune"]).json(json!({"before": args.before()?}));
                let done = session.work(async |client| client.json(request).await).await?;
                let removed = done.get("removed").and_then(Value::as_u64).unwrap_or_default();
                output.result(&done, || format!("forgot {}", count(removed, "run")))
            }
        }
    }
}

impl ListArgs {
    async fn request(&self, client: &Client) -> Outcome<Request> {
        let skill = match &self.skill {
            Some(skill) => Some(find_skill(client, skill.whole()?, Pick::Nearest).await?.id),
            None => None,
        };
        let since = self.since.as_deref().map(moment_of).transpose()?;
        let until = self.until.as_deref().map(moment_of).transpose()?;
        Ok(api("GET", &["runs"])
            .query("skill_id", skill.as_deref())
            .query("user_id", self.by.as_deref())
            .query("status", self.failed.then_some("failed"))
            .query("error_code", self.error.as_deref())
            .query("since", since.as_deref())
            .query("until", until.as_deref()))
    }
}

impl PruneArgs {
    fn before(&self) -> Outcome<String> {
        if let Some(text) = &self.before {
            return moment_of(text);
        }
        moment_of(&format!("{}d", self.older_than.unwrap_or_default()))
    }
}

fn list(output: Output, items: &[Value]) -> String {
    if items.is_empty() {
        return "no runs".to_owned();
    }
    let mut table = Table::new(&["id", "when", "took", "outcome", "skill"]);
    for item in items {
        let revision = item.get("revision").and_then(Value::as_u64).unwrap_or_default();
        table.row([
            text_of(item, "id"),
            moment(&text_of(item, "started_at")),
            duration(item.get("duration_ms").and_then(Value::as_f64).unwrap_or_default()),
            outcome(item),
            format!("{}@{revision}", text_of(item, "skill_name")),
        ]);
    }
    output.table(&table)
}

/// `succeeded`, or the code of the error.
fn outcome(run: &Value) -> String {
    let code = run.pointer("/error/code").and_then(Value::as_str).map(str::to_owned);
    code.unwrap_or_else(|| text_of(run, "status"))
}

fn describe(run: &Value) -> String {
    let mut lines = Vec::new();
    let mut put = |label: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{label:<13}{}", text(&value)));
        }
    };
    let number = |key: &str| run.get(key).and_then(Value::as_f64);
    let revision = run.get("revision").and_then(Value::as_u64).unwrap_or_default();
    put("id", text_of(run, "id"));
    put("skill", format!("{}@{revision}", line(&text_of(run, "skill_name"))));
    put("status", text_of(run, "status"));
    if let Some(error) = run.get("error").filter(|error| error.is_object()) {
        let place = error.get("line").and_then(Value::as_u64).map(|line| format!(", line {line}"));
        put("error", format!("{} [{}]", line(&text_of(error, "message")), line(&text_of(error, "code"))));
        put("type", format!("{}{}", line(&text_of(error, "type")), place.unwrap_or_default()));
    }
    put("started", text_of(run, "started_at"));
    put("took", number("duration_ms").map(duration).unwrap_or_default());
    put("processor", number("cpu_ms").map(duration).unwrap_or_default());
    put("memory", run.get("memory_bytes").and_then(Value::as_u64).map(size).unwrap_or_default());
    let limits = run.get("limits_hit").and_then(Value::as_array).cloned().unwrap_or_default();
    put("limits hit", limits.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "));
    put("user", text_of(run, "user_id"));
    put("agent", text_of(run, "agent_id"));
    put("parameters", run.get("parameters").map(|given| line(&given.to_string())).unwrap_or_default());
    put("output", text_of(run, "output_digest"));
    lines.join("\n")
}

fn statistics_table(output: Output, statistics: &Value) -> String {
    let mut table = Table::new(&["revision", "runs", "failed", "success", "recently", "mean", "last used"]);
    let mut row = |name: String, one: &Value, mean: Option<&Value>| {
        let number = |keys: [&str; 2]| {
            let found = keys.iter().find_map(|key| one.get(key).and_then(Value::as_u64));
            found.unwrap_or_default().to_string()
        };
        let share = |key: &str| {
            let share = one.get(key).and_then(Value::as_f64);
            share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", share * 100.0))
        };
        let mean = mean.and_then(Value::as_f64);
        table.row([
            name,
            number(["executions", "execution_count"]),
            number(["failures", "failure_count"]),
            share("success_rate"),
            share("recent_success_rate"),
            mean.map_or_else(|| "-".to_owned(), duration),
            moment(&text_of(one, "last_used_at")),
        ]);
    };
    for one in statistics.get("revisions").and_then(Value::as_array).into_iter().flatten() {
        let revision = one.get("revision").and_then(Value::as_u64).unwrap_or_default();
        row(revision.to_string(), one, one.get("mean_duration_ms"));
    }
    if let Some(total) = statistics.get("total") {
        row("all".to_owned(), total, statistics.get("mean_duration_ms"));
    }
    output.table(&table)
}
