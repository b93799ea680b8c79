//! `repertoire workspace`.

use clap::Subcommand;
use serde_json::{Map, Value, json};

use super::skill::text_of;
use crate::client::api;
use crate::exit::{Failure, Outcome};
use crate::output::{Table, count};
use crate::session::Session;

/// What to do with workspaces.
#[derive(Subcommand)]
pub(crate) enum WorkspaceCommand {
    /// List the workspaces you can turn to
    #[command(visible_alias = "ls")]
    List,
    /// Make a workspace
    Create {
        /// Its name: a-z, 0-9 and hyphens
        name: String,
        /// Its title, for people
        #[arg(long)]
        title: Option<String>,
    },
    /// Show the workspace you are in
    Show,
    /// Change the workspace you are in
    Set {
        /// Its title, for people
        #[arg(long)]
        title: Option<String>,
        /// Answer "not found" for what a caller may not see
        #[arg(long, value_name = "BOOL")]
        hide_existence: Option<bool>,
        /// For how many hours a deleted skill can be brought back; 0 purges at once
        #[arg(long, value_name = "HOURS")]
        undelete_window: Option<u32>,
        /// After how many days an unconfirmed draft is archived; 0 is never
        #[arg(long, value_name = "DAYS")]
        draft_expiry: Option<u32>,
    },
}

impl WorkspaceCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List => {
                let items =
                    session.work(async |client| client.all(api("GET", &["workspaces"]), None).await).await?;
                output.result(&json!({"items": items}), || {
                    let mut table = Table::new(&["name", "title"]);
                    for item in &items {
                        table.row([text_of(item, "name"), text_of(item, "title")]);
                    }
                    output.table(&table)
                })
            }
            Self::Create { name, title } => {
                let body = json!({"name": name, "title": title});
                let made = session
                    .work(async |client| client.json(api("POST", &["workspaces"]).json(body)).await)
                    .await?;
                output.result(&made, || {
                    format!("made the workspace `{name}`; work in it with `--workspace {name}`")
                })
            }
            Self::Show => {
                let shown =
                    session.work(async |client| client.json(api("GET", &["workspace"])).await).await?;
                output.result(&shown, || describe(&shown))
            }
            Self::Set { title, hide_existence, undelete_window, draft_expiry } => {
                let mut body = Map::new();
                let mut put = |key: &str, value: Option<Value>| {
                    if let Some(value) = value {
                        body.insert(key.to_owned(), value);
                    }
                };
                put("title", title.map(Value::from));
                put("hide_existence", hide_existence.map(Value::from));
                put("undelete_window_hours", undelete_window.map(Value::from));
                put("draft_expiry_days", draft_expiry.map(Value::from));
                if body.is_empty() {
                    return Err(Failure::usage("nothing to set").hint("`repertoire workspace set --help`"));
                }
                let request = api("PATCH", &["workspace"]).json(Value::Object(body));
                let shown = session.work(async |client| client.json(request).await).await?;
                output.result(&shown, || describe(&shown))
            }
        }
    }
}

fn describe(workspace: &Value) -> String {
    let number = |key: &str| workspace.get(key).and_then(Value::as_u64).unwrap_or_default();
    let hides = workspace.get("hide_existence").and_then(Value::as_bool).unwrap_or_default();
    [
        format!("name              {}", text_of(workspace, "name")),
        format!("title             {}", text_of(workspace, "title")),
        format!("hide existence    {}", if hides { "yes" } else { "no" }),
        format!("undelete window   {}", count(number("undelete_window_hours"), "hour")),
        format!("draft expiry      {}", count(number("draft_expiry_days"), "day")),
        format!("id                {}", text_of(workspace, "id")),
    ]
    .join("\n")
}
