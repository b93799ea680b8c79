//! Vectors as small numbers, and the product of one with many.

use std::sync::{Mutex, OnceLock, PoisonError};

/// More than any model has; up to here no product of two vectors overflows.
const MOST_DIMENSIONS: usize = 65_536;

/// A unit vector in steps of one byte.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    steps: Vec<i8>,
    scale: f32,
}

impl Vector {
    /// The direction of these numbers; `None` when they have none.
    pub fn new(numbers: &[f32]) -> Option<Self> {
        if numbers.len() > MOST_DIMENSIONS {
            return None;
        }
        let length = numbers.iter().map(|number| number * number).sum::<f32>().sqrt();
        let greatest = numbers.iter().fold(0.0_f32, |greatest, number| greatest.max(number.abs()));
        if !length.is_finite() || greatest <= 0.0 {
            return None;
        }
        let step = greatest / 127.0;
        #[allow(clippy::cast_possible_truncation)] // between -127 and 127 by construction
        let steps: Vec<i8> = numbers.iter().map(|number| (number / step).round() as i8).collect();
        let squares: i32 = steps.iter().map(|&step| i32::from(step) * i32::from(step)).sum();
        Some(Self { scale: 1.0 / as_number(squares).sqrt(), steps })
    }

    /// How many dimensions it has.
    pub fn dimensions(&self) -> usize {
        self.steps.len()
    }

    /// The cosine with another; 0 when their dimensions differ.
    pub fn cosine(&self, other: &Self) -> f32 {
        if self.dimensions() != other.dimensions() {
            return 0.0;
        }
        as_number(dot(&self.steps, &other.steps)) * self.scale * other.scale
    }

    /// As numbers of a vector of length 1.
    pub fn numbers(&self) -> Vec<f32> {
        self.steps.iter().map(|&step| f32::from(step) * self.scale).collect()
    }

    /// As bytes, for a store.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.steps.iter().map(|step| step.cast_unsigned()).collect()
    }

    /// From the bytes of [`Vector::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let numbers: Vec<f32> = bytes.iter().map(|byte| f32::from(byte.cast_signed())).collect();
        Self::new(&numbers)
    }
}

/// Many vectors of the same dimensions, one behind the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    steps: Vec<i8>,
    scales: Vec<f32>,
}

impl Rows {
    pub(crate) fn push(&mut self, vector: &Vector) {
        self.steps.extend_from_slice(&vector.steps);
        self.scales.push(vector.scale);
    }

    /// Adds a row that has no direction: its cosine with anything is 0.
    pub(crate) fn push_nothing(&mut self, dimensions: usize) {
        self.steps.resize(self.steps.len() + dimensions, 0);
        self.scales.push(0.0);
    }

    /// Replaces a row.
    pub(crate) fn set(&mut self, place: usize, vector: &Vector) {
        let dimensions = vector.dimensions();
        let steps = self.steps.get_mut(place * dimensions..(place + 1) * dimensions);
        if let (Some(steps), Some(scale)) = (steps, self.scales.get_mut(place)) {
            steps.copy_from_slice(&vector.steps);
            *scale = vector.scale;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.steps.capacity() + self.scales.capacity() * size_of::<f32>()
    }

    /// How many dimensions they have; `None` while there are none.
    pub(crate) fn dimensions(&self) -> Option<usize> {
        self.steps.len().checked_div(self.len())
    }

    /// One of them, if it has a direction.
    pub(crate) fn get(&self, place: usize) -> Option<Vector> {
        let dimensions = self.dimensions()?;
        let steps = self.steps.get(place * dimensions..(place + 1) * dimensions)?;
        let scale = *self.scales.get(place)?;
        (scale > 0.0).then(|| Vector { steps: steps.to_vec(), scale })
    }

    /// The cosine of each with a vector, in order, into `cosines`.
    pub(crate) fn cosines(&self, with: &Vector, cosines: &mut Vec<f32>) {
        cosines.clear();
        cosines.resize(self.len(), 0.0);
        let dimensions = with.dimensions();
        if self.dimensions() != Some(dimensions) {
            return;
        }
        if self.len() < MANY {
            products(with, &self.steps, &self.scales, cosines);
            return;
        }
        let parts = self.steps.chunks(PART * dimensions).zip(self.scales.chunks(PART));
        let parts: Vec<_> = parts.zip(cosines.chunks_mut(PART)).map(|part| Mutex::new(Some(part))).collect();
        share(with, &parts);
    }
}

/// From so many vectors on it pays to share the work among processors.
const MANY: usize = 50_000;
/// How many vectors are taken at a time.
const PART: usize = 8_192;

/// Rows, their scales, and where their cosines go; nothing once somebody took them.
type Part<'a> = Mutex<Option<((&'a [i8], &'a [f32]), &'a mut [f32])>>;

