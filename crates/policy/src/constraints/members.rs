//! Sets of policies, by their place among the active ones.

/// How many fit in a word.
const WORD: u32 = u64::BITS;

/// A set of small numbers. The first [`WORD`] of them take no memory of their own.
#[derive(Debug, Clone, Default)]
pub(super) struct Members {
    first: u64,
    /// Those that come after, as far as the last that is in it.
    rest: Vec<u64>,
}

impl Members {
    pub(super) fn add(&mut self, number: u32) {
        let (word, bit) = place(number);
        let Some(word) = word.checked_sub(1) else {
            self.first |= bit;
            return;
        };
        if self.rest.len() <= word {
            self.rest.resize(word + 1, 0);
        }
        if let Some(slot) = self.rest.get_mut(word) {
            *slot |= bit;
        }
    }

    pub(super) fn add_all(&mut self, numbers: &[u32]) {
        for number in numbers {
            self.add(*number);
        }
    }

    pub(super) fn has(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        let word = word.checked_sub(1).map_or(Some(&self.first), |word| self.rest.get(word));
        word.is_some_and(|word| word & bit != 0)
    }

    pub(super) fn has_all(&self, numbers: &[u32]) -> bool {
        numbers.iter().all(|number| self.has(*number))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first == 0 && self.rest.iter().all(|word| *word == 0)
    }

    /// With all of another set.
    pub(super) fn join(&mut self, other: &Self) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, other)| *word |= other);
    }

    /// Without what is not in another set.
    pub(super) fn keep(&mut self, other: &Self) {
        self.first &= other.first;
        self.rest.truncate(other.rest.len());
        self.rest.iter_mut().zip(&other.rest).for_each(|(word, other)| *word &= other);
    }
}

/// The number of a word, and the bit in it.
fn place(number: u32) -> (usize, u64) {
    (usize::try_from(number / WORD).unwrap_or(usize::MAX), 1 << (number % WORD))
}

/// What is in all of some sets.
#[derive(Debug, Default)]
pub(super) struct Common(Option<Members>);

impl Common {
    /// Whether something may still be in all of them.
    pub(super) fn keep(&mut self, members: Members) -> bool {
        match &mut self.0 {
            Some(common) => common.keep(&members),
            none => *none = Some(members),
        }
        self.0.as_ref().is_some_and(|common| !common.is_empty())
    }

    /// What is in all; nothing where there was no set.
    pub(super) fn members(self) -> Members {
        self.0.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: &[u32]) -> Members {
        let mut members = Members::default();
        members.add_all(numbers);
        members
    }

    fn listed(members: &Members) -> Vec<u32> {
        (0..1000).filter(|number| members.has(*number)).collect()
    }

    #[test]
    fn a_set_has_what_was_added() {
        for numbers in [vec![], vec![0], vec![63], vec![64], vec![1, 64, 127, 128, 999]] {
            let members = of(&numbers);
            assert_eq!(listed(&members), numbers);
            assert_eq!(members.is_empty(), numbers.is_empty());
            assert!(members.has_all(&numbers) && !members.has_all(&[5]));
        }
    }

    #[test]
    fn sets_are_put_together_whatever_their_length() {
        let (short, long) = (of(&[1, 2, 70]), of(&[2, 3, 70, 500]));
        for (one, other) in [(&short, &long), (&long, &short)] {
            let (mut both, mut common) = (one.clone(), one.clone());
            both.join(other);
            common.keep(other);
            assert_eq!(listed(&both), [1, 2, 3, 70, 500]);
            assert_eq!(listed(&common), [2, 70]);
        }
        let mut common = Common::default();
        assert!(common.keep(short) && !common.keep(of(&[3])));
        assert!(common.members().is_empty() && Common::default().members().is_empty());
    }
}
