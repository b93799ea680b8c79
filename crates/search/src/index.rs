//! All skills of a workspace, and the search over those that a caller can see.

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use model::{AgentId, Facets, Origin, ScopeKind, SkillId, Status, UserId};

use crate::document::{Facts, Prepared, Vectors};
use crate::found::{Hit, explain};
use crate::lexicon::hash;
use crate::query::Query;
use crate::ranking::{Signals, ranking};
use crate::shelf::Shelf;

/// From here on two skills are nearly the same.
const ALIKE_COSINE: f32 = 0.95;
const ALIKE_TERMS: f32 = 0.75;

/// The owners of a shelf.
type Key = (Option<AgentId>, Option<UserId>);

/// Whose skills are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Everybody's.
    All,
    /// Those a user can see, through any agent.
    User(UserId),
    /// Those a user can see through one agent, or through none.
    Place(UserId, Option<AgentId>),
}

/// What a search is narrowed to; empty fields narrow nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Filter {
    /// Its status.
    pub status: Option<Status>,
    /// Its switch.
    pub enabled: Option<bool>,
    /// Its origin.
    pub origin: Option<Origin>,
    /// Its rung.
    pub scope: Option<ScopeKind>,
    /// The agent that owns it.
    pub agent: Option<AgentId>,
    /// The user who owns it.
    pub user: Option<UserId>,
    /// Facets it must all have.
    pub facets: Facets,
    /// Tags it must all have.
    pub tags: Vec<String>,
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// At most so many.
    pub limit: usize,
    /// Nothing below this similarity.
    pub floor: f32,
    /// Only the nearest usable skill of each name.
    pub nearest: bool,
    /// Of skills that are nearly the same only the best.
    pub collapse: bool,
}

/// All skills of a workspace.
#[derive(Debug, Default)]
pub struct Index {
    shelves: HashMap<Key, Shelf>,
    /// The agents on whose shelves a user has something.
    agents: HashMap<Option<UserId>, BTreeSet<Option<AgentId>>>,
    places: HashMap<SkillId, Key>,
}

/// A skill that may be among the best.
struct Candidate<'a> {
    score: f32,
    shelf: &'a Shelf,
    place: usize,
    id: SkillId,
    signals: Signals,
}

impl Index {
    /// How many skills it has.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// An estimate of what it takes in memory.
    pub fn bytes(&self) -> usize {
        self.shelves.values().map(Shelf::bytes).sum::<usize>() + self.places.capacity() * 64
    }

    /// Puts a skill in, in place of what it was.
    pub fn put(&mut self, prepared: &Prepared) {
        let key = (prepared.scope.agent(), prepared.scope.user());
        if self.places.get(&prepared.id).is_some_and(|known| *known != key) {
            self.remove(prepared.id);
        }
        self.shelves.entry(key).or_default().put(prepared);
        self.agents.entry(key.1).or_default().insert(key.0);
        self.places.insert(prepared.id, key);
    }

    /// Takes a skill out.
    pub fn remove(&mut self, id: SkillId) {
        let Some(key) = self.places.remove(&id) else { return };
        if let Some(shelf) = self.shelves.get_mut(&key) {
            shelf.remove(id);
            if shelf.len() == 0 {
                self.shelves.remove(&key);
                if let Some(agents) = self.agents.get_mut(&key.1) {
                    agents.remove(&key.0);
                }
            }
        }
    }

    /// Sets what another embedder made of a skill's texts.
    pub fn put_vectors(&mut self, id: SkillId, vectors: &Vectors) {
        if let Some(shelf) = self.places.get(&id).and_then(|key| self.shelves.get_mut(key)) {
            shelf.put_vectors(id, vectors);
        }
    }

    /// The skills for which no other embedder has been asked, at most so many, by id.
    pub fn without_vectors(&self, limit: usize) -> Vec<SkillId> {
        let mut missing: Vec<_> = self.shelves.values().flat_map(Shelf::without_vectors).collect();
        missing.sort_unstable();
        missing.truncate(limit);
        missing
    }

    /// How many skills wait for another embedder.
    pub fn count_without_vectors(&self) -> usize {
        self.shelves.values().map(|shelf| shelf.without_vectors().count()).sum()
    }

    /// The shelves a view shows.
    fn visible(&self, view: View) -> Vec<(Key, &Shelf)> {
        let keys: Vec<Key> = match view {
            View::All => self.shelves.keys().copied().collect(),
            View::User(user) => [Some(user), None]
                .into_iter()
                .flat_map(|user| {
                    let agents = self.agents.get(&user).into_iter().flatten();
                    agents.map(move |agent| (*agent, user))
                })
                .collect(),
            View::Place(user, agent) => {
                let mut keys = vec![(None, Some(user)), (None, None)];
                if agent.is_some() {
                    keys.extend([(agent, Some(user)), (agent, None)]);
                }
                keys
            }
        };
        keys.into_iter().filter_map(|key| Some((key, self.shelves.get(&key)?))).collect()
    }

