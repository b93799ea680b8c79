//! Policies, a task and calls, the same in every run.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use model::{Activation, Validator};
use policy::constraints::{Context, Declared, Identity, Policies};
use serde_json::{Value, json};

/// How many policies are registered.
pub(super) const REGISTERED: usize = 1_000;
/// How many of them are active.
pub(super) const ACTIVE: usize = 50;
/// How many validators the active ones have where there are any.
pub(super) const VALIDATORS: usize = 10;

/// The task.
pub(super) const TASK: &str = "Please review the payment service, run its tests and open a pull request";

/// Tools that every whitelist admits.
const COMMON: [&str; 6] = ["Read", "Edit", "Grep", "Glob", "mcp__github__get_issue", "run_tests"];
/// Tools that some whitelists admit.
const SOME: [&str; 8] =
    ["Write", "TodoWrite", "linter", "formatter", "profiler", "notes", "calendar", "mcp__jira__get_ticket"];
/// Tools that some blacklist names.
const NAMED: [&str; 6] = ["WebSearch", "send_mail", "deploy", "kill_process", "mcp__slack__post", "payments"];
/// Commands that every whitelist admits, by their first words.
const COMMANDS: [&str; 8] =
    ["git status", "git diff", "git log", "cargo test", "cargo build", "ls", "cat", "npm run lint"];
/// Commands that some blacklist names, by their first words.
const FORBIDDEN_COMMANDS: [&str; 6] = ["rm", "curl", "git push", "git diff --no-index", "dd", "cat secrets"];

/// An entry of a list of tools.
#[derive(Clone)]
pub(super) enum Entry {
    /// A tool.
    Name(String),
    /// Tools whose name begins so.
    Begins(String),
    /// Tools whose name ends so.
    Ends(String),
    /// Tools whose name has this in it.
    Has(String),
    /// Commands of the shell that begin with these words.
    Command(String),
}

impl Entry {
    fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Begins(text) => format!("{text}*"),
            Self::Ends(text) => format!("*{text}"),
            Self::Has(text) => format!("*{text}*"),
            Self::Command(words) => format!("Bash({words}:*)"),
        }
    }
}

/// What one policy says about tools.
#[derive(Default)]
pub(super) struct Lists {
    /// The only tools allowed, if it says so.
    pub(super) allowed: Option<Vec<Entry>>,
    /// Tools that are never allowed.
    pub(super) forbidden: Vec<Entry>,
}

impl Lists {
    /// Those of an active policy: two in five have a whitelist, three in five a blacklist.
    fn new(number: usize) -> Self {
        let allowed = (number % 5 < 2).then(|| {
            let common = COMMON.iter().map(|tool| Entry::Name((*tool).to_owned()));
            let commands = COMMANDS.iter().map(|words| Entry::Command((*words).to_owned()));
            let some = (0..4).filter_map(|step| SOME.get((number + step) % SOME.len()));
            let some = some.map(|tool| Entry::Name((*tool).to_owned()));
            let servers = ["mcp__docs__", "mcp__search__"].map(|text| Entry::Begins(text.to_owned()));
            common.chain(some).chain(servers).chain(commands).collect()
        });
        let pick = |list: &[&str]| list.get(number % list.len()).map(|text| (*text).to_owned());
        let forbidden = match number % 5 {
            1 => vec![
                pick(&NAMED).map(Entry::Name),
                pick(&["mcp__prod_", "mcp__docs__write"]).map(Entry::Begins),
            ],
            2 => vec![pick(&FORBIDDEN_COMMANDS).map(Entry::Command), pick(&NAMED).map(Entry::Name)],
            3 => vec![
                pick(&["_delete", "_drop"]).map(Entry::Ends),
                pick(&["__admin_", "secret"]).map(Entry::Has),
                pick(&FORBIDDEN_COMMANDS).map(Entry::Command),
            ],
            _ => Vec::new(),
        };
        Self { allowed, forbidden: forbidden.into_iter().flatten().collect() }
    }

    fn texts(entries: &[Entry]) -> Vec<String> {
        entries.iter().map(Entry::text).collect()
    }
}

/// A call that an agent wants to make.
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments: Value,
}

impl Call {
    fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: tool.into(), arguments }
    }

    fn shell(command: impl Into<String>) -> Self {
        Self::new("Bash", json!({ "command": command.into(), "timeout": 60_000 }))
    }

    /// The command line, where it is a call of the shell.
    #[cfg(feature = "governance-peers")]
    pub(super) fn command(&self) -> Option<&str> {
        self.arguments.get("command").and_then(Value::as_str)
    }
}

/// What the agent knows.
pub(super) fn context() -> Context {
    let context = json!({
        "environment": "staging",
        "repository": { "name": "payments", "language": "rust", "private": true },
        "user": { "role": "developer", "teams": ["core", "payments"] },
        "cwd": "/home/dev/payments",
        "home": "/home/dev",
        "changed_files": 12
    });
    context.as_object().cloned().unwrap_or_default()
}

