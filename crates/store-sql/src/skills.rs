//! Skills: one row each, and their tags beside them.

use ::store::{SkillGroup, SkillQuery, SkillRecord, SkillTx, StoreError, Visibility, Written};
use async_trait::async_trait;
use model::{
    AgentId, Digest, Facets, Handle, Origin, Provenance, RevisionNumber, Scope, ScopeKind, SessionId, Skill,
    SkillId, SkillName, Status, Timestamp, UserId, WorkspaceId,
};

use crate::statistics::read_statistics;
use crate::store::SqlTx;
use crate::value::{arguments, list};
use crate::{Row, Value, skill_list};

macro_rules! skill_columns {
    () => {
        "s.workspace_id, s.id, s.name, s.scope, s.agent_id, s.user_id, \
    s.promotion_scope, s.promotion_agent_id, s.promotion_user_id, s.origin, s.status, s.status_reason, s.enabled, \
    s.revision, s.digest, s.version, s.title, s.description, s.icon, s.tags, s.example_prompts, s.suggested_tools, \
    s.extends, s.has_instructions, s.has_procedure, s.has_policy, s.enforced_revision, s.approved_revision, s.created_by, \
    s.created_through, s.created_in, s.source, s.created_at, s.updated_at, s.updated_by, s.deleted_at"
    };
}

/// The columns of a skill.
pub(crate) const SKILL: &str = skill_columns!();

/// The columns of a record, skill first, then its counters.
pub(crate) const RECORD: &str = concat!(
    skill_columns!(),
    ", t.use_count, t.success_count, t.failure_count, t.recent_success_rate, t.last_used_at, t.helpful_count, \
     t.unhelpful_count"
);

/// The tables of a record.
pub(crate) const FROM: &str = "skills s LEFT JOIN skill_statistics t \
    ON t.workspace_id = s.workspace_id AND t.skill_id = s.id";

fn read_scope(kind: &str, agent: Option<AgentId>, user: Option<UserId>) -> Result<Scope, StoreError> {
    ScopeKind::parse(kind)
        .ok()
        .and_then(|kind| Scope::from_parts(kind, agent, user))
        .ok_or_else(|| StoreError::Damaged(format!("a skill has the scope {kind} without its owners")))
}

pub(crate) fn read_record(mut row: Row) -> Result<SkillRecord, StoreError> {
    Ok(SkillRecord { skill: read_skill(&mut row)?, statistics: read_statistics(&mut row)? })
}

pub(crate) fn read_skill(row: &mut Row) -> Result<Skill, StoreError> {
    let (workspace, id) = (WorkspaceId::new(row.uuid()?), SkillId::new(row.uuid()?));
    let name = row.parsed(SkillName::parse)?;
    let scope =
        read_scope(&row.text()?, row.opt_uuid()?.map(AgentId::new), row.opt_uuid()?.map(UserId::new))?;
    let (kind, agent, user) =
        (row.opt_text()?, row.opt_uuid()?.map(AgentId::new), row.opt_uuid()?.map(UserId::new));
    let promotion = kind.map(|kind| read_scope(&kind, agent, user)).transpose()?;
    Ok(Skill {
        workspace,
        id,
        name,
        scope,
        promotion,
        origin: row.parsed(Origin::parse)?,
        status: row.parsed(Status::parse)?,
        status_reason: row.opt_text()?,
        enabled: row.bool()?,
        revision: read_number(row)?,
        digest: row.digest()?,
        version: row.count()?,
        title: row.text()?,
        description: row.text()?,
        icon: row.opt_text()?,
        tags: row.list()?,
        example_prompts: row.list()?,
        suggested_tools: row.list()?,
        extends: row.opt_text()?,
        facets: Facets { instructions: row.bool()?, procedure: row.bool()?, policy: row.bool()? },
        enforced: read_optional_number(row)?,
        approved: read_optional_number(row)?,
        provenance: Provenance {
            user: UserId::new(row.uuid()?),
            agent: row.opt_uuid()?.map(AgentId::new),
            session: row.opt_uuid()?.map(SessionId::new),
            source: row.opt_text()?,
        },
        created_at: row.time()?,
        updated_at: row.time()?,
        updated_by: UserId::new(row.uuid()?),
        deleted_at: row.opt_time()?,
    })
}

