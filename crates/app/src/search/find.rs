//! Finds skills by plain words.

use std::collections::HashMap;

use model::{Agent, AgentId, Caller, ProceduralMemory, SkillId, Status};
use policy::access::{self, Act};
use search::{EmbedError, Filter, Query, View, Wanted, Why};
use store::{SkillRecord, Tx};

use super::{Meaning, catalogue};
use crate::{Code, Context, Error};

/// The least similarity that is shown when nobody says.
const FLOOR: f64 = 0.7;
/// How many are shown when nobody says, and at most.
const USUAL_LIMIT: u32 = 10;
pub(super) const MOST: u32 = 100;
pub(super) const LONGEST_QUERY: usize = 4_000;
/// How long an embedder that did not answer is left alone.
const REST: time::Duration = time::Duration::seconds(10);

/// What a caller is told when the other embedder was not used. Nothing of what it said: that is for the operators.
const NOT_READY: &str = "the embedder is being prepared; the built-in one was used";
const NO_ANSWER: &str = "the embedder does not answer; the built-in one was used";
const REFUSED: &str = "the embedder gave no vector for this request; the built-in one was used";

/// What is looked for.
#[derive(Debug, Clone, Default)]
pub struct SearchSkills {
    /// The request, in plain words.
    pub query: String,
    /// The agent from whose place on the ladder to look; else the caller's own place.
    pub through: Option<AgentId>,
    /// Whether only the nearest usable skill of each name counts. When nobody says it is so, unless a filter asks
    /// for skills that cannot be used.
    pub nearest: Option<bool>,
    /// What it is narrowed to.
    pub filter: Filter,
    /// The least similarity; else the agent's threshold, else 0.7.
    pub min_similarity: Option<f64>,
    /// At most so many; else 10.
    pub limit: Option<u32>,
    /// Whether skills that are nearly the same are shown once.
    pub collapse: bool,
}

/// A skill that was found.
#[derive(Debug, Clone)]
pub struct FoundSkill {
    /// The skill.
    pub record: SkillRecord,
    /// How sure the ranking is that it is what was asked for, 0 to 1.
    pub similarity: f64,
    /// Whether the similarity reaches the agent's threshold (0.8 where none is set).
    pub reaches_threshold: bool,
    /// What speaks for it.
    pub why: Why,
    /// The same in one sentence.
    pub sentence: String,
    /// Skills that are nearly the same and were left out.
    pub alike: Vec<SkillId>,
}

/// What a search came to.
#[derive(Debug, Clone)]
pub struct SearchResult {
    /// Best first; none when nothing fits.
    pub skills: Vec<FoundSkill>,
    /// The least similarity that was shown.
    pub min_similarity: f64,
    /// From where on the agent uses a skill without asking; 0.8 where none is set.
    pub threshold: f64,
    /// What the caller should know about how it was found.
    pub notice: Option<String>,
}

impl SearchResult {
    /// A sentence for whoever asked, where nothing was found.
    pub fn message(&self) -> Option<String> {
        let gate = self.min_similarity;
        let message = if gate > 0.0 {
            format!("No skill reaches a similarity of {gate}.")
        } else {
            "No skill was found.".to_owned()
        };
        self.skills.is_empty().then_some(message)
    }
}

/// Finds the skills that answer a request, among those the caller can see.
pub async fn find(cx: &Context, caller: &Caller, request: SearchSkills) -> Result<SearchResult, Error> {
    access::decide(caller, Act::ListSkills)?;
    let limit = check(&request)?;
    let through = through(caller, request.through)?;
    let mut tx = cx.read().await?;
    let agent = match through {
        Some(id) => Some(tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?),
        None => None,
    };
    drop(tx);
    let threshold = agent_threshold(agent.as_ref());
    let min_similarity = request.min_similarity.or(threshold).unwrap_or(FLOOR);
    let threshold = threshold.unwrap_or_else(|| ProceduralMemory::default().skill_search_threshold);
    let nearest = request.nearest.unwrap_or_else(|| only_usable(&request.filter));
    let view = view(caller, through, nearest);
    let (query, notice) = query(cx, &request.query).await;
    #[allow(clippy::cast_possible_truncation)] // similarities have four digits
    let wanted = Wanted { limit, floor: min_similarity as f32, nearest, collapse: request.collapse };
    let catalogue = catalogue::current(cx, caller.workspace).await?;
    let hits = catalogue.read().search(&query, view, &request.filter, wanted);
    let ids: Vec<SkillId> = hits.iter().flat_map(|hit| hit.alike.iter().copied().chain([hit.id])).collect();
    let mut records: HashMap<SkillId, SkillRecord> = load(&mut *cx.read().await?, caller, &ids)
        .await?
        .into_iter()
        .map(|record| (record.skill.id, record))
        .collect();
    let skills = hits
        .into_iter()
        .filter_map(|hit| {
            let record = records.remove(&hit.id)?;
            let similarity = (f64::from(hit.similarity) * 10_000.0).round() / 10_000.0;
            Some(FoundSkill {
                sentence: hit.why.sentence(&record.skill.example_prompts),
                reaches_threshold: similarity >= threshold,
                similarity,
                why: hit.why,
                alike: hit.alike.into_iter().filter(|id| records.contains_key(id)).collect(),
                record,
            })
        })
        .collect();
    metrics::counter!("repertoire_searches_total").increment(1);
    Ok(SearchResult { skills, min_similarity, threshold, notice })
}

