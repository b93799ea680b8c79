//! Decisions about skills: status, switch, scope, and what people think of them.

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::{Names, ScopeArg};
use crate::client::{Client, Pick, Reference, Request, Skill, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::line;
use crate::session::Session;

/// What to decide about.
#[derive(Args)]
pub(crate) struct ReviewArgs {
    #[command(flatten)]
    names: Names,
    /// Why; kept with the skill and in the audit log
    #[arg(short, long)]
    reason: Option<String>,
}

impl ReviewArgs {
    pub(crate) async fn run(self, session: &Session, verb: &'static str) -> Outcome {
        let body = json!({"reason": self.reason});
        decide(session, &self.names, |id| api("POST", &["skills", id, verb]).json(body.clone())).await
    }
}

/// What to let in.
#[derive(Args)]
pub(crate) struct ApproveArgs {
    #[command(flatten)]
    names: Names,
    /// Why; kept with the skill and in the audit log
    #[arg(short, long)]
    reason: Option<String>,
    /// Fail when nothing waits for a decision
    #[arg(long)]
    only_if_pending: bool,
}

impl ApproveArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let body = json!({"reason": self.reason});
        let only_if = self.only_if_pending.then_some("pending");
        let request =
            |id: &str| api("POST", &["skills", id, "approve"]).query("only_if", only_if).json(body.clone());
        decide(session, &self.names, request).await
    }
}

/// Turns skills on or off.
pub(crate) async fn switch(session: &Session, names: &Names, verb: &'static str) -> Outcome {
    decide(session, names, |id| api("POST", &["skills", id, verb])).await
}

/// Where to.
#[derive(Args)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    names: Names,
    /// The wider scope
    #[arg(long, value_enum, default_value = "workspace")]
    to: ScopeArg,
}

impl PromoteArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let body = json!({"to": self.to.word()});
        decide(session, &self.names, |id| api("POST", &["skills", id, "promote"]).json(body.clone())).await
    }
}

/// Sends the same request about every skill, and says what each is now.
async fn decide(session: &Session, names: &Names, request: impl Fn(&str) -> Request) -> Outcome {
    let answers = session
        .work(async |client| {
            let found = find_all(client, names).await?;
            let mut answers = Vec::new();
            for skill in &found {
                answers.push(client.json(request(&skill.id)).await?);
            }
            Ok(answers)
        })
        .await?;
    session
        .output
        .result(&json!({"items": answers}), || answers.iter().map(told).collect::<Vec<_>>().join("\n"))
}

/// All of them, before anything is done to the first.
pub(super) async fn find_all(client: &Client, names: &Names) -> Outcome<Vec<Skill>> {
    let mut found = Vec::new();
    for name in &names.skills {
        found.push(find_skill(client, name.whole()?, Pick::Only).await?);
    }
    Ok(found)
}

fn told(answer: &Value) -> String {
    let skill = answer.get("skill").cloned().and_then(|skill| serde_json::from_value::<Skill>(skill).ok());
    let changed = answer.get("changed").and_then(Value::as_bool).unwrap_or_default();
    match skill {
        Some(skill) => {
            let was = if changed { "" } else { " already" };
            format!("`{}` is{was} {} in the {} scope", line(&skill.name), skill.state(), skill.scope.kind)
        }
        None => String::new(),
    }
}

/// Whether it helped.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Vote {
    Up,
    Down,
}

/// What to rate.
#[derive(Args)]
pub(crate) struct RateArgs {
    /// Which: NAME or ID
    skill: Reference,
    /// Whether it helped; shows what people said when left out
    #[arg(value_enum)]
    vote: Option<Vote>,
    /// Why
    #[arg(short, long)]
    comment: Option<String>,
}

impl RateArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        if self.vote.is_none() && self.comment.is_some() {
            return Err(Failure::usage("a comment goes with up or down"));
        }
        let answer = session
            .work(async |client| {
                let skill = find_skill(client, self.skill.whole()?, Pick::Nearest).await?;
                let request = match self.vote {
                    None => api("GET", &["skills", &skill.id, "feedback"]),
                    Some(vote) => api("POST", &["skills", &skill.id, "feedback"])
                        .json(json!({"helpful": vote == Vote::Up, "comment": self.comment})),
                };
                client.json(request).await
            })
            .await?;
        session.output.result(&answer, || match answer.get("items").and_then(Value::as_array) {
            Some(items) if items.is_empty() => "nobody has said anything yet".to_owned(),
            Some(items) => items.iter().map(feedback).collect::<Vec<_>>().join("\n"),
            None => {
                let number = |key: &str| answer.get(key).and_then(Value::as_u64).unwrap_or_default();
                let (up, down) = (number("helpful_count"), number("unhelpful_count"));
                format!("`{}` helped {up} and did not help {down}", line(&self.skill.skill))
            }
        })
    }
}

fn feedback(item: &Value) -> String {
    let helpful = item.get("helpful").and_then(Value::as_bool).unwrap_or_default();
    let comment = line(&super::text_of(item, "comment"));
    let when = super::moment(&super::text_of(item, "at"));
    format!("{when}  {:<4}  {comment}", if helpful { "up" } else { "down" })
}
