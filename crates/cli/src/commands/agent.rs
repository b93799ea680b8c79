//! `repertoire agent`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value, json};

use super::run::LimitArg;
use super::skill::{revision_number, text_of};
use crate::client::{Client, Pick, Reference, Request, api, find_skill};
use crate::exit::{Failure, Outcome};
use crate::output::{Output, Table, line, text};
use crate::session::Session;

/// What to do with agents.
#[derive(Subcommand)]
pub(crate) enum AgentCommand {
    /// List the agents of the workspace
    #[command(visible_alias = "ls")]
    List,
    /// Show an agent with its skills
    Show {
        /// Which: name or id
        agent: String,
    },
    /// Show what an agent's prompt gets about skills
    Context(ContextArgs),
    /// Make an agent
    Create {
        /// Its name: a-z, 0-9 and hyphens
        name: String,
        #[command(flatten)]
        settings: AgentSettings,
    },
    /// Change an agent's settings; what is not named stays
    Set {
        /// Which: name or id
        agent: String,
        /// Its new name
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        #[command(flatten)]
        settings: AgentSettings,
    },
    /// Remove an agent
    #[command(visible_alias = "rm")]
    Delete {
        /// Which: name or id
        agent: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
    },
    /// Assign a skill to an agent, or move it
    Assign {
        /// Which agent: name or id
        agent: String,
        /// Which skill: NAME or ID; NAME@REVISION pins it
        skill: Reference,
        /// Its place in the order, from 1; the end when left out
        #[arg(long, value_name = "PLACE")]
        position: Option<u32>,
    },
    /// Take a skill from an agent
    Unassign {
        /// Which agent: name or id
        agent: String,
        /// Which skill: NAME or ID
        skill: Reference,
    },
}

/// Who may approve.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ApproverArg {
    Owner,
    Admin,
    TwoPerson,
}

/// When the agent proposes skills.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ProposalArg {
    Proactive,
    OnRequest,
    Off,
}

/// How the agent discovers skills.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum DiscoveryArg {
    List,
    Search,
    Hybrid,
    Auto,
}

/// A group of tools that the agent is offered over MCP.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum ToolsetArg {
    Interpreter,
    Memory,
    Library,
    Learning,
    Default,
}

/// Whose context, for what, and how much of it.
#[derive(Args)]
pub(crate) struct ContextArgs {
    /// Which: name or id
    agent: String,
    /// What the agent is about to do
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// How many tokens it may take; else the agent's token budget
    #[arg(long, value_name = "TOKENS")]
    budget: Option<u32>,
    /// How it is written
    #[arg(long, value_enum, default_value = "markdown")]
    format: FormatArg,
    /// How the agent discovers skills; else its own way
    #[arg(long, value_enum)]
    discovery: Option<DiscoveryArg>,
    /// How many skills a hybrid list may have; else 10
    #[arg(long, value_name = "COUNT")]
    limit: Option<u32>,
    /// How many learned skills a hybrid list may have; else 5
    #[arg(long, value_name = "COUNT")]
    max_learned: Option<u32>,
    /// Where learned skills stand: among the others, or in a block of their own
    #[arg(long, value_enum, default_value = "shared")]
    learned: LearnedArg,
    /// Say how often each skill was used, and with success
    #[arg(long)]
    counts: bool,
}

/// Where learned skills stand in the text for a prompt.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum LearnedArg {
    Shared,
    Separate,
}

/// How the text for a prompt is written.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum FormatArg {
    Markdown,
    Xml,
    Json,
}

