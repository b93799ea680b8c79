//! What judging a call needs of the active policies, put together once: who says something about which tools.

use super::Active;
use super::pattern::Lookup;

/// The active policies by what they say. Numbers are places among them, ascending.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    /// Those whose constraints could not be had.
    pub(super) failed: Vec<u32>,
    pub(super) forbidden: Lookup,
    pub(super) allowed: Lookup,
    /// Those with a whitelist.
    pub(super) whitelists: Vec<u32>,
    /// Those with checks.
    pub(super) checked: Vec<u32>,
}

impl Index {
    pub(super) fn of(active: &[Active]) -> Self {
        let numbered = || (0..).zip(active);
        let those = |is: fn(&Active) -> bool| {
            numbered().filter(|(_, skill)| is(skill)).map(|(number, _)| number).collect()
        };
        let whitelists = numbered()
            .filter_map(|(number, skill)| Some((number, skill.constraints().allowed_tools.as_ref()?)));
        Self {
            failed: those(|skill| skill.failure.is_some()),
            forbidden: Lookup::of(
                numbered().map(|(number, skill)| (number, &skill.constraints().forbidden_tools)),
            ),
            allowed: Lookup::of(whitelists),
            whitelists: those(|skill| skill.constraints().allowed_tools.is_some()),
            checked: those(|skill| !skill.constraints().checks.is_empty()),
        }
    }
}
