//! Ids and names in requests: people write names, programs write ids.

use app::{Code, Context};
use model::{AgentId, Caller, Handle, Scope, ScopeKind, SkillId, SkillName, Timestamp, UserId, slugify};
use time::format_description::well_known::Rfc3339;

use crate::problem::Problem;

pub(crate) fn skill_id(text: &str) -> Result<SkillId, Problem> {
    SkillId::parse(text).map_err(|_| missing("skill", text))
}

pub(crate) fn missing(what: &str, text: &str) -> Problem {
    let shown: String = text.chars().take(80).collect();
    Problem::with_code(Code::NotFound, format!("there is no {what} `{shown}`"))
}

/// A moment as people and programs write it.
pub(crate) fn moment(text: &str) -> Result<Timestamp, Problem> {
    // At the ends of the calendar another offset leads out of it.
    let read = Timestamp::parse(text, &Rfc3339).ok();
    read.and_then(|moment| moment.checked_to_offset(time::UtcOffset::UTC))
        .ok_or_else(|| Problem::bad_request("a moment is written like 2030-01-31T12:00:00Z"))
}

/// A name that must be written as a slug: that of an agent or a workspace.
pub(crate) fn slug(text: &str) -> Result<SkillName, Problem> {
    SkillName::parse(text).map_err(|error| Problem::with_code(Code::InvalidName, error.to_string()))
}

/// An agent by id or name.
pub(crate) async fn agent(cx: &Context, caller: &Caller, text: &str) -> Result<AgentId, Problem> {
    if let Ok(id) = AgentId::parse(text) {
        return Ok(id);
    }
    let name = slugify(text).ok_or_else(|| missing("agent", text))?;
    Ok(app::agents::find(cx, caller, &name).await?.id)
}

/// An agent by id or name, where one is named.
pub(crate) async fn optional_agent(
    cx: &Context,
    caller: &Caller,
    text: Option<&str>,
) -> Result<Option<AgentId>, Problem> {
    match text {
        Some(text) => agent(cx, caller, text).await.map(Some),
        None => Ok(None),
    }
}

/// A user by id or handle.
pub(crate) async fn user(cx: &Context, caller: &Caller, text: &str) -> Result<UserId, Problem> {
    if let Ok(id) = UserId::parse(text) {
        return Ok(id);
    }
    let handle = Handle::parse(text).map_err(|_| missing("user", text))?;
    Ok(app::users::find(cx, caller, &handle).await?.user.id)
}

/// A user by id or handle, where one is named.
pub(crate) async fn optional_user(
    cx: &Context,
    caller: &Caller,
    text: Option<&str>,
) -> Result<Option<UserId>, Problem> {
    match text {
        Some(text) => user(cx, caller, text).await.map(Some),
        None => Ok(None),
    }
}

/// A scope from its rung and its owners; owners that are not named are the caller and the agent they act through.
pub(crate) async fn scope(
    cx: &Context,
    caller: &Caller,
    kind: Option<&str>,
    agent_text: Option<&str>,
    user_text: Option<&str>,
) -> Result<Option<Scope>, Problem> {
    let invalid = |detail: String| Problem::with_code(Code::InvalidScope, detail);
    let Some(kind) = kind else {
        return match (agent_text, user_text) {
            (None, None) => Ok(None),
            _ => Err(invalid("`agent` and `user` say whose scope it is; give `scope` too".to_owned())),
        };
    };
    let kind = ScopeKind::parse(kind).map_err(|error| invalid(error.to_string()))?;
    let has_agent = matches!(kind, ScopeKind::Agent | ScopeKind::AgentUser);
    let has_user = matches!(kind, ScopeKind::User | ScopeKind::AgentUser);
    if (agent_text.is_some() && !has_agent) || (user_text.is_some() && !has_user) {
        return Err(invalid(format!("the scope `{kind}` has no such owner")));
    }
    let agent = match agent_text {
        Some(text) => Some(agent(cx, caller, text).await?),
        None => caller.agent.filter(|_| has_agent),
    };
    let user = match user_text {
        Some(text) => Some(user(cx, caller, text).await?),
        None => Some(caller.user).filter(|_| has_user),
    };
    Scope::from_parts(kind, agent, user)
        .map(Some)
        .ok_or_else(|| invalid(format!("the scope `{kind}` needs an `agent`")))
}