/// Settings of an agent.
#[derive(Args)]
pub(crate) struct AgentSettings {
    /// Its title, for people
    #[arg(long)]
    title: Option<String>,
    /// What it is for
    #[arg(long)]
    description: Option<String>,
    /// Procedural memory: the master switch
    #[arg(long, value_name = "BOOL")]
    memory: Option<bool>,
    /// Procedural memory: working code becomes a skill without being asked for
    #[arg(long, value_name = "BOOL")]
    auto_register: Option<bool>,
    /// Procedural memory: a registered skill waits for approval
    #[arg(long, value_name = "BOOL")]
    require_approval: Option<bool>,
    /// Procedural memory: how many skills a user may have; 0 is no limit
    #[arg(long, value_name = "COUNT")]
    max_skills_per_user: Option<u32>,
    /// Procedural memory: the similarity from which on a found skill is used, 0 to 1
    #[arg(long, value_name = "NUMBER")]
    search_threshold: Option<f64>,
    /// Procedural memory: skills are searched before code is generated
    #[arg(long, value_name = "BOOL")]
    prefer_skills: Option<bool>,
    /// Procedural memory: who may approve
    #[arg(long, value_enum)]
    approver: Option<ApproverArg>,
    /// Procedural memory: when the agent proposes skills
    #[arg(long, value_enum)]
    proposals: Option<ProposalArg>,
    /// How the agent discovers skills
    #[arg(long, value_enum)]
    discovery: Option<DiscoveryArg>,
    /// How many tokens a list of skills may take in its context
    #[arg(long, value_name = "TOKENS")]
    token_budget: Option<u32>,
    /// A limit on runs through it, such as wall_seconds=2 or memory_mb=64, or NAME=off; repeat for more
    #[arg(long, value_name = "NAME=NUMBER")]
    run_limit: Vec<LimitArg>,
    /// Tools it is offered over MCP; repeat for more; `default` for the default set
    #[arg(long, alias = "toolsets", value_enum, value_name = "NAME", value_delimiter = ',')]
    toolset: Vec<ToolsetArg>,
}

fn name_of<T: ValueEnum>(value: &T) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn word<T: ValueEnum>(value: &T) -> Value {
    Value::from(name_of(value))
}

impl AgentSettings {
    /// Puts what was named over what is there.
    fn over(self, agent: &mut Map<String, Value>) {
        let own = [
            ("title", self.title.map(Value::from)),
            ("description", self.description.map(Value::from)),
            ("discovery", self.discovery.as_ref().map(word)),
            ("discovery_token_budget", self.token_budget.map(Value::from)),
        ];
        let memory = [
            ("enabled", self.memory.map(Value::from)),
            ("auto_register_skills", self.auto_register.map(Value::from)),
            ("require_skill_approval", self.require_approval.map(Value::from)),
            ("max_skills_per_user", self.max_skills_per_user.map(Value::from)),
            ("skill_search_threshold", self.search_threshold.map(Value::from)),
            ("prefer_skills", self.prefer_skills.map(Value::from)),
            ("approver", self.approver.as_ref().map(word)),
            ("proposal_mode", self.proposals.as_ref().map(word)),
        ];
        let named = |parts: Vec<(&str, Option<Value>)>| -> Map<String, Value> {
            parts.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
        };
        agent.extend(named(own.into()));
        if !self.run_limit.is_empty()
            && let Value::Object(stored) =
                agent.entry("run_limits").or_insert_with(|| Value::Object(Map::new()))
        {
            LimitArg::over(&self.run_limit, stored);
        }
        if !self.toolset.is_empty() {
            let named = self.toolset.iter().filter(|toolset| **toolset != ToolsetArg::Default);
            agent.insert("toolsets".to_owned(), named.map(word).collect());
        }
        let memory = named(memory.into());
        if !memory.is_empty() {
            let stored = agent.entry("procedural_memory").or_insert(Value::Null);
            match stored {
                Value::Object(stored) => stored.extend(memory),
                stored => *stored = Value::Object(memory),
            }
        }
    }
}

