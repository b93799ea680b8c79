//! Which skills an agent is told about, and how much of its context that takes.

use std::collections::HashSet;

use model::{Agent, AgentId, Caller, Discovery, SkillId, Status};
use policy::access::{self, Act};
use store::SkillRecord;

use super::Filter;
use super::find::{self, FoundSkill, SearchSkills, find};
use super::form::{Form, Frame};
use super::token_count::count_tokens;
use crate::skills::{self, ListSkills};
use crate::{Code, Context, Error, PageRequest};

/// How many a hybrid list has when nobody says.
const USUAL_LIMIT: u32 = 10;
/// What is at least likely to help is worth a line.
const FLOOR: f64 = 0.3;
/// After so many in a row that are not told of, because there is no room, those that follow are not tried.
const MOST_MISSES: u32 = 20;
/// As much as an agent's own budget may be.
const MOST_TOKENS: u32 = 1_000_000;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Discover {
    /// The agent that is told; else the caller's own place and the usual settings.
    pub agent: Option<AgentId>,
    /// What the agent is about to do.
    pub query: Option<String>,
    /// How many tokens it may take; else the agent's budget.
    pub budget: Option<u32>,
    /// How many skills a search may give; else 10.
    pub limit: Option<u32>,
    /// How; else the agent's way.
    pub mode: Option<Discovery>,
}

/// A skill an agent is told about.
#[derive(Debug, Clone)]
pub struct DiscoveredSkill {
    /// The skill.
    pub record: SkillRecord,
    /// What tells of it: a line of the list, or what stands for it in another format.
    pub line: String,
    /// Its similarity to the query, and why, where it was searched for.
    pub found: Option<(f64, String)>,
    /// Whether it is assigned to the agent.
    pub assigned: bool,
}

/// What an agent is told.
#[derive(Debug, Clone)]
pub struct Discovered {
    /// The way that was asked for or is set.
    pub mode: Discovery,
    /// The way it came to be: `auto` has become `list` or `hybrid`.
    pub used: Discovery,
    /// The skills, in their order.
    pub skills: Vec<DiscoveredSkill>,
    /// The text for the prompt; empty when there is none to tell of.
    pub text: String,
    /// How many tokens the text takes.
    pub tokens: usize,
    /// How many it may take.
    pub budget: u32,
    /// Whether there are skills that the text does not tell of.
    pub more: bool,
    /// Whether the agent should have a tool to search with.
    pub needs_search: bool,
}

/// Decides what an agent is told about, within a token budget.
pub async fn discover(cx: &Context, caller: &Caller, request: Discover) -> Result<Discovered, Error> {
    choose(cx, caller, request, Form::LIST, None).await
}

/// The same in another form, and in less room than the budget where something else stands beside it.
pub(crate) async fn choose(
    cx: &Context,
    caller: &Caller,
    request: Discover,
    form: Form,
    room: Option<usize>,
) -> Result<Discovered, Error> {
    access::decide(caller, Act::ListSkills)?;
    request.check()?;
    let mut tx = cx.read().await?;
    let agent = match find::through(caller, request.agent)? {
        Some(id) => Some(tx.agent(caller.workspace, id).await?.ok_or_else(|| Error::not_found("agent", id))?),
        None => None,
    };
    drop(tx);
    let usual = agent.as_ref().map_or(Agent::DEFAULT_TOKEN_BUDGET, |agent| agent.discovery_token_budget);
    let budget = request.budget.unwrap_or(usual);
    let mode = request.mode.or(agent.as_ref().map(|agent| agent.discovery)).unwrap_or(Discovery::Auto);
    let placed = Caller { agent: agent.as_ref().map(|agent| agent.id), ..caller.clone() };
    let room = room.unwrap_or(budget as usize);
    let telling = Telling { cx, caller: &placed, agent: agent.as_ref(), form, room };
    let query = request.query.as_deref().filter(|query| !query.trim().is_empty());
    let (used, told) = match mode {
        Discovery::Search => (Discovery::Search, telling.nothing().await?),
        Discovery::List => (Discovery::List, telling.list(Length::All, MOST_MISSES).await?),
        Discovery::Hybrid => (Discovery::Hybrid, telling.best(query, request.limit).await?),
        Discovery::Auto => match telling.list(Length::All, 1).await? {
            all if !all.more => (Discovery::List, all),
            _ => (Discovery::Hybrid, telling.best(query, request.limit).await?),
        },
    };
    let text =
        if told.skills.is_empty() { String::new() } else { form.format.document(&form.blocks(&told.skills)) };
    let needs_search = used != Discovery::List || told.more;
    Ok(Discovered {
        mode,
        used,
        tokens: if text.is_empty() { 0 } else { count_tokens(&text) },
        text,
        skills: told.skills,
        budget,
        more: told.more,
        needs_search,
    })
}

