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
    own: Vec<f32>,
    /// The best example of each slot and its place; none at all when nothing has an example.
    examples: Vec<Option<(f32, u16)>>,
}

impl Cosines {
    pub(crate) fn own(&self, slot: usize) -> Option<f32> {
        self.own.get(slot).copied()
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

    /// Sets the vectors of a slot that has none yet.
    pub(crate) fn set(&mut self, slot: u32, dimensions: usize, vectors: &Vectors) {
        let place = slot as usize;
        while self.own.len() <= place {
            self.own.push_nothing(dimensions);
        }
        self.filled.resize(self.own.len(), false);
        if let Some(own) = vectors.own.as_ref().filter(|own| own.dimensions() == dimensions) {
            self.own.set(place, own);
        }
        if let Some(filled) = self.filled.get_mut(place) {
            *filled = true;
        }
        for (example, vector) in &vectors.examples {
            if vector.dimensions() == dimensions {
                self.examples.push(vector);
                self.owners.push((slot, *example));
            }
        }
    }

    /// Whether the embedder has been asked for a slot.
    pub(crate) fn is_filled(&self, slot: usize) -> bool {
        self.filled.get(slot).copied().unwrap_or(false)
    }

    pub(crate) fn own(&self, slot: usize) -> Option<Vector> {
        self.own.get(slot)
    }

    /// What a slot holds, to be put elsewhere.
    pub(crate) fn take(&self, slot: u32) -> Option<Vectors> {
        let place = slot as usize;
        if !self.is_filled(place) {
            return None;
        }
        let examples = self.owners.iter().zip(0..).filter(|((owner, _), _)| *owner == slot);
        let examples = examples.filter_map(|((_, example), row)| Some((*example, self.examples.get(row)?)));
        Some(Vectors { own: self.own.get(place), examples: examples.collect() })
    }

    /// Fills in the cosines of the slots this space knows, in place of what was there.
    pub(crate) fn cosines(&self, query: &Vector, scale: Scale, slots: usize, cosines: &mut Cosines) {
        let mut raw = Vec::new();
        self.own.cosines(query, &mut raw);
        for cosine in &mut raw {
            *cosine = scale.read(*cosine);
        }
        if cosines.own.is_empty() {
            raw.resize(slots, 0.0);
            cosines.own = std::mem::take(&mut raw);
        } else {
            for (place, cosine) in raw.iter().enumerate().filter(|(place, _)| self.is_filled(*place)) {
                cosines.own.get_mut(place).into_iter().for_each(|own| *own = *cosine);
                cosines.examples.get_mut(place).into_iter().for_each(|example| *example = None);
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
