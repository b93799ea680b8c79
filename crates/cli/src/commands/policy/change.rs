//! `policy check` and `policy replay`: what a changed policy would change.

use clap::Args;
use serde_json::{Map, Value, json};

use super::super::moments::moment_of;
use super::super::skill::{ScopeArg, file_list, moment, text_of};
use super::agent;
use super::explain::denial_reason;
use super::people::People;
use super::target::{OnDisk, Target, files_of, of_name};
use crate::client::{Client, Finding, Pick, Reference, Skill, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::{Output, Table, count, line};
use crate::session::Session;

pub(super) const CHECK_EXAMPLES: &str = "Examples:
  repertoire policy check ./no-secrets                        before it is imported
  repertoire policy check ./no-secrets --scope agent --agent coder
  repertoire policy check no-secrets                          a skill that waits for approval
  repertoire policy check no-secrets --remove                 what its end would change

Nothing is put in force. A policy that cannot be read is refused with what is wrong in it.";

pub(super) const REPLAY_EXAMPLES: &str = "Examples:
  repertoire policy replay ./no-secrets --since 7d            the calls of a week, with the folder's policy
  repertoire policy replay no-secrets --remove --agent coder  what one agent could have done without it

Nothing of it is kept or counted. Decisions of which only digests are kept cannot be replayed.";

/// A change of policies.
#[derive(Args)]
struct Change {
    /// The policy: a folder on disk, else a skill of the library (NAME, ID, NAME@REVISION or NAME@LABEL)
    policy: String,
    /// The skill that a folder would replace: NAME or ID; the one of the same name when left out
    #[arg(long, value_name = "SKILL")]
    replaces: Option<Reference>,
    /// A folder would replace nothing
    #[arg(long, conflicts_with = "replaces")]
    new: bool,
    /// Take the policy of the library away instead
    #[arg(long, conflicts_with_all = ["replaces", "new", "scope"])]
    remove: bool,
    /// Who a new policy would hold for; the agent is the one of --agent
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
}

/// What to check.
#[derive(Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    change: Change,
}

/// What to replay.
#[derive(Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    change: Change,
    /// Only decisions from this moment on: a date, a moment as in RFC 3339, or how long ago (30m, 12h, 7d)
    #[arg(long, value_name = "MOMENT")]
    since: Option<String>,
    /// Only decisions before this moment
    #[arg(long, value_name = "MOMENT")]
    until: Option<String>,
    /// At most so many decisions, the newest first
    #[arg(long, value_name = "COUNT", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

impl Change {
    /// The change as the API takes it.
    async fn body(&self, client: &Client, session: &Session) -> Outcome<Map<String, Value>> {
        let output = session.output;
        let target = match self.remove {
            // Whatever else stands here under that name.
            true => Target::in_library(&self.policy)?,
            false => Target::read(&self.policy, &session.settings.limits.bundles, output)?,
        };
        let (skill, files) = match target {
            Target::Disk(found) => {
                let one = self.only(found)?;
                (self.replaced(client, &one).await?, Some(one.bundle))
            }
            Target::Library(_) if self.new || self.replaces.is_some() => {
                return Err(Failure::not_found(format!("there is no folder `{}`", self.policy))
                    .hint("--new and --replaces are about a folder on disk"));
            }
            Target::Library(reference) if reference.revision.is_some() => {
                let (skill, bundle) = files_of(client, &reference).await?;
                (Some(skill), Some(bundle))
            }
            Target::Library(reference) => {
                (Some(find_skill(client, &reference.skill, Pick::Only).await?), None)
            }
        };
        if files.is_some() {
            output.note(&match &skill {
                Some(skill) => format!("in place of `{}`, revision {}", line(&skill.name), skill.revision),
                None => "as a new policy".to_owned(),
            });
        }
        let parts = [
            ("skill_id", skill.map(|skill| Value::from(skill.id))),
            ("files", files.map(|bundle| Value::from(file_list(&bundle)))),
            ("remove", self.remove.then_some(Value::Bool(true))),
            ("scope", self.scope.map(|scope| Value::from(scope.word()))),
        ];
        Ok(parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect())
    }

    /// The one policy of a folder.
    fn only(&self, found: Vec<OnDisk>) -> Outcome<OnDisk> {
        <[OnDisk; 1]>::try_from(found).map(|[one]| one).map_err(|found| {
            Failure::usage(format!("there are {} policies in `{}`", found.len(), self.policy))
                .hint("name the folder of one of them")
        })
    }

    /// The skill that a folder would replace.
    async fn replaced(&self, client: &Client, folder: &OnDisk) -> Outcome<Option<Skill>> {
        if let Some(named) = &self.replaces {
            return find_skill(client, named.whole()?, Pick::Only).await.map(Some);
        }
        let Some(name) = folder.name.as_deref().filter(|_| !self.new) else { return Ok(None) };
        let found = of_name(client, name).await?;
        // One that holds for others is another.
        Ok(found.filter(|skill| self.scope.is_none_or(|scope| scope.word() == skill.scope.kind)))
    }
}

