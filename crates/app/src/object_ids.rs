//! How procedural memory's first design names things: ids made of words, paths, and the spelling of a status.
//!
//! A skill's id is `{name}_{agent}_{user}`, without the parts that its scope has not. The agent is its name. The user
//! is what stands before the `@` of their handle, letters and digits only: `zoiner.tejada@example.com` gives
//! `zoinertejada`. Nothing is stored in this form; it is made of a skill, and looked up by what it is made of.

use std::collections::{BTreeSet, HashMap};

use model::{
    Agent, AgentId, Caller, Handle, Skill, SkillId, SkillName, Status, UserId, WorkspaceId, slugify,
};
use policy::access::{self, Act};
use store::{SkillCursor, SkillFilter, SkillOrder, SkillQuery, SkillRecord, StoreError, Tx, Visibility};

use crate::{Code, Context, Error};

/// The longest text that can be an id: a name, an agent's name, a handle, and what joins them.
const LONGEST: usize = 64 + 1 + 64 + 1 + 128;
/// How many skills of one name are looked through at a time.
const PAGE: u32 = 200;

/// What a skill and its owners are called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectIds {
    /// The skill's name as its author wrote it.
    pub name: String,
    /// `{name}_{agent}_{user}`, without the parts that the scope has not.
    pub id: String,
    /// The skill's path.
    pub object_id: String,
    /// The path of the agent that owns it.
    pub agent_object_id: Option<String>,
    /// The user who owns it.
    pub user: Option<Handle>,
}

/// The path of a skill with this id.
pub fn skill_path(workspace: &SkillName, id: &str) -> String {
    format!("/instances/{workspace}/providers/FoundationaLLM.Skill/skills/{id}")
}

/// The path of an agent.
pub fn agent_path(workspace: &SkillName, agent: &SkillName) -> String {
    format!("/instances/{workspace}/providers/FoundationaLLM.Agent/agents/{agent}")
}

/// The name as its author wrote it: the title, where that is one word and another spelling of the name; else the name.
pub fn written_name(skill: &Skill) -> &str {
    let one_word = skill.title.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    if one_word && slugify(&skill.title).as_ref() == Some(&skill.name) {
        &skill.title
    } else {
        skill.name.as_str()
    }
}

/// Where a skill stands, in one word. A skill that is switched off is `Disabled`, whatever its status.
pub fn status_word(skill: &Skill) -> &'static str {
    match skill.status {
        _ if !skill.enabled => "Disabled",
        Status::Active => "Active",
        Status::PendingApproval => "PendingApproval",
        Status::Rejected => "Rejected",
        Status::Draft => "Draft",
        Status::Archived => "Archived",
    }
}

/// What skills of one workspace are called, in their order.
pub async fn of_skills<'a>(
    cx: &Context,
    workspace: WorkspaceId,
    skills: impl IntoIterator<Item = &'a Skill> + Send,
) -> Result<Vec<ObjectIds>, Error> {
    let mut tx = cx.read().await?;
    let mut names = Names::new(&mut *tx, workspace).await?;
    let skills: Vec<&Skill> = skills.into_iter().collect();
    let mut found = Vec::with_capacity(skills.len());
    for skill in skills {
        found.push(names.of(&mut *tx, skill).await?);
    }
    Ok(found)
}

/// What a skill is called.
pub async fn of_skill(cx: &Context, skill: &Skill) -> Result<ObjectIds, Error> {
    let mut tx = cx.read().await?;
    Names::new(&mut *tx, skill.workspace).await?.of(&mut *tx, skill).await
}

/// The skill that a text means: its UUID, or its id in words, in either spelling of the name. Whether the caller may
/// see it is for whoever reads it; where several fit, those the caller can see come first, and of these their own.
pub async fn find_skill(cx: &Context, caller: &Caller, text: &str) -> Result<SkillId, Error> {
    if let Ok(id) = SkillId::parse(text) {
        return Ok(id);
    }
    let missing = || Error::not_found("skill", text.chars().take(LONGEST).collect::<String>());
    if text.len() > LONGEST {
        return Err(missing());
    }
    let ends = text.match_indices('_').map(|(at, _)| at).chain([text.len()]);
    let names: BTreeSet<SkillName> = ends.filter_map(|end| slugify(text.get(..end)?)).collect();
    let mut tx = cx.read().await?;
    let mut owners = Names::new(&mut *tx, caller.workspace).await?;
    let mut fitting = Vec::new();
    for name in names {
        for record in named(&mut *tx, caller.workspace, &name).await? {
            let id = owners.of(&mut *tx, &record.skill).await?.id;
            if id == text || is_same(&id, text) {
                fitting.push((id == text, record.skill));
            }
        }
    }
    let to_the_letter = fitting.iter().any(|(exact, _)| *exact);
    fitting.retain(|(exact, _)| *exact || !to_the_letter);
    let mut fitting: Vec<Skill> = fitting.into_iter().map(|(_, skill)| skill).collect();
    let narrow = |fitting: &mut Vec<Skill>, wanted: &dyn Fn(&Skill) -> bool| {
        if fitting.iter().any(wanted) {
            fitting.retain(wanted);
        }
    };
    narrow(&mut fitting, &|skill| access::decide(caller, Act::ReadSkill(skill)).is_ok());
    narrow(&mut fitting, &|skill| skill.scope.user() == Some(caller.user));
    match fitting.as_slice() {
        [] => Err(missing()),
        [one] => Ok(one.id),
        [first, ..] if access::decide(caller, Act::ReadSkill(first)).is_err() => Ok(first.id),
        several => {
            let ids: Vec<_> = several.iter().take(5).map(|skill| format!("`{}`", skill.id)).collect();
            let message = format!("`{text}` is the id of several skills; say which: {}", ids.join(", "));
            Err(Error::invalid(Code::InvalidRequest, message))
        }
    }
}

