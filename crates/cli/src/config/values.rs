//! Values that several sections share the form of: yes or no, and whole numbers.

use super::sandbox_layer::Switch;
use super::sources::Number;
use super::{Layer, Setting, Source, pick_optional};
use crate::exit::{Failure, Outcome};

/// Yes or no, or the default.
pub(super) fn switch(
    layers: &[(Source, Layer)],
    name: &str,
    default: bool,
    of: impl Fn(&Layer) -> Option<Switch>,
) -> Outcome<Setting<bool>> {
    let said = pick_optional(layers, of);
    let value = match said.value {
        None => default,
        Some(Switch::Bool(on)) => on,
        Some(Switch::Text(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => true,
            "false" | "no" | "off" | "0" => false,
            _ => {
                let message = format!("`{name}` is `{text}`, which is neither true nor false");
                return Err(Failure::usage(message));
            }
        },
    };
    Ok(Setting { value, source: said.source })
}

/// A whole number that is not too small, or the default.
pub(super) fn count<T: TryFrom<u64>>(
    layers: &[(Source, Layer)],
    name: &str,
    (least, default): (u64, u64),
    of: impl Fn(&Layer) -> Option<Number>,
) -> Outcome<Setting<T>> {
    let said = pick_optional(layers, of);
    let number = match said.value {
        None => Some(default),
        Some(Number::Whole(number)) => Some(number),
        Some(Number::Text(text)) => text.trim().parse().ok(),
        Some(Number::Fraction(_)) => None,
    };
    let value = number.filter(|&number| number >= least && u32::try_from(number).is_ok());
    let value = value.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
        Failure::usage(format!("`{name}` is not a whole number from {least} to {}", u32::MAX))
    })?;
    Ok(Setting { value, source: said.source })
}
