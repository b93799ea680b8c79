//! The built-in embedding: a table from pieces of words to vectors. A text is the sum of its pieces.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::Vector;
use crate::words::each_word;

const TABLE: &[u8] = include_bytes!("../model/embedding.bin");
const VOCABULARY: &str = include_str!("../model/vocab.txt");
const MAGIC: &[u8] = b"RPTEMB01";

/// Words longer than this are not words.
const LONGEST_WORD: usize = 64;
/// A text counts up to here.
const MOST_PIECES: usize = 256;

/// Pieces of words and the vectors that stand for them.
struct Table {
    /// Pieces that start a word.
    starts: HashMap<&'static str, u32>,
    /// Pieces that go on with a word, without their `##`.
    ends: HashMap<&'static str, u32>,
    longest: usize,
    dimensions: usize,
    scales: Vec<f32>,
    rows: &'static [u8],
}

/// The table that the program carries.
fn table() -> &'static Table {
    static READ: OnceLock<Table> = OnceLock::new();
    READ.get_or_init(|| {
        #[allow(clippy::expect_used)] // the file is part of the program; a test reads it
        Table::read(TABLE, VOCABULARY).expect("the embedding table is sound")
    })
}

/// Reads the built-in table ahead of its first use.
pub fn warm_up() {
    table();
}

/// The direction of a text; `None` when nothing in it is known.
pub fn embed(text: &str) -> Option<Vector> {
    table().embed(text)
}

/// The numbers of the pieces of a text.
#[cfg(test)]
fn pieces(text: &str) -> Vec<u32> {
    let mut pieces = Vec::new();
    table().each_piece(text, |piece| pieces.push(piece));
    pieces
}

impl Table {
    fn read(file: &'static [u8], vocabulary: &'static str) -> Option<Self> {
        let rest = file.strip_prefix(MAGIC)?;
        let (count, rest) = rest.split_first_chunk::<4>()?;
        let (dimensions, rest) = rest.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok()?;
        let dimensions = usize::try_from(u32::from_le_bytes(*dimensions)).ok()?;
        let (scales, rows) = rest.split_at_checked(count * 4)?;
        let scales: Vec<f32> =
            scales.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let mut table = Self {
            starts: HashMap::with_capacity(count),
            ends: HashMap::new(),
            longest: 0,
            dimensions,
            scales,
            rows,
        };
        for (piece, number) in vocabulary.lines().zip(0_u32..) {
            let text = piece.strip_prefix("##").unwrap_or(piece);
            table.longest = table.longest.max(text.len());
            let places = if piece.len() == text.len() { &mut table.starts } else { &mut table.ends };
            places.insert(text, number);
        }
        let fits = rows.len() == count * dimensions && table.starts.len() + table.ends.len() == count;
        fits.then_some(table)
    }

    fn embed(&self, text: &str) -> Option<Vector> {
        let mut sum = vec![0.0_f32; self.dimensions];
        let mut left = MOST_PIECES;
        self.each_piece(text, |piece| {
            let place = piece as usize;
            let row = self.rows.get(place * self.dimensions..(place + 1) * self.dimensions);
            if let (Some(row), Some(scale), true) = (row, self.scales.get(place), left > 0) {
                left -= 1;
                for (sum, byte) in sum.iter_mut().zip(row) {
                    *sum += f32::from(byte.cast_signed()) * scale;
                }
            }
        });
        Vector::new(&sum)
    }

    fn each_piece(&self, text: &str, mut found: impl FnMut(u32)) {
        let mut pieces = Vec::new();
        each_word(text, |word| {
            pieces.clear();
            if word.chars().count() <= LONGEST_WORD && self.split(word, &mut pieces) {
                pieces.iter().copied().for_each(&mut found);
            }
        });
    }

    /// Takes the longest piece that fits, again and again; false when nothing fits somewhere.
    fn split(&self, word: &str, pieces: &mut Vec<u32>) -> bool {
        let mut rest = word;
        while !rest.is_empty() {
            let places = if rest.len() == word.len() { &self.starts } else { &self.ends };
            let longest = rest.len().min(self.longest);
            let piece = (1..=longest).rev().find_map(|length| {
                let piece = rest.get(..length)?;
                places.get(piece).map(|&number| (number, length))
            });
            let Some((number, length)) = piece else { return false };
            pieces.push(number);
            rest = rest.get(length..).unwrap_or_default();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_what_made_the_table() {
        let golden: Vec<serde_json::Value> =
            serde_json::from_str(include_str!("../model/golden.json")).unwrap();
        assert!(golden.len() > 30);
        for case in &golden {
            let text = case["text"].as_str().unwrap();
            let wanted: Vec<u64> =
                case["tokens"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect();
            let got: Vec<u64> = pieces(text).into_iter().take(MOST_PIECES).map(u64::from).collect();
            assert_eq!(got, wanted, "{text}");
            let first: Vec<f64> = case["first"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_f64)
                .collect();
            let vector = embed(text).map(|vector| vector.numbers()).unwrap_or_default();
            for (got, wanted) in vector.iter().zip(&first) {
                assert!((f64::from(*got) - wanted).abs() < 0.005, "{text}: {got} is not {wanted}");
            }
            assert_eq!(vector.is_empty(), first.is_empty(), "{text}");
        }
    }

    #[test]
    fn like_is_near_like() {
        let near = |a: &str, b: &str| embed(a).unwrap().cosine(&embed(b).unwrap());
        let like = near("compute compound interest", "calculate the interest on a loan");
        assert!(like > near("compute compound interest", "resize images") + 0.2);
    }

    #[test]
    fn what_nobody_knows_has_no_direction() {
        assert_eq!(embed(""), None);
        assert_eq!(embed("… — !"), None);
    }
}
