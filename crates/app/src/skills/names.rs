//! How the name and the scope of a skill are read from what people and models write.

use model::{AgentId, Caller, Scope, ScopeKind, SkillName, UserId, slugify};

use crate::{Code, Error};

/// A name as somebody wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenName {
    /// The slug: underscores, spaces and capitals become one.
    pub name: SkillName,
    /// What was written, where that is not the slug; it stays as the title of a skill that has no other.
    pub title: Option<String>,
}

/// Reads a name: `calculate_growth` becomes `calculate-growth`.
pub fn written_name(text: &str) -> Result<WrittenName, Error> {
    let name = SkillName::parse(text).or_else(|error| {
        slugify(text)
            .filter(|_| text.chars().count() <= SkillName::MAX)
            .ok_or_else(|| Error::invalid(Code::InvalidName, error))
    })?;
    let title = Some(text.to_owned()).filter(|written| written != name.as_str());
    Ok(WrittenName { name, title })
}

/// Puts a scope together from its rung and its owners. Owners that are not named are the caller and the agent they act
/// through; without a rung there is no scope, and then nobody owns it.
pub fn scope_of(
    caller: &Caller,
    kind: Option<ScopeKind>,
    agent: Option<AgentId>,
    user: Option<UserId>,
) -> Result<Option<Scope>, Error> {
    let invalid = |message: String| Err(Error::invalid(Code::InvalidScope, message));
    let Some(kind) = kind else {
        return match (agent, user) {
            (None, None) => Ok(None),
            _ => invalid("`agent` and `user` say whose scope it is; give `scope` too".to_owned()),
        };
    };
    let has_agent = matches!(kind, ScopeKind::Agent | ScopeKind::AgentUser);
    let has_user = matches!(kind, ScopeKind::User | ScopeKind::AgentUser);
    if (agent.is_some() && !has_agent) || (user.is_some() && !has_user) {
        return invalid(format!("the scope `{kind}` has no such owner"));
    }
    let agent = agent.or(caller.agent).filter(|_| has_agent);
    let user = user.or(Some(caller.user)).filter(|_| has_user);
    match Scope::from_parts(kind, agent, user) {
        Some(scope) => Ok(Some(scope)),
        None => invalid(format!("the scope `{kind}` needs an `agent`")),
    }
}
