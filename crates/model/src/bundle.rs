//! A bundle: relative path to file, with everything that could hurt a file system already refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;

use crate::{Digest, is_unseen};

/// The one file every bundle has.
pub const SKILL_FILE: &str = "SKILL.md";
/// The optional sidecar with what the standard has no field for.
pub const SIDECAR_FILE: &str = "repertoire.yaml";

/// A relative path with forward slashes that stays inside its bundle on every operating system.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BundlePath(String);

/// Why a path cannot be part of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing was given.
    #[error("a file path cannot be empty")]
    Empty,
    /// Longer than 500 characters, or a part longer than 255 bytes.
    #[error("file path `{0}` is too long (limit: 500 characters, 255 bytes for one name)")]
    TooLong(String),
    /// It starts at a root or a drive.
    #[error("file path `{0}` is absolute; paths are relative to the skill's folder")]
    Absolute(String),
    /// It leaves the folder, or has an empty or `.` part.
    #[error("file path `{0}` contains an empty, `.` or `..` part")]
    Traversal(String),
    /// A backslash, a colon, a control or another character that some system treats specially.
    #[error("file path `{path}` contains the character {character:?}, which is not portable")]
    Character {
        /// The path.
        path: String,
        /// The first character that does not belong.
        character: char,
    },
    /// A name Windows reserves, or one that ends in a dot or a space.
    #[error("file path `{0}` contains a name that some systems reserve")]
    Reserved(String),
}

impl BundlePath {
    /// The longest path, in characters.
    pub const MAX: usize = 500;

    /// Reads a path; there is no other way to get one.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let shown = || text.chars().take(120).collect::<String>();
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.chars().count() > Self::MAX {
            return Err(PathError::TooLong(shown()));
        }
        let drive =
            text.as_bytes().get(1) == Some(&b':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
        if text.starts_with('/') || text.starts_with('\\') || drive {
            return Err(PathError::Absolute(shown()));
        }
        if let Some(character) = text.chars().find(|&c| is_unportable(c)) {
            return Err(PathError::Character { path: shown(), character });
        }
        for part in text.split('/') {
            if part.is_empty() || part == "." || part == ".." {
                return Err(PathError::Traversal(shown()));
            }
            if part.len() > 255 {
                return Err(PathError::TooLong(shown()));
            }
            if is_reserved(part) {
                return Err(PathError::Reserved(shown()));
            }
        }
        Ok(Self(text.to_owned()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// What two paths share when some file system would treat them as one, or people could not tell them apart:
    /// composed, case-folded, and without what nobody sees.
    pub fn collision_key(&self) -> String {
        // There and back again: `ẞ`, `ß` and `SS` meet only in the capitals of their small letters.
        let folded = self.0.nfd().flat_map(char::to_lowercase).flat_map(char::to_uppercase);
        let folded = folded.flat_map(char::to_lowercase).filter(|c| !is_ignored(*c));
        folded.collect::<String>().nfc().collect()
    }
}

impl std::fmt::Display for BundlePath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for BundlePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

fn is_unportable(c: char) -> bool {
    c.is_control() || matches!(c, '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|')
        // Direction overrides and isolates make a name read as another one.
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Whether some file system does not count the character in a name, or it has no shape: joiners and variation selectors
/// are among them.
fn is_ignored(c: char) -> bool {
    is_unseen(c) || matches!(c, '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0f}')
}

fn is_reserved(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_uppercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|n| n.len() == 1 && n.starts_with(|c: char| c.is_ascii_digit()))
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || numbered("COM")
        || numbered("LPT")
        || part.ends_with('.')
        || part.ends_with(' ')
}

/// One file of a bundle.
#[derive(Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// The bytes, exactly as they came.
    pub content: Arc<[u8]>,
    /// Whether the owner may execute it.
    pub executable: bool,
}

impl BundleFile {
    /// A file that is not executable.
    pub fn new(content: impl Into<Arc<[u8]>>) -> Self {
        Self { content: content.into(), executable: false }
    }
}

impl std::fmt::Debug for BundleFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "BundleFile({} bytes{})",
            self.content.len(),
            if self.executable { ", executable" } else { "" }
        )
    }
}

/// Why a set of files is not a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BundleError {
    /// No `SKILL.md` at the root.
    #[error("the bundle has no `SKILL.md` at its root")]
    NoSkillFile,
    /// Two paths that some file system treats as one; two spellings of `SKILL.md` among them.
    #[error("`{0}` and `{1}` are the same file on systems that ignore case, Unicode form or unseen letters")]
    Collision(String, String),
    /// A path is a file and, in another entry, a folder.
    #[error("`{0}` is both a file and a folder")]
    FileAndFolder(String),
}

/// The files of a skill, with a `SKILL.md` at the root and no two paths that collide by the rules of when it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<BundlePath, BundleFile>,
}

impl Bundle {
    /// Builds a bundle, or says why these files are none.
    pub fn new(files: BTreeMap<BundlePath, BundleFile>) -> Result<Self, BundleError> {
        let mut seen: BTreeMap<String, &BundlePath> = BTreeMap::new();
        for path in files.keys() {
            if let Some(other) = seen.insert(path.collision_key(), path) {
                return Err(BundleError::Collision(other.to_string(), path.to_string()));
            }
        }
        for key in seen.keys() {
            for (end, _) in key.match_indices('/') {
                if let Some(file) = key.get(..end).and_then(|folder| seen.get(folder)) {
                    return Err(BundleError::FileAndFolder(file.to_string()));
                }
            }
        }
        Self::stored(files)
    }

