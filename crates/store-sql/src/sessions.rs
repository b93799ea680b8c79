//! Sessions and their entries.

use ::store::{OpenSession, SessionFilter, SessionTx, StoreError, Written};
use async_trait::async_trait;
use model::{
    AgentId, EntryKind, Session, SessionEntry, SessionId, SessionOutcome, SessionSkill, SkillId, Speaker,
    Timestamp, Todo, TodoStatus, UserId, WorkspaceId,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::conditions::Conditions;
use crate::store::SqlTx;
use crate::value::arguments;
use crate::{Row, Value};

const SESSION: &str = "workspace_id, id, user_id, agent_id, title, key, source, outcome, outcome_reason, todos, \
                       active_skills, proposed_skills, entry_count, version, created_at, updated_at, completed_at";

const ENTRY: &str = "number, kind, speaker, tool, call, text, data, failed, at";

fn damaged(error: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(error.to_string())
}

fn read_session(mut row: Row) -> Result<Session, StoreError> {
    Ok(Session {
        workspace: WorkspaceId::new(row.uuid()?),
        id: SessionId::new(row.uuid()?),
        user: UserId::new(row.uuid()?),
        agent: row.opt_uuid()?.map(AgentId::new),
        title: row.text()?,
        key: row.opt_text()?,
        source: row.opt_text()?,
        outcome: row.opt_text()?.map(|word| SessionOutcome::parse(&word)).transpose().map_err(damaged)?,
        outcome_reason: row.opt_text()?,
        todos: row.parsed(read_todos)?,
        active_skills: row.parsed(read_skills)?,
        proposed_skills: row.parsed(read_skills)?,
        entry_count: row.count()?,
        version: row.count()?,
        created_at: row.time()?,
        updated_at: row.time()?,
        completed_at: row.opt_time()?,
    })
}

fn read_todos(text: &str) -> Result<Vec<Todo>, String> {
    let items: Vec<(String, String, String)> =
        serde_json::from_str(text).map_err(|error| error.to_string())?;
    let read = |(id, content, status): (String, String, String)| {
        let status = TodoStatus::parse(&status).map_err(|error| error.to_string())?;
        Ok(Todo { id, content, status })
    };
    items.into_iter().map(read).collect()
}

fn write_todos(todos: &[Todo]) -> Value {
    let write = |todo: &Todo| json!([todo.id, todo.content, todo.status.as_str()]);
    Value::from(Json::Array(todos.iter().map(write).collect()).to_string())
}

/// A skill of a session as it is written, and as it was before ids were kept.
#[derive(Deserialize)]
#[serde(untagged)]
enum SkillForm {
    Now(String, String, Option<String>),
    WithoutId(String, String),
}

fn read_skills(text: &str) -> Result<Vec<SessionSkill>, String> {
    let items: Vec<SkillForm> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let read = |item| {
        let (object_id, name, id) = match item {
            SkillForm::Now(object_id, name, id) => (object_id, name, id),
            SkillForm::WithoutId(object_id, name) => (object_id, name, None),
        };
        let id = id.map(|id| SkillId::parse(&id)).transpose().map_err(|error| error.to_string())?;
        Ok(SessionSkill { id, object_id, name })
    };
    items.into_iter().map(read).collect()
}

fn write_skills(skills: &[SessionSkill]) -> Value {
    let write =
        |skill: &SessionSkill| json!([skill.object_id, skill.name, skill.id.map(|id| id.to_string())]);
    Value::from(Json::Array(skills.iter().map(write).collect()).to_string())
}

fn read_entry(mut row: Row) -> Result<SessionEntry, StoreError> {
    Ok(SessionEntry {
        number: row.count()?,
        kind: row.parsed(EntryKind::parse)?,
        speaker: row.opt_text()?.map(|word| Speaker::parse(&word)).transpose().map_err(damaged)?,
        tool: row.opt_text()?,
        call: row.opt_text()?,
        text: row.text()?,
        data: row.opt_text()?.map(|text| serde_json::from_str(&text)).transpose().map_err(damaged)?,
        failed: row.bool()?,
        at: row.time()?,
    })
}

fn conditions(workspace: WorkspaceId, filter: &SessionFilter) -> Conditions {
    let mut conditions = Conditions::new(&["workspace_id = $1"], workspace);
    conditions.add("user_id = ?", filter.user);
    conditions.add("agent_id = ?", filter.agent);
    conditions.add("key = ?", filter.key.as_deref());
    conditions.add("source = ?", filter.source.as_deref());
    match filter.open {
        Some(true) => conditions.say("outcome IS NULL"),
        Some(false) => conditions.say("outcome IS NOT NULL"),
        None => {}
    }
    conditions.add("outcome = ?", filter.outcome.map(SessionOutcome::as_str));
    conditions.add("created_at >= ?", filter.since);
    conditions.add("created_at < ?", filter.until);
    conditions
}

#[async_trait]
impl SessionTx for SqlTx {
    async fn insert_session(&mut self, session: &Session) -> Result<(), StoreError> {
        self.execute(
            format!(
                "INSERT INTO sessions ({SESSION})
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
            ),
            arguments![
                session.workspace,
                session.id,
                session.user,
                session.agent,
                session.title.as_str(),
                session.key.as_deref(),
                session.source.as_deref(),
                session.outcome.map(SessionOutcome::as_str),
                session.outcome_reason.as_deref(),
                write_todos(&session.todos),
                write_skills(&session.active_skills),
                write_skills(&session.proposed_skills),
                session.entry_count,
                session.version,
                session.created_at,
                session.updated_at,
                session.completed_at
            ],
        )
        .await
        .map(drop)
    }

    async fn update_session(&mut self, session: &Session) -> Result<Written, StoreError> {
        let changed = self
            .execute(
                "UPDATE sessions SET title = $3, outcome = $4, outcome_reason = $5, todos = $6, active_skills = $7,
                     proposed_skills = $8, entry_count = $9, version = $10, updated_at = $11, completed_at = $12
                 WHERE workspace_id = $1 AND id = $2 AND version = $10 - 1",
                arguments![
                    session.workspace,
                    session.id,
                    session.title.as_str(),
                    session.outcome.map(SessionOutcome::as_str),
                    session.outcome_reason.as_deref(),
                    write_todos(&session.todos),
                    write_skills(&session.active_skills),
                    write_skills(&session.proposed_skills),
                    session.entry_count,
                    session.version,
                    session.updated_at,
                    session.completed_at
                ],
            )
            .await?;
        Ok(if changed == 0 { Written::Stale } else { Written::Done })
    }

    async fn session(
        &mut self,
        workspace: WorkspaceId,
        id: SessionId,
    ) -> Result<Option<Session>, StoreError> {
        let sql = format!("SELECT {SESSION} FROM sessions WHERE workspace_id = $1 AND id = $2");
        self.one(sql, arguments![workspace, id], read_session).await
    }

    async fn open_session(
        &mut self,
        workspace: WorkspaceId,
        which: OpenSession<'_>,
    ) -> Result<Option<Session>, StoreError> {
        let mut conditions = Conditions::new(&["workspace_id = $1", "outcome IS NULL"], workspace);
        conditions.add("user_id = ?", Some(which.user));
        match which.key {
            Some(key) => conditions.add("key = ?", Some(key)),
            None => conditions.say("key IS NULL"),
        }
        match which.agent {
            Some(agent) => conditions.add("agent_id = ?", Some(agent)),
            None => conditions.say("agent_id IS NULL"),
        }
        conditions.add("updated_at >= ?", which.used_since);
        conditions.add("entry_count <= ?", which.most_entries);
        let none = None::<(Timestamp, SessionId)>;
        let page = conditions.page("updated_at, id", none, 1);
        let sql = format!(
            "SELECT {SESSION} FROM sessions WHERE {page} ORDER BY updated_at DESC, id DESC LIMIT ${}",
            conditions.arguments.len()
        );
        self.one(sql, conditions.arguments, read_session).await
    }

    async fn sessions(
        &mut self,
        workspace: WorkspaceId,
        filter: &SessionFilter,
        after: Option<(Timestamp, SessionId)>,
        limit: u32,
    ) -> Result<Vec<Session>, StoreError> {
        let mut conditions = conditions(workspace, filter);
        let page = conditions.page("created_at, id", after, limit);
        let sql = format!(
            "SELECT {SESSION} FROM sessions WHERE {page} ORDER BY created_at DESC, id DESC LIMIT ${}",
            conditions.arguments.len()
        );
        self.many(sql, conditions.arguments, read_session).await
    }

    async fn sessions_used_since(
        &mut self,
        workspace: WorkspaceId,
        user: Option<UserId>,
        since: Timestamp,
        limit: u32,
    ) -> Result<Vec<(SessionId, u64)>, StoreError> {
        let mut conditions = Conditions::new(&["workspace_id = $1"], workspace);
        conditions.add("updated_at >= ?", Some(since));
        // Said so that no index by user is taken: a user has many sessions, but few were used lately.
        conditions.add("COALESCE(user_id, user_id) = ?", user);
        let page = conditions.page("updated_at, id", None::<(Timestamp, SessionId)>, limit);
        let sql = format!(
            "SELECT id, version FROM sessions WHERE {page} ORDER BY updated_at DESC, id DESC LIMIT ${}",
            conditions.arguments.len()
        );
        let read = |mut row: Row| Ok((SessionId::new(row.uuid()?), row.count()?));
        self.many(sql, conditions.arguments, read).await
    }

    async fn delete_session(&mut self, workspace: WorkspaceId, id: SessionId) -> Result<bool, StoreError> {
        let sql = "DELETE FROM sessions WHERE workspace_id = $1 AND id = $2";
        Ok(self.execute(sql, arguments![workspace, id]).await? == 1)
    }

    async fn prune_sessions(&mut self, workspace: WorkspaceId, before: Timestamp) -> Result<u64, StoreError> {
        let sql = "DELETE FROM sessions WHERE workspace_id = $1 AND updated_at < $2";
        self.execute(sql, arguments![workspace, before]).await
    }

    async fn insert_session_entries(
        &mut self,
        workspace: WorkspaceId,
        session: SessionId,
        entries: &[SessionEntry],
    ) -> Result<(), StoreError> {
        for entry in entries {
            self.execute(
                format!(
                    "INSERT INTO session_entries (workspace_id, session_id, {ENTRY})
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
                ),
                arguments![
                    workspace,
                    session,
                    entry.number,
                    entry.kind.as_str(),
                    entry.speaker.map(Speaker::as_str),
                    entry.tool.as_deref(),
                    entry.call.as_deref(),
                    entry.text.as_str(),
                    entry.data.as_ref().map(Json::to_string),
                    entry.failed,
                    entry.at
                ],
            )
            .await?;
        }
        Ok(())
    }

    async fn session_entries(
        &mut self,
        workspace: WorkspaceId,
        session: SessionId,
        after: u64,
        limit: u32,
    ) -> Result<Vec<SessionEntry>, StoreError> {
        let sql = format!(
            "SELECT {ENTRY} FROM session_entries WHERE workspace_id = $1 AND session_id = $2 AND number > $3
             ORDER BY number LIMIT $4"
        );
        self.many(sql, arguments![workspace, session, after, limit], read_entry).await
    }
}

#[cfg(test)]
mod tests {
    use super::read_skills;

    #[test]
    fn skills_of_sessions_from_before_ids_were_kept_are_read() {
        let id = "019a0000-0000-7000-8000-000000000001";
        let text = format!(r#"[["/s/a","A"],["/s/b","B",null],["/s/c","C","{id}"]]"#);
        let read = read_skills(&text).unwrap();
        let ids: Vec<_> = read.iter().map(|skill| skill.id.map(|id| id.to_string())).collect();
        assert_eq!(ids, [None, None, Some(id.to_owned())]);
        assert_eq!((read[0].object_id.as_str(), read[0].name.as_str()), ("/s/a", "A"));
        assert!(read_skills(r#"[["/s/a"]]"#).is_err());
    }
}