/// What the active policies say about tools, in the order of their numbers.
#[cfg(feature = "governance-peers")]
pub(super) fn lists() -> Vec<Lists> {
    (0..ACTIVE).map(Lists::new).collect()
}

/// All policies, with or without validators. Every twentieth is active: by `always`, by a keyword, or by an expression.
pub(super) fn policies(with_validators: bool) -> Result<Policies> {
    let mut policies = Policies::default();
    let every = REGISTERED / ACTIVE;
    for number in 0..REGISTERED {
        let mut declared = model::Policy {
            priority: i64::try_from(number % 7)?,
            activation: activation(number, number % every == 0),
            max_steps: (number % 3 == 0).then_some(200),
            max_execution_time: (number % 4 == 0).then_some(Duration::from_hours(1)),
            planning: (number % 6 == 0).then(|| "Say what you will do before you do it.".to_owned()),
            ..model::Policy::default()
        };
        if number % 5 == 0 {
            declared.context.insert(format!("note_{}", number % 8), json!(number));
        }
        let lists = Lists::new(number / every);
        declared.allowed_tools = lists.allowed.as_deref().map(Lists::texts);
        declared.forbidden_tools = Lists::texts(&lists.forbidden);
        if with_validators && (number / every).is_multiple_of(ACTIVE / VALIDATORS) {
            declared.validators.push(validator(number / every / (ACTIVE / VALIDATORS)));
        }
        let id = format!("policy-{number:04}");
        let skill = Identity { name: format!("Policy {number}"), id, version: None };
        let compiled =
            Declared::compile(skill, &declared).map_err(|problems| anyhow::anyhow!("{problems:?}"))?;
        policies.add(Arc::new(compiled))?;
    }
    Ok(policies)
}

fn activation(number: usize, active: bool) -> Activation {
    let keywords = vec![format!("topic {number}"), "invoice".to_owned(), "translate".to_owned()];
    match number % 3 {
        0 if active => Activation { always: true, ..Activation::default() },
        1 => {
            let last = if active { "Pull Request" } else { "spreadsheet" };
            let keywords = keywords.into_iter().chain([last.to_owned()]).collect();
            Activation { keywords, ..Activation::default() }
        }
        _ => {
            let role = if active { "developer" } else { "accountant" };
            let when = format!(
                "context.environment == 'staging' && context.user.role == '{role}' && \
                 (task.contains('payment') || context.changed_files > {number})"
            );
            Activation { keywords, when: Some(when), ..Activation::default() }
        }
    }
}

fn validator(number: usize) -> Validator {
    match number % 5 {
        0 => Validator::Expression(
            "!has(args.command) || (size(args.command) < 2000 && !args.command.contains('--force'))"
                .to_owned(),
        ),
        1 => Validator::ArgumentDeny("(?i)password|api[_-]?key|BEGIN [A-Z ]+ KEY".to_owned()),
        2 => Validator::PathPrefix(vec!["/home/dev/payments".to_owned(), "/tmp".to_owned()]),
        3 => Validator::HostAllow(vec!["github.com".to_owned(), "*.example.org".to_owned()]),
        _ => Validator::ArgumentSize(20_000),
    }
}

/// Two hundred calls: half of them allowed, the others forbidden by name, by a part of the name or by the command, or in
/// no whitelist.
pub(super) fn calls() -> Vec<Call> {
    let mut calls = Vec::new();
    for number in 0..25 {
        let pick =
            |list: &[&str]| list.get(number % list.len()).map_or_else(String::new, |text| (*text).to_owned());
        let file = format!("/home/dev/payments/src/module_{number}.rs");
        // Allowed.
        calls.push(Call::new(pick(&COMMON), json!({ "file_path": file, "limit": number })));
        calls.push(Call::shell(format!("{} src/module_{number}.rs", pick(&COMMANDS))));
        calls.push(Call::new(format!("mcp__docs__read_{number}"), json!({ "page": number })));
        calls.push(Call::shell(pick(&COMMANDS)));
        // Denied.
        calls.push(Call::new(pick(&NAMED), json!({ "id": number })));
        let globs =
            ["mcp__prod_db__query", "mcp__docs__write_page", "table_delete", "mcp__x__admin_users", "secret"];
        calls.push(Call::new(pick(&globs), json!({ "id": number })));
        calls.push(Call::shell(format!("{} target/{number}", pick(&FORBIDDEN_COMMANDS))));
        if number % 2 == 0 {
            calls.push(Call::new(format!("unknown_tool_{number}"), json!({ "query": "text" })));
        } else {
            calls.push(Call::shell(format!("make target-{number}")));
        }
    }
    calls
}
