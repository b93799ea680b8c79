//! The scratchpad of a session: which skills are active and which are proposed, as its artifacts tell.

use model::{EntryKind, Session, SessionEntry, SessionSkill, SkillId};
use serde_json::Value;

/// How many skills of each kind are remembered; the oldest goes.
const MOST: usize = 100;
/// Longer texts are no names.
const LONGEST: usize = 500;

/// Takes in what an entry says about a skill.
pub(super) fn follow(session: &mut Session, entry: &SessionEntry) {
    let Some(data) = entry.data.as_ref().filter(|_| entry.kind == EntryKind::Artifact) else { return };
    let Some(skill) = skill_of(data) else { return };
    let is_other = |known: &SessionSkill| !is_same(known, &skill);
    match data.get("type").and_then(Value::as_str) {
        Some("skill_used" | "skill_saved") => {
            session.proposed_skills.retain(is_other);
            session.active_skills.retain(is_other);
            push(&mut session.active_skills, skill);
        }
        Some("skill_proposal") if session.active_skills.iter().all(is_other) => {
            session.proposed_skills.retain(is_other);
            push(&mut session.proposed_skills, skill);
        }
        _ => {}
    }
}

/// A path changes with the skill's name; an id does not.
fn is_same(one: &SessionSkill, other: &SessionSkill) -> bool {
    match (one.id, other.id) {
        (Some(one), Some(other)) => one == other,
        _ => one.object_id == other.object_id,
    }
}

fn push(skills: &mut Vec<SessionSkill>, skill: SessionSkill) {
    if skills.len() >= MOST {
        skills.remove(0);
    }
    skills.push(skill);
}

fn skill_of(data: &Value) -> Option<SessionSkill> {
    let text = |value: Option<&Value>| {
        value
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty() && text.len() <= LONGEST)
            .map(str::to_owned)
    };
    let metadata = data.get("metadata")?;
    let object_id = text(metadata.get("skill_object_id")).or_else(|| text(data.get("filepath")))?;
    let id = data.get("skill_id").and_then(Value::as_str).and_then(|id| SkillId::parse(id).ok());
    Some(SessionSkill { id, object_id, name: text(metadata.get("skill_name"))? })
}
