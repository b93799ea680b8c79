//! `repertoire analytics`: how the library is used.

use clap::Args;
use serde_json::Value;

use super::moments::day_of;
use super::run::duration;
use super::skill::{moment, text_of};
use crate::client::api;
use crate::exit::Outcome;
use crate::output::{Output, Table, count, line};
use crate::session::Session;

/// Which uses.
#[derive(Args)]
pub(crate) struct AnalyticsArgs {
    /// From this day on, in UTC: a date, or how long ago (7d); 30 days in all when left out
    #[arg(long, value_name = "DAY")]
    since: Option<String>,
    /// Until this day; today when left out
    #[arg(long, value_name = "DAY")]
    until: Option<String>,
    /// Only what was done through this agent
    #[arg(long, value_name = "AGENT")]
    through: Option<String>,
    /// Only what this user did
    #[arg(long, value_name = "HANDLE")]
    by: Option<String>,
}

impl AnalyticsArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let since = self.since.as_deref().map(day_of).transpose()?;
        let until = self.until.as_deref().map(day_of).transpose()?;
        let request = api("GET", &["analytics"])
            .query("since", since.as_deref())
            .query("until", until.as_deref())
            .query("agent", self.through.as_deref())
            .query("user", self.by.as_deref());
        let seen = session.work(async |client| client.json(request).await).await?;
        session.output.result(&seen, || describe(session.output, &seen))
    }
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// `90 %`, or a dash where there is nothing to share.
fn share(part: u64, whole: u64) -> String {
    let rounded = (part * 100 + whole / 2).checked_div(whole);
    rounded.map_or_else(|| "-".to_owned(), |percent| format!("{percent} %"))
}

fn describe(output: Output, seen: &Value) -> String {
    let nothing = Value::Null;
    let totals = seen.get("totals").unwrap_or(&nothing);
    let of = |key| number(totals, key);
    #[allow(clippy::cast_precision_loss)] // three digits are shown
    let ran = duration(of("run_ms_total") as f64);
    let lines = [
        ("days", format!("{} to {}, in UTC", text_of(seen, "since"), text_of(seen, "until"))),
        (
            "skills",
            format!(
                "{}: {} active, {}, {} pending; {} used",
                of("skills"),
                of("active"),
                count(of("draft"), "draft"),
                of("pending"),
                of("used_skills")
            ),
        ),
        (
            "uses",
            format!(
                "{}: {} failed, {} succeeded",
                of("uses"),
                of("failures"),
                share(of("successes"), of("uses"))
            ),
        ),
        ("runs", format!("{}, {ran} in all", of("runs"))),
    ];
    let mut parts = vec![lines.map(|(label, value)| format!("{label:<9}{}", line(&value))).join("\n")];
    for (title, key) in [("Used most", "top"), ("Failing", "failing")] {
        parts.extend(section(title, items(seen, key), |items| used(output, items)));
    }
    parts.extend(section("Without a use", items(seen, "unused"), |items| unused(output, items)));
    parts.extend(section("Through agents", items(seen, "agents"), |items| agents(output, items)));
    parts.join("\n\n")
}

fn section(title: &str, items: &[Value], table: impl FnOnce(&[Value]) -> String) -> Option<String> {
    (!items.is_empty()).then(|| format!("{title}\n{}", table(items)))
}

fn used(output: Output, items: &[Value]) -> String {
    let mut table = Table::new(&["uses", "success", "last used", "skill"]);
    for item in items {
        let uses = number(item, "uses");
        table.row([
            uses.to_string(),
            share(number(item, "successes"), uses),
            moment(&text_of(item, "last_used_at")),
            text_of(item, "name"),
        ]);
    }
    output.table(&table)
}

fn unused(output: Output, items: &[Value]) -> String {
    let mut table = Table::new(&["last used", "created", "skill"]);
    for item in items {
        let last = moment(&text_of(item, "last_used_at"));
        let last = if last.is_empty() { "never".to_owned() } else { last };
        table.row([last, moment(&text_of(item, "created_at")), text_of(item, "name")]);
    }
    output.table(&table)
}

fn agents(output: Output, items: &[Value]) -> String {
    let mut table = Table::new(&["uses", "success", "agent"]);
    for item in items {
        let (id, name, uses) = (text_of(item, "agent_id"), text_of(item, "name"), number(item, "uses"));
        let agent = match (id.is_empty(), name.is_empty()) {
            (true, _) => "(none)".to_owned(),
            (false, true) => id,
            (false, false) => name,
        };
        table.row([uses.to_string(), share(number(item, "successes"), uses), agent]);
    }
    output.table(&table)
}
