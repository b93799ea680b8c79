//! The skills of one scope. A search looks only at the shelves its caller can see.

use std::collections::HashMap;

use model::SkillId;

use crate::document::{Facts, Prepared, Vectors, Weight};
use crate::query::Query;
use crate::ranking::Signals;
use crate::space::{Cosines, Space};
use crate::{Scale, Vector};

/// From so many slots on a shelf keeps, for each term, the slots that have it; on smaller ones looking through all is
/// as fast and needs less memory.
const LARGE: usize = 2_048;

/// The skills of one scope. A skill keeps its slot; one that changes gets a new slot, and the old one is dead until the
/// shelf is put in order.
#[derive(Debug, Default)]
pub(crate) struct Shelf {
    slots: Vec<Option<Slot>>,
    places: HashMap<SkillId, u32>,
    /// Usable skills by the number of their name.
    names: HashMap<u64, u32>,
    /// The terms of slot n stand from `starts[n]` to `starts[n + 1]`, by number.
    terms: Vec<u32>,
    weights: Vec<Weight>,
    starts: Vec<u32>,
    /// The slots of each term, on a large shelf.
    postings: Option<HashMap<u32, Vec<(u32, Weight)>>>,
    built_in: Space,
    other: Space,
    dead: usize,
}

/// One skill.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) id: SkillId,
    pub(crate) facts: Facts,
}