impl Discover {
    /// Refuses values outside their ranges.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |message: &str| Err(Error::invalid(Code::InvalidRequest, message));
        if !self.budget.is_none_or(|budget| (1..=MOST_TOKENS).contains(&budget)) {
            return refuse("the budget must be between 1 and 1000000 tokens");
        }
        if !self.limit.is_none_or(|limit| (1..=find::MOST).contains(&limit)) {
            return refuse("limit must be between 1 and 100");
        }
        if self.query.as_ref().is_some_and(|query| query.chars().count() > find::LONGEST_QUERY) {
            return refuse("a request may have at most 4000 characters");
        }
        Ok(())
    }
}

/// How long a list may become.
#[derive(Clone, Copy)]
enum Length {
    /// Everything that fits.
    All,
    /// So many skills, and of learned ones no more than their block may have.
    AtMost(u32),
}

/// What is told so far.
struct Told {
    form: Form,
    skills: Vec<DiscoveredSkill>,
    /// The sum over its lines. A token never reaches into the next line, so the whole has no more than that.
    tokens: usize,
    /// How many of them are learned, where that makes a difference.
    learned: usize,
    /// How many stand in the block of learned ones.
    apart: usize,
    more: bool,
}

impl Told {
    fn new(form: Form) -> Self {
        Self { form, skills: Vec::new(), tokens: 0, learned: 0, apart: 0, more: false }
    }

    /// Whether there are as many learned skills as there may be, where not all are listed.
    fn has_enough_of(&self, record: &SkillRecord) -> bool {
        self.form.most_like(&record.skill).is_some_and(|most| self.learned >= most)
    }

    /// What the block takes beside its skills, when it begins.
    fn frame_tokens(&self, apart: bool) -> usize {
        let begun = if apart { self.apart > 0 } else { self.skills.len() > self.apart };
        if begun {
            return 0;
        }
        let Frame { open, close, .. } = self.form.frame(apart);
        let between = if apart { count_tokens(self.form.format.between()) } else { 0 };
        count_tokens(open) + count_tokens(close) + between
    }

    /// Adds a skill if the whole still fits; false when it does not.
    fn add(&mut self, skill: DiscoveredSkill, room: usize) -> bool {
        let apart = self.form.is_apart(&skill.record.skill);
        let Frame { between, .. } = self.form.frame(apart);
        let tokens =
            self.tokens + self.frame_tokens(apart) + count_tokens(&format!("{}{between}", skill.line));
        if tokens > room {
            self.more = true;
            return false;
        }
        self.tokens = tokens;
        self.learned += usize::from(self.form.most_like(&skill.record.skill).is_some());
        self.apart += usize::from(apart);
        self.skills.push(skill);
        true
    }
}

struct Telling<'a> {
    cx: &'a Context,
    caller: &'a Caller,
    agent: Option<&'a Agent>,
    form: Form,
    /// How many tokens there are for skills.
    room: usize,
}

