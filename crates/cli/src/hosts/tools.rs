//! Programs that offer an agent the tools of MCP servers: where each lists them, and what an entry of ours looks like.
//!
//! An entry never holds a secret: it names the variable that does.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{Host, Reach, servers, tables};
use crate::config::Environment;

/// The header that marks an entry of ours which has no command to know it by.
const MARK: &str = "repertoire-host";

/// A program that runs an agent with tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolHost {
    ClaudeCode,
    Codex,
    Gemini,
    Cursor,
    VsCode,
}

/// What an entry leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// A program that is started, with its arguments.
    Program { command: String, args: Vec<String> },
    /// A server, the variable with its token, and what more it is told.
    Server { url: String, variable: String, headers: Vec<(&'static str, String)> },
}

/// How a file lists servers, and under which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json(&'static str),
    Toml(&'static str),
}

impl Form {
    /// Every server in the text, by name.
    pub(crate) fn list(self, text: &str) -> Result<Vec<(String, Value)>, String> {
        match self {
            Self::Json(key) => servers::list(text, key),
            Self::Toml(key) => tables::list(text, key),
        }
    }

    /// The text with this server, in the place of one of that name.
    pub(crate) fn put(self, text: Option<&str>, name: &str, server: &Value) -> Result<String, String> {
        let known = text.map(|text| self.list(text)).transpose()?.unwrap_or_default();
        let known = known.iter().find(|(other, _)| other == name);
        let rest = match (text, known) {
            (Some(text), Some((_, same))) if same == server => return Ok(text.to_owned()),
            (Some(text), Some(_)) => self.take(text, name)?,
            (text, _) => text.map(str::to_owned),
        };
        match self {
            Self::Json(key) => servers::put(rest.as_deref(), key, name, server),
            Self::Toml(key) => tables::put(rest.as_deref(), key, name, server),
        }
    }

    /// The text without a server; `None` when the file was only for it.
    pub(crate) fn take(self, text: &str, name: &str) -> Result<Option<String>, String> {
        match self {
            Self::Json(key) => servers::take(text, key, name),
            Self::Toml(key) => tables::take(text, key, name),
        }
    }
}

impl ToolHost {
    pub(crate) const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Cursor, Self::VsCode];

    /// The word for it in commands.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
        }
    }

    /// The name people know it by.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex",
            Self::Gemini => "Gemini CLI",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
        }
    }

    /// Whose hooks it asks.
    pub(crate) fn hooks(self) -> Host {
        match self {
            Self::ClaudeCode => Host::Claude,
            Self::Codex => Host::Codex,
            Self::Gemini => Host::Gemini,
            Self::Cursor => Host::Cursor,
            Self::VsCode => Host::Copilot,
        }
    }

    /// The file it lists servers in; VS Code alone knows where its user's profile is.
    pub(crate) fn file(self, reach: Reach, base: &Path, environment: &dyn Environment) -> Option<PathBuf> {
        let moved = |variable: &str| environment.get(variable).map(PathBuf::from);
        Some(match (self, reach) {
            (Self::ClaudeCode, Reach::User) => {
                moved("CLAUDE_CONFIG_DIR").unwrap_or_else(|| base.to_owned()).join(".claude.json")
            }
            (Self::ClaudeCode, Reach::Project) => base.join(".mcp.json"),
            (Self::Codex, Reach::User) => {
                moved("CODEX_HOME").unwrap_or_else(|| base.join(".codex")).join("config.toml")
            }
            (Self::Codex, Reach::Project) => base.join(".codex/config.toml"),
            (Self::Gemini, _) => base.join(".gemini/settings.json"),
            (Self::Cursor, _) => base.join(".cursor/mcp.json"),
            (Self::VsCode, Reach::User) => return None,
            (Self::VsCode, Reach::Project) => base.join(".vscode/mcp.json"),
        })
    }

    /// The folder it reads skills from.
    pub(crate) fn skills(self, reach: Reach, base: &Path, environment: &dyn Environment) -> PathBuf {
        let moved = environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
        match (self, reach) {
            (Self::ClaudeCode, Reach::User) => moved.unwrap_or_else(|| base.join(".claude")).join("skills"),
            (Self::ClaudeCode, Reach::Project) => base.join(".claude/skills"),
            _ => base.join(".agents/skills"),
        }
    }

    pub(crate) fn form(self) -> Form {
        match self {
            Self::Codex => Form::Toml("mcp_servers"),
            Self::VsCode => Form::Json("servers"),
            Self::ClaudeCode | Self::Gemini | Self::Cursor => Form::Json("mcpServers"),
        }
    }

    /// Whether it reads `$` in its settings as the start of a variable's name.
    pub(crate) fn reads_variables(self) -> bool {
        self != Self::Codex
    }

    /// The entry that leads there.
    pub(crate) fn entry(self, target: &Target) -> Value {
        match target {
            Target::Program { command, args } => match self {
                Self::Codex | Self::Gemini => json!({"command": command, "args": args}),
                _ => json!({"type": "stdio", "command": command, "args": args}),
            },
            Target::Server { url, variable, headers } => {
                let pairs = headers.iter().map(|(name, value)| (*name, value.clone()));
                let told: Vec<_> = pairs.chain([(MARK, self.as_str().to_owned())]).collect();
                let all = |token: String| {
                    let first = ("Authorization", format!("Bearer {token}"));
                    object([first].into_iter().chain(told.clone()))
                };
                match self {
                    Self::ClaudeCode => {
                        json!({"type": "http", "url": url, "headers": all(format!("${{{variable}}}"))})
                    }
                    Self::Codex => {
                        json!({"url": url, "bearer_token_env_var": variable, "http_headers": object(told)})
                    }
                    Self::Gemini => json!({"httpUrl": url, "headers": all(format!("${variable}"))}),
                    Self::Cursor => json!({"url": url, "headers": all(format!("${{env:{variable}}}"))}),
                    Self::VsCode => {
                        json!({"type": "http", "url": url, "headers": all(format!("${{env:{variable}}}"))})
                    }
                }
            }
        }
    }

    /// What is still to be done before its agent has the tools.
    pub(crate) fn next(self, reach: Reach, name: &str) -> Vec<String> {
        let mut steps = match self {
            Self::ClaudeCode => vec![format!("restart Claude Code, then /mcp shows {name}")],
            Self::Codex => vec![format!("restart Codex, then /mcp shows {name}")],
            Self::Gemini => vec![format!("restart Gemini CLI, then /mcp shows {name}")],
            Self::Cursor => vec![format!("restart Cursor, and switch {name} on among its MCP servers")],
            Self::VsCode => vec![format!("in VS Code run `MCP: List Servers`, and start {name}")],
        };
        if reach == Reach::Project {
            steps.extend(
                match self {
                    Self::ClaudeCode => {
                        Some("Claude Code asks once whether you trust the servers of .mcp.json")
                    }
                    Self::Codex => Some(
                        "Codex reads the .codex/config.toml of a project only once you trust the project",
                    ),
                    Self::Gemini => {
                        Some("Gemini CLI reads the settings of a folder only once you trust the folder")
                    }
                    Self::Cursor | Self::VsCode => None,
                }
                .map(str::to_owned),
            );
        }
        steps
    }
}

