//! What an agent's prompt gets about skills: those it is told about, what the active policies say, and how it finds and
//! saves skills. All of it together within one token budget.

use model::{Agent, AgentId, Caller, Discovery};

use super::procedural_memory;
use crate::governance::{self, Ask, Question};
use crate::search::{
    self, Discover, Discovered, DiscoveredSkill, Form, Learned, LearnedPlace, PromptFormat, count_tokens,
};
use crate::{Code, Context, Error};

/// How many learned skills a hybrid list has when nobody says.
const USUAL_LEARNED: u32 = 5;
/// As many as a hybrid list may have skills.
const MOST_LEARNED: u32 = 100;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct GetContext {
    /// What the agent is about to do.
    pub query: Option<String>,
    /// How many tokens the text may take; else the agent's budget.
    pub budget: Option<u32>,
    /// How the text is written.
    pub format: PromptFormat,
    /// How the agent discovers skills; else its own way.
    pub mode: Option<Discovery>,
    /// How many skills a hybrid list may have; else 10.
    pub limit: Option<u32>,
    /// How many of them may be learned; else 5.
    pub max_learned: Option<u32>,
    /// Where the learned ones stand.
    pub learned: LearnedPlace,
    /// Whether to say how often each skill was used, and with success.
    pub counts: bool,
}

/// A part of the text beside the skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextPart {
    /// What the active policies say about planning.
    Policies,
    /// How the agent finds, uses and saves skills.
    ProceduralMemory,
}

impl ContextPart {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Policies => "policies",
            Self::ProceduralMemory => "procedural_memory",
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Policies => "Policies",
            Self::ProceduralMemory => "Procedural Memory",
        }
    }
}

/// What an agent's prompt gets.
#[derive(Debug, Clone)]
pub struct AgentContext {
    /// How the text is written.
    pub format: PromptFormat,
    /// The skills, with the text for the prompt and what it takes.
    pub told: Discovered,
    /// What does not fit the budget and is not in the text.
    pub left_out: Vec<ContextPart>,
}

/// The text for an agent's prompt, within a token budget. Policies come first where there is not room for everything,
/// then procedural memory, then skills; none of them is ever cut.
pub async fn context(
    cx: &Context,
    caller: &Caller,
    id: AgentId,
    request: GetContext,
) -> Result<AgentContext, Error> {
    let agent = super::read(cx, caller, id).await?;
    search::through(caller, Some(id))?;
    let max_learned = request.max_learned.unwrap_or(USUAL_LEARNED);
    if max_learned > MOST_LEARNED {
        return Err(Error::invalid(Code::InvalidRequest, "max_learned must be at most 100"));
    }
    let format = request.format;
    let learned = Learned { most: max_learned as usize, place: request.learned };
    let form = Form { format, learned: Some(learned), counts: request.counts };
    let wanted = Discover {
        agent: Some(id),
        query: request.query,
        budget: request.budget,
        limit: request.limit,
        mode: request.mode,
    };
    wanted.check()?;
    let budget = wanted.budget.unwrap_or(agent.discovery_token_budget) as usize;
    let beside = Beside::fitting(format, budget, parts(cx, caller, &agent, wanted.query.as_deref()).await?);
    let mut told = search::choose(cx, caller, wanted, form, Some(beside.room)).await?;
    loop {
        told.text = beside.with(form, &told.skills);
        told.tokens = if told.text.is_empty() { 0 } else { count_tokens(&told.text) };
        if told.tokens <= budget || told.skills.pop().is_none() {
            break;
        }
        told.more = true;
        told.needs_search = true;
    }
    Ok(AgentContext { format, told, left_out: beside.left_out })
}

/// The parts beside the skills, the most important first.
async fn parts(
    cx: &Context,
    caller: &Caller,
    agent: &Agent,
    query: Option<&str>,
) -> Result<Vec<(ContextPart, String)>, Error> {
    let ask = Ask { agent: Some(agent.id), task: query.unwrap_or_default().to_owned(), ..Ask::default() };
    let explained = governance::explain(cx, caller, Question { ask, ..Question::default() }).await?;
    let memory = agent.procedural_memory.as_ref().filter(|memory| memory.enabled);
    let all = [
        (ContextPart::Policies, explained.planning),
        (
            ContextPart::ProceduralMemory,
            memory.map(|memory| procedural_memory::prompt(memory, &agent.toolsets)).unwrap_or_default(),
        ),
    ];
    Ok(all.into_iter().filter(|(_, text)| !text.trim().is_empty()).collect())
}

/// What stands beside the skills.
struct Beside {
    parts: Vec<String>,
    left_out: Vec<ContextPart>,
    /// How many tokens are left for skills.
    room: usize,
}

impl Beside {
    fn fitting(format: PromptFormat, budget: usize, wanted: Vec<(ContextPart, String)>) -> Self {
        let mut beside = Self { parts: Vec::new(), left_out: Vec::new(), room: 0 };
        for (part, text) in wanted {
            beside.parts.push(format.prose(part.heading(), part.as_str(), text.trim()));
            if count_tokens(&format.document(&beside.parts)) > budget {
                beside.parts.pop();
                beside.left_out.push(part);
            }
        }
        let gap = if beside.parts.is_empty() { 0 } else { count_tokens(format.between()) };
        beside.room = budget.saturating_sub(count_tokens(&format.document(&beside.parts)) + gap);
        beside
    }

    /// The whole text.
    fn with(&self, form: Form, skills: &[DiscoveredSkill]) -> String {
        form.format.document(&[form.blocks(skills), self.parts.clone()].concat())
    }
}