/// Does the parts on several processors, unless another search does so at the moment.
fn share(with: &Vector, parts: &[Part<'_>]) {
    static SHARING: Mutex<()> = Mutex::new(());
    let work = || {
        for part in parts {
            let taken = part.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(((steps, scales), cosines)) = taken {
                products(with, steps, scales, cosines);
            }
        }
    };
    let turn = SHARING.try_lock();
    let helpers = if turn.is_ok() { threads() - 1 } else { 0 };
    std::thread::scope(|scope| {
        for _ in 0..helpers {
            // Where no thread can be had, this one does it all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
}

fn threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from).min(4))
}

#[allow(clippy::cast_precision_loss)] // at most 127 * 127 * dimensions, which is exact enough for a cosine
fn as_number(sum: i32) -> f32 {
    sum as f32
}

#[inline]
fn dot(left: &[i8], right: &[i8]) -> i32 {
    left.iter().zip(right).map(|(&left, &right)| i32::from(left) * i32::from(right)).sum()
}

#[inline(always)]
#[allow(clippy::inline_always)] // so that each caller compiles it for its own instructions
fn all_products(with: &Vector, rows: &[i8], scales: &[f32], cosines: &mut [f32]) {
    let sums = rows.chunks_exact(with.steps.len()).map(|row| dot(&with.steps, row));
    for ((cosine, sum), scale) in cosines.iter_mut().zip(sums).zip(scales) {
        *cosine = as_number(sum) * scale * with.scale;
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Vector, all_products};

    #[target_feature(enable = "avx2")]
    pub(super) fn with_avx2(with: &Vector, rows: &[i8], scales: &[f32], cosines: &mut [f32]) {
        all_products(with, rows, scales, cosines);
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) fn with_avx512(with: &Vector, rows: &[i8], scales: &[f32], cosines: &mut [f32]) {
        all_products(with, rows, scales, cosines);
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn products(with: &Vector, rows: &[i8], scales: &[f32], cosines: &mut [f32]) {
    let has_avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    if has_avx512 {
        // SAFETY: the processor has the instructions.
        unsafe { wide::with_avx512(with, rows, scales, cosines) }
    } else if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has the instructions.
        unsafe { wide::with_avx2(with, rows, scales, cosines) }
    } else {
        all_products(with, rows, scales, cosines);
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn products(with: &Vector, rows: &[i8], scales: &[f32], cosines: &mut [f32]) {
    all_products(with, rows, scales, cosines);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(seed: u32) -> Vector {
        let number = |place: u32| u16::try_from((place * 37 + seed * 101) % 89).unwrap();
        let numbers: Vec<f32> = (0..256).map(|place| f32::from(number(place)) - 44.0).collect();
        Vector::new(&numbers).unwrap()
    }

    #[test]
    fn every_way_to_multiply_gives_the_same() {
        let mut rows = Rows::default();
        (0..50).for_each(|seed| rows.push(&vector(seed)));
        let mut cosines = Vec::new();
        rows.cosines(&vector(3), &mut cosines);
        for (place, cosine) in cosines.iter().enumerate() {
            let one = rows.get(place).unwrap();
            assert!((cosine - one.cosine(&vector(3))).abs() < f32::EPSILON);
        }
        assert!((cosines[3] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        assert_eq!(Vector::new(&[0.0; 4]), None);
        assert_eq!(Vector::new(&[f32::NAN, 1.0]), None);
        assert_eq!(Vector::new(&[]), None);
    }

    #[test]
    fn bytes_and_back_keep_the_direction() {
        let there = vector(7);
        let back = Vector::from_bytes(&there.to_bytes()).unwrap();
        assert!((there.cosine(&back) - 1.0).abs() < 1e-3);
    }
}
