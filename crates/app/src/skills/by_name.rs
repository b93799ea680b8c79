//! Skills by name, the way a model writes, reads and switches its own library.
//!
//! A name means the nearest usable skill that has it; where none is usable, the nearest that is switched off, and
//! where there is none of those either, the nearest that waits or was put away.

use model::{Caller, Origin, Scope, Skill, SkillName, Status, slugify};
use policy::access::{self, Act};
use store::{SkillFilter, SkillOrder, SkillQuery, SkillRecord};

use super::list::ladder;
use super::publish::{Content, CreateSkill, Published};
use super::read::Detail;
use super::review::Reviewed;
use super::rewrite::RewriteSkill;
use crate::{Code, Context, Draft, Error};

/// A skill as a model writes it.
#[derive(Debug, Clone, Default)]
pub struct NewSkill {
    /// Its name, which must be a slug.
    pub name: String,
    /// For people.
    pub title: String,
    /// What it does and when to use it.
    pub description: String,
    /// The Markdown.
    pub content: String,
    /// For filters.
    pub tags: Vec<String>,
}

/// Puts a skill in, for everyone who acts through the caller's agent where the caller may let it in there, else for
/// the caller alone.
pub async fn create(cx: &Context, caller: &Caller, new: NewSkill) -> Result<Published, Error> {
    let name = SkillName::parse(&new.name).map_err(|error| Error::invalid(Code::InvalidName, error))?;
    for (field, text) in [("title", &new.title), ("content", &new.content)] {
        if text.trim().is_empty() {
            return Err(Error::invalid(Code::InvalidRequest, format!("a skill needs a `{field}`")));
        }
    }
    let mut draft = Draft::new(name.clone(), new.description);
    draft.title = Some(new.title.trim().to_owned());
    draft.body = new.content;
    draft.tags = new.tags;
    let scope = match caller.agent {
        Some(agent) if access::may_grant(caller) => Scope::Agent(agent),
        Some(agent) => Scope::AgentUser(agent, caller.user),
        None => Scope::User(caller.user),
    };
    let request = CreateSkill { scope: Some(scope), ..CreateSkill::new(Content::Draft(Box::new(draft))) };
    let exists = || {
        let message = format!("the skill `{name}` already exists; use update_skill to change it");
        Error::conflict(Code::NameTaken, message)
    };
    // A nearer one of the name would hide what is made here from whoever makes it.
    let hides = |record: &SkillRecord| record.skill.scope.nearness() > scope.nearness();
    if all(cx, caller, name.as_str()).await?.iter().any(hides) {
        return Err(exists());
    }
    let created = Box::pin(super::create(cx, caller, request, None)).await;
    created.map_err(|error| if error.code() == Code::NameTaken { exists() } else { error })
}

/// The skill that a name means to a caller, in whatever state it is. `Revenue_Growth` finds `revenue-growth`.
pub async fn find(cx: &Context, caller: &Caller, name: &str) -> Result<SkillRecord, Error> {
    let found = all(cx, caller, name).await?.into_iter().next();
    found.ok_or_else(|| Error::not_found("skill", name))
}

/// Those of a name that the caller can see from their place, the one it means first.
async fn all(cx: &Context, caller: &Caller, name: &str) -> Result<Vec<SkillRecord>, Error> {
    access::decide(caller, Act::ListSkills)?;
    let Some(name) = slugify(name) else { return Ok(Vec::new()) };
    let query = SkillQuery {
        workspace: caller.workspace,
        visibility: ladder(caller),
        filter: SkillFilter { name: Some(name), ..SkillFilter::default() },
        order: SkillOrder::Name,
        after: None,
        limit: 10,
    };
    let mut found = cx.read().await?.skills(&query).await?;
    let place = |skill: &Skill| (skill.status == Status::Active, skill.is_usable(), skill.scope.nearness());
    found.sort_by_key(|record| std::cmp::Reverse(place(&record.skill)));
    Ok(found)
}

/// Reads a skill. An agent reads only what it may use, at the revision it uses; a person also what is switched off,
/// waits or was put away. Reading instructions counts as a use.
pub async fn read(cx: &Context, caller: &Caller, name: &str) -> Result<Detail, Error> {
    let skill = find(cx, caller, name).await?.skill;
    if caller.agent.is_some() {
        check_readable(&skill)?;
    }
    let detail = super::read_in_use(cx, caller, skill.id).await?;
    super::count_read(cx, caller, &detail).await;
    Ok(detail)
}

fn check_readable(skill: &Skill) -> Result<(), Error> {
    let name = &skill.name;
    if skill.status != Status::Active {
        let message = format!("the skill `{name}` is {}; an agent can only read active skills", skill.status);
        return Err(Error::conflict(Code::SkillNotActive, message));
    }
    if !skill.enabled {
        let message = format!("the skill `{name}` is disabled; enable it to read it");
        return Err(Error::conflict(Code::SkillDisabled, message));
    }
    Ok(())
}

/// Changes a skill's text as a new revision.
pub async fn rewrite(
    cx: &Context,
    caller: &Caller,
    name: &str,
    request: RewriteSkill,
) -> Result<Published, Error> {
    let id = find(cx, caller, name).await?.skill.id;
    Box::pin(super::rewrite(cx, caller, id, request)).await
}

/// Deletes a skill; false when there is none of that name.
pub async fn delete(cx: &Context, caller: &Caller, name: &str, reason: Option<&str>) -> Result<bool, Error> {
    let Some(record) = all(cx, caller, name).await?.into_iter().next() else { return Ok(false) };
    match super::delete(cx, caller, record.skill.id, reason, None).await {
        Ok(_) => Ok(true),
        // Somebody else was faster.
        Err(Error::NotFound { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Turns a skill on or off. Off goes the one that the name means; on goes the nearest of the name that is off and that
/// the caller may switch.
pub async fn set_enabled(
    cx: &Context,
    caller: &Caller,
    name: &str,
    enabled: bool,
) -> Result<Reviewed, Error> {
    let found = all(cx, caller, name).await?;
    let is_off = |record: &&SkillRecord| {
        !record.skill.enabled && access::decide(caller, Act::SwitchSkill(&record.skill)).is_ok()
    };
    let chosen = found.iter().find(|record| enabled && is_off(record)).or(found.first());
    let chosen = chosen.ok_or_else(|| Error::not_found("skill", name))?;
    super::set_enabled(cx, caller, chosen.skill.id, enabled, None).await
}

/// What kind of author a skill has, in the words of the library tools: `user` or `agent`.
pub fn source(origin: Origin) -> &'static str {
    match origin {
        Origin::Agent | Origin::Learned => "agent",
        Origin::User
        | Origin::Admin
        | Origin::Connector
        | Origin::Static
        | Origin::Provider
        | Origin::Imported => "user",
    }
}
