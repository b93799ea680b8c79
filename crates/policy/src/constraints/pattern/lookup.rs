//! Many sets of tools asked at once: who has a call?
//!
//! Every entry is kept once, with the numbers of all sets that have it. Names are looked up; a pattern is compared with a
//! call only when it is about its tool, and once, however many sets have it.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::members::Members;
use super::super::{Attempt, checks::hosts};
use super::{Calls, Pattern, ToolSet, commands, files, scalar, server, speaking_for};

/// Sets of tools, by number.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Lookup {
    names: HashMap<Arc<str>, Vec<u32>>,
    /// Patterns over calls of one tool, by its name.
    of_tool: HashMap<Box<str>, Vec<Entry>>,
    /// Patterns with a star in the name.
    starred: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    pattern: Arc<Pattern>,
    /// The sets it is in, ascending.
    holders: Vec<u32>,
}

impl Lookup {
    /// These sets; the numbers are to ascend.
    pub(in super::super) fn of<'s>(sets: impl IntoIterator<Item = (u32, &'s ToolSet)>) -> Self {
        let mut lookup = Self::default();
        let mut patterns: Vec<Entry> = Vec::new();
        let mut known: HashMap<&'s str, usize> = HashMap::new();
        for (number, set) in sets {
            for name in &set.names {
                lookup.names.entry(Arc::clone(name)).or_default().push(number);
            }
            for pattern in &set.patterns {
                let place = *known.entry(pattern.text.as_str()).or_insert(patterns.len());
                match patterns.get_mut(place) {
                    Some(entry) => entry.holders.push(number),
                    None => patterns.push(Entry { pattern: Arc::clone(pattern), holders: vec![number] }),
                }
            }
        }
        for entry in patterns {
            if entry.pattern.name.is_plain() {
                let name = entry.pattern.name.start();
                match lookup.of_tool.get_mut(name) {
                    Some(entries) => entries.push(entry),
                    None => drop(lookup.of_tool.insert(name.into(), vec![entry])),
                }
            } else {
                lookup.starred.push(entry);
            }
        }
        lookup
    }

    /// The sets that have every call of this tool.
    pub(in super::super) fn having_tool(&self, tool: &str) -> Members {
        let names = std::iter::once(tool);
        let mut members = self.naming(names.clone());
        for entry in self.about(names).filter(|entry| entry.pattern.calls.is_none()) {
            members.add_all(&entry.holders);
        }
        members
    }

    /// The sets that may have some call of this tool.
    pub(in super::super) fn may_have_tool(&self, tool: &str) -> Members {
        let names = std::iter::once(tool);
        let mut members = self.naming(names.clone());
        for entry in self.about(names) {
            members.add_all(&entry.holders);
        }
        members
    }

    /// The sets that have one of these names, or the server it belongs to.
    fn naming<'n>(&self, names: impl Iterator<Item = &'n str>) -> Members {
        let mut members = Members::default();
        for name in names.flat_map(|name| std::iter::once(name).chain(server(name))) {
            if let Some(holders) = self.names.get(name) {
                members.add_all(holders);
            }
        }
        members
    }

    /// The patterns that are about a tool with one of these names.
    fn about<'n>(&self, names: impl Iterator<Item = &'n str> + Clone) -> impl Iterator<Item = &Entry> {
        let of_tool = names.clone().filter_map(|name| self.of_tool.get(name)).flatten();
        let is_named = move |entry: &&Entry| names.clone().any(|name| entry.pattern.name.matches(name));
        of_tool.chain(self.starred.iter().filter(is_named))
    }

    /// The sets that a call may be in, as blacklists.
    pub(in super::super) fn touched(&self, attempt: &Attempt<'_>) -> Members {
        let mut members = self.naming(attempt.names());
        let speaking = speaking_for(attempt.names()).filter_map(|name| self.of_tool.get(name)).flatten();
        for entry in self.about(attempt.names()).chain(speaking) {
            let touches = || entry.pattern.calls.as_ref().is_none_or(|calls| calls.touches(attempt));
            if !members.has_all(&entry.holders) && touches() {
                members.add_all(&entry.holders);
            }
        }
        members
    }

    /// The sets that a call is in for certain. Several patterns of a set may admit a call together.
    pub(in super::super) fn admitting(&self, attempt: &Attempt<'_>) -> Members {
        let mut members = self.naming(attempt.names());
        let mut commands = Vec::new();
        let mut files = Vec::new();
        let mut domains = Vec::new();
        for entry in self.about(attempt.names()) {
            let holders = entry.holders.as_slice();
            if members.has_all(holders) {
                continue;
            }
            match &entry.pattern.calls {
                Some(Calls::Command(pattern)) => commands.push((pattern, holders)),
                Some(Calls::File(pattern)) => files.push((pattern, holders)),
                Some(Calls::Domain(host)) => domains.push((host, holders)),
                Some(Calls::Argument { name, value }) => {
                    let given = attempt.arguments().get(name).and_then(scalar);
                    if given.is_some_and(|given| value.matches(&given)) {
                        members.add_all(holders);
                    }
                }
                None => members.add_all(holders),
            }
        }
        if !commands.is_empty() {
            members.join(&commands::admitting(&commands, attempt.commands()));
        }
        if !files.is_empty() {
            members.join(&files::admitting(&files, attempt));
        }
        if !domains.is_empty() {
            members.join(&hosts::admitting(&domains, attempt.targets()));
        }
        members
    }
}
