//! Patterns over files: `//abs/**`, `~/home/*`, `/project/**`, `here/*.md`, `.env`.
//!
//! They are read as in a `.gitignore`: `*` is any text within a name, `?` any character, `**` any folders; a folder
//! stands for all that is in it; a pattern without a slash is found at any depth. `//` begins at the top of the file
//! system, `~/` at the home folder, `/` at the project's folder, all others at the folder the tool works in. Hosts give
//! these folders in the context (`home`, `project_dir`, `cwd`); where one is missing, what depends on it is unclear.

use serde_json::Value;

use super::super::members::{Common, Members};
use super::super::place::{Bases, Place, Readings, Root, is_path_name};
use super::super::{Attempt, ToolCall};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    Top,
    Home,
    Project,
    Here,
    Anywhere,
}

/// A pattern over files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePattern {
    base: Base,
    parts: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    Yes,
    No,
    Unclear,
}

impl FilePattern {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.starts_with('!') || text.contains(['[', ']', '{', '}', '\\']) {
            return Err("of a file pattern only `*`, `**` and `?` are special".to_owned());
        }
        let (base, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Base::Top, rest)
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Base::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (Base::Project, rest)
        } else if let Some(rest) = text.strip_prefix("./") {
            (Base::Here, rest)
        } else if text.trim_end_matches('/').contains('/') {
            (Base::Here, text)
        } else {
            (Base::Anywhere, text)
        };
        let parts: Vec<String> =
            rest.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        if parts.iter().any(|part| part == "..") {
            return Err("a file pattern cannot climb with `..`".to_owned());
        }
        Ok(Self { base, parts })
    }

    /// Whether every file within another pattern is within this one, as far as can be seen.
    pub(super) fn covers(&self, other: &Self) -> bool {
        let skips = if self.base == Base::Anywhere { other.parts.len() } else { 0 };
        let fits = |skip| self.fits_by(other.parts.get(skip..).unwrap_or_default(), covers_name);
        (self.base == other.base || self.base == Base::Anywhere && other.base == Base::Here)
            && (0..=skips).any(fits)
    }

    /// Whether some file may be within both: not when they begin at the same folder and go into different ones.
    pub(super) fn may_meet(&self, other: &Self) -> bool {
        let is_plain = |part: &str| !part.contains(['*', '?']);
        self.base != other.base
            || self.base == Base::Anywhere
            || self
                .parts
                .iter()
                .zip(&other.parts)
                .take_while(|(one, two)| is_plain(one) && is_plain(two))
                .all(|(one, two)| one == two)
    }

    /// The folder it begins at.
    fn folder<'b>(&self, bases: &'b Bases) -> (Root, &'b [String]) {
        let (known, root) = match self.base {
            Base::Top => (None, Root::Top),
            Base::Home => (bases.home.as_ref(), Root::Home),
            Base::Project => (bases.project.as_ref(), Root::Here),
            Base::Here | Base::Anywhere => (bases.cwd.as_ref(), Root::Here),
        };
        known.map_or((root, &[]), |place| (place.root, &place.parts))
    }

    /// Whether what it names lies in this folder. A name at any depth is left out: every folder may hold it.
    pub(super) fn lies_below(&self, place: &Place, bases: &Bases) -> bool {
        let (root, folder) = self.folder(bases);
        let plain = self.parts.iter().take_while(|part| !part.contains(['*', '?']));
        let mut names = folder.iter().chain(plain);
        self.base != Base::Anywhere
            && root == place.root
            && place.parts.iter().all(|part| names.next() == Some(part))
    }

    pub(super) fn matches(&self, place: &Place, bases: &Bases) -> Match {
        let (root, folder) = self.folder(bases);
        if let Some(below) = place.parts.strip_prefix(folder).filter(|_| root == place.root) {
            let found = if self.base == Base::Anywhere {
                (0..=below.len()).any(|skip| self.fits(below.get(skip..).unwrap_or_default()))
            } else {
                self.fits(below)
            };
            return if found { Match::Yes } else { Match::No };
        }
        let known = |root: Root| matches!(root, Root::Top | Root::Drive(_));
        if self.base != Base::Anywhere && known(root) && known(place.root) {
            return Match::No;
        }
        // One of the two begins at a folder that is not known: they may meet wherever the pattern fits the path's end.
        let meets = self.parts.first().is_some_and(|part| part == "**")
            || !known(place.root)
            || (0..=place.parts.len()).any(|skip| self.fits(place.parts.get(skip..).unwrap_or_default()));
        if meets { Match::Unclear } else { Match::No }
    }

    /// Whether some path of a call may be in it.
    pub(super) fn touches(&self, attempt: &Attempt<'_>) -> bool {
        let bases = attempt.bases();
        let searches = attempt.names().any(|name| SEARCHES.contains(&name));
        let touches_place = |place: &Place| {
            self.matches(place, bases) != Match::No || (searches && self.lies_below(place, bases))
        };
        attempt.paths().is_none_or(|paths| {
            paths
                .iter()
                .any(|readings| readings.as_ref().map_or(true, |places| places.iter().any(touches_place)))
        })
    }

    /// Whether the path, or a folder it lies in, fits the pattern.
    fn fits(&self, path: &[String]) -> bool {
        self.fits_by(path, fits_name)
    }

    fn fits_by(&self, path: &[String], fits_name: fn(&str, &str) -> bool) -> bool {
        if path.is_empty() && !self.parts.iter().all(|part| part == "**") {
            return false;
        }
        // Row by row as for any glob: `reached[n]` says whether the pattern so far takes the first n names.
        let mut reached = vec![false; path.len() + 1];
        if let Some(start) = reached.first_mut() {
            *start = true;
        }
        for part in &self.parts {
            let mut next = vec![false; path.len() + 1];
            let mut open = false;
            for (index, slot) in next.iter_mut().enumerate() {
                let here = reached.get(index).copied().unwrap_or_default();
                if part == "**" {
                    open |= here;
                    *slot = open;
                } else if let Some(before) = index.checked_sub(1) {
                    *slot = reached.get(before).copied().unwrap_or_default()
                        && path.get(before).is_some_and(|name| fits_name(part, name));
                }
            }
            reached = next;
        }
        reached.contains(&true)
    }
}

