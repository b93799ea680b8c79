//! `repertoire search`: finds skills by plain words, measures how well, and says how search stands.

mod eval;
mod questions;
mod show;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::skill::{ScopeArg, text_of};
use crate::client::api;
use crate::exit::Outcome;
use crate::output::{line, size};
use crate::session::Session;

/// What to look for.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    after_help = "A search for the word `eval` or `status` is written `repertoire search -- eval`."
)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct SearchArgs {
    #[command(subcommand)]
    command: Option<SearchCommand>,
    /// What you need, in plain words
    #[arg(required = true)]
    words: Vec<String>,
    /// Only with this tag; repeat for more
    #[arg(long)]
    tag: Vec<String>,
    /// Only in this status: draft, pending_approval, active, rejected or archived
    #[arg(long)]
    status: Option<String>,
    /// Only those that are on (true) or off (false)
    #[arg(long, value_name = "BOOL")]
    enabled: Option<bool>,
    /// Only of this origin, such as user, learned or imported
    #[arg(long)]
    origin: Option<String>,
    /// Only in this scope
    #[arg(long, value_enum)]
    scope: Option<ScopeArg>,
    /// Only in the scopes of this agent
    #[arg(long, value_name = "AGENT")]
    owner_agent: Option<String>,
    /// Only in the scopes of this user
    #[arg(long, value_name = "HANDLE")]
    owner: Option<String>,
    /// Only with this facet: instructions, procedure or policy; repeat for more
    #[arg(long)]
    facet: Vec<String>,
    /// Nothing below this similarity, 0 to 1 [default: the agent's threshold, else 0.7]
    #[arg(long, value_name = "NUMBER")]
    min_similarity: Option<f64>,
    /// At most so many, up to 100
    #[arg(long, default_value_t = 10, value_name = "COUNT")]
    limit: u32,
    /// Also what is not usable, or is hidden by a nearer skill of the same name
    #[arg(long)]
    all: bool,
    /// Show skills that are nearly the same only once
    #[arg(long)]
    collapse: bool,
    /// Say why each was found
    #[arg(long)]
    explain: bool,
}

/// What else to do with search.
#[derive(Subcommand)]
enum SearchCommand {
    /// Measure search on your own questions
    Eval(eval::EvalArgs),
    /// Say how search stands: embedder, skills, memory
    Status,
}

impl SearchArgs {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        match self.command {
            Some(SearchCommand::Eval(args)) => args.run(session).await,
            Some(SearchCommand::Status) => status(session).await,
            None => self.search(session).await,
        }
    }

    fn body(&self) -> Value {
        let mut body = Map::new();
        let fields = [
            ("query", Some(json!(self.words.join(" ")))),
            ("tags", (!self.tag.is_empty()).then(|| json!(self.tag))),
            ("status", self.status.as_ref().map(|word| json!(word))),
            ("enabled", self.enabled.map(|on| json!(on))),
            ("origin", self.origin.as_ref().map(|word| json!(word))),
            ("scope", self.scope.map(|scope| json!(scope.word()))),
            ("agent", self.owner_agent.as_ref().map(|agent| json!(agent))),
            ("user", self.owner.as_ref().map(|user| json!(user))),
            ("facets", (!self.facet.is_empty()).then(|| json!(self.facet))),
            ("min_similarity", self.min_similarity.map(|number| json!(number))),
            ("limit", Some(json!(self.limit))),
            ("nearest", self.all.then(|| json!(false))),
            ("collapse_duplicates", self.collapse.then(|| json!(true))),
            ("explain", Some(json!(self.explain))),
        ];
        body.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
        Value::Object(body)
    }

    async fn search(self, session: &Session) -> Outcome {
        let output = session.output;
        let request = api("POST", &["skills", "search"]).json(self.body());
        let answer = session.work(async |client| client.json(request).await).await?;
        if output.json {
            return output.json(&answer);
        }
        let notice = text_of(&answer, "notice");
        if !notice.is_empty() {
            output.note(&format!("note: {}", line(&notice)));
        }
        let items = answer.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        if items.is_empty() {
            output.note(&nothing(&answer));
            return Ok(());
        }
        output.print(&show::found(output, &items, self.explain))
    }
}

/// What to say when nothing was found, and what to do about it.
fn nothing(answer: &Value) -> String {
    let message = line(&text_of(answer, "message"));
    let gate = answer.get("min_similarity").and_then(Value::as_f64).unwrap_or_default();
    let advice = if gate > 0.0 { " `--min-similarity 0` shows what comes nearest." } else { "" };
    format!("{message}{advice}")
}

async fn status(session: &Session) -> Outcome {
    let request = api("GET", &["search", "status"]);
    let status = session.work(async |client| client.json(request).await).await?;
    session.output.result(&status, || {
        let number = |key: &str| status.get(key).and_then(Value::as_u64);
        let rows = [
            ("embedder", Some(text_of(&status, "embedder"))),
            ("skills", number("skills").map(|count| count.to_string())),
            ("waiting", number("waiting").map(|count| count.to_string())),
            ("refused", number("refused").filter(|count| *count > 0).map(|count| count.to_string())),
            ("memory", number("bytes").map(size)),
            ("failure", Some(text_of(&status, "failure")).filter(|failure| !failure.is_empty())),
        ];
        let told = rows.into_iter().filter_map(|(name, value)| Some(format!("{name:<10}{}", line(&value?))));
        told.collect::<Vec<_>>().join("\n")
    })
}
