//! Paths as text: what a path that a tool is given leads to, as far as can be said without a file system.
//!
//! A path may be read in several ways: as it stands, with its percent signs decoded, with look-alike characters put
//! in their plain form, as a `file:` URL, with backslashes as separators. [`Place::readings`] gives them all; who allows
//! must be content with each of them, who forbids with any. Links are not followed: nothing here looks at a disk.

use percent_encoding::percent_decode_str;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use super::Context;

/// The key of the context under which hosts give the folder a tool works in.
const CWD: &str = "cwd";
/// The key of the context under which hosts give the folder of the project.
const PROJECT: &str = "project_dir";
/// The key of the context under which hosts give the user's home folder.
const HOME: &str = "home";

/// How often a path may be percent-encoded over and over.
const MAX_DECODINGS: usize = 3;
/// The longest path, in bytes.
const MAX_PATH: usize = 16_384;

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// At `/`.
    Top,
    /// At a drive such as `C:`, in lower case.
    Drive(char),
    /// At the user's home folder, which is not known.
    Home,
    /// At the folder a tool works in, which is not known.
    Here,
}

/// A path without `.` and `..`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) parts: Vec<String>,
}

/// A path of which cannot be said where it leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unclear;

/// All that a path may mean.
pub(super) type Readings = Result<Vec<Place>, Unclear>;

/// The folders that relative paths begin at, as far as the context tells them.
#[derive(Debug, Clone, Default)]
pub(super) struct Bases {
    pub(super) cwd: Option<Place>,
    pub(super) project: Option<Place>,
    pub(super) home: Option<Place>,
}

impl Bases {
    pub(super) fn of(context: &Context) -> Self {
        let folder = |key| {
            let text = context.get(key).and_then(Value::as_str)?;
            let place = Place::read(&text.replace('\\', "/"), &Self::default()).ok()?;
            place.is_known().then_some(place)
        };
        let cwd = folder(CWD);
        let project = folder(PROJECT).or_else(|| cwd.clone());
        Self { cwd, project, home: folder(HOME) }
    }
}

impl Place {
    /// All that a path may mean.
    pub(super) fn readings(text: &str, bases: &Bases) -> Readings {
        if text.is_empty() || text.len() > MAX_PATH || text.chars().any(char::is_control) {
            return Err(Unclear);
        }
        if text.is_ascii() && !text.contains(['%', '\\']) {
            return Ok(vec![Self::read(text, bases)?]);
        }
        let mut texts = vec![text.to_owned()];
        for _ in 0..=MAX_DECODINGS {
            let Some(last) = texts.last().filter(|last| last.contains('%')) else { break };
            let decoded = percent_decode_str(last).decode_utf8().map_err(|_| Unclear)?.into_owned();
            if decoded == *last {
                break;
            }
            texts.push(decoded);
        }
        if texts.len() > MAX_DECODINGS + 1 || texts.iter().any(|text| text.chars().any(char::is_control)) {
            return Err(Unclear);
        }
        let plain: Vec<String> = texts.iter().map(|text| text.nfkc().collect()).collect();
        texts.extend(plain);
        let slashed: Vec<String> =
            texts.iter().filter(|text| text.contains('\\')).map(|text| text.replace('\\', "/")).collect();
        texts.extend(slashed);
        let mut places = Vec::new();
        for text in &texts {
            let place = Self::read(text, bases)?;
            if !places.contains(&place) {
                places.push(place);
            }
        }
        Ok(places)
    }

    /// Reads a path as it stands.
    pub(super) fn read(text: &str, bases: &Bases) -> Result<Self, Unclear> {
        let text = without_scheme(text)?;
        let (mut place, rest) = Self::begin(text, bases);
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => match (place.parts.pop(), &place.root) {
                    (Some(_), _) | (None, Root::Top | Root::Drive(_)) => {}
                    // Above a folder that is not known.
                    (None, Root::Home | Root::Here) => return Err(Unclear),
                },
                // Some systems take `.. ` or `...` for a folder above.
                _ if part.starts_with("..")
                    && part.chars().all(|character| matches!(character, '.' | ' ')) =>
                {
                    return Err(Unclear);
                }
                _ => place.parts.push(part.to_owned()),
            }
        }
        Ok(place)
    }

    fn begin<'t>(text: &'t str, bases: &Bases) -> (Self, &'t str) {
        let at = |root| Self { root, parts: Vec::new() };
        if let Some(rest) = text.strip_prefix('/') {
            return (at(Root::Top), rest);
        }
        if let Some(rest) = text.strip_prefix('~')
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return (bases.home.clone().unwrap_or(at(Root::Home)), rest);
        }
        let mut letters = text.chars();
        if let (Some(drive), Some(':')) = (letters.next(), letters.next())
            && drive.is_ascii_alphabetic()
        {
            return (at(Root::Drive(drive.to_ascii_lowercase())), letters.as_str());
        }
        (bases.cwd.clone().unwrap_or(at(Root::Here)), text)
    }

    /// Whether it begins at a folder that is known.
    pub(super) fn is_known(&self) -> bool {
        matches!(self.root, Root::Top | Root::Drive(_))
    }

    /// Whether it is this folder or lies in it.
    pub(super) fn is_in(&self, folder: &Self) -> bool {
        self.root == folder.root && self.parts.starts_with(&folder.parts)
    }
}

