//! An immutable snapshot of a bundle.

use crate::{AgentId, BundlePath, Digest, SkillId, Timestamp, UserId};

/// A revision's number: 1, 2, 3 … inside one skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RevisionNumber(u32);

impl RevisionNumber {
    /// The first revision.
    pub const FIRST: Self = Self(1);

    /// Wraps a number; zero is none.
    pub fn new(number: u32) -> Option<Self> {
        (number > 0).then_some(Self(number))
    }

    /// The bare number.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The one after.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl std::fmt::Display for RevisionNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A semantic version that a person gave a revision, such as `1.2.0` or `2.0.0-beta.1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Label(String);

/// Text that is not a semantic version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a semantic version (expected for example `1.2.0`)")]
pub struct LabelError(String);

impl Label {
    /// Reads a semantic version 2.0.0.
    pub fn parse(text: &str) -> Result<Self, LabelError> {
        let error = || LabelError(text.chars().take(64).collect());
        if text.len() > 64 {
            return Err(error());
        }
        let (rest, build) = text.split_once('+').map_or((text, None), |(rest, build)| (rest, Some(build)));
        let (core, pre) = rest.split_once('-').map_or((rest, None), |(core, pre)| (core, Some(pre)));
        let number = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_digit())
                && (part == "0" || !part.starts_with('0'))
        };
        let word =
            |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let core_fits = core.split('.').count() == 3 && core.split('.').all(number);
        let pre_fits = pre.is_none_or(|pre| {
            pre.split('.')
                .all(|part| word(part) && (number(part) || !part.bytes().all(|b| b.is_ascii_digit())))
        });
        let build_fits = build.is_none_or(|build| build.split('.').all(word));
        if core_fits && pre_fits && build_fits { Ok(Self(text.to_owned())) } else { Err(error()) }
    }

    /// The version as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// One file of a revision: where it stands and which bytes it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEntry {
    /// Its path in the bundle.
    pub path: BundlePath,
    /// The digest of its bytes, under which they are stored once.
    pub digest: Digest,
    /// How many bytes.
    pub size: u64,
    /// Whether the owner may execute it.
    pub executable: bool,
}

/// An immutable snapshot of a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The skill it belongs to.
    pub skill: SkillId,
    /// Its number.
    pub number: RevisionNumber,
    /// The canonical digest of its files.
    pub digest: Digest,
    /// A semantic version, if someone gave one.
    pub label: Option<Label>,
    /// Who made it.
    pub author: UserId,
    /// Through which agent.
    pub agent: Option<AgentId>,
    /// Why.
    pub message: String,
    /// When.
    pub created_at: Timestamp,
    /// When it was let in: when the skill was active with it for the first time. Without that it never runs.
    pub approved_at: Option<Timestamp>,
    /// How many files it has.
    pub file_count: u32,
    /// How many bytes they have together.
    pub size: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_semantic_versions() {
        for good in
            ["0.0.0", "1.2.3", "10.20.30", "1.0.0-alpha.1", "1.0.0-0a", "1.0.0+build.01", "1.0.0-x-y+z"]
        {
            assert!(Label::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.x", "v1.2.3", "1.2.3+", "1.2.3-é",
        ] {
            assert!(Label::parse(bad).is_err(), "{bad}");
        }
    }
}
