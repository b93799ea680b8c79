//! `skill diff`, `log`, `restore` and `label`.

use clap::Args;
use serde_json::{Value, json};

use super::{moment, tell, text_of};
use crate::client::{Client, Pick, Published, Reference, Skill, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::{Output, Paint, Table, line, text};
use crate::session::Session;

/// What to compare.
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// Which: NAME or ID; NAME@REVISION compares that one with the current one
    skill: Reference,
    /// The older revision: a number or a label; the one before the newer when left out
    #[arg(long, value_name = "REVISION")]
    from: Option<String>,
    /// The newer revision: a number or a label; the current one when left out
    #[arg(long, value_name = "REVISION")]
    to: Option<String>,
}

impl DiffArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let found = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                let named = self.from.clone().or_else(|| self.skill.revision.clone());
                let from = match named {
                    Some(from) => from,
                    None => before(client, &skill, self.to.as_deref()).await?,
                };
                let request = api("GET", &["skills", &skill.id, "diff"]).query("from", Some(&from));
                client.json(request.query("to", self.to.as_deref())).await
            })
            .await?;
        session.output.result(&found, || show(session.output, &found))
    }
}

/// The revision before another one.
async fn before(client: &Client, skill: &Skill, newer: Option<&str>) -> Outcome<String> {
    let newer = match newer {
        None | Some("current") => skill.revision,
        Some(revision) => number(client, &skill.id, revision).await?,
    };
    if newer <= 1 {
        return Err(Failure::not_found(format!("`{}` has no revision before {newer}", skill.name)));
    }
    Ok((newer - 1).to_string())
}

/// The number of a revision that may be named by its label.
pub(crate) async fn number(client: &Client, skill: &str, revision: &str) -> Outcome<u64> {
    let shown = client.json(api("GET", &["skills", skill, "revisions", revision])).await?;
    Ok(shown.pointer("/shown/number").and_then(Value::as_u64).unwrap_or_default())
}

fn show(output: Output, found: &Value) -> String {
    let files = found.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for file in &files {
        match file.get("unified").and_then(Value::as_str) {
            Some(unified) => lines.extend(text(unified).lines().map(|line| paint(output, line))),
            None => lines.push(format!(
                "{} {} (not shown as text)",
                text_of(file, "change"),
                line(&text_of(file, "path"))
            )),
        }
        // A mode that changed leaves no line in the text.
        if file.get("unified").and_then(Value::as_str) == Some("") {
            lines.push(format!("{} {}", text_of(file, "change"), line(&text_of(file, "path"))));
        }
    }
    if lines.is_empty() { "the two revisions are the same".to_owned() } else { lines.join("\n") }
}

fn paint(output: Output, line: &str) -> String {
    match line.chars().next() {
        Some('+') => output.paint(Paint::Green, line),
        Some('-') => output.paint(Paint::Red, line),
        Some('@') => output.paint(Paint::Dim, line),
        _ => line.to_owned(),
    }
}

/// Whose revisions.
#[derive(Args)]
pub(crate) struct LogArgs {
    /// Which: NAME or ID
    skill: Reference,
    /// At most so many
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
}

impl LogArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let (items, people) = session
            .work(async |client| {
                let skill = find_skill(client, self.skill.whole()?, Pick::Nearest).await?;
                let people = client.all(api("GET", &["users"]), None).await.unwrap_or_default();
                let revisions =
                    client.all(api("GET", &["skills", &skill.id, "revisions"]), self.limit).await?;
                Ok((revisions, people))
            })
            .await?;
        session.output.result(&json!({"items": items}), || {
            let mut table = Table::new(&["rev", "label", "when", "who", "files", "bytes", "message"]);
            for item in &items {
                let number =
                    |key: &str| item.get(key).and_then(Value::as_u64).unwrap_or_default().to_string();
                let author = text_of(item, "author_id");
                let who = people.iter().find(|person| text_of(person, "id") == author);
                let who = who.map_or(author, |person| text_of(person, "handle"));
                table.row([
                    number("number"),
                    text_of(item, "label"),
                    moment(&text_of(item, "created_at")),
                    who,
                    number("file_count"),
                    number("size"),
                    text_of(item, "message"),
                ]);
            }
            session.output.table(&table)
        })
    }
}

/// What to restore.
#[derive(Args)]
pub(crate) struct RestoreArgs {
    /// Which: NAME@REVISION or NAME@LABEL
    skill: Reference,
}

impl RestoreArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let revision = self.skill.revision.as_deref().ok_or_else(|| {
            Failure::usage("which revision?")
                .hint(format!("write `{}@REVISION`; `repertoire skill log` lists them", self.skill.skill))
        })?;
        let done = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Only).await?;
                client
                    .json(api("POST", &["skills", &skill.id, "restore"]).json(json!({"revision": revision})))
                    .await
            })
            .await?;
        let published: Published =
            serde_json::from_value(done.clone()).map_err(|error| Failure::internal(error.to_string()))?;
        session.output.result(&done, || tell(session.output, &published))
    }
}

/// What to label.
#[derive(Args)]
pub(crate) struct LabelArgs {
    /// Which: NAME, or NAME@REVISION; the current revision when none is named
    skill: Reference,
    /// The label, a semantic version such as 1.2.0
    #[arg(required_unless_present = "remove", conflicts_with = "remove")]
    label: Option<String>,
    /// Take the label away
    #[arg(long)]
    remove: bool,
}

impl LabelArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let done = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Only).await?;
                let number = match &self.skill.revision {
                    None => skill.revision.to_string(),
                    Some(revision) => number(client, &skill.id, revision).await?.to_string(),
                };
                let request = api("PUT", &["skills", &skill.id, "revisions", &number, "label"]);
                client.json(request.json(json!({"label": self.label}))).await
            })
            .await?;
        session.output.result(&done, || {
            let number = done.get("number").and_then(Value::as_u64).unwrap_or_default();
            let name = line(&self.skill.skill);
            match &self.label {
                Some(label) => format!("revision {number} of `{name}` is {}", line(label)),
                None => format!("revision {number} of `{name}` has no label"),
            }
        })
    }
}
