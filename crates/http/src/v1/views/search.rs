//! What was found, and why.

use app::search::{Discovered, DiscoveredSkill, Field, FoundSkill, MatchedWord, SearchResult, SearchStatus};
use serde::Serialize;
use utoipa::ToSchema;

use super::skills::SkillView;

/// Four digits are more than anybody can mean.
fn rounded(number: f32) -> f64 {
    (f64::from(number) * 10_000.0).round() / 10_000.0
}

/// What a search came to.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchView {
    /// Best first; none when nothing fits.
    pub items: Vec<FoundView>,
    /// The least similarity that is shown.
    #[schema(minimum = 0, maximum = 1)]
    pub min_similarity: f64,
    /// From where on an agent uses a skill without asking; 0.8 where none is set.
    #[schema(minimum = 0, maximum = 1)]
    pub threshold: f64,
    /// What to know about how it was found, such as an embedder that does not answer.
    pub notice: Option<String>,
    /// A sentence where nothing was found.
    pub message: Option<String>,
}

impl SearchView {
    pub(crate) fn new(result: SearchResult, explain: bool) -> Self {
        Self {
            message: result.message(),
            items: result.skills.into_iter().map(|found| FoundView::new(found, explain)).collect(),
            min_similarity: result.min_similarity,
            threshold: result.threshold,
            notice: result.notice,
        }
    }
}

/// A skill that was found.
#[derive(Serialize, ToSchema)]
pub(crate) struct FoundView {
    pub skill: SkillView,
    /// How sure the ranking is that this is what was asked for, 0 to 1, fitted on thousands of questions. Below 0.7 it
    /// is about the share of right answers. 0.7 is the gate; 0.8 and more mean about that likely.
    #[schema(minimum = 0, maximum = 1)]
    pub similarity: f64,
    /// Whether the similarity reaches the agent's threshold (0.8 where none is set).
    pub reaches_threshold: bool,
    /// What speaks for it, in a sentence.
    pub why: String,
    /// What speaks for it, in numbers, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<BreakdownView>,
    /// The ids of skills that are nearly the same and are not shown.
    pub alike: Vec<String>,
}

impl FoundView {
    fn new(found: FoundSkill, explain: bool) -> Self {
        Self {
            similarity: found.similarity,
            reaches_threshold: found.reaches_threshold,
            breakdown: explain.then(|| BreakdownView::new(&found)),
            why: found.sentence,
            alike: found.alike.iter().map(ToString::to_string).collect(),
            skill: found.record.into(),
        }
    }
}

/// What speaks for a skill.
#[derive(Serialize, ToSchema)]
pub(crate) struct BreakdownView {
    /// The request's words that stand in the skill, without those that only hold its sentences together.
    pub words: Vec<MatchedWordView>,
    /// Those that do not, likewise.
    pub missing: Vec<String>,
    /// How well the words match, as a share of the best match there could be.
    pub lexical: f64,
    /// Which share of the request's words, weighed by how rare they are, stands in the skill.
    pub covered: f64,
    /// How near the skill's meaning is to the request's; null where no embedder was asked.
    pub cosine: Option<f64>,
    /// The example prompt that is nearest.
    pub example: Option<ExampleView>,
}

impl BreakdownView {
    fn new(found: &FoundSkill) -> Self {
        let signals = found.why.signals;
        let prompts = &found.record.skill.example_prompts;
        Self {
            words: found.why.words.iter().map(MatchedWordView::from).collect(),
            missing: found.why.missing.clone(),
            lexical: rounded(signals.lexical),
            covered: rounded(found.why.covered),
            cosine: signals.cosine.map(rounded),
            example: signals.example.and_then(|(cosine, place)| {
                let prompt = prompts.get(usize::from(place))?.clone();
                Some(ExampleView { prompt, cosine: rounded(cosine) })
            }),
        }
    }
}

