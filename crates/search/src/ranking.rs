//! From what speaks for a skill to one number: a similarity between 0 and 1 that means the same in every library.

use std::sync::OnceLock;

use serde::Deserialize;

const RANKING: &str = include_str!("../model/ranking.json");

/// What speaks for a skill.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Signals {
    /// How well the words match, 0 to 1: BM25F as a share of the best that a skill could have.
    pub lexical: f32,
    /// The cosine of the query with the skill's own text.
    pub cosine: Option<f32>,
    /// The best cosine with an example prompt, and which one it is.
    pub example: Option<(f32, u16)>,
}

/// The numbers that were fitted; `embedding/README.md` says how.
#[derive(Debug, Deserialize)]
pub(crate) struct Ranking {
    pub(crate) saturation: f32,
    pub(crate) rarity_of_unknown: f32,
    pub(crate) fields: [FieldWeight; 5],
    score: Score,
    /// An example prompt that is the request speaks for a skill whatever the rest of it says, less this.
    example_behind: f32,
    /// How fast the similarity falls behind the best.
    follow: f32,
    /// From this place on a skill gains by how far the best is ahead of the second, at most `lead`.
    gate: f32,
    lead: f32,
    /// Places and the similarities there; in between it is a straight line.
    similarity: Vec<(f32, f32)>,
}

/// How much each part counts.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Score {
    /// The words that match, each by how rare it is.
    words: f32,
    /// Which share of all words that is.
    share: f32,
    /// The meaning.
    meaning: f32,
}

/// How much a field counts.
#[derive(Debug, Deserialize)]
pub(crate) struct FieldWeight {
    pub(crate) weight: f32,
    pub(crate) length_matters: f32,
    pub(crate) usual_length: f32,
}

/// The numbers that the program carries.
pub(crate) fn ranking() -> &'static Ranking {
    static READ: OnceLock<Ranking> = OnceLock::new();
    READ.get_or_init(|| {
        #[allow(clippy::expect_used)] // the file is part of the program; every test of the ranking reads it
        serde_json::from_str(RANKING).expect("the ranking is sound")
    })
}

impl Ranking {
    /// A number that orders skills for one query: the greater, the better. It depends on the query and the skill alone.
    pub(crate) fn score(&self, signals: &Signals, query_rarity: f32) -> f32 {
        let cosine = signals.cosine.unwrap_or(0.0);
        let near = signals
            .example
            .map_or(cosine, |(example, _)| f32::midpoint(cosine, example).max(example - self.example_behind));
        let Score { words, share, meaning } = self.score;
        words * signals.lexical * query_rarity + share * signals.lexical + meaning * near
    }

    /// About how likely it is that the skill is what was asked for: from its score, how far that is behind the best of
    /// those the caller can see, and how far the best is ahead of the second. It has four digits.
    pub(crate) fn similarity(&self, score: f32, best: f32, second: Option<f32>) -> f32 {
        let mut place = score - self.follow * (best - score);
        if place >= self.gate {
            place += second.map_or(self.lead, |second| (best - second).min(self.lead));
        }
        let above = self.similarity.partition_point(|knot| knot.0 <= place);
        let below = above.checked_sub(1).and_then(|below| self.similarity.get(below));
        let similarity = match (below, self.similarity.get(above)) {
            (Some(low), Some(high)) => low.1 + (high.1 - low.1) * (place - low.0) / (high.0 - low.0),
            (Some(end), None) | (None, Some(end)) => end.1,
            (None, None) => 0.0,
        };
        (similarity.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0
    }
}

/// How the cosines of an embedder are to be read: models differ in how near "near" is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// Added last.
    pub offset: f32,
    /// Multiplied first.
    pub factor: f32,
}

impl Scale {
    /// The built-in table's own: as it is.
    pub const BUILT_IN: Self = Self { offset: 0.0, factor: 1.0 };

    pub(crate) fn read(self, cosine: f32) -> f32 {
        (self.offset + self.factor * cosine).clamp(-1.0, 1.0)
    }

    /// The line that gives one embedder's cosines the middle and the spread of the built-in ones for the same pairs of
    /// texts, theirs first. `None` when they do not rise together.
    pub fn fit(pairs: &[(f32, f32)]) -> Option<Self> {
        #[allow(clippy::cast_precision_loss)] // a few hundred
        let count = pairs.len() as f32;
        let mean = |value: &dyn Fn(&(f32, f32)) -> f32| pairs.iter().map(value).sum::<f32>() / count;
        let (theirs, ours) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
        let their_spread = mean(&|pair| (pair.0 - theirs).powi(2)).sqrt();
        let our_spread = mean(&|pair| (pair.1 - ours).powi(2)).sqrt();
        let together = mean(&|pair| (pair.0 - theirs) * (pair.1 - ours));
        let factor = our_spread / their_spread;
        (together > 0.0 && factor.is_finite()).then_some(Self { offset: ours - factor * theirs, factor })
    }
}
