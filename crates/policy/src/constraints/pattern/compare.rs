//! How entries of lists stand to each other: which is within another, and which may meet.
//!
//! *Covers* is said only when it is certain, *may meet* is denied only when it is certain that nothing is in both.

use std::cell::OnceCell;
use std::sync::Arc;

use super::super::checks::hosts;
use super::{Calls, Glob, Pattern, SHELLS, ToolSet, server, speaks_for_others};

/// What hosts call the same tool: a call may have any of these names as its alias.
const SAME_TOOLS: [&[&str]; 9] = [
    &SHELLS,
    &["Edit", "MultiEdit", "edit", "replace"],
    &["Glob", "glob"],
    &["Grep", "grep", "grep_search", "search_file_content"],
    &["LS", "list", "list_directory"],
    &["Read", "read", "read_file"],
    &["WebFetch", "web_fetch", "webfetch"],
    &["WebSearch", "google_web_search", "web_search", "websearch"],
    &["Write", "write", "write_file"],
];

/// An entry of a set that others are asked about, read when that is needed.
pub(in super::super) struct Read<'t> {
    pub(in super::super) text: &'t str,
    pattern: OnceCell<Option<Pattern>>,
}

impl<'t> Read<'t> {
    pub(in super::super) fn new(text: &'t str) -> Self {
        Self { text, pattern: OnceCell::new() }
    }

    fn pattern(&self) -> Option<&Pattern> {
        self.pattern.get_or_init(|| Pattern::parse(self.text).ok()).as_ref()
    }
}

impl ToolSet {
    /// Whether everything that an entry of another set stands for is in it, as far as texts tell.
    pub(in super::super) fn covers(&self, text: &str) -> bool {
        self.covering(text).is_some()
    }

    /// The entry that covers this one, if there is one.
    pub(in super::super) fn covering(&self, text: &str) -> Option<&str> {
        self.covering_read(&Read::new(text))
    }

    /// The entry that covers this one, if there is one and both are in blacklists.
    pub(in super::super) fn forbidding(&self, text: &str) -> Option<&str> {
        let is_as_wide = |rule: &&str| *rule == "*" || !speaks_for_others(text) || speaks_for_others(rule);
        self.covering(text).filter(is_as_wide)
    }

    /// Whether an entry that many sets are asked about is covered.
    pub(in super::super) fn covers_read(&self, read: &Read<'_>) -> bool {
        self.covering_read(read).is_some()
    }

    fn covering_read(&self, read: &Read<'_>) -> Option<&str> {
        let text = read.text;
        if self.is_empty() {
            return None;
        }
        if let Some(same) = self.entry(text) {
            return Some(same);
        }
        if !text.contains(['*', '(']) && tools_of(text).is_none() {
            let takes = |pattern: &&Arc<Pattern>| pattern.calls.is_none() && pattern.name.matches(text);
            let of_server = server(text).and_then(|server| self.name(server));
            return of_server
                .or_else(|| self.patterns.iter().find(takes).map(|pattern| pattern.text.as_str()));
        }
        let entry = read.pattern()?;
        let name = entry.name.text();
        if let Some(known) = self.name(&name).or_else(|| server(&name).and_then(|server| self.name(server))) {
            return Some(known);
        }
        let below = entry.below();
        let covers = |pattern: &&Arc<Pattern>| {
            pattern.covers(entry) && below.as_ref().is_none_or(|below| pattern.name.covers(below))
        };
        self.patterns.iter().find(covers).map(|pattern| pattern.text.as_str())
    }

    /// Whether some call may be in it and within an entry of another set, by one name of the tool or another.
    pub(in super::super) fn may_meet(&self, text: &str) -> bool {
        if self.entry(text).is_some() {
            return true;
        }
        let Ok(entry) = Pattern::parse(text) else { return false };
        let names = entry.all_names();
        if self.patterns.iter().any(|pattern| pattern.may_meet(&names, entry.calls.as_ref())) {
            return true;
        }
        names.iter().any(|name| {
            if name.is_plain() {
                return self.has_name(name.start());
            }
            self.names.iter().any(|known| {
                name.matches(known) || tools_of(known).is_some_and(|below| name.may_meet(&below))
            })
        })
    }

    fn entry(&self, text: &str) -> Option<&str> {
        let found = self.texts.binary_search_by(|known| known.as_str().cmp(text)).ok()?;
        self.texts.get(found).map(String::as_str)
    }

    fn name(&self, name: &str) -> Option<&str> {
        let found = self.names.binary_search_by(|known| known.as_ref().cmp(name)).ok()?;
        self.names.get(found).map(AsRef::as_ref)
    }

    /// How many entries it has that cannot be looked up.
    pub(in super::super) fn pattern_count(&self) -> usize {
        self.patterns.len()
    }
}

/// `mcp__github__*` of `mcp__github`: a server stands for its tools.
fn tools_of(name: &str) -> Option<Glob> {
    let server = name.strip_prefix("mcp__").filter(|server| !server.contains("__"))?;
    (!server.is_empty()).then(|| Glob::new(&format!("{name}__*")))
}

impl Pattern {
    /// The tools of the server it names.
    fn below(&self) -> Option<Glob> {
        if self.name.is_plain() && self.calls.is_none() { tools_of(&self.text) } else { None }
    }

    /// Everything that its tools may be called.
    fn all_names(&self) -> Vec<Glob> {
        let families = SAME_TOOLS.iter().filter(|family| family.iter().any(|name| self.name.matches(name)));
        let others = families.flat_map(|family| family.iter()).filter(|name| !self.name.matches(name));
        std::iter::once(self.name.clone())
            .chain(self.below())
            .chain(others.map(|name| Glob::new(name)))
            .collect()
    }

    fn covers(&self, other: &Self) -> bool {
        self.name.covers(&other.name)
            && match (&self.calls, &other.calls) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(one), Some(other)) => one.covers(other),
            }
    }

    fn may_meet(&self, names: &[Glob], calls: Option<&Calls>) -> bool {
        names.iter().any(|name| self.name.may_meet(name))
            && match (&self.calls, calls) {
                (Some(one), Some(other)) => one.may_meet(other),
                _ => true,
            }
    }
}

impl Calls {
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command(one), Self::Command(other)) => one.covers(other),
            (Self::File(one), Self::File(other)) => one.covers(other),
            (Self::Domain(one), Self::Domain(other)) => hosts::covers(one, other),
            (Self::Argument { name, value }, Self::Argument { name: other, value: given }) => {
                name == other && value.covers(given)
            }
            _ => false,
        }
    }

    fn may_meet(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Command(one), Self::Command(other)) => one.may_meet(other),
            (Self::File(one), Self::File(other)) => one.may_meet(other),
            (Self::Domain(one), Self::Domain(other)) => {
                hosts::covers(one, other) || hosts::covers(other, one)
            }
            (Self::Argument { name, value }, Self::Argument { name: other, value: given }) => {
                name != other || value.may_meet(given)
            }
            _ => true,
        }
    }
}