fn check(request: &SearchSkills) -> Result<usize, Error> {
    let refuse = |message: &str| Err(Error::invalid(Code::InvalidRequest, message));
    if request.query.trim().is_empty() {
        return refuse("say in a few words what you are looking for");
    }
    if request.query.chars().count() > LONGEST_QUERY {
        return refuse("a request may have at most 4000 characters");
    }
    if request.min_similarity.is_some_and(|least| !(0.0..=1.0).contains(&least)) {
        return refuse("min_similarity must be between 0 and 1");
    }
    if request.filter.tags.len() > 20 {
        return refuse("at most 20 tags");
    }
    match request.limit.unwrap_or(USUAL_LIMIT) {
        limit @ 1..=MOST => Ok(limit as usize),
        _ => refuse("limit must be between 1 and 100"),
    }
}

/// The agent from whose place to look. Whoever acts through an agent stays there.
pub(crate) fn through(caller: &Caller, wanted: Option<AgentId>) -> Result<Option<AgentId>, Error> {
    match (caller.agent, wanted) {
        (Some(own), Some(wanted)) if own != wanted => Err(Error::invalid(
            Code::Forbidden,
            "who acts through one agent cannot look from another's place",
        )),
        (own, wanted) => Ok(own.or(wanted)),
    }
}

/// From where on an agent uses what it finds without asking, if it may at all.
fn agent_threshold(agent: Option<&Agent>) -> Option<f64> {
    let settings = agent?.procedural_memory.as_ref()?;
    settings.enabled.then_some(settings.skill_search_threshold)
}

/// Whether the filters leave usable skills and only them.
fn only_usable(filter: &Filter) -> bool {
    filter.status.is_none_or(|status| status == Status::Active)
        && filter.enabled != Some(false)
        && filter.scope.is_none()
        && filter.agent.is_none()
        && filter.user.is_none()
}

fn view(caller: &Caller, through: Option<AgentId>, nearest: bool) -> View {
    match through {
        agent @ Some(_) => View::Place(caller.user, agent),
        None if nearest => View::Place(caller.user, None),
        None if access::sees_everything(caller) => View::All,
        None => View::User(caller.user),
    }
}

/// The request taken apart, and what the caller should know if its meaning comes from elsewhere than usual.
async fn query(cx: &Context, text: &str) -> (Query, Option<String>) {
    let engine = &cx.search;
    let embedder = match &engine.0.meaning {
        Meaning::None => return (Query::of_words(text), None),
        Meaning::BuiltIn => return (Query::new(text), None),
        Meaning::Other { requests, .. } => requests,
    };
    let query = Query::new(text);
    let (Some(scale), Some(known)) = (engine.scale(), &engine.0.queries) else {
        return (query, Some(NOT_READY.to_owned()));
    };
    let vector = match known.get(text) {
        Some(vector) => vector,
        None if engine.is_resting(cx.now()) => return (query, Some(NO_ANSWER.to_owned())),
        None => match embedder.embed(&[text.to_owned()]).await.map(|mut vectors| vectors.pop()) {
            Ok(Some(vector)) => {
                known.insert(text.to_owned(), vector.clone());
                vector
            }
            Err(EmbedError::Unavailable(_)) => {
                // Else everybody who asks would wait for it.
                engine.rest(cx.now() + REST);
                return (query, Some(NO_ANSWER.to_owned()));
            }
            // What is wrong with this request need not be wrong with the next.
            Ok(None) | Err(EmbedError::Unusable(_)) => return (query, Some(REFUSED.to_owned())),
        },
    };
    (query.with_vector(vector, scale), None)
}

/// The records of what was found. An index is a copy: whether the caller may see a skill is asked of the skill itself.
pub(super) async fn load(
    tx: &mut dyn Tx,
    caller: &Caller,
    ids: &[SkillId],
) -> Result<Vec<SkillRecord>, Error> {
    let mut records = tx.skills_by_id(caller.workspace, ids).await?;
    records.retain(|record| {
        record.skill.deleted_at.is_none() && access::decide(caller, Act::ReadSkill(&record.skill)).is_ok()
    });
    Ok(records)
}