/// The path of a `file:` URL. Another scheme leads elsewhere.
fn without_scheme(text: &str) -> Result<&str, Unclear> {
    let Some(rest) = text.get(..5).filter(|scheme| scheme.eq_ignore_ascii_case("file:")).and(text.get(5..))
    else {
        return if text.contains("://") { Err(Unclear) } else { Ok(text) };
    };
    match rest.strip_prefix("//") {
        Some(rest) if rest.starts_with('/') => Ok(rest),
        Some(rest) => rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).ok_or(Unclear),
        None => Ok(rest),
    }
}

/// Names of arguments that hold paths, in lower case and without separators.
const PATH_NAMES: [&str; 26] = [
    "absolutepath",
    "cwd",
    "dest",
    "destination",
    "dir",
    "directory",
    "dirpath",
    "dst",
    "file",
    "filename",
    "filepath",
    "files",
    "folder",
    "frompath",
    "newpath",
    "notebookpath",
    "oldpath",
    "outputpath",
    "path",
    "paths",
    "root",
    "source",
    "src",
    "target",
    "topath",
    "workdir",
];

/// Whether an argument of this name holds a path. Case and separators do not matter.
pub(super) fn is_path_name(name: &str) -> bool {
    let letters = || name.bytes().filter(|letter| !matches!(letter, b'_' | b'-'));
    PATH_NAMES.iter().any(|known| letters().map(|letter| letter.to_ascii_lowercase()).eq(known.bytes()))
}

/// Whether a text is a path by its looks, whatever the argument's name: it begins as one or climbs, and is one word.
pub(super) fn looks_like_path(text: &str) -> bool {
    let is_slash = |letter: char| matches!(letter, '/' | '\\');
    let begins = ["", "~", ".", ".."]
        .iter()
        .any(|start| text.strip_prefix(start).is_some_and(|rest| rest.starts_with(is_slash)))
        || text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
        || text
            .get(1..)
            .and_then(|rest| rest.strip_prefix(':'))
            .is_some_and(|rest| rest.starts_with(is_slash));
    (begins || text.split(is_slash).any(|part| part == "..")) && !text.chars().any(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(text: &str) -> Vec<String> {
        match Place::readings(text, &Bases::default()) {
            Err(Unclear) => vec!["?".to_owned()],
            Ok(places) => places
                .iter()
                .map(|place| {
                    let root = match place.root {
                        Root::Top => "/".to_owned(),
                        Root::Drive(letter) => format!("{letter}:/"),
                        Root::Home => "~/".to_owned(),
                        Root::Here => String::new(),
                    };
                    root + &place.parts.join("/")
                })
                .collect(),
        }
    }

    #[test]
    fn a_path_says_where_it_leads_however_it_is_written() {
        for (text, expected) in [
            ("/srv/data/a.txt", vec!["/srv/data/a.txt"]),
            ("/srv//data/./x/../a.txt", vec!["/srv/data/a.txt"]),
            ("/srv/data/../../etc/passwd", vec!["/etc/passwd"]),
            ("/../../etc", vec!["/etc"]),
            ("a/b", vec!["a/b"]),
            ("a/../../b", vec!["?"]),
            ("~/x/../y", vec!["~/y"]),
            ("~/../root", vec!["?"]),
            ("/srv/%2e%2e/etc", vec!["/srv/%2e%2e/etc", "/etc"]),
            ("/srv/%252e%252e/etc", vec!["/srv/%252e%252e/etc", "/srv/%2e%2e/etc", "/etc"]),
            ("/srv/%25252525252e/etc", vec!["?"]),
            ("/srv/..%2fetc", vec!["/srv/..%2fetc", "/etc"]),
            ("/srv/%c0%ae%c0%ae/etc", vec!["?"]),
            ("/srv/\u{ff0e}\u{ff0e}\u{ff0f}etc", vec!["/srv/\u{ff0e}\u{ff0e}\u{ff0f}etc", "/etc"]),
            ("/srv/..\\..\\etc", vec!["/srv/..\\..\\etc", "/etc"]),
            ("/srv/a%00.txt", vec!["?"]),
            ("/srv/a\0.txt", vec!["?"]),
            ("/srv/.. /etc", vec!["?"]),
            ("/srv/.../etc", vec!["?"]),
            ("file:///etc/passwd", vec!["/etc/passwd"]),
            ("FILE://localhost/etc/passwd", vec!["/etc/passwd"]),
            ("file://host/etc/passwd", vec!["?"]),
            ("https://a/b", vec!["?"]),
            ("C:\\Windows\\System32", vec!["c:/\\Windows\\System32", "c:/Windows/System32"]),
            ("", vec!["?"]),
        ] {
            assert_eq!(show(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_folder_holds_what_is_in_it_and_not_its_namesakes() {
        let read = |text| Place::read(text, &Bases::default()).unwrap();
        assert!(read("/srv/data").is_in(&read("/srv/data/")));
        assert!(read("/srv/data/a").is_in(&read("/srv/data")));
        assert!(!read("/srv/database").is_in(&read("/srv/data")));
        assert!(!read("srv/data").is_in(&read("/srv")));
    }

    #[test]
    fn names_and_looks_tell_a_path() {
        for name in ["path", "file_path", "filePath", "File-Path", "notebook_path"] {
            assert!(is_path_name(name), "{name}");
        }
        assert!(!is_path_name("content"));
        for text in ["/etc", "~/x", "./x", "../x", "a/../b", "file:///x", "..\\x", "C:\\x", "c:/x"] {
            assert!(looks_like_path(text), "{text}");
        }
        for text in ["// a comment", "hello", "a/b", "/* x */ y", "1/2"] {
            assert!(!looks_like_path(text), "{text}");
        }
    }
}