/// Whether a part of a pattern takes whatever the part of another stands for: `**` is any number of names, and a star any
/// number of letters.
fn covers_name(part: &str, other: &str) -> bool {
    other != "**" && !(part.contains('?') && other.contains('*')) && fits_name(part, other)
}

/// `*` and `?` within a name.
fn fits_name(pattern: &str, name: &str) -> bool {
    if !pattern.contains(['*', '?']) {
        return pattern == name;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let mut reached = vec![false; pattern.len() + 1];
    let spread = |reached: &mut Vec<bool>| {
        for index in 0..pattern.len() {
            if pattern.get(index) == Some(&'*')
                && reached.get(index) == Some(&true)
                && let Some(next) = reached.get_mut(index + 1)
            {
                *next = true;
            }
        }
    };
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    spread(&mut reached);
    for letter in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (index, wanted) in pattern.iter().enumerate() {
            if reached.get(index) != Some(&true) {
                continue;
            }
            let target = match wanted {
                '*' => index,
                '?' => index + 1,
                wanted if *wanted == letter => index + 1,
                _ => continue,
            };
            if let Some(slot) = next.get_mut(target) {
                *slot = true;
            }
        }
        reached = next;
        spread(&mut reached);
    }
    reached.last() == Some(&true)
}

/// What each path of a call may mean; without one a tool works on the folder it is in. `None` where there is something
/// that is no path.
pub(in super::super) fn paths(call: ToolCall<'_>, bases: &Bases) -> Option<Vec<Readings>> {
    let arguments = call.arguments.as_object()?;
    let searches = call.names().any(|name| name.eq_ignore_ascii_case("glob"));
    let mut found = Vec::new();
    for (name, value) in arguments {
        if is_path_name(name) || (searches && name == "pattern") {
            match value {
                // What a search for alternatives finds cannot be read off its text.
                Value::String(text) if searches && text.contains(['{', '[']) => return None,
                Value::String(text) => found.push(Place::readings(text, bases)),
                Value::Null => {}
                Value::Array(items) => {
                    for item in items {
                        found.push(Place::readings(item.as_str()?, bases));
                    }
                }
                _ => return None,
            }
        }
    }
    if found.is_empty() {
        found.push(Place::readings(".", bases));
    }
    Some(found)
}

/// Who has patterns that every path of a call is in for certain, however it is read.
pub(super) fn admitting(patterns: &[(&FilePattern, &[u32])], attempt: &Attempt<'_>) -> Members {
    let mut all = Common::default();
    for readings in attempt.paths().unwrap_or_default() {
        let Ok(places) = readings else { return Members::default() };
        for place in places {
            let mut members = Members::default();
            for (pattern, holders) in patterns {
                if pattern.matches(place, attempt.bases()) == Match::Yes {
                    members.add_all(holders);
                }
            }
            if !all.keep(members) {
                return Members::default();
            }
        }
    }
    all.members()
}

/// Tools that read all that lies below the folder they are given.
pub(super) const SEARCHES: [&str; 6] = ["Glob", "Grep", "glob", "grep", "grep_search", "search_file_content"];
