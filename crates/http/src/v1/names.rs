//! Ids and names in requests: people write names, programs write ids.

use app::{Code, Context};
use model::{AgentId, Caller, Day, Handle, Scope, ScopeKind, SkillId, SkillName, Timestamp, UserId, slugify};
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;

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

/// A day as people and programs write it.
pub(crate) fn day(text: &str) -> Result<Day, Problem> {
    let form = format_description!("[year]-[month]-[day]");
    let read = Day::parse(text, form).ok().filter(|_| text.len() == "2030-01-31".len());
    read.ok_or_else(|| Problem::bad_request("a day is written like 2030-01-31"))
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

/// A scope from its rung and its owners.
pub(crate) async fn scope(
    cx: &Context,
    caller: &Caller,
    kind: Option<&str>,
    agent: Option<&str>,
    user: Option<&str>,
) -> Result<Option<Scope>, Problem> {
    let kind = kind.map(ScopeKind::parse).transpose();
    let kind = kind.map_err(|error| Problem::with_code(Code::InvalidScope, error.to_string()))?;
    let agent = optional_agent(cx, caller, agent).await?;
    let user = optional_user(cx, caller, user).await?;
    Ok(app::skills::scope_of(caller, kind, agent, user)?)
}
