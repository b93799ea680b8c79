//! `skill show`, `skill files` and `skill use`.

use std::io::IsTerminal as _;

use clap::Args;
use serde_json::{Value, json};

use super::{moment, text_of};
use crate::client::{Finding, Pick, Reference, Skill, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::{Output, Table, line, text};
use crate::session::Session;

/// What to show.
#[derive(Args)]
pub(crate) struct ShowArgs {
    /// Which: NAME, ID, NAME@REVISION or NAME@LABEL
    skill: Reference,
    /// Print this file of it, byte for byte
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// Leave the text of SKILL.md out
    #[arg(long)]
    brief: bool,
}

impl ShowArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        if let Some(file) = &self.file {
            let bytes = session
                .work(async |client| {
                    let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                    let request = api("GET", &["skills", &skill.id, "files", file]);
                    client.send(request.query("revision", self.skill.revision.as_deref())).await
                })
                .await?
                .body;
            return print_file(output, &bytes);
        }
        let shown = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                let request = api("GET", &["skills", &skill.id]);
                client.json(request.query("revision", self.skill.revision.as_deref())).await
            })
            .await?;
        output.result(&shown, || describe(output, &shown, self.brief))
    }
}

/// A file as it is, unless it would speak to a terminal.
fn print_file(output: Output, bytes: &[u8]) -> Outcome {
    if !std::io::stdout().is_terminal() {
        return output.bytes(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(content) => output.print(&text(content)),
        Err(_) => Err(Failure::usage("the file is not text").hint("send it to a file: … > FILE")),
    }
}

fn describe(output: Output, shown: &Value, brief: bool) -> String {
    let Ok(skill) = serde_json::from_value::<Skill>(shown.clone()) else { return String::new() };
    let revision = shown.get("shown").cloned().unwrap_or_default();
    let number = revision.get("number").and_then(Value::as_u64).unwrap_or(skill.revision);
    let label = text_of(&revision, "label");
    let mut lines = vec![output.bold(&line(&skill.name)), line(&skill.title), String::new()];
    lines.push(line(&skill.description));
    lines.push(String::new());
    let mut put = |name: &str, value: String| {
        if !value.is_empty() {
            lines.push(format!("{name:<11}{}", line(&value)));
        }
    };
    put("status", skill.state());
    put("reason", skill.status_reason.clone().unwrap_or_default());
    put("usable", (if skill.usable { "yes" } else { "no, agents do not see it" }).to_owned());
    put("scope", skill.scope.kind.clone());
    put(
        "revision",
        format!("{number}{}", if label.is_empty() { String::new() } else { format!(" ({label})") }),
    );
    put("message", text_of(&revision, "message"));
    put("facets", skill.facets.join(", "));
    put("tags", skill.tags.join(", "));
    put("origin", skill.origin.clone());
    put("source", skill.source.clone().unwrap_or_default());
    put("procedure", procedure(shown));
    put("needs", text_of(shown, "compatibility"));
    put("licence", text_of(shown, "license"));
    put("agents", strings(shown, "agents").join(", "));
    put("created", moment(&skill.created_at));
    put("updated", moment(&skill.updated_at));
    put("uses", uses(shown));
    put("digest", skill.digest.clone());
    put("id", skill.id.clone());
    let files = shown.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
    lines.push(format!("{:<11}{}", "files", files.len()));
    lines.extend(files.iter().take(20).map(|file| format!("  {}", line(&text_of(file, "path")))));
    if files.len() > 20 {
        lines.push(format!("  … and {} more; `repertoire skill files {}`", files.len() - 20, skill.name));
    }
    for finding in shown.get("findings").and_then(Value::as_array).cloned().unwrap_or_default() {
        if let Ok(finding) = serde_json::from_value::<Finding>(finding) {
            lines.push(line(&finding.to_string()));
        }
    }
    if !brief {
        lines.push(String::new());
        lines.push(text(&text_of(shown, "skill_file")));
    }
    lines.join("\n")
}

/// How the procedure is called: `python scripts/growth.py growth(before: number, after: number)`.
fn procedure(shown: &Value) -> String {
    let Some(procedure) = shown.get("procedure").filter(|procedure| procedure.is_object()) else {
        return String::new();
    };
    let parameters = procedure.get("parameters").and_then(Value::as_array).cloned().unwrap_or_default();
    let parameters: Vec<String> = parameters
        .iter()
        .map(|one| {
            let default = one.get("default").map(|value| format!(" = {value}")).unwrap_or_default();
            format!("{}: {}{default}", text_of(one, "name"), text_of(one, "type"))
        })
        .collect();
    let profile = match text_of(procedure, "profile") {
        profile if profile.is_empty() => String::new(),
        profile => format!(", with the Python profile {profile}"),
    };
    format!(
        "{} {} {}({}){profile}",
        text_of(procedure, "language"),
        text_of(procedure, "file"),
        text_of(procedure, "function"),
        parameters.join(", ")
    )
}

fn strings(value: &Value, key: &str) -> Vec<String> {
    let list = value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn uses(shown: &Value) -> String {
    let number =
        |key: &str| shown.pointer(&format!("/statistics/{key}")).and_then(Value::as_u64).unwrap_or_default();
    let (uses, helpful, unhelpful) =
        (number("use_count"), number("helpful_count"), number("unhelpful_count"));
    format!("{uses}, helpful {helpful}, not helpful {unhelpful}")
}

/// Whose files.
#[derive(Args)]
pub(crate) struct FilesArgs {
    /// Which: NAME, ID, NAME@REVISION or NAME@LABEL
    skill: Reference,
}

impl FilesArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let items = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                let request = api("GET", &["skills", &skill.id, "files"]);
                client.all(request.query("revision", self.skill.revision.as_deref()), None).await
            })
            .await?;
        session.output.result(&json!({"items": items}), || {
            let mut table = Table::new(&["mode", "bytes", "path"]);
            for item in &items {
                let executable = item.get("executable").and_then(Value::as_bool).unwrap_or_default();
                let size = item.get("size").and_then(Value::as_u64).unwrap_or_default();
                table.row([if executable { "x" } else { "-" }, &size.to_string(), &text_of(item, "path")]);
            }
            session.output.table(&table)
        })
    }
}