/// Whether an entry leads to us, whoever wrote it.
pub(crate) fn leads_to_us(entry: &Value) -> bool {
    let command = entry.get("command").and_then(Value::as_str);
    let file = command.and_then(|command| Path::new(command).file_name()?.to_str());
    let verb = entry.pointer("/args/0").and_then(Value::as_str);
    let headers = entry.get("headers").or_else(|| entry.get("http_headers"));
    (file == Some("repertoire") && verb == Some("mcp")) || headers.is_some_and(|all| all.get(MARK).is_some())
}

fn object<'n>(pairs: impl IntoIterator<Item = (&'n str, String)>) -> Value {
    Value::Object(
        pairs.into_iter().map(|(name, value)| (name.to_owned(), Value::from(value))).collect::<Map<_, _>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_known_again_and_holds_no_secret() {
        let program = Target::Program { command: "/opt/x/repertoire".into(), args: vec!["mcp".into()] };
        let server = Target::Server {
            url: "https://s/mcp".into(),
            variable: "MY_TOKEN".into(),
            headers: vec![("repertoire-agent", "coder".into())],
        };
        let shown = |host: ToolHost| host.entry(&server).to_string();
        for host in ToolHost::ALL {
            assert!(leads_to_us(&host.entry(&program)) && leads_to_us(&host.entry(&server)), "{host:?}");
            assert!(shown(host).contains("MY_TOKEN") && shown(host).contains("coder"), "{host:?}");
        }
        assert!(shown(ToolHost::ClaudeCode).contains("Bearer ${MY_TOKEN}"));
        assert!(shown(ToolHost::Codex).contains("\"bearer_token_env_var\":\"MY_TOKEN\""));
        assert!(shown(ToolHost::Gemini).contains("Bearer $MY_TOKEN"));
        assert!(shown(ToolHost::Cursor).contains("Bearer ${env:MY_TOKEN}"));
        assert!(shown(ToolHost::VsCode).contains("Bearer ${env:MY_TOKEN}"));
        for other in [
            json!({"command": "npx", "args": ["repertoire", "mcp"]}),
            json!({"command": "/bin/repertoire", "args": ["serve"]}),
            json!({"url": "https://s/mcp"}),
            json!(1),
        ] {
            assert!(!leads_to_us(&other), "{other}");
        }
    }
}