impl AgentCommand {
    pub(crate) async fn run(self, session: &Session) -> Outcome {
        let output = session.output;
        match self {
            Self::List => {
                let items =
                    session.work(async |client| client.all(api("GET", &["agents"]), None).await).await?;
                output.result(&json!({"items": items}), || {
                    let mut table = Table::new(&["name", "skills", "memory", "discovery", "title"]);
                    for item in &items {
                        let skills = item.get("skills").and_then(Value::as_array).map_or(0, Vec::len);
                        let on = item.pointer("/procedural_memory/enabled").and_then(Value::as_bool);
                        let memory = if on == Some(true) { "on" } else { "off" };
                        table.row([
                            text_of(item, "name"),
                            skills.to_string(),
                            memory.to_owned(),
                            text_of(item, "discovery"),
                            text_of(item, "title"),
                        ]);
                    }
                    output.table(&table)
                })
            }
            Self::Show { agent } => {
                let (agent, skills) = session
                    .work(async |client| {
                        let agent = find(client, &agent).await?;
                        let skills = skill_lines(client, &agent).await?;
                        Ok((agent, skills))
                    })
                    .await?;
                output.result(&agent, || describe(&agent, &skills))
            }
            Self::Context(args) => args.show(session).await,
            Self::Create { name, settings } => {
                let mut body = Map::from_iter([("name".to_owned(), Value::from(name))]);
                settings.over(&mut body);
                let request = api("POST", &["agents"]).json(Value::Object(body));
                let made = session.work(async |client| client.json(request).await).await?;
                output.result(&made, || format!("made the agent `{}`", text_of(&made, "name")))
            }
            Self::Set { agent, rename, settings } => {
                let changed =
                    session.work(async |client| change(client, &agent, rename, settings).await).await?;
                output.result(&changed, || describe(&changed, &[]))
            }
            Self::Delete { agent, yes } => {
                if !yes && !output.confirm(&format!("Remove the agent `{}`?", line(&agent)))? {
                    return Ok(());
                }
                session
                    .work(async |client| {
                        let id = text_of(&find(client, &agent).await?, "id");
                        client.send(api("DELETE", &["agents", &id])).await
                    })
                    .await?;
                output.result(&json!({"removed": agent}), || format!("removed the agent `{}`", line(&agent)))
            }
            Self::Assign { agent, skill, position } => {
                let changed = session
                    .work(async |client| {
                        let id = text_of(&find(client, &agent).await?, "id");
                        let found = find_skill(client, &skill.skill, Pick::Only).await?;
                        let pin = match &skill.revision {
                            Some(revision) => Some(revision_number(client, &found.id, revision).await?),
                            None => None,
                        };
                        let position = position.map(|place| place.saturating_sub(1));
                        let body = json!({"pin": pin, "position": position});
                        client.json(api("PUT", &["agents", &id, "skills", &found.id]).json(body)).await
                    })
                    .await?;
                output.result(&changed, || format!("`{}` has `{}`", line(&agent), line(&skill.skill)))
            }
            Self::Unassign { agent, skill } => {
                let changed = session
                    .work(async |client| {
                        let id = text_of(&find(client, &agent).await?, "id");
                        let found = find_skill(client, skill.whole()?, Pick::Only).await?;
                        client.json(api("DELETE", &["agents", &id, "skills", &found.id])).await
                    })
                    .await?;
                output
                    .result(&changed, || format!("`{}` no longer has `{}`", line(&agent), line(&skill.skill)))
            }
        }
    }
}

impl ContextArgs {
    async fn show(self, session: &Session) -> Outcome {
        let number = |number: Option<u32>| number.map(|number| number.to_string());
        let asked = [
            ("query", self.query),
            ("budget", number(self.budget)),
            ("format", Some(name_of(&self.format))),
            ("mode", self.discovery.as_ref().map(name_of)),
            ("limit", number(self.limit)),
            ("max_learned", number(self.max_learned)),
            ("learned", Some(name_of(&self.learned))),
            ("counts", self.counts.then(|| "true".to_owned())),
        ];
        let context = session
            .work(async |client| {
                let id = text_of(&find(client, &self.agent).await?, "id");
                let request = api("GET", &["agents", &id, "context"]);
                let add = |request: Request, (key, value): &(&str, Option<String>)| {
                    request.query(key, value.as_deref())
                };
                client.json(asked.iter().fold(request, add)).await
            })
            .await?;
        remark(session.output, &context);
        session.output.result(&context, || text(&text_of(&context, "text")))
    }
}

