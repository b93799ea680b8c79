//! A request in plain words, taken apart once.

use crate::lexicon::{each_term, joined, rarity, term};
use crate::table::embed;
use crate::words::each_compound;
use crate::{Scale, Vector};

/// Terms of a query behind this many are not looked at.
const MOST_TERMS: usize = 64;

/// A request in plain words.
#[derive(Debug, Clone)]
pub struct Query {
    pub(crate) terms: Vec<QueryTerm>,
    pub(crate) compounds: Vec<Compound>,
    /// How much all terms say together.
    pub(crate) rarity: f32,
    pub(crate) vector: Option<Vector>,
    pub(crate) other: Option<(Vector, Scale)>,
}

#[derive(Debug, Clone)]
pub(crate) struct QueryTerm {
    pub(crate) term: u32,
    pub(crate) rarity: f32,
    pub(crate) word: String,
}

/// Words of the query that a skill may write as one.
#[derive(Debug, Clone)]
pub(crate) struct Compound {
    pub(crate) whole: QueryTerm,
    /// The terms of its parts, which may match as well.
    pub(crate) parts: Vec<(u32, f32)>,
}

impl Query {
    /// Takes a request apart.
    pub fn new(text: &str) -> Self {
        Self { vector: embed(text), ..Self::of_words(text) }
    }

    /// The same without the meaning of the words: only the words themselves count.
    pub fn of_words(text: &str) -> Self {
        let mut terms: Vec<QueryTerm> = Vec::new();
        each_term(text, |term, word| {
            let known = terms.iter().any(|known| known.term == term);
            if !known && terms.len() < MOST_TERMS {
                terms.push(QueryTerm { term, rarity: rarity(term), word: word.to_owned() });
            }
        });
        let rarity = terms.iter().map(|term| term.rarity).sum();
        Self { terms, compounds: compounds(text), rarity, vector: None, other: None }
    }

    /// The same with the vector another embedder made of it, and how its cosines are to be read.
    #[must_use]
    pub fn with_vector(self, vector: Vector, scale: Scale) -> Self {
        Self { other: Some((vector, scale)), ..self }
    }

    /// How much all its words say together.
    pub fn rarity(&self) -> f32 {
        self.rarity
    }

    /// Whether nothing can match: no term and no vector.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.vector.is_none() && self.other.is_none()
    }
}

fn compounds(text: &str) -> Vec<Compound> {
    let mut compounds: Vec<Compound> = Vec::new();
    each_compound(text, |words| {
        let Some(word) = joined(words) else { return };
        let whole = QueryTerm { term: term(&word), rarity: rarity(term(&word)), word };
        let mut parts: Vec<(u32, f32)> = words.iter().map(|part| (term(part), rarity(term(part)))).collect();
        parts.sort_unstable_by_key(|(part, _)| *part);
        parts.dedup();
        let is_new = compounds.iter().all(|known| known.whole.term != whole.term);
        if is_new && compounds.len() < MOST_TERMS && parts.iter().all(|(part, _)| *part != whole.term) {
            compounds.push(Compound { whole, parts });
        }
    });
    compounds
}