    /// The best skills for a query among those that a caller can see, best first.
    pub fn search(&self, query: &Query, view: View, filter: &Filter, wanted: Wanted) -> Vec<Hit> {
        if query.is_empty() || wanted.limit == 0 {
            return Vec::new();
        }
        let ranking = ranking();
        let shelves = self.visible(view);
        let tags: Vec<u64> = filter.tags.iter().map(|tag| hash(tag)).collect();
        // The second is looked at even where only the first is wanted.
        let mut best = Best::new(if wanted.collapse { wanted.limit * 4 } else { wanted.limit.max(2) });
        for (key, shelf) in &shelves {
            if !filter.admits_shelf(*key) {
                continue;
            }
            let nearer: Vec<&Shelf> = shelves
                .iter()
                .filter(|(other, _)| wanted.nearest && nearness(*other) > nearness(*key))
                .map(|(_, shelf)| *shelf)
                .collect();
            let look = shelf.look(query);
            for place in look.places() {
                let signals = look.signals(place);
                let score = ranking.score(&signals, query.rarity);
                // Most are out of the race by this alone, and are looked at no further.
                if !best.has_room_for(score) {
                    continue;
                }
                let admits =
                    |facts: &Facts| (!wanted.nearest || facts.is_usable()) && filter.admits(facts, &tags);
                let Some(slot) = shelf.slot(place).filter(|slot| admits(&slot.facts)) else { continue };
                if !nearer.iter().any(|shelf| shelf.has_usable(slot.facts.name)) {
                    best.add(Candidate { score, shelf, place, id: slot.id, signals });
                }
            }
        }
        let mut hits: Vec<(Hit, Candidate<'_>)> = Vec::new();
        let candidates = best.finish();
        let top = candidates.first().map_or(0.0, |candidate| candidate.score);
        let second = candidates.get(1).map(|candidate| candidate.score);
        for candidate in candidates {
            let similarity = ranking.similarity(candidate.score, top, second);
            if similarity < wanted.floor {
                break;
            }
            if wanted.collapse
                && let Some((hit, _)) = hits.iter_mut().find(|(_, better)| better.is_alike(&candidate))
            {
                hit.alike.push(candidate.id);
                continue;
            }
            if hits.len() < wanted.limit {
                let why = explain(query, candidate.shelf, candidate.place, candidate.signals);
                hits.push((Hit { id: candidate.id, similarity, why, alike: Vec::new() }, candidate));
            }
        }
        hits.into_iter().map(|(hit, _)| hit).collect()
    }
}

/// As `Scope::nearness`.
fn nearness(key: Key) -> u8 {
    u8::from(key.1.is_some()) * 2 + u8::from(key.0.is_some())
}

impl Filter {
    fn admits_shelf(&self, (agent, user): Key) -> bool {
        let kind = match (agent, user) {
            (None, None) => ScopeKind::Workspace,
            (Some(_), None) => ScopeKind::Agent,
            (None, Some(_)) => ScopeKind::User,
            (Some(_), Some(_)) => ScopeKind::AgentUser,
        };
        self.scope.is_none_or(|wanted| wanted == kind)
            && self.agent.is_none_or(|wanted| agent == Some(wanted))
            && self.user.is_none_or(|wanted| user == Some(wanted))
    }

    fn admits(&self, facts: &Facts, tags: &[u64]) -> bool {
        let Facets { instructions, procedure, policy } = self.facets;
        self.status.is_none_or(|wanted| facts.status == wanted)
            && self.enabled.is_none_or(|wanted| facts.enabled == wanted)
            && self.origin.is_none_or(|wanted| facts.origin == wanted)
            && (!instructions || facts.facets.instructions)
            && (!procedure || facts.facets.procedure)
            && (!policy || facts.facets.policy)
            && tags.iter().all(|tag| facts.tags.contains(tag))
    }
}

impl Candidate<'_> {
    /// Nearly the same skill: the same meaning, in nearly the same words.
    fn is_alike(&self, other: &Self) -> bool {
        let cosine = self.shelf.own_vector(self.place).zip(other.shelf.own_vector(other.place));
        cosine.is_some_and(|(left, right)| left.cosine(&right) >= ALIKE_COSINE)
            && self.shelf.shared_terms(self.place, other.shelf, other.place) >= ALIKE_TERMS
    }
}

/// The best so far. The order does not depend on the order they come in.
struct Best<'a> {
    limit: usize,
    heap: BinaryHeap<Candidate<'a>>,
}

impl<'a> Best<'a> {
    fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::with_capacity(limit.min(1_000) + 1) }
    }

    fn has_room_for(&self, score: f32) -> bool {
        self.heap.len() < self.limit || self.heap.peek().is_some_and(|worst| score >= worst.score)
    }

    fn add(&mut self, candidate: Candidate<'a>) {
        self.heap.push(candidate);
        if self.heap.len() > self.limit {
            self.heap.pop();
        }
    }

    /// Best first.
    fn finish(self) -> Vec<Candidate<'a>> {
        self.heap.into_sorted_vec()
    }
}

/// Greater is worse: the lower score, or the later id.
fn worse_first(left: (f32, SkillId), right: (f32, SkillId)) -> Ordering {
    right.0.total_cmp(&left.0).then(left.1.cmp(&right.1))
}

impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        worse_first((self.score, self.id), (other.score, other.id))
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}