/// Says beside a context what is not in it.
fn remark(output: Output, context: &Value) {
    let left_out = context.get("left_out").and_then(Value::as_array).into_iter().flatten();
    for part in left_out.filter_map(Value::as_str) {
        output.note(&format!("{} left out: the budget is too small", line(&part.replace('_', " "))));
    }
    if context.get("more").and_then(Value::as_bool) == Some(true) {
        output.note("there are more skills; give the agent a tool to search with");
    }
}

async fn change(
    client: &Client,
    agent: &str,
    rename: Option<String>,
    settings: AgentSettings,
) -> Outcome<Value> {
    let stored = find(client, agent).await?;
    let version = stored.get("version").and_then(Value::as_u64).unwrap_or_default();
    let Value::Object(mut body) = stored.clone() else { return Ok(stored) };
    for readonly in ["id", "version", "created_at", "updated_at"] {
        body.remove(readonly);
    }
    settings.over(&mut body);
    if let Some(name) = rename {
        body.insert("name".to_owned(), Value::from(name));
    }
    let request = api("PUT", &["agents", &text_of(&stored, "id")])
        .header("if-match", format!("\"{version}\""))
        .json(Value::Object(body));
    client.json(request).await
}

async fn find(client: &Client, text: &str) -> Outcome<Value> {
    if model::AgentId::parse(text).is_ok() {
        return client.json(api("GET", &["agents", text])).await;
    }
    let page = client.json(api("GET", &["agents"]).query("name", Some(text))).await?;
    page.pointer("/items/0").cloned().ok_or_else(|| {
        Failure::not_found(format!("there is no agent `{text}`"))
            .hint("`repertoire agent list` shows what there is")
    })
}

async fn skill_lines(client: &Client, agent: &Value) -> Outcome<Vec<String>> {
    let assigned = agent.get("skills").and_then(Value::as_array).cloned().unwrap_or_default();
    let mut lines = Vec::new();
    for (n, one) in assigned.iter().enumerate() {
        let skill = client.json(api("GET", &["skills", &text_of(one, "skill_id")])).await;
        let name = skill.map_or_else(|_| text_of(one, "skill_id"), |skill| text_of(&skill, "name"));
        let pin = one.get("pin").and_then(Value::as_u64).map(|pin| format!("@{pin}")).unwrap_or_default();
        lines.push(format!("{}. {}{pin}", n + 1, line(&name)));
    }
    Ok(lines)
}

fn describe(agent: &Value, skills: &[String]) -> String {
    let mut text = Vec::new();
    for (label, key) in [("name", "name"), ("title", "title"), ("description", "description"), ("id", "id")] {
        text.push(format!("{label:<26}{}", line(&text_of(agent, key))));
    }
    text.push(format!("{:<26}{}", "discovery", text_of(agent, "discovery")));
    text.push(format!("{:<26}{}", "discovery token budget", plain(agent.get("discovery_token_budget"))));
    let toolsets: Vec<_> = agent
        .get("toolsets")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let toolsets = if toolsets.is_empty() { "default".to_owned() } else { toolsets.join(", ") };
    text.push(format!("{:<26}{}", "toolsets", line(&toolsets)));
    match agent.get("procedural_memory").and_then(Value::as_object) {
        None => text.push(format!("{:<26}off", "procedural memory")),
        Some(memory) => {
            text.push("procedural memory".to_owned());
            for (key, value) in memory {
                text.push(format!("  {:<24}{}", key.replace('_', " "), plain(Some(value))));
            }
        }
    }
    let limits = agent.get("run_limits").and_then(Value::as_object).into_iter().flatten();
    for (key, value) in limits.filter(|(_, value)| !value.is_null()) {
        text.push(format!("{:<26}{value}", format!("run limit {}", key.replace('_', " "))));
    }
    if !skills.is_empty() {
        text.push("skills".to_owned());
        text.extend(skills.iter().map(|skill| format!("  {skill}")));
    }
    text.join("\n")
}

fn plain(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => line(text),
        Some(Value::Bool(on)) => (if *on { "yes" } else { "no" }).to_owned(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}