/// A word that stands in a skill.
#[derive(Serialize, ToSchema)]
pub(crate) struct MatchedWordView {
    /// As the request has it.
    pub word: String,
    /// Where it stands, in this or another form: `name`, `description`, `tags`, `example_prompts`, `instructions`.
    pub fields: Vec<&'static str>,
}

impl From<&MatchedWord> for MatchedWordView {
    fn from(matched: &MatchedWord) -> Self {
        let field = |field: &Field| match field {
            Field::Name => "name",
            Field::Description => "description",
            Field::Tags => "tags",
            Field::Examples => "example_prompts",
            Field::Body => "instructions",
        };
        Self { word: matched.word.clone(), fields: matched.fields.iter().map(field).collect() }
    }
}

/// An example prompt that is like the request.
#[derive(Serialize, ToSchema)]
pub(crate) struct ExampleView {
    pub prompt: String,
    pub cosine: f64,
}

/// What an agent is told.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiscoveredView {
    /// The skills it is told about, in their order.
    pub items: Vec<DiscoveredSkillView>,
    /// The text for the prompt; empty when there is none to tell of.
    pub text: String,
    /// How many tokens the text has, counted as `o200k_base`.
    pub tokens: usize,
    /// How many it may have.
    pub budget: u32,
    /// The way that was asked for or is set.
    pub mode: &'static str,
    /// The way it came to be: `auto` has become `list` or `hybrid`.
    pub used: &'static str,
    /// Whether there are skills that the text does not tell of.
    pub more: bool,
    /// Whether the agent should have a tool to search with.
    pub needs_search: bool,
}

impl From<Discovered> for DiscoveredView {
    fn from(told: Discovered) -> Self {
        Self {
            items: told.skills.into_iter().map(DiscoveredSkillView::from).collect(),
            text: told.text,
            tokens: told.tokens,
            budget: told.budget,
            mode: told.mode.as_str(),
            used: told.used.as_str(),
            more: told.more,
            needs_search: told.needs_search,
        }
    }
}

/// A skill an agent is told about.
#[derive(Serialize, ToSchema)]
pub(crate) struct DiscoveredSkillView {
    pub skill: SkillView,
    /// What tells of it: a line of the list, or what stands for it in another format.
    pub line: String,
    /// Its similarity to the query, as in a search; null where it was not searched for.
    pub similarity: Option<f64>,
    /// What speaks for it, in a sentence.
    pub why: Option<String>,
    /// Whether it is assigned to the agent.
    pub assigned: bool,
}

impl From<DiscoveredSkill> for DiscoveredSkillView {
    fn from(told: DiscoveredSkill) -> Self {
        let (similarity, why) = told.found.unzip();
        Self { skill: told.record.into(), line: told.line, similarity, why, assigned: told.assigned }
    }
}

/// How search stands.
#[derive(Serialize, ToSchema)]
pub(crate) struct SearchStatusView {
    /// What makes the vectors: `built-in`, `none`, or the name of another embedder.
    pub embedder: String,
    /// How many skills the caller can find.
    pub skills: u64,
    /// How many skills of the workspace wait for the embedder, which the built-in one stands in for; null to those who
    /// do not see all of them.
    pub waiting: Option<u64>,
    /// About how much memory the workspace's index takes; null to those who do not see all of its skills.
    pub bytes: Option<u64>,
    /// How many skills of the workspace the embedder refuses, which the built-in one stands in for; null to those who
    /// do not see all of them.
    pub refused: Option<u64>,
    /// What last went wrong with the embedder; null to those who do not see all skills of the workspace.
    pub failure: Option<String>,
}

impl From<SearchStatus> for SearchStatusView {
    fn from(status: SearchStatus) -> Self {
        Self {
            embedder: status.embedder,
            skills: status.skills,
            waiting: status.waiting,
            bytes: status.bytes,
            refused: status.refused,
            failure: status.failure,
        }
    }
}