impl Telling<'_> {
    fn assigned(&self) -> Vec<SkillId> {
        let assignments = self.agent.map(|agent| agent.assignments.as_slice()).unwrap_or_default();
        assignments.iter().map(|assignment| assignment.skill).collect()
    }

    async fn page(
        &self,
        after: Option<crate::Cursor>,
        limit: u32,
    ) -> Result<crate::Page<SkillRecord>, Error> {
        let page = PageRequest { limit, after };
        let request = ListSkills { nearest: true, page, ..ListSkills::default() };
        Ok(skills::list(self.cx, self.caller, request).await?.0)
    }

    /// None of them; but whether there are any.
    async fn nothing(&self) -> Result<Told, Error> {
        let more = !self.page(None, 1).await?.items.is_empty();
        Ok(Told { more, ..Told::new(self.form) })
    }

    /// The usable skills that are assigned, in their order, of each name the first.
    async fn chosen(&self) -> Result<Vec<SkillRecord>, Error> {
        let assigned = self.assigned();
        let mut records = find::load(&mut *self.cx.read().await?, self.caller, &assigned).await?;
        records.retain(|record| record.skill.is_usable());
        records.sort_by_key(|record| assigned.iter().position(|id| *id == record.skill.id));
        let mut names = HashSet::new();
        records.retain(|record| names.insert(record.skill.name.clone()));
        Ok(records)
    }

    /// What is assigned, in its order, then the others by name, as many as fit; it ends at so many in a row that do
    /// not. An assigned skill was chosen for the agent, so that it goes before a nearer one of its name.
    async fn list(&self, length: Length, patience: u32) -> Result<Told, Error> {
        let chosen = self.chosen().await?;
        let names: HashSet<_> = chosen.iter().map(|record| record.skill.name.clone()).collect();
        let mut told = Told::new(self.form);
        let mut missed = 0;
        let mut tell = |told: &mut Told, record, assigned| {
            let (full, enough) = match length {
                Length::All => (false, false),
                Length::AtMost(limit) => (told.skills.len() >= limit as usize, told.has_enough_of(&record)),
            };
            told.more |= full || enough;
            if full {
                return false;
            }
            let told_of = !enough && told.add(self.plain(record, assigned), self.room);
            missed = if told_of { 0 } else { missed + 1 };
            missed < patience
        };
        for record in chosen {
            if !tell(&mut told, record, true) {
                return Ok(told);
            }
        }
        let mut after = None;
        loop {
            let page = self.page(after, 100).await?;
            for record in page.items.into_iter().filter(|record| !names.contains(&record.skill.name)) {
                if !tell(&mut told, record, false) {
                    return Ok(told);
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(told);
            }
        }
    }

    /// What fits the query best; without a query the first of the list.
    async fn best(&self, query: Option<&str>, limit: Option<u32>) -> Result<Told, Error> {
        let limit = limit.unwrap_or(USUAL_LIMIT);
        let Some(query) = query else { return self.list(Length::AtMost(limit), MOST_MISSES).await };
        let assigned = self.assigned();
        let mut told = Told::new(self.form);
        for hit in self.search(query, limit).await? {
            if told.has_enough_of(&hit.record) {
                continue;
            }
            let assigned = assigned.contains(&hit.record.skill.id);
            let found = Some((hit.similarity, hit.sentence));
            let line = self.form.entry(&hit.record);
            let skill = DiscoveredSkill { line, record: hit.record, found, assigned };
            // A shorter one behind it may still fit.
            told.add(skill, self.room);
        }
        let known = u32::try_from(told.skills.len()).unwrap_or(find::MOST);
        told.more = self.page(None, known + 1).await?.items.len() > told.skills.len();
        Ok(told)
    }

    /// What fits best, of each name the assigned one or else the nearest.
    async fn search(&self, query: &str, limit: u32) -> Result<Vec<FoundSkill>, Error> {
        let request = SearchSkills {
            query: query.to_owned(),
            min_similarity: Some(FLOOR),
            limit: Some(limit),
            ..SearchSkills::default()
        };
        let mut hits = find(self.cx, self.caller, request.clone()).await?.skills;
        let chosen = self.chosen().await?;
        if chosen.is_empty() {
            return Ok(hits);
        }
        let id_of = |hit: &FoundSkill| hit.record.skill.id;
        let is_chosen = |hit: &FoundSkill| chosen.iter().any(|chosen| chosen.skill.id == id_of(hit));
        let is_hidden = |hit: &FoundSkill| {
            chosen.iter().any(|chosen| chosen.skill.name == hit.record.skill.name) && !is_chosen(hit)
        };
        hits.retain(|hit| !is_hidden(hit));
        // Those that a nearer one of their name hides are found only so.
        let all = SearchSkills {
            nearest: Some(false),
            filter: Filter { status: Some(Status::Active), enabled: Some(true), ..Filter::default() },
            limit: Some(find::MOST),
            ..request
        };
        for hit in find(self.cx, self.caller, all).await?.skills {
            if is_chosen(&hit) && !hits.iter().any(|known| id_of(known) == id_of(&hit)) {
                hits.push(hit);
            }
        }
        hits.sort_by(|left, right| right.similarity.total_cmp(&left.similarity));
        hits.truncate(limit as usize);
        Ok(hits)
    }
    fn plain(&self, record: SkillRecord, assigned: bool) -> DiscoveredSkill {
        DiscoveredSkill { line: self.form.entry(&record), record, found: None, assigned }
    }
}
