//! How much of anything we take from a stranger.

use model::Bundle;

/// The limits on bundles and archives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The most files of a bundle.
    pub max_files: usize,
    /// The largest file.
    pub max_file_bytes: u64,
    /// The largest bundle, all files together.
    pub max_bundle_bytes: u64,
    /// The largest `SKILL.md` or `repertoire.yaml`.
    pub max_skill_file_bytes: u64,
    /// The largest archive as it arrives.
    pub max_archive_bytes: u64,
    /// The most entries of an archive, folders and skipped files included.
    pub max_archive_entries: usize,
    /// How many times larger than the archive its content may be.
    pub max_expansion: u64,
}

const MIB: u64 = 1024 * 1024;

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_files: 2000,
            max_file_bytes: 10 * MIB,
            max_bundle_bytes: 25 * MIB,
            max_skill_file_bytes: MIB,
            max_archive_bytes: 25 * MIB,
            max_archive_entries: 10_000,
            max_expansion: 200,
        }
    }
}

/// Which limit a bundle exceeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// Too many files.
    #[error("{count} files; the limit is {limit}, leave out what the skill does not need")]
    Files {
        /// How many there are.
        count: usize,
        /// How many may be.
        limit: usize,
    },
    /// One file is too large.
    #[error("`{path}` has {size} bytes; the limit for one file is {limit}")]
    File {
        /// Its path.
        path: String,
        /// Its size.
        size: u64,
        /// The largest size.
        limit: u64,
    },
    /// All files together are too large.
    #[error("{size} bytes in all files together; the limit is {limit}")]
    Bundle {
        /// The size.
        size: u64,
        /// The largest size.
        limit: u64,
    },
}

impl Limits {
    /// Checks a bundle that was not read from an archive.
    pub fn check(&self, bundle: &Bundle) -> Result<(), LimitError> {
        let count = bundle.files().len();
        if count > self.max_files {
            return Err(LimitError::Files { count, limit: self.max_files });
        }
        for (path, file) in bundle.files() {
            self.check_file(path.as_str(), file.content.len() as u64)?;
        }
        self.check_total(bundle.size())
    }

    pub(crate) fn check_file(&self, path: &str, size: u64) -> Result<(), LimitError> {
        let special = matches!(path.rsplit('/').next(), Some("SKILL.md" | "skill.md" | "repertoire.yaml"));
        let limit =
            if special { self.max_skill_file_bytes.min(self.max_file_bytes) } else { self.max_file_bytes };
        if size > limit { Err(LimitError::File { path: path.to_owned(), size, limit }) } else { Ok(()) }
    }

    pub(crate) fn check_total(&self, size: u64) -> Result<(), LimitError> {
        let limit = self.max_bundle_bytes;
        if size > limit { Err(LimitError::Bundle { size, limit }) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use model::{BundleFile, BundlePath};

    use super::*;

    #[test]
    fn each_limit_is_checked() {
        let file =
            |path: &str, size: usize| (BundlePath::parse(path).unwrap(), BundleFile::new(vec![b'x'; size]));
        let bundle = |files: Vec<_>| Bundle::new(files.into_iter().collect()).unwrap();
        let limits = Limits {
            max_files: 2,
            max_file_bytes: 100,
            max_bundle_bytes: 150,
            max_skill_file_bytes: 50,
            ..Limits::default()
        };
        assert_eq!(limits.check(&bundle(vec![file("SKILL.md", 50), file("a", 100)])), Ok(()));
        assert!(matches!(
            limits.check(&bundle(vec![file("SKILL.md", 1), file("a", 1), file("b", 1)])),
            Err(LimitError::Files { count: 3, limit: 2 })
        ));
        assert!(matches!(
            limits.check(&bundle(vec![file("SKILL.md", 51)])),
            Err(LimitError::File { size: 51, .. })
        ));
        let wide = Limits { max_bundle_bytes: 120, ..limits };
        assert!(matches!(
            wide.check(&bundle(vec![file("SKILL.md", 50), file("a", 100)])),
            Err(LimitError::Bundle { size: 150, limit: 120 })
        ));
    }
}
