//! How skills do: uses that succeeded or failed, and what people think of them.

use std::time::Duration;

use model::{Caller, Feedback, SkillId, SkillUse, Statistics};
use policy::access::Act;
use serde_json::json;
use store::{SkillRecord, Tx};

use super::access::load;
use super::read::Detail;
use crate::{Code, Context, Error, audit};

/// Counts a use of a skill. Counting changes neither the skill's version nor its history.
pub async fn record_use(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    success: bool,
) -> Result<Statistics, Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::RateSkill(skill)).await?;
    let statistics = count_use(cx, &mut *tx, caller, &record, success).await?;
    tx.commit().await?;
    Ok(statistics)
}

async fn count_use(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    record: &SkillRecord,
    success: bool,
) -> Result<Statistics, Error> {
    let statistics = count_execution(cx, tx, caller, record, (success, None)).await?;
    let detail = [("name", json!(record.skill.name.as_str())), ("success", json!(success))];
    audit::record(cx, tx, caller, "skill.use", ("skill", record.skill.id.to_string()), &detail).await?;
    Ok(statistics)
}

/// Counts that a model read a skill to follow it, where it has nothing to run: what runs is counted when it does.
pub async fn count_read(cx: &Context, caller: &Caller, detail: &Detail) {
    let skill = &detail.record.skill;
    if skill.is_usable() && detail.manifest.procedure.is_none() {
        count_given(cx, caller, &[skill.id]).await;
    }
}

/// Counts that a model was given skills: instructions to follow, or code to import. Whoever may read them is counted.
/// What was given stays given: where it cannot be counted, that is only logged.
pub(crate) async fn count_given(cx: &Context, caller: &Caller, skills: &[SkillId]) {
    if let Err(error) = count_all(cx, caller, skills).await {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(workspace = %caller.workspace, error, "that skills were given is not counted");
    }
}

async fn count_all(cx: &Context, caller: &Caller, skills: &[SkillId]) -> Result<(), Error> {
    let mut tx = cx.begin(caller.workspace).await?;
    for id in skills {
        let record = load(&mut *tx, caller, *id, |skill| Act::ReadSkill(skill)).await?;
        count_use(cx, &mut *tx, caller, &record, true).await?;
    }
    Ok(tx.commit().await?)
}

/// Moves a skill's counters, and those of this day, by one execution; a run says how long it took.
pub(crate) async fn count_execution(
    cx: &Context,
    tx: &mut dyn Tx,
    caller: &Caller,
    record: &SkillRecord,
    (success, run): (bool, Option<Duration>),
) -> Result<Statistics, Error> {
    let (workspace, skill, at) = (record.skill.workspace, record.skill.id, cx.now());
    let statistics = record.statistics.clone().after_execution(success, at);
    tx.put_statistics(workspace, skill, &statistics).await?;
    let one = SkillUse { skill, user: caller.user, agent: caller.agent, at, success, run };
    tx.count_use(workspace, &one).await?;
    Ok(statistics)
}

/// Keeps whether a skill helped the caller; a later word replaces an earlier one.
pub async fn record_feedback(
    cx: &Context,
    caller: &Caller,
    id: SkillId,
    helpful: bool,
    comment: Option<String>,
) -> Result<Statistics, Error> {
    if comment.as_ref().is_some_and(|comment| comment.chars().count() > 2_000) {
        return Err(Error::invalid(Code::InvalidRequest, "a comment has at most 2000 characters"));
    }
    let mut tx = cx.begin(caller.workspace).await?;
    let record = load(&mut *tx, caller, id, |skill| Act::RateSkill(skill)).await?;
    let comment = comment.as_deref().map(crate::redact::without_secrets);
    let feedback = Feedback { skill: id, user: caller.user, helpful, comment, at: cx.now() };
    tx.put_feedback(caller.workspace, &feedback).await?;
    let detail = [("name", json!(record.skill.name.as_str())), ("helpful", json!(helpful))];
    audit::record(cx, &mut *tx, caller, "skill.feedback", ("skill", id.to_string()), &detail).await?;
    let now = tx.skill(caller.workspace, id).await?;
    tx.commit().await?;
    Ok(now.map_or(record.statistics, |record| record.statistics))
}

/// What people said about a skill, newest first.
pub async fn feedback(cx: &Context, caller: &Caller, id: SkillId) -> Result<Vec<Feedback>, Error> {
    let mut tx = cx.read().await?;
    load(&mut *tx, caller, id, |skill| Act::ReadSkill(skill)).await?;
    Ok(tx.feedback(caller.workspace, id, 200).await?)
}