impl Shelf {
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// An estimate of what it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let tags = self.slots.iter().flatten().map(|slot| slot.facts.tags.len() * 8 + 16).sum::<usize>();
        let postings = self.postings.as_ref().map_or(0, |postings| {
            postings.values().map(|slots| 48 + slots.capacity() * size_of::<(u32, Weight)>()).sum()
        });
        self.slots.capacity() * size_of::<Option<Slot>>()
            + tags
            + self.places.capacity() * 24
            + self.names.capacity() * 13
            + self.terms.capacity() * 4
            + self.weights.capacity() * 2
            + self.starts.capacity() * 4
            + postings
            + self.built_in.bytes()
            + self.other.bytes()
    }

    pub(crate) fn put(&mut self, prepared: &Prepared) {
        self.remove(prepared.id);
        let slot = u32::try_from(self.slots.len()).unwrap_or(u32::MAX);
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        for &(term, weight) in &prepared.terms {
            self.terms.push(term);
            self.weights.push(weight);
            if let Some(postings) = &mut self.postings {
                postings.entry(term).or_default().push((slot, weight));
            }
        }
        self.starts.push(u32::try_from(self.terms.len()).unwrap_or(u32::MAX));
        self.built_in.set(slot, &prepared.vectors);
        if prepared.facts.is_usable() {
            self.names.insert(prepared.facts.name, slot);
        }
        self.places.insert(prepared.id, slot);
        self.slots.push(Some(Slot { id: prepared.id, facts: prepared.facts.clone() }));
        if self.postings.is_none() && self.slots.len() >= LARGE {
            self.post_all();
        }
    }

    /// Sets what the other embedder made of a skill.
    pub(crate) fn put_vectors(&mut self, id: SkillId, vectors: &Vectors) {
        if let Some(&slot) = self.places.get(&id)
            && !self.other.is_filled(slot as usize)
        {
            self.other.set(slot, vectors);
        }
    }

    /// The skills the other embedder has not been asked for.
    pub(crate) fn without_vectors(&self) -> impl Iterator<Item = SkillId> {
        let missing = self.places.iter().filter(|(_, slot)| !self.other.is_filled(**slot as usize));
        missing.map(|(id, _)| *id)
    }

    pub(crate) fn remove(&mut self, id: SkillId) -> bool {
        let Some(place) = self.places.remove(&id) else { return false };
        if let Some(slot) = self.slots.get_mut(place as usize).and_then(Option::take)
            && self.names.get(&slot.facts.name) == Some(&place)
        {
            self.names.remove(&slot.facts.name);
        }
        self.dead += 1;
        if self.dead > 64 && self.dead * 4 > self.slots.len() {
            self.put_in_order();
        }
        true
    }

    /// Whether a usable skill has this name here.
    pub(crate) fn has_usable(&self, name: u64) -> bool {
        self.names.contains_key(&name)
    }

    pub(crate) fn slot(&self, place: usize) -> Option<&Slot> {
        self.slots.get(place)?.as_ref()
    }

    pub(crate) fn own_vector(&self, place: usize) -> Option<Vector> {
        self.built_in.own(place)
    }

    fn terms_of(&self, place: usize) -> (&[u32], &[Weight]) {
        let start = self.starts.get(place).map_or(0, |start| *start as usize);
        let end = self.starts.get(place + 1).map_or(start, |end| *end as usize);
        (self.terms.get(start..end).unwrap_or_default(), self.weights.get(start..end).unwrap_or_default())
    }

    /// The weight of a term in a slot.
    pub(crate) fn weight(&self, place: usize, term: u32) -> Option<Weight> {
        let (terms, weights) = self.terms_of(place);
        weights.get(terms.binary_search(&term).ok()?).copied()
    }

    /// Which share of the terms of two slots both have.
    pub(crate) fn shared_terms(&self, place: usize, other: &Self, other_place: usize) -> f32 {
        let (left, right) = (self.terms_of(place).0, other.terms_of(other_place).0);
        let shared = left.iter().filter(|term| right.binary_search(term).is_ok()).count();
        #[allow(clippy::cast_precision_loss)] // a few thousand
        let share = shared as f32 / (left.len() + right.len() - shared).max(1) as f32;
        share
    }

    fn post_all(&mut self) {
        let mut postings: HashMap<u32, Vec<(u32, Weight)>> = HashMap::new();
        for (place, slot) in (0_u32..).zip(&self.slots) {
            if slot.is_none() {
                continue;
            }
            let (terms, weights) = self.terms_of(place as usize);
            for (&term, &weight) in terms.iter().zip(weights) {
                postings.entry(term).or_default().push((place, weight));
            }
        }
        self.postings = Some(postings);
    }

    /// Leaves the dead slots behind.
    fn put_in_order(&mut self) {
        let mut old = std::mem::take(self);
        let mut built_in = old.built_in.take_all();
        let mut other = old.other.take_all();
        for (place, slot) in old.slots.iter().enumerate() {
            let Some(slot) = slot else { continue };
            let (terms, weights) = old.terms_of(place);
            let vectors_of = |all: &mut Vec<Option<Vectors>>| all.get_mut(place).and_then(Option::take);
            let prepared = Prepared {
                id: slot.id,
                scope: model::Scope::Workspace,
                facts: slot.facts.clone(),
                terms: terms.iter().copied().zip(weights.iter().copied()).collect(),
                vectors: vectors_of(&mut built_in).unwrap_or_default(),
            };
            self.put(&prepared);
            if let Some(vectors) = vectors_of(&mut other) {
                self.put_vectors(slot.id, &vectors);
            }
        }
    }

    /// What speaks for the skills on the shelf.
    pub(crate) fn look(&self, query: &Query) -> Look {
        let mut cosines = Cosines::default();
        if let Some(vector) = &query.vector {
            self.built_in.cosines(vector, Scale::BUILT_IN, self.slots.len(), &mut cosines);
        }
        if let Some((vector, scale)) = &query.other {
            self.other.cosines(vector, *scale, self.slots.len(), &mut cosines);
        }
        let share = if query.rarity > 0.0 { query.rarity.recip() } else { 0.0 };
        Look { lexical: self.lexical(query), share, cosines }
    }

    /// Calls back with every slot that has a term.
    fn each_with(&self, term: u32, mut found: impl FnMut(usize, Weight)) {
        match &self.postings {
            Some(postings) => {
                for &(place, weight) in postings.get(&term).into_iter().flatten() {
                    found(place as usize, weight);
                }
            }
            None => {
                for place in 0..self.slots.len() {
                    if let Some(weight) = self.weight(place, term) {
                        found(place, weight);
                    }
                }
            }
        }
    }

    /// For each slot the weighed sum of the query's terms.
    fn lexical(&self, query: &Query) -> Vec<f32> {
        let mut lexical = vec![0.0; self.slots.len()];
        let mut add = |place: usize, more: f32| {
            if let Some(lexical) = lexical.get_mut(place) {
                *lexical += more;
            }
        };
        for term in &query.terms {
            self.each_with(term.term, |place, weight| add(place, term.rarity * weight.weight()));
        }
        for compound in &query.compounds {
            self.each_with(compound.whole.term, |place, weight| {
                // What its parts have brought already does not count twice.
                let parts = compound.parts.iter().filter_map(|(part, rarity)| {
                    self.weight(place, *part).map(|weight| rarity * weight.weight())
                });
                let more = compound.whole.rarity * weight.weight() - parts.sum::<f32>();
                add(place, more.max(0.0));
            });
        }
        lexical
    }
}

/// What speaks for the skills on a shelf.
pub(crate) struct Look {
    lexical: Vec<f32>,
    share: f32,
    cosines: Cosines,
}

impl Look {
    /// What speaks for the skill in a slot.
    pub(crate) fn signals(&self, place: usize) -> Signals {
        let lexical = self.lexical.get(place).copied().unwrap_or(0.0);
        Signals {
            lexical: (lexical * self.share).min(1.0),
            cosine: self.cosines.own(place),
            example: self.cosines.example(place),
        }
    }

    /// The slots, dead ones included.
    pub(crate) fn places(&self) -> std::ops::Range<usize> {
        0..self.lexical.len()
    }
}