impl CheckArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        let answer = session
            .work(async |client| {
                let body = self.change.body(client, session).await?;
                client.json(api("POST", &["governance", "analyse"]).json(Value::Object(body))).await
            })
            .await?;
        output.result(&answer, || analysed(output, &answer))
    }
}

fn analysed(output: Output, answer: &Value) -> String {
    let items = |key: &str| answer.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let findings = items("findings");
    let findings = findings.into_iter().filter_map(|one| serde_json::from_value::<Finding>(one).ok());
    let findings: Vec<Finding> = findings.collect();
    let mut lines: Vec<String> = findings.iter().map(|finding| line(&finding.to_string())).collect();
    for remark in items("remarks") {
        let code = text_of(&remark, "code");
        // Most remarks are findings too, which say where.
        if !findings.iter().any(|finding| finding.code == code) {
            let (level, message) = (text_of(&remark, "level"), text_of(&remark, "message"));
            lines.push(line(&format!("{level}[{code}]: {message}")));
        }
    }
    let mut groups: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for agent in items("agents") {
        let changes = changes(&agent);
        let whose = match text_of(&agent, "agent") {
            name if name.is_empty() => "without an agent".to_owned(),
            name => format!("agent {}", line(&name)),
        };
        match groups.iter_mut().find(|(_, known)| *known == changes) {
            Some((all, _)) => all.push(whose),
            None => groups.push((vec![whose], changes)),
        }
    }
    groups.retain(|(_, changes)| !changes.is_empty());
    if groups.is_empty() {
        lines.push("nothing would change for anybody".to_owned());
    }
    for (whose, changes) in groups {
        lines.push(output.bold(&whose.join(", ")));
        lines.extend(changes);
    }
    lines.join("\n")
}

/// What would change for an agent, a line each.
fn changes(agent: &Value) -> Vec<String> {
    let items = |key: &str| agent.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for one in items("newly_denied") {
        let told = format!("{}: {}", text_of(&one, "tool"), text_of(&one, "reason"));
        lines.push(format!("  no longer allowed: {}", line(&told)));
    }
    for tool in items("newly_allowed").iter().filter_map(Value::as_str) {
        lines.push(format!("  allowed from now on: {}", line(tool)));
    }
    lines.extend(items("changes").iter().filter_map(Value::as_str).map(|one| format!("  {}", line(one))));
    lines
}

impl ReplayArgs {
    pub(super) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        let since = self.since.as_deref().map(moment_of).transpose()?;
        let until = self.until.as_deref().map(moment_of).transpose()?;
        let parts = [
            ("since", since.map(Value::from)),
            ("until", until.map(Value::from)),
            ("for_agent", agent(session).map(Value::from)),
            ("limit", Some(json!(self.limit))),
        ];
        let window = parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let (answer, people) = session
            .work(async |client| {
                let mut body = self.change.body(client, session).await?;
                body.extend(window);
                let request = api("POST", &["governance", "replay"]).json(Value::Object(body));
                Ok((client.json(request.patiently()).await?, People::of(client).await))
            })
            .await?;
        output.result(&answer, || replayed(output, &answer, &people))
    }
}

fn replayed(output: Output, answer: &Value, people: &People) -> String {
    let number = |key: &str| answer.get(key).and_then(Value::as_u64).unwrap_or_default();
    let differences = answer.get("differences").and_then(Value::as_array).cloned().unwrap_or_default();
    let more = number("more_differences");
    let differ = differences.len() as u64 + more;
    let mut lines = vec![format!(
        "replayed {}: {} as before, {differ} otherwise",
        count(number("replayed"), "decision"),
        number("unchanged")
    )];
    if number("skipped") > 0 {
        lines.push(format!("{} left out: only their digests are kept", count(number("skipped"), "decision")));
    }
    if differences.is_empty() {
        return lines.join("\n");
    }
    let mut table = Table::new(&["decision", "when", "user", "agent", "tool", "before", "after", "why"]);
    for one in &differences {
        let (before, after) = (one.get("before"), one.get("after"));
        let why = [after, before].into_iter().flatten().map(denial_reason).find(|why| !why.is_empty());
        table.row([
            text_of(one, "decision_id"),
            moment(&text_of(one, "at")),
            people.name(one, "user_id"),
            people.name(one, "agent_id"),
            text_of(one, "tool"),
            verdict(before).to_owned(),
            verdict(after).to_owned(),
            why.unwrap_or_default(),
        ]);
    }
    lines.extend([String::new(), output.table(&table)]);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}

fn verdict(verdict: Option<&Value>) -> &'static str {
    match verdict.and_then(|verdict| verdict.get("allowed")).and_then(Value::as_bool) {
        Some(true) => "allowed",
        Some(false) => "denied",
        None => "-",
    }
}
