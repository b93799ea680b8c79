//! Lists skills by filters, and finds the one a name means to a caller.

use model::{AgentId, Caller, Origin, Scope, ScopeKind, SkillName, Status, UserId, slugify};
use policy::access::{self, Act};
use store::{Facet, SkillCursor, SkillFilter, SkillGroup, SkillOrder, SkillQuery, SkillRecord, Visibility};

use crate::paging::page;
use crate::{Code, Context, Cursor, Error, Page, PageRequest};

/// What to list.
#[allow(clippy::struct_excessive_bools)] // each narrows the list on its own
#[derive(Debug, Clone, Default)]
pub struct ListSkills {
    /// Words that must all occur.
    pub words: String,
    /// A tag.
    pub tag: Option<String>,
    /// A status.
    pub status: Option<Status>,
    /// The switch.
    pub enabled: Option<bool>,
    /// An origin.
    pub origin: Option<Origin>,
    /// A rung.
    pub scope: Option<ScopeKind>,
    /// The agent that owns it.
    pub agent: Option<AgentId>,
    /// The user who owns it.
    pub user: Option<UserId>,
    /// A facet.
    pub facet: Option<Facet>,
    /// An exact name.
    pub name: Option<SkillName>,
    /// Only what waits for a decision.
    pub waiting: bool,
    /// Only what was deleted and can be brought back.
    pub deleted: bool,
    /// Only what the caller would get by name: usable, and the nearest of its name.
    pub nearest: bool,
    /// With `nearest`: where a name has none that is switched on, the nearest one that is switched off.
    pub or_disabled: bool,
    /// In which order.
    pub order: SkillOrder,
    /// Whether to count all pages.
    pub count: bool,
    /// Which page.
    pub page: PageRequest,
}

/// Which skills a caller sees in lists.
pub(crate) fn visibility(caller: &Caller) -> Visibility {
    if access::sees_everything(caller) {
        Visibility::All
    } else {
        Visibility::Of { user: caller.user, agent: caller.agent }
    }
}

/// The caller's own place on the ladder, also for those who could see more: what a name means is asked from there.
pub(super) fn ladder(caller: &Caller) -> Visibility {
    // Without an agent the ladder has no agent's rungs. No agent has the nil id, so that it stands for none.
    let agent = caller.agent.unwrap_or(AgentId::new(uuid::Uuid::nil()));
    Visibility::Of { user: caller.user, agent: Some(agent) }
}

/// Lists what the caller can see; the second value is how many there are on all pages, if asked for.
pub async fn list(
    cx: &Context,
    caller: &Caller,
    request: ListSkills,
) -> Result<(Page<SkillRecord>, Option<u64>), Error> {
    access::decide(caller, Act::ListSkills)?;
    let limit = request.page.checked_limit()?;
    let after = request.page.after.as_ref().map(Cursor::skill).transpose()?;
    let fits = matches!(
        (&after, request.order),
        (None, _)
            | (Some(SkillCursor::Name(..)), SkillOrder::Name)
            | (Some(SkillCursor::Time(..)), SkillOrder::Updated | SkillOrder::Created)
    );
    if !fits {
        return Err(Cursor::invalid());
    }
    let (order, count) = (request.order, request.count);
    let query = SkillQuery { after, limit: limit + 1, ..query(caller, request)? };
    let mut tx = cx.read().await?;
    let total = if count { Some(tx.count_skills(&query).await?) } else { None };
    let records = tx.skills(&query).await?;
    let cursor = |record: &SkillRecord| {
        let skill = &record.skill;
        Cursor::of_skill(&match order {
            SkillOrder::Name => SkillCursor::Name(skill.name.clone(), skill.id),
            SkillOrder::Updated => SkillCursor::Time(skill.updated_at, skill.id),
            SkillOrder::Created => SkillCursor::Time(skill.created_at, skill.id),
        })
    };
    Ok((page(records, limit, cursor), total))
}

/// How many skills of what the caller can see each owner has: the workspace first, then by agent and user.
pub async fn groups(cx: &Context, caller: &Caller, request: ListSkills) -> Result<Vec<SkillGroup>, Error> {
    access::decide(caller, Act::ListSkills)?;
    let query = query(caller, request)?;
    let mut groups = cx.read().await?.group_skills(&query).await?;
    groups.sort_by(|one, other| {
        let key = |group: &SkillGroup| {
            let shared = group.scope == Scope::Workspace;
            (!shared, group.agent.clone(), group.scope.agent(), group.user.clone(), group.scope.user())
        };
        key(one).cmp(&key(other))
    });
    Ok(groups)
}

/// What a request asks for, within what the caller can see, without a page.
fn query(caller: &Caller, request: ListSkills) -> Result<SkillQuery, Error> {
    let words: Vec<String> = request.words.split_whitespace().map(str::to_owned).collect();
    if words.len() > 16 || request.words.len() > 1_000 {
        return Err(Error::invalid(Code::InvalidRequest, "at most 16 words, 1000 bytes together"));
    }
    Ok(SkillQuery {
        workspace: caller.workspace,
        visibility: if request.nearest { ladder(caller) } else { visibility(caller) },
        filter: SkillFilter {
            words,
            tag: request.tag,
            status: request.status,
            enabled: request.enabled,
            origin: request.origin,
            scope: request.scope,
            agent: request.agent,
            user: request.user,
            facet: request.facet,
            name: request.name,
            waiting: request.waiting,
            deleted: request.deleted,
            nearest: request.nearest,
            or_disabled: request.or_disabled,
        },
        order: request.order,
        after: None,
        limit: 0,
    })
}

/// Lists page after page, so many at most.
pub async fn list_all(
    cx: &Context,
    caller: &Caller,
    request: ListSkills,
    most: usize,
) -> Result<Vec<SkillRecord>, Error> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let page = PageRequest { limit: PageRequest::MAX, after };
        let (page, _) = list(cx, caller, ListSkills { page, ..request.clone() }).await?;
        found.extend(page.items);
        match page.next {
            Some(next) if found.len() < most => after = Some(next),
            _ => {
                found.truncate(most);
                return Ok(found);
            }
        }
    }
}

/// The skill a name means to a caller: the nearest usable one. `Revenue_Growth` finds `revenue-growth`.
pub async fn resolve(cx: &Context, caller: &Caller, name: &str) -> Result<SkillRecord, Error> {
    let name = slugify(name).ok_or_else(|| Error::not_found("skill", name))?;
    let request = ListSkills { name: Some(name.clone()), nearest: true, ..ListSkills::default() };
    let (page, _) = list(cx, caller, request).await?;
    page.items.into_iter().next().ok_or_else(|| Error::not_found("skill", name))
}

/// The tags of what the caller can see, with how many skills have each.
pub async fn tags(cx: &Context, caller: &Caller) -> Result<Vec<(String, u64)>, Error> {
    access::decide(caller, Act::ListSkills)?;
    Ok(cx.read().await?.tags(caller.workspace, visibility(caller)).await?)
}
