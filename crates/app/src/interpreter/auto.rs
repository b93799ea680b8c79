//! Does a task by itself: with a skill that fits, else with the code that came along, which may become a skill.

use model::{Caller, ProceduralMemory};

use super::execute::execute;
use super::register::register;
use super::search::fitting;
use super::use_skill::use_found;
use super::{Answer, Call, Operation, mendable};
use crate::{Code, Context, Error};

/// Does the task of a call.
pub(super) async fn auto(
    cx: &Context,
    caller: &Caller,
    memory: &ProceduralMemory,
    call: &Call,
) -> Result<Answer, Error> {
    if memory.prefer_skills && !call.prompt.trim().is_empty() {
        let found = fitting(cx, caller, &call.prompt, memory.skill_search_threshold, 5).await?;
        if let Some(best) = found.into_iter().find(|found| found.record.skill.facets.procedure) {
            let done = use_found(cx, caller, call, best.record).await?;
            return Ok(Answer { operation: Some(Operation::Auto), ..done });
        }
    }
    if call.code.as_deref().is_none_or(|code| code.trim().is_empty()) {
        let message = "no skill fits this request: write the code and send it as `code`, for no model connection is \
                       configured that could write it";
        return Err(Error::invalid(Code::NotFound, message));
    }
    let mut done = execute(cx, caller, call).await?;
    done.operation = Some(Operation::Auto);
    if done.failure.is_some() || call.skill_name.is_none() {
        return Ok(done);
    }
    if !memory.auto_register_skills {
        done.text.push_str("\n\nIt was not saved as a skill: this agent saves none by itself.");
        return Ok(done);
    }
    let described = call.skill_description.clone().or_else(|| Some(call.prompt.clone()));
    let call = Call { skill_description: described, ..call.clone() };
    match register(cx, caller, memory, &call).await {
        Ok(saved) => {
            done.text.extend(["\n\n", saved.text.as_str()]);
            done.artifacts.extend(saved.artifacts);
        }
        // The code did its work; that it could not be saved is told, and takes nothing of that back.
        Err(error) if mendable(&error) => {
            done.text.extend([format!("\n\nIt was not saved as a skill: {error}")]);
        }
        Err(error) => return Err(error),
    }
    Ok(done)
}
