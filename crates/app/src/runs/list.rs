//! The history of runs.

use model::{AgentId, Caller, Run, RunId, RunStatus, SkillId, Timestamp, UserId};
use policy::access::{self, Act};
use store::RunFilter;

use crate::paging::page;
use crate::skills::load;
use crate::{Context, Cursor, Error, Page, PageRequest};

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct ListRuns {
    /// Of this skill.
    pub skill: Option<SkillId>,
    /// By this user.
    pub user: Option<UserId>,
    /// Through this agent.
    pub agent: Option<AgentId>,
    /// That ended so.
    pub status: Option<RunStatus>,
    /// That failed with this code.
    pub error_code: Option<String>,
    /// That began at this moment or later.
    pub since: Option<Timestamp>,
    /// That began before this moment.
    pub until: Option<Timestamp>,
    /// Which page.
    pub page: PageRequest,
}

/// Runs the caller can see, newest first.
pub async fn list(cx: &Context, caller: &Caller, request: ListRuns) -> Result<Page<Run>, Error> {
    access::decide(caller, Act::ListRuns)?;
    let limit = request.page.checked_limit()?;
    let after = request.page.after.as_ref().map(Cursor::moment_and_id).transpose()?;
    let after = after.map(|(moment, id)| (moment, RunId::new(id)));
    let Some(filter) = narrowed(caller, request) else {
        return Ok(Page { items: Vec::new(), next: None });
    };
    let runs = cx.read().await?.runs(caller.workspace, &filter, after, limit + 1).await?;
    Ok(page(runs, limit, |run| Cursor::of_moment_and_id(run.started_at, run.id.uuid())))
}

/// Runs of one skill that the caller can see, newest first.
pub async fn of_skill(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    request: ListRuns,
) -> Result<Page<Run>, Error> {
    load(&mut *cx.read().await?, caller, id, |skill| Act::ReadSkill(skill)).await?;
    list(cx, caller, ListRuns { skill: Some(id), ..request }).await
}

/// What the request asks for, within what the caller can see; `None` when that is nothing.
fn narrowed(caller: &Caller, request: ListRuns) -> Option<RunFilter> {
    let (mut user, mut agent) = (request.user, request.agent);
    if !access::sees_everything(caller) {
        if user.is_some_and(|user| user != caller.user)
            || (caller.agent.is_some() && agent.is_some() && agent != caller.agent)
        {
            return None;
        }
        user = Some(caller.user);
        agent = caller.agent.or(agent);
    }
    Some(RunFilter {
        skill: request.skill,
        user,
        agent,
        status: request.status,
        error_code: request.error_code,
        since: request.since,
        until: request.until,
    })
}

/// One run. Another's is not there.
pub async fn read(cx: &Context, caller: &Caller, id: RunId) -> Result<Run, Error> {
    access::decide(caller, Act::ListRuns)?;
    let run = cx.read().await?.run(caller.workspace, id).await?;
    run.filter(|run| access::decide(caller, Act::ReadRun(run.user, run.agent)).is_ok())
        .ok_or_else(|| Error::not_found("run", id))
}
