//! The vectors that one embedder made of the skills on a shelf.

use crate::document::Vectors;
use crate::vectors::Rows;
use crate::{Scale, Vector};

/// One row a slot, and the rows of example prompts beside them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Space {
    own: Rows,
    filled: Vec<bool>,
    examples: Rows,
    /// Slot and place of each example.
    owners: Vec<(u32, u16)>,
}

/// The cosines of a shelf's slots with a query.
#[derive(Debug, Default)]
pub(crate) struct Cosines {
    /// One a slot, or none at all when nothing has a vector.
    own: Vec<Option<f32>>,
    /// The best example of each slot and its place; none at all when nothing has an example.
    examples: Vec<Option<(f32, u16)>>,
}

impl Cosines {
    pub(crate) fn own(&self, slot: usize) -> Option<f32> {
        self.own.get(slot).copied().flatten()
    }

    pub(crate) fn example(&self, slot: usize) -> Option<(f32, u16)> {
        self.examples.get(slot).copied().flatten()
    }
}

impl Space {
    pub(crate) fn bytes(&self) -> usize {
        self.own.bytes()
            + self.examples.bytes()
            + self.filled.capacity()
            + self.owners.capacity() * size_of::<(u32, u16)>()
    }

    /// Sets the vectors of a slot that has none yet. The first vector decides how many dimensions all have; what has
    /// others does not belong here and is left out.
    pub(crate) fn set(&mut self, slot: u32, vectors: &Vectors) {
        let Some(dimensions) = self.own.dimensions().or_else(|| vectors.dimensions()) else { return };
        if vectors.dimensions() != Some(dimensions) {
            return;
        }
        let place = slot as usize;
        while self.own.len() <= place {
            self.own.push_nothing(dimensions);
        }
        self.filled.resize(self.own.len(), false);
        if let Some(own) = &vectors.own {
            self.own.set(place, own);
        }
        if let Some(filled) = self.filled.get_mut(place) {
            *filled = true;
        }
        for (example, vector) in
            vectors.examples.iter().filter(|(_, vector)| vector.dimensions() == dimensions)
        {
            self.examples.push(vector);
            self.owners.push((slot, *example));
        }
    }

    /// Whether the embedder has been asked for a slot.
    pub(crate) fn is_filled(&self, slot: usize) -> bool {
        self.filled.get(slot).copied().unwrap_or(false)
    }

    pub(crate) fn own(&self, slot: usize) -> Option<Vector> {
        self.own.get(slot)
    }

    /// What each slot holds, to be put elsewhere.
    pub(crate) fn take_all(&mut self) -> Vec<Option<Vectors>> {
        let slots = self.filled.iter().enumerate();
        let mut all: Vec<_> = slots
            .map(|(place, filled)| filled.then(|| Vectors { own: self.own.get(place), examples: Vec::new() }))
            .collect();
        for (row, (slot, example)) in self.owners.iter().enumerate() {
            let vectors = all.get_mut(*slot as usize).and_then(Option::as_mut);
            if let (Some(vectors), Some(vector)) = (vectors, self.examples.get(row)) {
                vectors.examples.push((*example, vector));
            }
        }
        *self = Self::default();
        all
    }

    /// Fills in the cosines of the slots this space knows, in place of what was there.
    pub(crate) fn cosines(&self, query: &Vector, scale: Scale, slots: usize, cosines: &mut Cosines) {
        if self.own.dimensions() != Some(query.dimensions()) {
            return;
        }
        let mut raw = Vec::new();
        self.own.cosines(query, &mut raw);
        cosines.own.resize(slots, None);
        for ((cosine, filled), own) in raw.iter().zip(&self.filled).zip(&mut cosines.own) {
            if *filled {
                *own = Some(scale.read(*cosine));
            }
        }
        for (example, filled) in cosines.examples.iter_mut().zip(&self.filled) {
            if *filled {
                *example = None;
            }
        }
        if self.owners.is_empty() {
            return;
        }
        cosines.examples.resize(slots, None);
        self.examples.cosines(query, &mut raw);
        for (cosine, (slot, example)) in raw.iter().zip(&self.owners) {
            let cosine = scale.read(*cosine);
            if let Some(best) = cosines.examples.get_mut(*slot as usize)
                && best.is_none_or(|(best, _)| best < cosine)
            {
                *best = Some((cosine, *example));
            }
        }
    }
}
