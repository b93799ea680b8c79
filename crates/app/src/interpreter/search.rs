//! Finds skills for a task, as an agent may: active ones, from its own place.

use std::fmt::Write as _;

use model::{Caller, ProceduralMemory};

use super::skill::{Loaded, load};
use super::{Answer, Call, FoundProcedure, Operation};
use crate::search::{FoundSkill, SearchSkills, find};
use crate::{Code, Context, Error};

/// From where on a skill is shown when nobody says; an agent that uses skills from lower on sees those too.
const FLOOR: f64 = 0.7;
/// How many are shown.
const MOST: u32 = 5;
/// The longest request that is searched for; of a longer one its beginning is.
const LONGEST: usize = 4_000;

/// The skills that fit a task, best first.
pub(super) async fn fitting(
    cx: &Context,
    caller: &Caller,
    query: &str,
    least: f64,
    limit: u32,
) -> Result<Vec<FoundSkill>, Error> {
    let request = SearchSkills {
        query: query.chars().take(LONGEST).collect(),
        nearest: Some(true),
        min_similarity: Some(least),
        limit: Some(limit),
        ..SearchSkills::default()
    };
    Ok(find(cx, caller, request).await?.skills)
}

/// Finds skills for the task in the prompt.
pub(super) async fn search(
    cx: &Context,
    caller: &Caller,
    memory: &ProceduralMemory,
    call: &Call,
) -> Result<Answer, Error> {
    if call.prompt.trim().is_empty() {
        let message = "say in `prompt` what you want to do, to find skills for it";
        return Err(Error::invalid(Code::InvalidRequest, message));
    }
    let least = FLOOR.min(memory.skill_search_threshold);
    let mut skills = Vec::new();
    for found in fitting(cx, caller, &call.prompt, least, MOST).await? {
        let Loaded { name, manifest, record, .. } = load(cx, caller, found.record).await?;
        skills.push(FoundProcedure {
            name,
            description: record.skill.description,
            similarity: found.similarity,
            parameters: manifest.procedure.map(|procedure| procedure.parameters).unwrap_or_default(),
        });
    }
    Ok(Answer { text: told(&skills, memory), skills: Some(skills), ..Answer::new(Operation::SearchSkills) })
}

fn told(skills: &[FoundProcedure], memory: &ProceduralMemory) -> String {
    if skills.is_empty() {
        return "No matching skills were found.".to_owned();
    }
    let mut text = String::from("Matching skills:\n");
    for skill in skills {
        let _ =
            writeln!(text, "\n{} (similarity {:.2}): {}", skill.name, skill.similarity, skill.description);
        text.push_str(&super::text::parameters(&skill.parameters));
    }
    let _ = write!(
        text,
        "\nA skill of similarity {} or more fits: use it, and tell the user so.",
        memory.skill_search_threshold
    );
    text
}