fn read_group(mut row: Row) -> Result<SkillGroup, StoreError> {
    let scope =
        read_scope(&row.text()?, row.opt_uuid()?.map(AgentId::new), row.opt_uuid()?.map(UserId::new))?;
    Ok(SkillGroup {
        scope,
        agent: row.opt_parsed(SkillName::parse)?,
        user: row.opt_parsed(Handle::parse)?,
        count: row.count()?,
    })
}

pub(crate) fn read_number(row: &mut Row) -> Result<RevisionNumber, StoreError> {
    RevisionNumber::new(row.small()?)
        .ok_or_else(|| StoreError::Damaged("a revision has the number 0".to_owned()))
}

fn read_optional_number(row: &mut Row) -> Result<Option<RevisionNumber>, StoreError> {
    let read = |number: i64| u32::try_from(number).ok().and_then(RevisionNumber::new);
    row.opt_int()?
        .map(|number| {
            read(number).ok_or_else(|| StoreError::Damaged(format!("a revision has the number {number}")))
        })
        .transpose()
}

/// What the words of a filter are looked for in: all that a person would search by, case folded.
fn search_text(skill: &Skill) -> String {
    fold(&[skill.name.as_str(), &skill.title, &skill.description, &skill.tags.join(" ")].join("\n"))
}

/// Folds case, letter by letter and by way of upper case: `ß` meets `SS`, and a Greek final sigma any other.
pub(crate) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// What makes a name unique; a deleted skill no longer holds its own.
fn scope_key(skill: &Skill) -> String {
    match skill.deleted_at {
        Some(_) => format!("deleted:{}", skill.id),
        None => skill.scope.key(),
    }
}

/// The values of all columns, in the order of [`COLUMNS`], of a skill that is written in this transaction.
fn values(skill: &Skill, change: u64) -> Vec<Value> {
    arguments![
        skill.workspace,
        skill.id,
        skill.name.as_str(),
        skill.scope.kind().as_str(),
        skill.scope.agent(),
        skill.scope.user(),
        scope_key(skill),
        skill.promotion.map(|scope| scope.kind().as_str()),
        skill.promotion.and_then(Scope::agent),
        skill.promotion.and_then(Scope::user),
        skill.origin.as_str(),
        skill.status.as_str(),
        skill.status_reason.as_deref(),
        skill.enabled,
        skill.revision.get(),
        &skill.digest,
        skill.version,
        skill.title.as_str(),
        skill.description.as_str(),
        skill.icon.as_deref(),
        list(&skill.tags),
        list(&skill.example_prompts),
        list(&skill.suggested_tools),
        skill.extends.as_deref(),
        skill.facets.instructions,
        skill.facets.procedure,
        skill.facets.policy,
        skill.enforced.map(RevisionNumber::get),
        skill.approved.map(RevisionNumber::get),
        skill.provenance.user,
        skill.provenance.agent,
        skill.provenance.session,
        skill.provenance.source.as_deref(),
        skill.created_at,
        skill.updated_at,
        skill.updated_by,
        skill.deleted_at,
        search_text(skill),
        change,
    ]
}

const COLUMNS: [&str; 39] = [
    "workspace_id",
    "id",
    "name",
    "scope",
    "agent_id",
    "user_id",
    "scope_key",
    "promotion_scope",
    "promotion_agent_id",
    "promotion_user_id",
    "origin",
    "status",
    "status_reason",
    "enabled",
    "revision",
    "digest",
    "version",
    "title",
    "description",
    "icon",
    "tags",
    "example_prompts",
    "suggested_tools",
    "extends",
    "has_instructions",
    "has_procedure",
    "has_policy",
    "enforced_revision",
    "approved_revision",
    "created_by",
    "created_through",
    "created_in",
    "source",
    "created_at",
    "updated_at",
    "updated_by",
    "deleted_at",
    "search_text",
    "changed_in",
];

