//! Agents: their settings and the skills assigned to them.

mod context;
mod procedural_memory;

use model::{
    Agent, AgentId, Assignment, Caller, Discovery, ProceduralMemory, RevisionNumber, RunLimits, SkillId,
    SkillName, Toolset, counted,
};
use policy::access::{self, Act};
use serde_json::json;
use store::{SkillFilter, SkillOrder, SkillQuery, Tx, Visibility, Written};

use crate::paging::page;
use crate::{Code, Context, Cursor, Error, Page, PageRequest, audit, skills};

pub use context::{AgentContext, ContextPart, GetContext, context};

/// An agent as someone wants it.
#[derive(Debug, Clone)]
pub struct AgentSpec {
    /// Its name.
    pub name: SkillName,
    /// For people; the name when nobody says.
    pub title: Option<String>,
    /// What it is for.
    pub description: String,
    /// Procedural memory; `None` is fully off.
    pub procedural_memory: Option<ProceduralMemory>,
    /// How it discovers skills.
    pub discovery: Discovery,
    /// How many tokens a list of skills may take.
    pub discovery_token_budget: u32,
    /// Bounds on what the code of skills may use when this agent runs them.
    pub run_limits: RunLimits,
    /// The tools it is offered over MCP; empty is the default set.
    pub toolsets: Vec<Toolset>,
    /// Its skills, in order.
    pub assignments: Vec<Assignment>,
}

impl AgentSpec {
    /// An agent with everything as it comes.
    pub fn new(name: SkillName) -> Self {
        Self {
            name,
            title: None,
            description: String::new(),
            procedural_memory: None,
            discovery: Discovery::Auto,
            discovery_token_budget: Agent::DEFAULT_TOKEN_BUDGET,
            run_limits: RunLimits::default(),
            toolsets: Vec::new(),
            assignments: Vec::new(),
        }
    }
}

/// The groups of tools that the caller's agent is offered; none is the usual one.
pub async fn toolsets(cx: &Context, caller: &Caller) -> Result<Vec<Toolset>, Error> {
    let Some(id) = caller.agent else { return Ok(Vec::new()) };
    let agent = cx.read().await?.agent(caller.workspace, id).await?;
    Ok(agent.ok_or_else(|| Error::not_found("agent", id))?.toolsets)
}

/// Makes an agent.
pub async fn create(cx: &Context, caller: &Caller, spec: AgentSpec) -> Result<Agent, Error> {
    access::decide(caller, Act::ManageAgents)?;
    let now = cx.now();
    let blank = Agent {
        workspace: caller.workspace,
        id: AgentId::new(cx.id()),
        name: spec.name.clone(),
        title: String::new(),
        description: String::new(),
        procedural_memory: None,
        discovery: Discovery::Auto,
        discovery_token_budget: Agent::DEFAULT_TOKEN_BUDGET,
        run_limits: RunLimits::default(),
        toolsets: Vec::new(),
        assignments: Vec::new(),
        version: 1,
        created_at: now,
        updated_at: now,
    };
    let agent = filled(blank, spec)?;
    let mut tx = cx.begin(caller.workspace).await?;
    check_assignments(&mut *tx, caller, &[], &agent.assignments).await?;
    if !tx.insert_agent(&agent).await? {
        return Err(name_taken(&agent.name));
    }
    let detail = [("name", json!(agent.name.as_str()))];
    audit::record(cx, &mut *tx, caller, "agent.create", ("agent", agent.id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(agent)
}

#[allow(clippy::needless_pass_by_value)] // its parts move into the new agent
fn filled(agent: Agent, spec: AgentSpec) -> Result<Agent, Error> {
    let agent = Agent {
        title: spec.title.unwrap_or_else(|| spec.name.to_string()),
        name: spec.name,
        description: spec.description,
        procedural_memory: spec.procedural_memory,
        discovery: spec.discovery,
        discovery_token_budget: spec.discovery_token_budget,
        run_limits: spec.run_limits,
        toolsets: spec.toolsets,
        assignments: spec.assignments,
        ..agent
    };
    agent.validate().map_err(|error| Error::invalid(Code::InvalidSettings, error))?;
    if agent.title.chars().count() > 200 || agent.description.chars().count() > 2_000 {
        return Err(Error::invalid(
            Code::InvalidRequest,
            "a title has at most 200 characters, a description 2000",
        ));
    }
    Ok(agent)
}

fn name_taken(name: &SkillName) -> Error {
    Error::conflict(Code::NameTaken, format!("there is an agent `{name}` already"))
}

/// Every skill that is newly assigned must be one the caller can see, once, and its pin a revision it has. What was
/// assigned before stays, also while it is deleted and may come back.
async fn check_assignments(
    tx: &mut dyn Tx,
    caller: &Caller,
    before: &[Assignment],
    assignments: &[Assignment],
) -> Result<(), Error> {
    if assignments.len() > 1_000 {
        return Err(Error::invalid(Code::InvalidSettings, "an agent has at most 1000 skills assigned"));
    }
    for (n, assignment) in assignments.iter().enumerate() {
        let id = assignment.skill;
        if assignments.iter().take(n).any(|other| other.skill == id) {
            return Err(Error::invalid(Code::InvalidRequest, format!("the skill `{id}` is assigned twice")));
        }
        if before.contains(assignment) {
            continue;
        }
        skills::load(tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
        if let Some(pin) = assignment.pin {
            let pinned = tx.revision(caller.workspace, id, pin).await?;
            pinned.ok_or_else(|| Error::not_found("revision", format!("{id}@{pin}")))?;
        }
    }
    Ok(())
}

/// One agent.
pub async fn read(cx: &Context, caller: &Caller, id: AgentId) -> Result<Agent, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    cx.read().await?.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))
}

