//! How much each field may hold; the schema and both readers use the same numbers.

/// The longest text taken from a field of `SKILL.md`, in characters; more than any real one by far.
pub(crate) const TEXT: usize = 16_384;
/// The longest title, in characters.
pub(crate) const TITLE: usize = 255;
/// The longest icon name.
pub(crate) const ICON: usize = 255;
/// The longest name of a skill, a function, a parameter or a profile.
pub(crate) const NAME: usize = 64;
/// The longest expression, description or planning text.
pub(crate) const PROSE: usize = 8000;
/// The most parameters of a procedure, and validators of a policy.
pub(crate) const PARTS: usize = 64;

/// The bounds of a list of texts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    /// The most items.
    pub count: usize,
    /// The longest item, in characters.
    pub item: usize,
    /// Whether `SKILL.md` may write it as one text with commas.
    pub commas: bool,
}

/// Tags.
pub(crate) const TAGS: List = List { count: 50, item: 64, commas: true };
/// Example prompts.
pub(crate) const PROMPTS: List = List { count: 100, item: 2000, commas: false };
/// Names of tools.
pub(crate) const TOOLS: List = List { count: 500, item: 200, commas: true };
/// Hosts a procedure needs to reach.
pub(crate) const HOSTS: List = List { count: 100, item: model::HostPattern::MAX, commas: false };
/// Keywords, path prefixes and hosts.
pub(crate) const WORDS: List = List { count: 500, item: 500, commas: false };
