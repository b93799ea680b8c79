//! The tools of hosts by their common names, and their arguments under the names that patterns know.
//!
//! The common names are Claude Code's; a tool that is not in the table keeps its own. Arguments stay as the host gives
//! them; what file patterns would not find is put beside them. Where a tool certainly works on a file and cannot be
//! read which, there stands a path that leads nowhere, so that rules about files deny.

use serde_json::{Map, Value};

use super::{Host, patch};

/// A path of which nothing can be said.
const UNCLEAR: &str = "";
/// The argument under which paths are put that stand elsewhere.
const PATHS: &str = "paths";

const GEMINI: [(&str, &str); 16] = [
    ("activate_skill", "Skill"),
    ("ask_user", "AskUserQuestion"),
    ("enter_plan_mode", "EnterPlanMode"),
    ("exit_plan_mode", "ExitPlanMode"),
    ("glob", "Glob"),
    ("google_web_search", "WebSearch"),
    ("grep_search", "Grep"),
    ("list_directory", "LS"),
    ("read_file", "Read"),
    ("read_many_files", "Read"),
    ("replace", "Edit"),
    ("run_shell_command", "Bash"),
    ("search_file_content", "Grep"),
    ("web_fetch", "WebFetch"),
    ("write_file", "Write"),
    ("write_todos", "TodoWrite"),
];
// What it was called before it was `Agent`.
const CLAUDE: [(&str, &str); 1] = [("Task", "Agent")];
const CODEX: [(&str, &str); 3] =
    [("apply_patch", "Edit"), ("view_image", "Read"), ("web_search", "WebSearch")];
const CURSOR: [(&str, &str); 8] = [
    ("ApplyPatch", "Edit"),
    ("Delete", "Edit"),
    ("EditNotebook", "NotebookEdit"),
    ("Shell", "Bash"),
    ("StrReplace", "Edit"),
    ("TabRead", "Read"),
    ("TabWrite", "Write"),
    ("Task", "Agent"),
];
// PowerShell is no `Bash`: its lines are taken apart by other rules.
// What is written to a shell that goes on is a call of it, of which nothing can be read.
const COPILOT: [(&str, &str); 39] = [
    ("Task", "Agent"),
    ("apply_patch", "Edit"),
    ("ask_user", "AskUserQuestion"),
    ("bash", "Bash"),
    ("create", "Write"),
    ("create_directory", "Write"),
    ("create_file", "Write"),
    ("createFile", "Write"),
    ("edit", "Edit"),
    ("edit_notebook_file", "NotebookEdit"),
    ("editFiles", "Edit"),
    ("fetch_webpage", "WebFetch"),
    ("file_search", "Glob"),
    ("fileSearch", "Glob"),
    ("glob", "Glob"),
    ("grep", "Grep"),
    ("grep_search", "Grep"),
    ("insert_edit_into_file", "Edit"),
    ("list_dir", "LS"),
    ("listDirectory", "LS"),
    ("multi_replace_string_in_file", "Edit"),
    ("powershell", "PowerShell"),
    ("read_file", "Read"),
    ("readFile", "Read"),
    ("replace_string_in_file", "Edit"),
    ("rg", "Grep"),
    ("run_in_terminal", "Bash"),
    ("runInTerminal", "Bash"),
    ("runSubagent", "Agent"),
    ("skill", "Skill"),
    ("str_replace_editor", "Edit"),
    ("task", "Agent"),
    ("textSearch", "Grep"),
    ("update_todo", "TodoWrite"),
    ("view", "Read"),
    ("web_fetch", "WebFetch"),
    ("web_search", "WebSearch"),
    ("write_bash", "Bash"),
    ("write_powershell", "PowerShell"),
];

/// Tools that cannot do without a path.
const NEED_A_PATH: [&str; 5] = ["Edit", "MultiEdit", "NotebookEdit", "Read", "Write"];
/// Tools whose arguments hold paths.
const ON_FILES: [&str; 8] = ["Edit", "Glob", "Grep", "LS", "MultiEdit", "NotebookEdit", "Read", "Write"];
/// Names of path arguments that patterns know, of those that such tools have.
const KNOWN_PATHS: [&str; 10] = [
    "absolute_path",
    "dirPath",
    "dir_path",
    "filePath",
    "file_path",
    "files",
    "notebookPath",
    "notebook_path",
    "path",
    PATHS,
];
/// Names of path arguments that they do not know.
const OTHER_PATHS: [&str; 5] =
    ["relative_workspace_path", "target_directories", "target_directory", "target_file", "target_notebook"];
/// Lists of changes, each with a path of its own.
const CHANGES: [&str; 2] = ["edits", "replacements"];
/// Arguments that may hold a patch.
const PATCHES: [&str; 3] = ["command", "input", "patch"];
/// Arguments by common tool: some host's name, and the one that patterns and checks know.
const RENAMED: [(&str, &str, &str); 4] = [
    ("Glob", "glob_pattern", "pattern"),
    ("Glob", "query", "pattern"),
    ("Skill", "name", "skill"),
    ("WebSearch", "search_term", "query"),
];

