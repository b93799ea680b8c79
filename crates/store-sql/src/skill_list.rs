//! Puts the statement for a list of skills together from fixed parts.

use ::store::{Facet, SkillCursor, SkillOrder, SkillQuery, Visibility};
use model::WorkspaceId;

use crate::skills::{FROM, RECORD, fold};
use crate::{Sql, Value};

/// A condition that grows, with the arguments it speaks of.
pub(crate) struct Condition {
    pub(crate) sql: String,
    pub(crate) arguments: Vec<Value>,
}

impl Condition {
    fn new(workspace: WorkspaceId) -> Self {
        Self { sql: "s.workspace_id = $1".to_owned(), arguments: vec![workspace.into()] }
    }

    /// The skills of a workspace that the caller may see and that are not deleted.
    pub(crate) fn seen(workspace: WorkspaceId, visibility: Visibility) -> Self {
        let mut condition = Self::new(workspace);
        if let Some(visible) = condition.visible("s", visibility) {
            condition.and(&visible);
        }
        condition.and("s.deleted_at IS NULL");
        condition
    }

    /// Adds an argument and gives its place.
    pub(crate) fn place(&mut self, value: impl Into<Value>) -> String {
        self.arguments.push(value.into());
        format!("${}", self.arguments.len())
    }

    pub(crate) fn and(&mut self, condition: &str) {
        self.sql.push_str(" AND ");
        self.sql.push_str(condition);
    }

    fn equals(&mut self, column: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            let place = self.place(value);
            self.and(&format!("{column} = {place}"));
        }
    }

    /// What the caller may see of the table that goes by this name; `None` is everything.
    fn visible(&mut self, table: &str, visibility: Visibility) -> Option<String> {
        let Visibility::Of { user, agent } = visibility else { return None };
        let user = self.place(user);
        let agent = match agent {
            Some(agent) => format!("({table}.agent_id IS NULL OR {table}.agent_id = {})", self.place(agent)),
            None => "1 = 1".to_owned(),
        };
        Some(format!("({table}.user_id IS NULL OR {table}.user_id = {user}) AND {agent}"))
    }
}

/// The greater, the nearer to a caller; as `Scope::nearness`. What is switched off is behind all that is on.
fn nearness(table: &str, or_disabled: bool) -> String {
    let rung = format!(
        "CASE {table}.scope WHEN 'agent_user' THEN 3 WHEN 'user' THEN 2 WHEN 'agent' THEN 1 ELSE 0 END"
    );
    if or_disabled { format!("({rung} + CASE WHEN {table}.enabled THEN 4 ELSE 0 END)") } else { rung }
}

fn usable(table: &str, or_disabled: bool) -> String {
    let enabled = if or_disabled { String::new() } else { format!(" AND {table}.enabled = TRUE") };
    format!("{table}.status = 'active'{enabled} AND {table}.deleted_at IS NULL")
}

fn condition(query: &SkillQuery) -> Condition {
    let filter = &query.filter;
    let mut condition = Condition::new(query.workspace);
    if let Some(visible) = condition.visible("s", query.visibility) {
        condition.and(&visible);
    }
    condition.and(if filter.deleted { "s.deleted_at IS NOT NULL" } else { "s.deleted_at IS NULL" });
    for word in &filter.words {
        let pattern = fold(word).replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
        let place = condition.place(format!("%{pattern}%"));
        condition.and(&format!("s.search_text LIKE {place} ESCAPE '\\'"));
    }
    condition.equals("s.name", filter.name.as_ref().map(model::SkillName::as_str));
    condition.equals("s.status", filter.status.map(model::Status::as_str));
    condition.equals("s.enabled", filter.enabled);
    condition.equals("s.origin", filter.origin.map(model::Origin::as_str));
    condition.equals("s.scope", filter.scope.map(model::ScopeKind::as_str));
    condition.equals("s.agent_id", filter.agent);
    condition.equals("s.user_id", filter.user);
    match filter.facet {
        Some(Facet::Instructions) => condition.and("s.has_instructions = TRUE"),
        Some(Facet::Procedure) => condition.and("s.has_procedure = TRUE"),
        Some(Facet::Policy) => condition.and("s.has_policy = TRUE"),
        None => {}
    }
    if filter.waiting {
        condition.and("(s.status IN ('draft', 'pending_approval') OR s.promotion_scope IS NOT NULL)");
    }
    if let Some(tag) = &filter.tag {
        let place = condition.place(tag.as_str());
        condition.and(&format!(
            "EXISTS (SELECT 1 FROM skill_tags g
                     WHERE g.workspace_id = $1 AND g.skill_id = s.id AND g.tag = {place})"
        ));
    }
    if filter.nearest {
        let off = filter.or_disabled;
        condition.and(&usable("s", off));
        let visible = condition.visible("n", query.visibility).unwrap_or_else(|| "1 = 1".to_owned());
        condition.and(&format!(
            "NOT EXISTS (SELECT 1 FROM skills n WHERE n.workspace_id = $1 AND n.name = s.name
                         AND {} AND {visible} AND {} > {})",
            usable("n", off),
            nearness("n", off),
            nearness("s", off)
        ));
    }
    condition
}

/// One page.
pub(crate) fn page(query: &SkillQuery) -> (Sql, Vec<Value>) {
    let mut condition = condition(query);
    let (column, direction, beyond) = match query.order {
        SkillOrder::Name => ("s.name", "ASC", ">"),
        SkillOrder::Updated => ("s.updated_at", "DESC", "<"),
        SkillOrder::Created => ("s.created_at", "DESC", "<"),
    };
    if let Some(after) = &query.after {
        let (key, id) = match after {
            SkillCursor::Name(name, id) => (condition.place(name.as_str()), condition.place(*id)),
            SkillCursor::Time(moment, id) => (condition.place(*moment), condition.place(*id)),
        };
        condition.and(&format!("({column}, s.id) {beyond} ({key}, {id})"));
    }
    let limit = condition.place(query.limit);
    let sql = format!(
        "SELECT {RECORD} FROM {FROM} WHERE {} ORDER BY {column} {direction}, s.id {direction} LIMIT {limit}",
        condition.sql
    );
    (sql.into(), condition.arguments)
}

/// How many there are on all pages.
pub(crate) fn count(query: &SkillQuery) -> (Sql, Vec<Value>) {
    let condition = condition(query);
    (format!("SELECT COUNT(*) FROM skills s WHERE {}", condition.sql).into(), condition.arguments)
}

/// How many there are on all pages, scope by scope.
pub(crate) fn groups(query: &SkillQuery) -> (Sql, Vec<Value>) {
    let condition = condition(query);
    let sql = format!(
        "SELECT s.scope, s.agent_id, s.user_id, a.name, u.handle, COUNT(*) FROM skills s
         LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.agent_id
         LEFT JOIN users u ON u.id = s.user_id
         WHERE {} GROUP BY s.scope, s.agent_id, s.user_id, a.name, u.handle",
        condition.sql
    );
    (sql.into(), condition.arguments)
}

/// The tags of what can be seen.
pub(crate) fn tags(workspace: WorkspaceId, visibility: Visibility) -> (Sql, Vec<Value>) {
    let condition = Condition::seen(workspace, visibility);
    let sql = format!(
        "SELECT g.tag, COUNT(*) FROM skill_tags g
         JOIN skills s ON s.workspace_id = g.workspace_id AND s.id = g.skill_id
         WHERE g.workspace_id = $1 AND {} GROUP BY g.tag ORDER BY g.tag",
        condition.sql
    );
    (sql.into(), condition.arguments)
}
