//! Whether what a caller sees of the library changed.

use model::{Caller, Skill};
use policy::access::{self, Act};
use store::{ChangeCursor, Tx, Which};

use crate::{Context, Error};

/// Changes that are looked at one by one; where there are more, something changed.
const LOOKED_AT: u32 = 200;

/// What happened since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// The number of the last change there is.
    pub now: u64,
    /// Whether a skill that the caller can see was written, or any was removed for good.
    pub any: bool,
}

/// What changed for a caller after a change; `None` only asks for the number.
pub async fn changes(cx: &Context, caller: &Caller, since: Option<u64>) -> Result<Changed, Error> {
    access::decide(caller, Act::ListSkills)?;
    let mut tx = cx.read().await?;
    let last = tx.last_change(caller.workspace).await?;
    let now = last.ok_or_else(|| Error::not_found("workspace", caller.workspace))?;
    let Some(since) = since.filter(|since| *since != now) else { return Ok(Changed { now, any: false }) };
    let after = ChangeCursor { change: since, skill: None };
    let changed = tx.changed_skills(caller.workspace, after, LOOKED_AT).await?;
    let ladder = caller.ladder();
    // What was just made and cannot be used yet was in no list, and is in none now.
    let listed = |skill: &Skill| skill.is_usable() || skill.version > 1;
    let seen = |skill: &Skill| ladder.contains(&skill.scope) && listed(skill);
    let seen = changed.iter().any(|changed| seen(&changed.skill));
    let many = changed.len() == LOOKED_AT as usize;
    let any = seen || many || !tx.purged_since(caller.workspace, since).await?.is_empty();
    Ok(Changed { now, any })
}

/// Whether a skill that the caller may read was written after a change, whatever its status. What was removed for good
/// is in the audit log alone.
pub(crate) async fn readable_changed(tx: &mut dyn Tx, caller: &Caller, since: u64) -> Result<bool, Error> {
    let mut after = ChangeCursor { change: since, skill: None };
    loop {
        let changed = tx.policy_changes(caller.workspace, Which::All, after, LOOKED_AT).await?;
        if changed.iter().any(|changed| access::decide(caller, Act::ReadSkill(&changed.skill)).is_ok()) {
            return Ok(true);
        }
        let Some(last) = changed.last().filter(|_| changed.len() == LOOKED_AT as usize) else {
            return Ok(false);
        };
        after = ChangeCursor { change: last.change, skill: Some(last.skill.id) };
    }
}
