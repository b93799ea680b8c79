//! Words as terms: stemmed, weighed by how rare they are, and by where they stand.

use std::collections::HashMap;
use std::sync::OnceLock;

use rust_stemmers::{Algorithm, Stemmer};

use crate::document::Weight;
use crate::ranking::ranking;
use crate::words::{each_compound, each_word, words};

/// How rare each term is in a large body of skills. It does not depend on the library that is searched: one skill more
/// must not change what another scores, and must not show to those who cannot see it.
const RARITY: &str = include_str!("../model/terms.tsv");

/// Compounds longer than this are not taken for one word.
const LONGEST_JOINED: usize = 40;

/// Words that hold English sentences together. They count for next to nothing, so nothing is explained by them.
const JOINTS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if",
    "in", "into", "is", "it", "its", "ll", "m", "may", "me", "might", "must", "my", "of", "on", "or", "our",
    "please", "re", "s", "shall", "she", "should", "so", "some", "such", "t", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "us", "ve", "was", "we", "were", "what",
    "when", "where", "which", "who", "will", "with", "would", "you", "your",
];

/// A part of a skill that words stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Name and title.
    Name,
    /// The description.
    Description,
    /// The tags.
    Tags,
    /// The example prompts.
    Examples,
    /// The instructions.
    Body,
}

impl Field {
    pub(crate) const ALL: [Self; 5] = [Self::Name, Self::Description, Self::Tags, Self::Examples, Self::Body];

    pub(crate) fn bit(self) -> u8 {
        1 << (self as u8)
    }

    /// As data and sentences name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Tags => "tags",
            Self::Examples => "example prompts",
            Self::Body => "instructions",
        }
    }
}

/// A number for a text that stands for it: so many texts have another one that nobody meets two with the same.
pub(crate) fn hash(text: &str) -> u64 {
    let folded = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    // Spreads what the last letters changed over all digits.
    let mixed = (folded ^ (folded >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

/// A shorter one for a term: two in a large library may share it, which a ranking does not notice.
fn short_hash(text: &str) -> u32 {
    #[allow(clippy::cast_possible_truncation)] // all digits are in each half
    let short = hash(text) as u32;
    short
}

fn stemmer() -> &'static Stemmer {
    static STEMMER: OnceLock<Stemmer> = OnceLock::new();
    STEMMER.get_or_init(|| Stemmer::create(Algorithm::English))
}

/// Calls back with each term of a text and the word it comes from.
pub(crate) fn each_term(text: &str, mut found: impl FnMut(u32, &str)) {
    each_word(text, |word| found(term(word), word));
}

/// The term of a word.
pub(crate) fn term(word: &str) -> u32 {
    short_hash(&stemmer().stem(word))
}

/// Whether a word, folded, only holds sentences together.
pub(crate) fn is_joint(word: &str) -> bool {
    JOINTS.contains(&word)
}

/// The parts of a compound written as one word: `pull-request` is `pullrequest` too.
pub(crate) fn joined(parts: &[String]) -> Option<String> {
    let whole = parts.concat();
    ((2..=4).contains(&parts.len()) && whole.chars().count() <= LONGEST_JOINED).then_some(whole)
}

/// How much a term says, by how rare it is.
pub(crate) fn rarity(term: u32) -> f32 {
    static KNOWN: OnceLock<HashMap<u32, f32>> = OnceLock::new();
    let known = KNOWN.get_or_init(|| {
        let lines = RARITY.lines().filter_map(|line| line.split_once('\t'));
        lines.filter_map(|(term, rarity)| Some((short_hash(term), rarity.parse().ok()?))).collect()
    });
    known.get(&term).copied().unwrap_or(ranking().rarity_of_unknown)
}

/// Counts the terms of a skill's fields.
#[derive(Default)]
pub(crate) struct Weighing {
    counts: HashMap<u32, [u16; 5]>,
    lengths: [u32; 5],
}

impl Weighing {
    pub(crate) fn add(&mut self, field: Field, text: &str) {
        each_term(text, |term, _| {
            self.count(field, term, 1);
            if let Some(length) = self.lengths.get_mut(field as usize) {
                *length += 1;
            }
        });
        each_compound(text, |parts| {
            if let Some(whole) = joined(parts) {
                self.count(field, term(&whole), 1);
            }
        });
        if field == Field::Name
            && let Some(whole) = joined(&words(text))
        {
            self.count(field, term(&whole), 0);
        }
    }

    /// Counts a term; it counts at least once.
    fn count(&mut self, field: Field, term: u32, more: u16) {
        if let Some(count) = self.counts.entry(term).or_default().get_mut(field as usize) {
            *count = count.saturating_add(more).max(1);
        }
    }

    /// The terms by number, each with its weight: BM25F with lengths measured against a usual skill's.
    pub(crate) fn finish(self) -> Vec<(u32, Weight)> {
        let ranking = ranking();
        let mut factors = [0.0_f32; 5];
        for ((factor, length), field) in factors.iter_mut().zip(self.lengths).zip(&ranking.fields) {
            #[allow(clippy::cast_precision_loss)] // far below what is exact
            let relative = length as f32 / field.usual_length;
            *factor = field.weight / (1.0 - field.length_matters + field.length_matters * relative);
        }
        let mut terms: Vec<_> = self
            .counts
            .into_iter()
            .map(|(term, counts)| {
                let count: f32 =
                    counts.iter().zip(factors).map(|(&count, factor)| f32::from(count) * factor).sum();
                let fields = Field::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0);
                let fields = fields.fold(0, |fields, (field, _)| fields | field.bit());
                (term, Weight::new(count / (count + ranking.saturation), fields))
            })
            .collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        terms
    }
}
