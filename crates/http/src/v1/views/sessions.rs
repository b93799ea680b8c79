//! Sessions and their entries.

use model::{Session, SessionEntry, SessionOutcome, SessionSkill, Speaker, Todo, TodoStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::time;
use crate::bounds::within;

/// A session, as a list shows it.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionView {
    #[schema(format = Uuid)]
    pub id: String,
    /// For whom.
    #[schema(format = Uuid)]
    pub user_id: String,
    /// Through which agent.
    #[schema(format = Uuid)]
    pub agent_id: Option<String>,
    pub title: String,
    /// The host's own name for it.
    pub key: Option<String>,
    /// The program it happened in.
    pub source: Option<String>,
    /// `succeeded`, `failed` or `abandoned`; null while it goes on.
    pub outcome: Option<&'static str>,
    /// Why it counts as that.
    pub outcome_reason: Option<String>,
    /// How many entries it has.
    pub entry_count: u64,
    pub version: u64,
    #[schema(format = DateTime)]
    pub created_at: String,
    /// When it was last changed or added to.
    #[schema(format = DateTime)]
    pub updated_at: String,
    #[schema(format = DateTime)]
    pub completed_at: Option<String>,
}

impl From<Session> for SessionView {
    fn from(session: Session) -> Self {
        Self {
            id: session.id.to_string(),
            user_id: session.user.to_string(),
            agent_id: session.agent.map(|agent| agent.to_string()),
            title: session.title,
            key: session.key,
            source: session.source,
            outcome: session.outcome.map(SessionOutcome::as_str),
            outcome_reason: session.outcome_reason,
            entry_count: session.entry_count,
            version: session.version,
            created_at: time(session.created_at),
            updated_at: time(session.updated_at),
            completed_at: session.completed_at.map(time),
        }
    }
}

/// A session with the tasks of its agent and the skills that its artifacts speak of.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionDetailView {
    #[serde(flatten)]
    pub session: SessionView,
    /// The tasks the agent keeps.
    pub todos: Vec<TodoView>,
    /// The skills that were saved or used in it, the last one last.
    pub active_skills: Vec<SessionSkillView>,
    /// The skills that were proposed in it and neither saved nor used since, the last one last.
    pub proposed_skills: Vec<SessionSkillView>,
}

impl From<Session> for SessionDetailView {
    fn from(mut session: Session) -> Self {
        let skills = |skills: Vec<SessionSkill>| skills.into_iter().map(SessionSkillView::from).collect();
        Self {
            todos: std::mem::take(&mut session.todos).into_iter().map(TodoView::from).collect(),
            active_skills: skills(std::mem::take(&mut session.active_skills)),
            proposed_skills: skills(std::mem::take(&mut session.proposed_skills)),
            session: session.into(),
        }
    }
}

/// A skill that a session's artifacts speak of.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionSkillView {
    /// Its id, where the artifact says it.
    #[schema(format = Uuid)]
    pub id: Option<String>,
    /// The skill's path in the instance dialect.
    pub object_id: String,
    /// Its name as its author wrote it.
    pub name: String,
}

impl From<SessionSkill> for SessionSkillView {
    fn from(skill: SessionSkill) -> Self {
        Self { id: skill.id.map(|id| id.to_string()), object_id: skill.object_id, name: skill.name }
    }
}

/// Where a task stands.
#[derive(Serialize, Deserialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TodoStatusWord {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// One task.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TodoView {
    /// The agent's own name for it; unique in the list.
    #[serde(deserialize_with = "within::<1, 100, _, _>")]
    #[schema(min_length = 1, max_length = 100, pattern = r"^[^\x00]+$")]
    pub id: String,
    /// What is to be done.
    #[serde(deserialize_with = "within::<1, 2000, _, _>")]
    #[schema(min_length = 1, max_length = 2000)]
    pub content: String,
    pub status: TodoStatusWord,
}

impl From<Todo> for TodoView {
    fn from(todo: Todo) -> Self {
        let status = match todo.status {
            TodoStatus::Pending => TodoStatusWord::Pending,
            TodoStatus::InProgress => TodoStatusWord::InProgress,
            TodoStatus::Completed => TodoStatusWord::Completed,
            TodoStatus::Cancelled => TodoStatusWord::Cancelled,
        };
        Self { id: todo.id, content: todo.content, status }
    }
}

impl TodoView {
    pub(crate) fn read(self) -> Todo {
        let status = match self.status {
            TodoStatusWord::Pending => TodoStatus::Pending,
            TodoStatusWord::InProgress => TodoStatus::InProgress,
            TodoStatusWord::Completed => TodoStatus::Completed,
            TodoStatusWord::Cancelled => TodoStatus::Cancelled,
        };
        Todo { id: self.id, content: self.content, status }
    }
}

/// The tasks of a session.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"todos": [{"id": "1", "content": "Read the code", "status": "in_progress"}]}))]
pub(crate) struct TodosView {
    /// All of them, in order; each id once.
    #[serde(deserialize_with = "within::<0, 200, _, _>")]
    #[schema(max_items = 200)]
    pub todos: Vec<TodoView>,
}

impl From<Vec<Todo>> for TodosView {
    fn from(todos: Vec<Todo>) -> Self {
        Self { todos: todos.into_iter().map(TodoView::from).collect() }
    }
}

/// One entry of a session.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionEntryView {
    /// Its place, from 1.
    pub number: u64,
    /// `message`, `tool_call`, `tool_result` or `artifact`.
    pub kind: &'static str,
    /// Who said it, where it is a message: `user`, `assistant` or `system`.
    pub role: Option<&'static str>,
    /// The tool, where one was called.
    pub tool: Option<String>,
    /// What ties a call to its result.
    pub call_id: Option<String>,
    /// Its words. A text of more than 64 KiB is cut, with a mark.
    pub text: String,
    /// What to show people in place of the text, where that also has instructions to the model.
    pub display_text: Option<String>,
    /// Whether the entry is an instruction to the model, such as a system prompt; people need not be shown it.
    pub internal: bool,
    /// Arguments, a structured result, or an artifact's fields. A note stands in for more than 256 KiB.
    pub data: Option<Value>,
    /// Whether a tool failed.
    pub failed: bool,
    #[schema(format = DateTime)]
    pub at: String,
}

impl From<SessionEntry> for SessionEntryView {
    fn from(entry: SessionEntry) -> Self {
        Self {
            display_text: app::sessions::display_text(&entry),
            internal: app::sessions::is_internal(&entry),
            number: entry.number,
            kind: entry.kind.as_str(),
            role: entry.speaker.map(Speaker::as_str),
            tool: entry.tool,
            call_id: entry.call,
            text: entry.text,
            data: entry.data,
            failed: entry.failed,
            at: time(entry.at),
        }
    }
}
