//! `repertoire audit`.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};

use super::skill::{moment, text_of};
use crate::client::api;
use crate::disk::Overwrite;
use crate::exit::{Exit, Outcome};
use crate::output::{Table, count, line};
use crate::session::Session;

/// What to do with the audit log.
#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// List what was done, newest first
    #[command(visible_alias = "ls")]
    List {
        /// Only this verb, or all of a kind: `skill.`
        #[arg(long)]
        verb: Option<String>,
        /// Only about this kind of thing, such as `skill`
        #[arg(long)]
        kind: Option<String>,
        /// Only about the thing with this id
        #[arg(long, value_name = "ID")]
        subject: Option<String>,
        /// Only what this user did
        #[arg(long, value_name = "HANDLE")]
        by: Option<String>,
        /// Also the entries that only seal decisions of governance
        #[arg(long)]
        seals: bool,
        /// At most so many entries
        #[arg(long, default_value_t = 50, value_name = "COUNT")]
        limit: usize,
    },
    /// Check that the log is whole: every entry, and their order
    Verify,
    /// Write the whole log as JSON lines
    Export {
        /// To this file instead of standard output
        #[arg(long, value_name = "FILE")]
        to: Option<PathBuf>,
        /// Replace the file if it is there
        #[arg(long)]
        force: bool,
    },
}

impl AuditCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        let output = session.output;
        match self {
            Self::List { verb, kind, subject, by, seals, limit } => {
                let request = api("GET", &["audit"])
                    .query("verb", verb.as_deref())
                    .query("kind", kind.as_deref())
                    .query("subject", subject.as_deref())
                    .query("user", by.as_deref())
                    .query("seals", seals.then_some("true"));
                let (items, people) = session
                    .work(async |client| {
                        let people = client.all(api("GET", &["users"]), None).await.unwrap_or_default();
                        Ok((client.all(request, Some(limit)).await?, people))
                    })
                    .await?;
                output.result(&json!({"items": items}), || output.table(&table(&items, &people)))?;
                Ok(Exit::Ok)
            }
            Self::Verify => {
                let found = session
                    .work(async |client| client.json(api("GET", &["audit", "verification"])).await)
                    .await?;
                let valid = found.get("valid").and_then(Value::as_bool).unwrap_or_default();
                output.result(&found, || {
                    let entries = found.get("entries").and_then(Value::as_u64).unwrap_or_default();
                    let head = text_of(&found, "head");
                    if valid {
                        let decisions = found.get("decisions").and_then(Value::as_u64).unwrap_or_default();
                        let decisions = count(decisions, "decision");
                        return format!(
                            "the log is whole: {entries} entries, {decisions} that it seals; the last entry is {head}"
                        );
                    }
                    let problems =
                        found.get("problems").and_then(Value::as_array).cloned().unwrap_or_default();
                    let problems: Vec<_> = problems
                        .iter()
                        .filter_map(Value::as_str)
                        .map(|one| format!("  - {}", line(one)))
                        .collect();
                    format!("the log is NOT whole ({entries} entries read):\n{}", problems.join("\n"))
                })?;
                Ok(if valid { Exit::Ok } else { Exit::Findings })
            }
            Self::Export { to, force } => {
                let request = api("GET", &["audit", "export"]);
                if let Some(file) = to {
                    let overwrite = if force { Overwrite::Yes } else { Overwrite::No };
                    let size =
                        session.work(async |client| client.download(request, &file, overwrite).await).await?;
                    output.note(&format!("wrote {size} bytes to {}", file.display()));
                } else {
                    let log = session.work(async |client| client.send(request).await).await?;
                    output.bytes(&log.body)?;
                }
                Ok(Exit::Ok)
            }
        }
    }
}

fn table(items: &[Value], people: &[Value]) -> Table {
    let mut table = Table::new(&["no", "when", "who", "what", "about"]);
    for item in items {
        let user = text_of(item, "user_id");
        let who = people.iter().find(|person| text_of(person, "id") == user);
        let who = match (who, user.as_str()) {
            (Some(person), _) => text_of(person, "handle"),
            (None, "") => "the server".to_owned(),
            (None, _) => user,
        };
        let name = item.pointer("/detail/name").and_then(Value::as_str).unwrap_or_default();
        let subject = format!("{} {}", text_of(item, "subject_kind"), text_of(item, "subject_id"));
        let about = if name.is_empty() { subject } else { format!("{name} ({subject})") };
        let number = item.get("sequence").and_then(Value::as_u64).unwrap_or_default().to_string();
        table.row([number, moment(&text_of(item, "at")), who, text_of(item, "verb"), about]);
    }
    table
}
