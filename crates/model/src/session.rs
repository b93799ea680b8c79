//! A session: what an agent did in one go, as people read it and learning reads it.

use serde_json::Value;

use crate::word::words;
use crate::{AgentId, SessionId, SkillId, Timestamp, UserId, WorkspaceId};

words!(
    /// How a session ended for the person it was for.
    SessionOutcome, "session outcome" {
        /// What was wanted was done.
        Succeeded => "succeeded",
        /// It was not.
        Failed => "failed",
        /// It was given up.
        Abandoned => "abandoned",
    }
);

words!(
    /// What an entry of a session is.
    EntryKind, "entry kind" {
        /// Something that was said.
        Message => "message",
        /// A tool that was called, with its arguments.
        ToolCall => "tool_call",
        /// What a tool gave back.
        ToolResult => "tool_result",
        /// What the conversation shows a person about a skill.
        Artifact => "artifact",
    }
);

words!(
    /// Who said something.
    Speaker, "role" {
        /// The person.
        User => "user",
        /// The agent.
        Assistant => "assistant",
        /// Whoever set the agent up.
        System => "system",
    }
);

words!(
    /// Where a task stands.
    TodoStatus, "todo status" {
        /// Not begun.
        Pending => "pending",
        /// Being done.
        InProgress => "in_progress",
        /// Done.
        Completed => "completed",
        /// No longer wanted.
        Cancelled => "cancelled",
    }
);

/// One task of a list that an agent keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Todo {
    /// The agent's own name for it; unique in the list.
    pub id: String,
    /// What is to be done.
    pub content: String,
    /// Where it stands.
    pub status: TodoStatus,
}

/// A skill that a session's artifacts speak of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionSkill {
    /// Its id, where the artifact says it.
    pub id: Option<SkillId>,
    /// The skill's path in the instance dialect.
    pub object_id: String,
    /// Its name as its author wrote it.
    pub name: String,
}

/// What an agent did in one go.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// The workspace it happened in.
    pub workspace: WorkspaceId,
    /// Its id.
    pub id: SessionId,
    /// For whom.
    pub user: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// What it is called.
    pub title: String,
    /// The host's own name for it, such as the id of its conversation; one of a user and an agent that goes on has it.
    pub key: Option<String>,
    /// The program it happened in, such as `claude-code`.
    pub source: Option<String>,
    /// How it ended; none while it goes on.
    pub outcome: Option<SessionOutcome>,
    /// Why it counts as that.
    pub outcome_reason: Option<String>,
    /// The tasks the agent keeps.
    pub todos: Vec<Todo>,
    /// The skills that were saved or used in it, the last one last.
    pub active_skills: Vec<SessionSkill>,
    /// The skills that were proposed in it and neither saved nor used since, the last one last.
    pub proposed_skills: Vec<SessionSkill>,
    /// How many entries it has.
    pub entry_count: u64,
    /// Counts every change; for optimistic concurrency.
    pub version: u64,
    /// When it began.
    pub created_at: Timestamp,
    /// When it was last changed or added to.
    pub updated_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
}

/// One entry of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEntry {
    /// Its place, from 1.
    pub number: u64,
    /// What it is.
    pub kind: EntryKind,
    /// Who said it, where it is a message.
    pub speaker: Option<Speaker>,
    /// The tool, where one was called.
    pub tool: Option<String>,
    /// What ties a call to its result.
    pub call: Option<String>,
    /// Its words.
    pub text: String,
    /// Arguments, a structured result, or an artifact's fields.
    pub data: Option<Value>,
    /// Whether a tool failed.
    pub failed: bool,
    /// When.
    pub at: Timestamp,
}
