//! `repertoire session`: what agents did.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use model::SessionOutcome;
use serde_json::{Value, json};

use super::moments::moment_of;
use super::skill::{moment, text_of};
use crate::client::{Request, api};
use crate::exit::Outcome;
use crate::output::{Output, Table, line, text};
use crate::session::Session;

/// How much of arguments and results a line shows.
const GLIMPSE: usize = 200;

/// What to do with sessions.
#[derive(Subcommand)]
pub(crate) enum SessionCommand {
    /// List sessions, newest first
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show a session: what was said, called and made
    Show {
        /// Which: its id
        session: String,
        /// At most so many entries
        #[arg(long, value_name = "COUNT")]
        limit: Option<usize>,
    },
    /// Show the tasks of a session
    Todos {
        /// Which: its id
        session: String,
    },
    /// Remove a session with all that is in it
    #[command(visible_alias = "rm")]
    Delete {
        /// Which: its id
        session: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
}

/// Which sessions.
#[derive(Args)]
pub(crate) struct ListArgs {
    /// Only those that go on
    #[arg(long, conflicts_with = "outcome")]
    open: bool,
    /// Only those that ended so
    #[arg(long, value_parser = PossibleValuesParser::new(SessionOutcome::ALL.iter().map(|outcome| outcome.as_str())))]
    outcome: Option<String>,
    /// Only those of this user
    #[arg(long, value_name = "HANDLE")]
    by: Option<String>,
    /// Only those that came about through this agent
    #[arg(long, value_name = "NAME")]
    through: Option<String>,
    /// Only those in this program, such as claude-code
    #[arg(long, value_name = "PROGRAM")]
    source: Option<String>,
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

impl SessionCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List(args) => {
                let request = args.request()?;
                let items = session.work(async |client| client.all(request, Some(args.limit)).await).await?;
                output.result(&json!({"items": items}), || list(output, &items))
            }
            Self::Show { session: id, limit } => {
                let (mut shown, entries) = session
                    .work(async |client| {
                        let shown = client.json(api("GET", &["sessions", &id])).await?;
                        let entries = client.all(api("GET", &["sessions", &id, "entries"]), limit).await?;
                        Ok((shown, entries))
                    })
                    .await?;
                if let Some(fields) = shown.as_object_mut() {
                    fields.insert("entries".to_owned(), Value::from(entries.clone()));
                }
                output.result(&shown, || describe(output, &shown, &entries))
            }
            Self::Todos { session: id } => {
                let request = api("GET", &["sessions", &id, "todos"]);
                let todos = session.work(async |client| client.json(request).await).await?;
                output.result(&todos, || {
                    let lines = todo_lines(&todos);
                    if lines.is_empty() { "no todos".to_owned() } else { lines.join("\n") }
                })
            }
            Self::Delete { session: id, yes } => {
                if !yes && !output.confirm(&format!("Remove the session `{}`?", line(&id)))? {
                    return Ok(());
                }
                session.work(async |client| client.send(api("DELETE", &["sessions", &id])).await).await?;
                output.result(&json!({"removed": id}), || format!("removed the session `{}`", line(&id)))
            }
        }
    }
}

impl ListArgs {
    fn request(&self) -> Outcome<Request> {
        let since = self.since.as_deref().map(moment_of).transpose()?;
        let until = self.until.as_deref().map(moment_of).transpose()?;
        Ok(api("GET", &["sessions"])
            .query("open", self.open.then_some("true"))
            .query("outcome", self.outcome.as_deref())
            .query("user", self.by.as_deref())
            .query("agent", self.through.as_deref())
            .query("source", self.source.as_deref())
            .query("since", since.as_deref())
            .query("until", until.as_deref()))
    }
}

fn outcome(session: &Value) -> String {
    let outcome = text_of(session, "outcome");
    if outcome.is_empty() { "goes on".to_owned() } else { outcome }
}