/// A tool by its common name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) name: String,
    /// The server it belongs to, where that is known.
    pub(super) server: Option<String>,
}

impl Known {
    /// The tool that a host calls so. `server` is what the host says about the tool's server.
    pub(super) fn find(host: Host, own: &str, server: Option<&Value>) -> Self {
        let table: &[(&str, &str)] = match host {
            Host::Claude => &CLAUDE,
            Host::Codex => &CODEX,
            Host::Gemini => &GEMINI,
            Host::Cursor => &CURSOR,
            Host::Copilot => &COPILOT,
        };
        let said = |names: [&str; 2]| {
            let text = names.iter().find_map(|name| server?.get(name)?.as_str());
            text.filter(|text| !text.is_empty())
        };
        let server = said(["server_name", "name"]);
        let (server, tool) = match host {
            Host::Gemini => {
                let apart = own.strip_prefix("mcp_").filter(|rest| !rest.starts_with('_'));
                let apart = apart.and_then(|rest| rest.split_once('_')).filter(|(_, tool)| !tool.is_empty());
                let server = server.or(apart.map(|(server, _)| server));
                let tool = said(["tool_name", "toolName"]).or(apart.map(|(_, tool)| tool));
                // A tool whose server is known is a server's tool, whatever its name looks like.
                (server, server.and(tool.or(Some(own))).filter(|_| !own.starts_with("mcp__")))
            }
            _ => (server, None),
        };
        let common = table.iter().find(|(known, _)| *known == own).map(|(_, common)| *common);
        let name = match (server, tool) {
            (Some(server), Some(tool)) => format!("mcp__{}__{}", plain(server), plain(tool)),
            _ => common.unwrap_or(own).to_owned(),
        };
        Self { name, server: server.map(str::to_owned) }
    }
}

/// The common name, where it depends on the arguments: one tool may read or write.
pub(super) fn by_arguments(own: &str, name: String, arguments: &Value) -> String {
    let is_view = arguments.get("command").and_then(Value::as_str) == Some("view");
    if own == "str_replace_editor" && is_view { "Read".to_owned() } else { name }
}

/// A name as it stands in the name of a tool.
fn plain(name: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') { letter } else { '_' }
    };
    name.chars().map(letter).collect()
}

/// The arguments of a tool, so that patterns and checks find what they look for.
pub(super) fn arguments(own: &str, tool: &str, given: Value) -> Value {
    let mut arguments = match given {
        Value::Object(arguments) => arguments,
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(arguments)) => arguments,
            _ if tool == "Edit" && patch::is_patch(&text) => {
                Map::from_iter([("patch".to_owned(), Value::String(text))])
            }
            _ => return Value::String(text),
        },
        other => return other,
    };
    for (_, theirs, ours) in RENAMED.iter().filter(|(known, ..)| *known == tool) {
        if let Some(value) = arguments.get(*theirs).cloned() {
            // Which of two the host would take is not known here: both count.
            let value = match arguments.remove(*ours) {
                None | Some(Value::Null) => value,
                Some(known) if known == value => value,
                Some(known) => Value::Array(listed(value).into_iter().chain(listed(known)).collect()),
            };
            arguments.insert((*ours).to_owned(), value);
        }
    }
    if ON_FILES.contains(&tool) {
        let found = paths(own, tool, &arguments);
        if !found.is_empty() {
            let known = arguments.remove(PATHS).map_or_else(Vec::new, listed);
            arguments.insert(PATHS.to_owned(), Value::Array(found.into_iter().chain(known).collect()));
        }
    }
    Value::Object(arguments)
}

/// The paths that patterns would not find by themselves.
fn paths(own: &str, tool: &str, arguments: &Map<String, Value>) -> Vec<Value> {
    let unclear = || Value::from(UNCLEAR);
    let mut found: Vec<Value> =
        OTHER_PATHS.iter().filter_map(|name| arguments.get(*name)).cloned().flat_map(listed).collect();
    for change in CHANGES.iter().filter_map(|name| arguments.get(*name)?.as_array()).flatten() {
        let path = KNOWN_PATHS.iter().find_map(|name| change.get(name));
        found.extend(path.cloned());
    }
    let texts = || PATCHES.iter().filter_map(|name| arguments.get(*name)?.as_str());
    let is_patch = matches!(own, "apply_patch" | "ApplyPatch");
    if is_patch || (tool == "Edit" && texts().any(patch::is_patch)) {
        let read: Option<Vec<_>> = texts().map(patch::paths).collect();
        let read = read.filter(|texts| !texts.is_empty()).map(|texts| texts.concat());
        found.extend(
            read.map_or_else(|| vec![unclear()], |paths| paths.into_iter().map(Value::from).collect()),
        );
    }
    // What it reads is told by patterns of its own.
    let is_unreadable = own == "read_many_files";
    let has_path = !found.is_empty() || KNOWN_PATHS.iter().any(|name| is_given(arguments.get(*name)));
    if is_unreadable || (NEED_A_PATH.contains(&tool) && !has_path) {
        found.push(unclear());
    }
    found
}

fn is_given(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Array(items)) => !items.is_empty(),
        Some(_) => true,
    }
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        value => vec![value],
    }
}