    /// A bundle that was let in before, by whatever rules held then: what could be published can be read.
    pub fn stored(files: BTreeMap<BundlePath, BundleFile>) -> Result<Self, BundleError> {
        let bundle = Self { files };
        if bundle.get(SKILL_FILE).is_none() && bundle.get("skill.md").is_none() {
            return Err(BundleError::NoSkillFile);
        }
        Ok(bundle)
    }

    /// The files in path order.
    pub fn files(&self) -> impl ExactSizeIterator<Item = (&BundlePath, &BundleFile)> {
        self.files.iter()
    }

    /// The files, for building another bundle.
    pub fn into_files(self) -> BTreeMap<BundlePath, BundleFile> {
        self.files
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&BundleFile> {
        self.files.get(path)
    }

    /// The path and bytes of `SKILL.md` (or of the lower-case spelling some bundles use).
    pub fn skill_file(&self) -> (&str, &[u8]) {
        [SKILL_FILE, "skill.md"]
            .into_iter()
            .find_map(|path| self.get(path).map(|file| (path, &*file.content)))
            .unwrap_or((SKILL_FILE, &[]))
    }

    /// How many bytes all files have.
    pub fn size(&self) -> u64 {
        self.files.values().map(|file| file.content.len() as u64).sum()
    }

    /// The canonical tree digest: SHA-256 over `path NUL hex-of-content-sha256 LF` for each file in byte order of
    /// the paths, with `NUL x` before the line feed of an executable file.
    pub fn digest(&self) -> Digest {
        let mut hasher = Sha256::new();
        for (path, file) in &self.files {
            hasher.update(path.as_str().as_bytes());
            hasher.update([0]);
            hasher.update(Digest::of(&file.content).hex().as_bytes());
            hasher.update(if file.executable { b"\0x\n".as_slice() } else { b"\n" });
        }
        Digest::new(hasher.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(paths: &[&str]) -> Result<Bundle, BundleError> {
        Bundle::new(paths.iter().map(|p| (BundlePath::parse(p).unwrap(), BundleFile::new(*b"x"))).collect())
    }

    #[test]
    fn a_path_cannot_leave_its_folder() {
        for bad in [
            "",
            "/etc/passwd",
            "../x",
            "a/../b",
            "a//b",
            "./a",
            "a/.",
            "C:/x",
            "c:x",
            "\\\\host\\x",
            "a\\b",
            "a\0b",
            "a\nb",
            "con",
            "scripts/AUX.py",
            "com1.txt",
            "a.",
            "a ",
            "x:y",
            "a\u{202e}b",
        ] {
            assert!(BundlePath::parse(bad).is_err(), "{bad:?}");
        }
        assert!(BundlePath::parse(&"x/".repeat(300)).is_err());
        assert!(BundlePath::parse(&"x".repeat(256)).is_err());
        for good in ["SKILL.md", "scripts/run.py", ".hidden", "a b/c", "references/é.md", "console.md", "..a"]
        {
            assert!(BundlePath::parse(good).is_ok(), "{good:?}");
        }
    }

    #[test]
    fn colliding_paths_are_refused() {
        assert!(matches!(bundle(&["SKILL.md", "skill.md"]), Err(BundleError::Collision(..))));
        assert!(matches!(bundle(&["SKILL.md", "a/É.md", "a/e\u{301}.md"]), Err(BundleError::Collision(..))));
        for (one, other) in [
            ("SKILL.md", "\u{17f}KILL.md"),
            ("SKILL.md", "S\u{212a}ILL.md"),
            ("SKILL.md", "SKILL\u{200b}.md"),
            ("SKILL.md", "S\u{fe0f}KILL.md"),
            ("file.md", "\u{fb01}le.md"),
            ("STRASSE.md", "straße.md"),
            ("straße.md", "STRA\u{1e9e}E.md"),
            ("ς.md", "Σ.md"),
            ("می\u{200c}روم.md", "میروم.md"),
        ] {
            let found =
                if one == "SKILL.md" { bundle(&[one, other]) } else { bundle(&["SKILL.md", one, other]) };
            assert!(matches!(found, Err(BundleError::Collision(..))), "{one:?} {other:?}");
        }
        assert!(bundle(&["SKILL.md", "می\u{200c}روم.md", "👩\u{200d}💻.md", "ss.md", "s.md"]).is_ok());
        assert!(matches!(bundle(&["SKILL.md", "a", "A/b"]), Err(BundleError::FileAndFolder(..))));
        assert!(matches!(bundle(&["README.md"]), Err(BundleError::NoSkillFile)));
        assert!(matches!(bundle(&["x/SKILL.md"]), Err(BundleError::NoSkillFile)));
    }

    #[test]
    fn the_digest_is_pinned() {
        let one = bundle(&["SKILL.md", "scripts/a.py"]).unwrap();
        assert_eq!(
            one.digest().to_string(),
            "sha256:d64c88f8469a137da8a7f143bed5330bc3ef35129bc52b9b187e2ea923e966a5"
        );
        let mut files = one.clone().into_files();
        for file in files.values_mut() {
            file.executable = true;
        }
        assert_ne!(Bundle::new(files).unwrap().digest(), one.digest());
    }
}
