//! `skill create`: a skill from its fields.

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use super::edit::read_text;
use super::{ScopeArg, tell};
use crate::client::{Published, api};
use crate::exit::{Failure, Outcome};
use crate::session::Session;

/// The fields of a new skill.
#[derive(Args)]
pub(crate) struct CreateArgs {
    /// Its name: a-z, 0-9 and hyphens
    name: String,
    /// What it does and when to use it
    #[arg(long)]
    description: String,
    /// Its title, for people
    #[arg(long)]
    title: Option<String>,
    /// Its instructions, as Markdown
    #[arg(long, value_name = "TEXT", conflicts_with = "from")]
    instructions: Option<String>,
    /// Its instructions from this file; - is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// A tag; repeat for more
    #[arg(long)]
    tag: Vec<String>,
    /// Its licence
    #[arg(long)]
    license: Option<String>,
    /// Who can see it
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Start as a draft
    #[arg(long)]
    draft: bool,
    /// A version label for its first revision, such as 1.0.0
    #[arg(long)]
    label: Option<String>,
    /// Why; kept with the revision
    #[arg(short, long)]
    message: Option<String>,
}

impl CreateArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let instructions = match (&self.from, self.instructions) {
            (Some(file), _) => Some(read_text(file)?),
            (None, given) => given,
        };
        let tags: Vec<String> = self.tag.into_iter().filter(|tag| !tag.trim().is_empty()).collect();
        let parts = [
            ("name", Some(Value::from(self.name))),
            ("description", Some(Value::from(self.description))),
            ("title", self.title.map(Value::from)),
            ("instructions", instructions.map(Value::from)),
            ("tags", (!tags.is_empty()).then(|| Value::from(tags))),
            ("license", self.license.map(Value::from)),
            ("scope", self.scope.map(|scope| Value::from(scope.word()))),
            ("draft", self.draft.then_some(Value::Bool(true))),
            ("label", self.label.map(Value::from)),
            ("message", self.message.map(Value::from)),
        ];
        let body: Map<_, _> =
            parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        let request = api("POST", &["skills"]).json(Value::Object(body));
        let made = session.work(async |client| client.json(request).await).await?;
        let published: Published =
            serde_json::from_value(made.clone()).map_err(|error| Failure::internal(error.to_string()))?;
        session.output.result(&made, || tell(session.output, &published))
    }
}