impl SqlTx {
    async fn put_tags(&mut self, skill: &Skill) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM skill_tags WHERE workspace_id = $1 AND skill_id = $2",
            arguments![skill.workspace, skill.id],
        )
        .await?;
        for tag in &skill.tags {
            self.execute(
                "INSERT INTO skill_tags (workspace_id, tag, skill_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                arguments![skill.workspace, tag.as_str(), skill.id],
            )
            .await?;
        }
        Ok(())
    }

    async fn find_skill(
        &mut self,
        condition: &str,
        arguments: Vec<Value>,
    ) -> Result<Option<SkillRecord>, StoreError> {
        let sql = format!("SELECT {RECORD} FROM {FROM} WHERE s.workspace_id = $1 AND {condition}");
        self.one(sql, arguments, read_record).await
    }

    async fn skill_ids(
        &mut self,
        condition: &str,
        arguments: Vec<Value>,
    ) -> Result<Vec<SkillId>, StoreError> {
        let sql =
            format!("SELECT id FROM skills WHERE workspace_id = $1 AND {condition} ORDER BY id LIMIT 1000");
        self.many(sql, arguments, |mut row| row.uuid().map(SkillId::new)).await
    }
}

#[async_trait]
impl SkillTx for SqlTx {
    async fn insert_skill(&mut self, skill: &Skill) -> Result<bool, StoreError> {
        let change = self.change_in(skill.workspace)?;
        let places: Vec<_> = (1..=COLUMNS.len()).map(|n| format!("${n}")).collect();
        let sql = format!(
            "INSERT INTO skills ({}) VALUES ({}) ON CONFLICT DO NOTHING",
            COLUMNS.join(", "),
            places.join(", ")
        );
        let added = self.execute(sql, values(skill, change)).await?;
        if added == 1 {
            self.put_tags(skill).await?;
        }
        Ok(added == 1)
    }

    async fn skill(
        &mut self,
        workspace: WorkspaceId,
        id: SkillId,
    ) -> Result<Option<SkillRecord>, StoreError> {
        self.find_skill("s.id = $2", arguments![workspace, id]).await
    }

    async fn skill_named(
        &mut self,
        workspace: WorkspaceId,
        scope: Scope,
        name: &SkillName,
    ) -> Result<Option<SkillRecord>, StoreError> {
        self.find_skill("s.scope_key = $2 AND s.name = $3", arguments![workspace, scope.key(), name.as_str()])
            .await
    }

    async fn skill_from_source(
        &mut self,
        workspace: WorkspaceId,
        scope: Scope,
        source: &str,
    ) -> Result<Option<SkillRecord>, StoreError> {
        self.find_skill("s.scope_key = $2 AND s.source = $3", arguments![workspace, scope.key(), source])
            .await
    }

    async fn skills(&mut self, query: &SkillQuery) -> Result<Vec<SkillRecord>, StoreError> {
        let (sql, arguments) = skill_list::page(query);
        self.many(sql, arguments, read_record).await
    }

    async fn count_skills(&mut self, query: &SkillQuery) -> Result<u64, StoreError> {
        let (sql, arguments) = skill_list::count(query);
        self.number(sql, arguments).await
    }

    async fn group_skills(&mut self, query: &SkillQuery) -> Result<Vec<SkillGroup>, StoreError> {
        let (sql, arguments) = skill_list::groups(query);
        self.many(sql, arguments, read_group).await
    }

    async fn tags(
        &mut self,
        workspace: WorkspaceId,
        visibility: Visibility,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let (sql, arguments) = skill_list::tags(workspace, visibility);
        self.many(sql, arguments, |mut row| Ok((row.text()?, row.count()?))).await
    }

