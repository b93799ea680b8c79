//! Coding agents on this machine: where their settings stand, and which entries make them ask us or offer our tools.
//!
//! Every entry that makes one ask fails closed as far as its host can.

mod command;
mod document;
mod place;
mod servers;
mod tables;
mod tools;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub(crate) use command::{absolute, is_ours, library_flags, program, quote, this_program};
pub(crate) use document::{EMPTY, entries, install, uninstall};
pub(crate) use place::{Edits, Place};
pub(crate) use tools::{Target, ToolHost, leads_to_us};

use crate::config::Environment;

/// A program that runs an agent and asks hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    Claude,
    Codex,
    Gemini,
    Cursor,
    Copilot,
}

/// Whose settings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    User,
    Project,
}

impl Reach {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
        }
    }
}

impl Host {
    pub(crate) const ALL: [Self; 5] = [Self::Claude, Self::Codex, Self::Gemini, Self::Cursor, Self::Copilot];

    /// The word for it in commands and URLs.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Cursor => "cursor",
            Self::Copilot => "copilot",
        }
    }

    /// The name people know it by.
    pub(crate) fn agent(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            other => other.as_str(),
        }
    }

    pub(crate) fn of_agent(agent: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.agent() == agent || host.as_str() == agent)
    }

    /// The variable in which it tells the project's folder.
    pub(crate) fn project_variable(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("CLAUDE_PROJECT_DIR"),
            Self::Gemini => Some("GEMINI_PROJECT_DIR"),
            Self::Cursor => Some("CURSOR_PROJECT_DIR"),
            Self::Codex | Self::Copilot => None,
        }
    }

    /// The file its hooks stand in.
    pub(crate) fn file(self, reach: Reach, base: &Path, environment: &dyn Environment) -> PathBuf {
        let moved = |variable: &str| match reach {
            Reach::User => environment.get(variable).map(PathBuf::from),
            Reach::Project => None,
        };
        match self {
            Self::Claude => {
                moved("CLAUDE_CONFIG_DIR").unwrap_or_else(|| base.join(".claude")).join("settings.json")
            }
            Self::Codex => moved("CODEX_HOME").unwrap_or_else(|| base.join(".codex")).join("hooks.json"),
            Self::Gemini => base.join(".gemini/settings.json"),
            Self::Cursor => base.join(".cursor/hooks.json"),
            Self::Copilot => match reach {
                Reach::User => moved("COPILOT_HOME")
                    .unwrap_or_else(|| base.join(".copilot"))
                    .join("hooks/repertoire.json"),
                Reach::Project => base.join(".github/hooks/repertoire.json"),
            },
        }
    }

    /// Whether its file says which version of the form it has.
    pub(crate) fn needs_version(self) -> bool {
        matches!(self, Self::Cursor | Self::Copilot)
    }

    /// The entry of each event, with a command and the seconds it may take.
    pub(crate) fn entries(self, command: &str, seconds: u64) -> Vec<(&'static str, Value)> {
        let group = |handler: Value| json!({"hooks": [handler]});
        match self {
            Self::Claude => {
                let closed =
                    json!({"type": "command", "command": command, "timeout": seconds, "onFailure": "block"});
                let open = json!({"type": "command", "command": command, "timeout": seconds});
                vec![
                    ("PreToolUse", json!({"matcher": "*", "hooks": [closed]})),
                    ("UserPromptSubmit", group(closed)),
                    ("SessionEnd", group(open)),
                ]
            }
            Self::Codex => ["PreToolUse", "UserPromptSubmit", "SessionEnd"]
                .map(|event| {
                    (event, group(json!({"type": "command", "command": command, "timeout": seconds})))
                })
                .into(),
            Self::Gemini => ["BeforeTool", "BeforeAgent", "SessionEnd"]
                .map(|event| {
                    let milliseconds = seconds * 1000;
                    let handler = json!({
                        "type": "command", "name": "repertoire", "command": command, "timeout": milliseconds,
                    });
                    (event, group(handler))
                })
                .into(),
            Self::Cursor => {
                let closed = json!({"command": command, "timeout": seconds, "failClosed": true});
                let open = json!({"command": command, "timeout": seconds});
                vec![("preToolUse", closed.clone()), ("beforeSubmitPrompt", closed), ("sessionEnd", open)]
            }
            Self::Copilot => ["PreToolUse", "UserPromptSubmit", "SessionEnd"]
                .map(|event| (event, json!({"type": "command", "command": command, "timeout": seconds})))
                .into(),
        }
    }

    /// What its user should know.
    pub(crate) fn notes(self) -> &'static [&'static str] {
        match self {
            Self::Claude => {
                &["failures block from Claude Code 2.1.295 on; an older one goes on when a hook times out"]
            }
            Self::Codex => &[
                "Codex runs a hook only once you trust it: open Codex, type /hooks, and trust these",
                "when Codex itself ends a hook for its time, the tool runs; our own time-out comes first and denies",
            ],
            Self::Gemini => &[
                "when Gemini CLI itself ends a hook for its time, the tool runs; our own time-out comes first and denies",
            ],
            Self::Cursor => &[
                "Cursor must know `preToolUse` and `failClosed`; an older one does not ask",
                "Cursor does not say which server a tool is from: write `MCP:tool` in policies",
            ],
            Self::Copilot => &[
                "when Copilot itself ends a hook for its time, the tool runs; our own time-out comes first and denies",
                "Copilot names the tools of servers its own way, such as `github-mcp-server-list_issues`: write that in policies",
                "Copilot also reads a project's .claude/settings.json: hooks in both are asked twice",
            ],
        }
    }
}