/// What to use.
#[derive(Args)]
pub(crate) struct UseArgs {
    /// Which: NAME, ID, NAME@REVISION or NAME@LABEL
    skill: Reference,
    /// Say that the use failed, instead of printing the skill
    #[arg(long)]
    failed: bool,
    /// Print it without counting the use
    #[arg(long)]
    no_count: bool,
}

impl UseArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        let shown = session
            .work(async |client| {
                let skill = find_skill(client, &self.skill.skill, Pick::Nearest).await?;
                if !skill.usable && !self.failed {
                    let why = format!("`{}` is {}, so agents cannot use it", skill.name, skill.state());
                    return Err(Failure::conflict(why).hint("`repertoire skill show` shows it all the same"));
                }
                if !self.no_count {
                    let body = json!({"success": !self.failed});
                    client.send(api("POST", &["skills", &skill.id, "uses"]).json(body)).await?;
                }
                let request = api("GET", &["skills", &skill.id]);
                client.json(request.query("revision", self.skill.revision.as_deref())).await
            })
            .await?;
        if self.failed {
            return output.result(&shown, || "counted a use that failed".to_owned());
        }
        output.result(&shown, || {
            let prompt = prompt(&shown);
            // A program gets the very text; a terminal gets what cannot hurt it.
            if std::io::stdout().is_terminal() { text(&prompt) } else { prompt }
        })
    }
}

/// The skill as the client guide of the standard wraps it.
fn prompt(shown: &Value) -> String {
    let files = shown.get("files").and_then(Value::as_array).cloned().unwrap_or_default();
    let resources: Vec<String> = files
        .iter()
        .map(|file| text_of(file, "path"))
        .filter(|path| !path.eq_ignore_ascii_case("SKILL.md"))
        .map(|path| format!("<file>{}</file>", line(&path)))
        .collect();
    let mut lines = vec![format!("<skill_content name=\"{}\">", line(&text_of(shown, "name")))];
    lines.push(text_of(shown, "instructions"));
    if !resources.is_empty() {
        lines.push("<skill_resources>".to_owned());
        lines.extend(resources);
        lines.push("</skill_resources>".to_owned());
    }
    lines.push("</skill_content>".to_owned());
    lines.join("\n")
}