fn list(output: Output, items: &[Value]) -> String {
    if items.is_empty() {
        return "no sessions".to_owned();
    }
    let mut table = Table::new(&["id", "when", "entries", "outcome", "source", "title"]);
    for item in items {
        let source = text_of(item, "source");
        table.row([
            text_of(item, "id"),
            moment(&text_of(item, "created_at")),
            item.get("entry_count").and_then(Value::as_u64).unwrap_or_default().to_string(),
            outcome(item),
            if source.is_empty() { "-".to_owned() } else { source },
            text_of(item, "title"),
        ]);
    }
    output.table(&table)
}

fn describe(output: Output, session: &Value, entries: &[Value]) -> String {
    let mut lines = Vec::new();
    let mut put = |label: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{label:<10}{}", line(&value)));
        }
    };
    put("id", text_of(session, "id"));
    put("title", text_of(session, "title"));
    put("source", text_of(session, "source"));
    put("key", text_of(session, "key"));
    put("user", text_of(session, "user_id"));
    put("agent", text_of(session, "agent_id"));
    put("began", text_of(session, "created_at"));
    put("outcome", outcome(session));
    put("why", text_of(session, "outcome_reason"));
    put("active", skills(session, "active_skills"));
    put("proposed", skills(session, "proposed_skills"));
    let todos = todo_lines(session);
    if !todos.is_empty() {
        lines.push("todos".to_owned());
        lines.extend(todos.into_iter().map(|todo| format!("  {todo}")));
    }
    for entry in entries {
        lines.push(String::new());
        lines.push(entry_text(output, entry));
    }
    let all = session.get("entry_count").and_then(Value::as_u64).unwrap_or_default();
    let left = all.saturating_sub(entries.len() as u64);
    if left > 0 {
        lines.push(format!("\n… and {left} more"));
    }
    lines.join("\n")
}

fn skills(session: &Value, key: &str) -> String {
    let skills = session.get(key).and_then(Value::as_array).into_iter().flatten();
    skills.map(|skill| text_of(skill, "name")).collect::<Vec<_>>().join(", ")
}

fn todo_lines(session: &Value) -> Vec<String> {
    let todos = session.get("todos").and_then(Value::as_array).into_iter().flatten();
    let show = |todo: &Value| {
        let mark = match text_of(todo, "status").as_str() {
            "completed" => "[x]",
            "in_progress" => "[>]",
            "cancelled" => "[-]",
            _ => "[ ]",
        };
        format!("{mark} {}", line(&text_of(todo, "content")))
    };
    todos.map(show).collect()
}

/// A message whole; a call, a result or an artifact as one line.
fn entry_text(output: Output, entry: &Value) -> String {
    let (words, data) = (text_of(entry, "text"), entry.get("data").filter(|data| !data.is_null()));
    let tool = text_of(entry, "tool");
    match text_of(entry, "kind").as_str() {
        "message" => format!("{}\n{}", output.bold(&text_of(entry, "role")), text(&words)),
        "tool_call" => {
            let operation = data.map(|data| text_of(data, "operation")).filter(|_| !words.trim().is_empty());
            let operation = operation.filter(|operation| !operation.is_empty());
            let tool = operation.map_or_else(|| tool.clone(), |operation| format!("{tool} {operation}"));
            format!("-> {} {}", line(&tool), glimpse(&words, data)).trim_end().to_owned()
        }
        "tool_result" => {
            let failed = entry.get("failed").and_then(Value::as_bool) == Some(true);
            let mark = if failed { "failed: " } else { "" };
            format!("<- {} {mark}{}", line(&tool), glimpse(&words, data)).trim_end().to_owned()
        }
        _ => {
            let title = data.map(|data| text_of(data, "title")).unwrap_or_default();
            let shown = if title.is_empty() { glimpse(&words, data) } else { line(&title) };
            format!("** {shown}")
        }
    }
}

/// The beginning of the words, else of the data, on one line.
fn glimpse(words: &str, data: Option<&Value>) -> String {
    let all = if words.trim().is_empty() {
        data.map(Value::to_string).unwrap_or_default()
    } else {
        words.to_owned()
    };
    let one = all.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = one.chars().count() > GLIMPSE;
    line(&one.chars().take(GLIMPSE).collect::<String>()) + if cut { "…" } else { "" }
}