/// The id that a skill of this name has on this agent for this user.
pub fn id_for(name: &str, agent: &Agent, user: &Handle) -> String {
    joined(name, Some(&agent.name), Some(user))
}

/// Whether two ids differ at most in how a name is spelled.
pub fn is_same(id: &str, other: &str) -> bool {
    folded(id) == folded(other)
}

fn joined(name: &str, agent: Option<&SkillName>, user: Option<&Handle>) -> String {
    let mut id = name.to_owned();
    if let Some(agent) = agent {
        id.extend(["_", agent.as_str()]);
    }
    if let Some(user) = user {
        id.push('_');
        id.extend(user_word(user));
    }
    id
}

/// An id in which spellings of a name are the same.
fn folded(id: &str) -> String {
    id.to_ascii_lowercase().replace('-', "_")
}

/// Every skill of a name, whatever its scope.
async fn named(tx: &mut dyn Tx, workspace: WorkspaceId, name: &SkillName) -> Result<Vec<SkillRecord>, Error> {
    let mut query = SkillQuery {
        workspace,
        visibility: Visibility::All,
        filter: SkillFilter { name: Some(name.clone()), ..SkillFilter::default() },
        order: SkillOrder::Name,
        after: None,
        limit: PAGE,
    };
    let mut found = Vec::new();
    loop {
        let page = tx.skills(&query).await?;
        let is_last = page.len() < PAGE as usize;
        query.after = page.last().map(|last| SkillCursor::Name(last.skill.name.clone(), last.skill.id));
        found.extend(page);
        if is_last {
            return Ok(found);
        }
    }
}

/// The names of owners, each read once.
struct Names {
    workspace: WorkspaceId,
    workspace_name: SkillName,
    agents: HashMap<AgentId, SkillName>,
    users: HashMap<UserId, Handle>,
}

impl Names {
    async fn new(tx: &mut dyn Tx, id: WorkspaceId) -> Result<Self, Error> {
        let workspace = tx.workspace(id).await?.ok_or_else(|| Error::not_found("workspace", id))?;
        Ok(Self {
            workspace: id,
            workspace_name: workspace.name,
            agents: HashMap::new(),
            users: HashMap::new(),
        })
    }

    async fn of(&mut self, tx: &mut dyn Tx, skill: &Skill) -> Result<ObjectIds, Error> {
        let agent = match skill.scope.agent() {
            Some(id) => Some(self.agent(tx, id).await?),
            None => None,
        };
        let user = match skill.scope.user() {
            Some(id) => Some(self.user(tx, id).await?),
            None => None,
        };
        let name = written_name(skill).to_owned();
        let id = joined(&name, agent.as_ref(), user.as_ref());
        Ok(ObjectIds {
            object_id: skill_path(&self.workspace_name, &id),
            agent_object_id: agent.map(|agent| agent_path(&self.workspace_name, &agent)),
            name,
            id,
            user,
        })
    }

    async fn agent(&mut self, tx: &mut dyn Tx, id: AgentId) -> Result<SkillName, Error> {
        if let Some(name) = self.agents.get(&id) {
            return Ok(name.clone());
        }
        let agent = tx.agent(self.workspace, id).await?;
        let agent = agent.ok_or_else(|| StoreError::Damaged(format!("the agent `{id}` is missing")))?;
        self.agents.insert(id, agent.name.clone());
        Ok(agent.name)
    }

    async fn user(&mut self, tx: &mut dyn Tx, id: UserId) -> Result<Handle, Error> {
        if let Some(handle) = self.users.get(&id) {
            return Ok(handle.clone());
        }
        let user = tx.user(id).await?;
        let user = user.ok_or_else(|| StoreError::Damaged(format!("the user `{id}` is missing")))?;
        self.users.insert(id, user.handle.clone());
        Ok(user.handle)
    }
}

/// A user in an id: the letters and digits before the `@`.
fn user_word(handle: &Handle) -> impl Iterator<Item = char> {
    let before = handle.as_str().split('@').next().unwrap_or_default();
    before.chars().filter(char::is_ascii_alphanumeric)
}
