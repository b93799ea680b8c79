//! What was found, and why.

use model::SkillId;

use crate::lexicon::{Field, is_joint};
use crate::query::Query;
use crate::ranking::Signals;
use crate::shelf::Shelf;

/// A skill that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// The skill.
    pub id: SkillId,
    /// About how likely it is that it is what was asked for, 0 to 1.
    pub similarity: f32,
    /// What speaks for it.
    pub why: Why,
    /// Skills that are nearly the same and rank lower, if those were to be left out.
    pub alike: Vec<SkillId>,
}

/// What speaks for a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The query's words that stand in the skill, and where; without those that only hold its sentences together,
    /// unless it has no others.
    pub words: Vec<MatchedWord>,
    /// Those that do not, likewise.
    pub missing: Vec<String>,
    /// Which share of the query's words, weighed by how rare they are, stands in the skill at all.
    pub covered: f32,
    /// The numbers.
    pub signals: Signals,
}

/// A word of the query that stands in a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchedWord {
    /// As the query has it.
    pub word: String,
    /// Where it stands, in this or another form.
    pub fields: Vec<Field>,
}

pub(crate) fn explain(query: &Query, shelf: &Shelf, place: usize, signals: Signals) -> Why {
    let mut why = Why { words: Vec::new(), missing: Vec::new(), covered: 0.0, signals };
    let has_others = query.terms.iter().any(|term| !is_joint(&term.word));
    for term in &query.terms {
        let weight = shelf.weight(place, term.term);
        if weight.is_some() {
            why.covered += term.rarity / query.rarity;
        }
        if has_others && is_joint(&term.word) {
            continue;
        }
        match weight {
            Some(weight) => {
                why.words.push(MatchedWord { word: term.word.clone(), fields: weight.fields().collect() });
            }
            None => why.missing.push(term.word.clone()),
        }
    }
    why
}

impl Why {
    /// One plain sentence. `examples` are the skill's example prompts.
    pub fn sentence(&self, examples: &[String]) -> String {
        let mut parts = Vec::new();
        if !self.words.is_empty() {
            let words: Vec<_> = self.words.iter().take(6).map(|word| format!("“{}”", word.word)).collect();
            let mut fields: Vec<Field> =
                self.words.iter().flat_map(|word| word.fields.iter().copied()).collect();
            fields.sort_unstable();
            fields.dedup();
            let fields: Vec<_> = fields.into_iter().map(Field::as_str).collect();
            let stand = if words.len() == 1 { "stands" } else { "stand" };
            parts.push(format!("{} {stand} in its {}", and(&words), and(&fields)));
        }
        if let Some(cosine) = self.signals.cosine.filter(|cosine| *cosine >= 0.25) {
            let near = if cosine >= 0.6 { "very near to" } else { "near to" };
            parts.push(format!("its meaning is {near} the request ({cosine:.2})"));
        }
        if let Some((cosine, place)) = self.signals.example.filter(|(cosine, _)| *cosine >= 0.4)
            && let Some(example) = examples.get(usize::from(place))
        {
            parts.push(format!("its example “{example}” is like the request ({cosine:.2})"));
        }
        let sentence = if parts.is_empty() { "little speaks for it".to_owned() } else { parts.join("; ") };
        let mut letters = sentence.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}.", letters.as_str())
    }
}

/// `a`, `a and b`, `a, b and c`.
fn and<T: AsRef<str>>(parts: &[T]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [start @ .., last] => {
            let start: Vec<_> = start.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", start.join(", "), last.as_ref())
        }
    }
}