    async fn update_skill(&mut self, skill: &Skill) -> Result<Written, StoreError> {
        let change = self.change_in(skill.workspace)?;
        let sets: Vec<_> =
            COLUMNS.iter().enumerate().skip(2).map(|(n, column)| format!("{column} = ${}", n + 1)).collect();
        let version = COLUMNS.iter().position(|&column| column == "version").map_or(0, |n| n + 1);
        let sql = format!(
            "UPDATE skills SET {} WHERE workspace_id = $1 AND id = $2 AND version = ${version} - 1",
            sets.join(", ")
        );
        if self.execute(sql, values(skill, change)).await? == 0 {
            return Ok(Written::Stale);
        }
        self.put_tags(skill).await?;
        Ok(Written::Done)
    }

    async fn purge_skill(&mut self, workspace: WorkspaceId, id: SkillId) -> Result<bool, StoreError> {
        let change = self.change_in(workspace)?;
        let digests = self
            .many(
                "SELECT DISTINCT digest FROM revision_files WHERE workspace_id = $1 AND skill_id = $2",
                arguments![workspace, id],
                |mut row| row.digest(),
            )
            .await?;
        let removed = self
            .execute("DELETE FROM skills WHERE workspace_id = $1 AND id = $2", arguments![workspace, id])
            .await?;
        if removed == 0 {
            return Ok(false);
        }
        self.execute(
            "INSERT INTO purged_skills (workspace_id, skill_id, changed_in) VALUES ($1, $2, $3)
             ON CONFLICT (workspace_id, skill_id) DO UPDATE SET changed_in = excluded.changed_in",
            arguments![workspace, id, change],
        )
        .await?;
        for digest in &digests {
            self.execute(
                "DELETE FROM blobs WHERE workspace_id = $1 AND digest = $2 AND NOT EXISTS
                     (SELECT 1 FROM revision_files f WHERE f.workspace_id = $1 AND f.digest = $2)",
                arguments![workspace, digest],
            )
            .await?;
        }
        Ok(true)
    }

    async fn put_rejection(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
        skill: SkillId,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.execute(
            "INSERT INTO rejected_digests (workspace_id, digest, skill_id, at) VALUES ($1, $2, $3, $4)
             ON CONFLICT (workspace_id, digest) DO UPDATE SET skill_id = excluded.skill_id, at = excluded.at",
            arguments![workspace, digest, skill, at],
        )
        .await
        .map(drop)
    }

    async fn rejection(
        &mut self,
        workspace: WorkspaceId,
        digest: &Digest,
    ) -> Result<Option<SkillId>, StoreError> {
        self.one(
            "SELECT skill_id FROM rejected_digests WHERE workspace_id = $1 AND digest = $2",
            arguments![workspace, digest],
            |mut row| row.uuid().map(SkillId::new),
        )
        .await
    }

    async fn delete_rejection(&mut self, workspace: WorkspaceId, digest: &Digest) -> Result<(), StoreError> {
        self.execute(
            "DELETE FROM rejected_digests WHERE workspace_id = $1 AND digest = $2",
            arguments![workspace, digest],
        )
        .await
        .map(drop)
    }

    async fn drafts_untouched_since(
        &mut self,
        workspace: WorkspaceId,
        moment: Timestamp,
    ) -> Result<Vec<SkillId>, StoreError> {
        let condition = "status = 'draft' AND deleted_at IS NULL AND updated_at < $2";
        self.skill_ids(condition, arguments![workspace, moment]).await
    }

    async fn deleted_before(
        &mut self,
        workspace: WorkspaceId,
        moment: Timestamp,
    ) -> Result<Vec<SkillId>, StoreError> {
        self.skill_ids("deleted_at < $2", arguments![workspace, moment]).await
    }

    async fn assigned_agents(
        &mut self,
        workspace: WorkspaceId,
        id: SkillId,
    ) -> Result<Vec<SkillName>, StoreError> {
        self.many(
            "SELECT a.name FROM agent_skills x JOIN agents a ON a.workspace_id = x.workspace_id AND a.id = x.agent_id
             WHERE x.workspace_id = $1 AND x.skill_id = $2 ORDER BY a.name",
            arguments![workspace, id],
            |mut row| row.parsed(SkillName::parse),
        )
        .await
    }
}