/// One agent, by name.
pub async fn find(cx: &Context, caller: &Caller, name: &SkillName) -> Result<Agent, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let agent = cx.read().await?.agent_by_name(caller.workspace, name).await?;
    agent.ok_or_else(|| Error::not_found("agent", name))
}

/// The agents of the workspace, by name.
pub async fn list(cx: &Context, caller: &Caller, request: PageRequest) -> Result<Page<Agent>, Error> {
    access::decide(caller, Act::ReadWorkspace)?;
    let limit = request.checked_limit()?;
    let after = match &request.after {
        Some(cursor) => match cursor.parts()?.as_slice() {
            [kind, name] if kind == "a" => Some(SkillName::parse(name).map_err(|_| Cursor::invalid())?),
            _ => return Err(Cursor::invalid()),
        },
        None => None,
    };
    let agents = cx.read().await?.agents(caller.workspace, after.as_ref(), limit + 1).await?;
    Ok(page(agents, limit, |agent| Cursor::of(&["a", agent.name.as_str()])))
}

/// Replaces an agent's settings. The version, if given, must be the stored one.
pub async fn update(
    cx: &Context,
    caller: &Caller,
    id: AgentId,
    spec: AgentSpec,
    version: Option<u64>,
) -> Result<Agent, Error> {
    access::decide(caller, Act::ManageAgents)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let stored = tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?;
    if version.is_some_and(|version| version != stored.version) {
        return Err(Error::Precondition { what: "agent" });
    }
    if stored.name != spec.name && tx.agent_by_name(caller.workspace, &spec.name).await?.is_some() {
        return Err(name_taken(&spec.name));
    }
    let before = stored.assignments.clone();
    let changed = Agent { version: stored.version + 1, updated_at: cx.now(), ..stored };
    let agent = filled(changed, spec)?;
    check_assignments(&mut *tx, caller, &before, &agent.assignments).await?;
    if tx.update_agent(&agent).await? == Written::Stale {
        return Err(Error::Stale { what: "agent" });
    }
    let detail = [("name", json!(agent.name.as_str())), ("version", json!(agent.version))];
    audit::record(cx, &mut *tx, caller, "agent.update", ("agent", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(agent)
}

/// Removes an agent and ends the tokens bound to it. Skills in its own scopes must be gone or promoted first.
pub async fn delete(cx: &Context, caller: &Caller, id: AgentId) -> Result<(), Error> {
    access::decide(caller, Act::ManageAgents)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let agent = tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?;
    let own = SkillQuery {
        workspace: caller.workspace,
        visibility: Visibility::All,
        filter: SkillFilter { agent: Some(id), ..SkillFilter::default() },
        order: SkillOrder::Name,
        after: None,
        limit: 1,
    };
    let deleted = SkillQuery { filter: SkillFilter { deleted: true, ..own.filter.clone() }, ..own.clone() };
    let skills = tx.count_skills(&own).await? + tx.count_skills(&deleted).await?;
    if skills > 0 {
        let (live, them) = if skills == 1 { ("lives", "it") } else { ("live", "them") };
        let skills = counted(skills, "skill");
        let message =
            format!("{skills} {live} in the scope of `{}`; delete or promote {them} first", agent.name);
        return Err(Error::conflict(Code::AgentHasSkills, message));
    }
    tx.delete_agent(caller.workspace, id).await?;
    for token in tx.tokens(caller.workspace, None).await?.iter().filter(|token| token.agent == Some(id)) {
        tx.revoke_token(caller.workspace, token.id, cx.now()).await?;
    }
    let detail = [("name", json!(agent.name.as_str()))];
    audit::record(cx, &mut *tx, caller, "agent.delete", ("agent", id.to_string()), &detail).await?;
    Ok(tx.commit().await?)
}

/// Assigns a skill to an agent, at the end or at a place, pinned or not. A skill assigned before moves.
pub async fn assign(
    cx: &Context,
    caller: &Caller,
    id: AgentId,
    skill: SkillId,
    pin: Option<RevisionNumber>,
    position: Option<usize>,
) -> Result<Agent, Error> {
    change_assignments(cx, caller, id, |assignments| {
        assignments.retain(|assignment| assignment.skill != skill);
        let place = position.unwrap_or(assignments.len()).min(assignments.len());
        assignments.insert(place, Assignment { skill, pin });
    })
    .await
}

/// Takes a skill from an agent.
pub async fn unassign(cx: &Context, caller: &Caller, id: AgentId, skill: SkillId) -> Result<Agent, Error> {
    change_assignments(cx, caller, id, |assignments| {
        assignments.retain(|assignment| assignment.skill != skill);
    })
    .await
}

async fn change_assignments(
    cx: &Context,
    caller: &Caller,
    id: AgentId,
    change: impl FnOnce(&mut Vec<Assignment>) + Send,
) -> Result<Agent, Error> {
    access::decide(caller, Act::ManageAgents)?;
    let mut tx = cx.begin(caller.workspace).await?;
    let mut agent = tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?;
    let before = agent.assignments.clone();
    change(&mut agent.assignments);
    if agent.assignments == before {
        return Ok(agent);
    }
    check_assignments(&mut *tx, caller, &before, &agent.assignments).await?;
    agent.version += 1;
    agent.updated_at = cx.now();
    if tx.update_agent(&agent).await? == Written::Stale {
        return Err(Error::Stale { what: "agent" });
    }
    let skills: Vec<_> = agent.assignments.iter().map(|assignment| assignment.skill.to_string()).collect();
    let detail = [("skills", json!(skills)), ("version", json!(agent.version))];
    audit::record(cx, &mut *tx, caller, "agent.assign", ("agent", id.to_string()), &detail).await?;
    tx.commit().await?;
    Ok(agent)
}
