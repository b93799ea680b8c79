//! `repertoire skill`, and the short forms of it that people know.

mod create;
mod delete;
mod edit;
mod export;
mod history;
mod import;
mod import_summary;
mod list;
mod review;
mod show;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

use crate::client::{Published, Reference, api};
use crate::exit::{Exit, Outcome};
use crate::output::{Output, Paint, Table, line};
use crate::session::Session;

pub(crate) use delete::DeleteArgs;
pub(crate) use export::{ExportArgs, stored_bundle};
pub(crate) use history::number as revision_number;
pub(crate) use import::{ImportArgs, file_list, wanted_name};
pub(crate) use list::ListArgs;
pub(crate) use review::switch;

/// What to do with skills.
#[derive(Subcommand)]
pub(crate) enum SkillCommand {
    /// List the skills of the library
    #[command(visible_alias = "ls")]
    List(ListArgs),
    /// Show a skill
    Show(show::ShowArgs),
    /// Make a skill from its fields
    Create(create::CreateArgs),
    /// Change a skill: in your editor, or with flags
    Edit(edit::EditArgs),
    /// Put skills from folders or archives into the library
    #[command(visible_aliases = ["add", "install"])]
    Import(ImportArgs),
    /// Write skills to folders, byte for byte
    Export(ExportArgs),
    /// Show what changed between two revisions
    Diff(history::DiffArgs),
    /// List the revisions of a skill, newest first
    Log(history::LogArgs),
    /// Make an older revision the current one again
    Restore(history::RestoreArgs),
    /// Give a revision a version label, or take it away
    Label(history::LabelArgs),
    /// Delete skills
    #[command(visible_aliases = ["rm", "remove"])]
    Delete(DeleteArgs),
    /// Bring a deleted skill back, while the workspace allows it
    Undelete(Names),
    /// Turn skills on
    Enable(Names),
    /// Turn skills off
    Disable(Names),
    /// Hand drafts in for review
    Submit(review::ReviewArgs),
    /// Let skills in, or grant a promotion
    Approve(review::ApproveArgs),
    /// Refuse skills, or a promotion
    Reject(review::ReviewArgs),
    /// Put skills away; they can be reopened
    Archive(review::ReviewArgs),
    /// Take rejected or archived skills up again, as drafts
    Reopen(review::ReviewArgs),
    /// Move a skill to a wider scope, or ask for it
    Promote(review::PromoteArgs),
    /// List the files of a skill
    Files(show::FilesArgs),
    /// Print a skill as an agent would get it, and count the use
    Use(show::UseArgs),
    /// Say whether a skill helped
    Rate(review::RateArgs),
}

/// Which skills.
#[derive(Args)]
pub(crate) struct Names {
    /// Which: NAME or ID
    #[arg(required = true, value_name = "SKILL")]
    pub(crate) skills: Vec<Reference>,
}

/// Who can see a skill.
#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ScopeArg {
    Workspace,
    Agent,
    User,
    AgentUser,
}

impl ScopeArg {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Agent => "agent",
            Self::User => "user",
            Self::AgentUser => "agent_user",
        }
    }
}

impl SkillCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome<Exit> {
        match self {
            Self::Import(args) => return args.run(session).await,
            Self::Export(args) => return args.run(session).await,
            Self::List(args) => args.run(session).await,
            Self::Show(args) => args.run(session).await,
            Self::Create(args) => args.run(session).await,
            Self::Edit(args) => args.run(session).await,
            Self::Diff(args) => args.run(session).await,
            Self::Log(args) => args.run(session).await,
            Self::Restore(args) => args.run(session).await,
            Self::Label(args) => args.run(session).await,
            Self::Delete(args) => args.run(session).await,
            Self::Undelete(names) => delete::undelete(session, &names).await,
            Self::Enable(names) => switch(session, &names, "enable").await,
            Self::Disable(names) => switch(session, &names, "disable").await,
            Self::Submit(args) => args.run(session, "submit").await,
            Self::Approve(args) => args.run(session).await,
            Self::Reject(args) => args.run(session, "reject").await,
            Self::Archive(args) => args.run(session, "archive").await,
            Self::Reopen(args) => args.run(session, "reopen").await,
            Self::Promote(args) => args.run(session).await,
            Self::Files(args) => args.run(session).await,
            Self::Use(args) => args.run(session).await,
            Self::Rate(args) => args.run(session).await,
        }
        .map(|()| Exit::Ok)
    }
}

/// The tags with how many skills have each.
pub(crate) async fn tags(session: &Session) -> Outcome {
    let items = session.work(async |client| client.all(api("GET", &["tags"]), None).await).await?;
    session.output.result(&json!({"items": items}), || {
        if items.is_empty() {
            return "no skill has a tag".to_owned();
        }
        let mut table = Table::new(&["tag", "skills"]);
        for item in &items {
            let count = item.get("count").and_then(Value::as_u64).unwrap_or_default();
            table.row([text_of(item, "tag"), count.to_string()]);
        }
        session.output.table(&table)
    })
}

/// A text field of an answer; empty when it is null or not there.
pub(crate) fn text_of(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// A moment as people read it: to the minute, in UTC.
pub(crate) fn moment(rfc3339: &str) -> String {
    rfc3339.get(..16).map_or_else(|| rfc3339.to_owned(), |minute| minute.replace('T', " "))
}

/// What became of a change, for people.
pub(super) fn tell(output: Output, published: &Published) -> String {
    let skill = &published.skill;
    let what = match published.outcome.as_str() {
        "created" => "made",
        "revised" => "changed",
        "unchanged" => "nothing to change in",
        "skipped" => "left alone",
        other => other,
    };
    let told = format!("{what} `{}`, revision {}, {}", line(&skill.name), skill.revision, skill.state());
    let findings = published.findings.iter().map(|finding| {
        let finding = line(&finding.to_string());
        format!("    {}", output.paint(Paint::Dim, &finding))
    });
    std::iter::once(told).chain(findings).collect::<Vec<_>>().join("\n")
}
