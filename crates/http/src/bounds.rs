//! The lengths and sizes of what a request may hold, checked while it is read, with the numbers its schema states.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// Something with a length.
pub(crate) trait Measured {
    /// How many characters or items; `None` when there is nothing to measure.
    fn measure(&self) -> Option<usize>;
}

impl Measured for String {
    fn measure(&self) -> Option<usize> {
        Some(self.chars().count())
    }
}

impl<T> Measured for Vec<T> {
    fn measure(&self) -> Option<usize> {
        Some(self.len())
    }
}

impl<T: Measured> Measured for Option<T> {
    fn measure(&self) -> Option<usize> {
        self.as_ref().and_then(T::measure)
    }
}

/// Reads a text or a list that is within its bounds.
pub(crate) fn within<'de, const MIN: usize, const MAX: usize, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + Measured,
    D: Deserializer<'de>,
{
    let value = T::deserialize(deserializer)?;
    match value.measure() {
        Some(length) if !(MIN..=MAX).contains(&length) => {
            Err(D::Error::custom(format_args!("length {length} is not between {MIN} and {MAX}")))
        }
        _ => Ok(value),
    }
}

/// Reads a number that is not greater than its bound.
pub(crate) fn at_most<'de, const MAX: u64, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(deserializer)?;
    if value > MAX {
        return Err(D::Error::custom(format_args!("{value} is greater than {MAX}")));
    }
    Ok(value)
}

/// Tells "left out" (keep) from `null` (remove), for something without bounds.
#[allow(clippy::option_option)] // three states: absent, null, given
pub(crate) fn nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Tells "left out" (keep) from `null` (remove), for something that is within its bounds.
#[allow(clippy::option_option)]
pub(crate) fn nullable_within<'de, const MIN: usize, const MAX: usize, T, D>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error>
where
    T: Deserialize<'de> + Measured,
    D: Deserializer<'de>,
{
    within::<MIN, MAX, Option<T>, D>(deserializer).map(Some)
}
