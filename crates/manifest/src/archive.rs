//! Zip archives in and out.
//!
//! Nothing a header says is believed: sizes are counted while bytes stream, names pass `BundlePath`, modes are
//! checked before a byte is read. Nothing is ever written to a file system here.

use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};

use model::{Bundle, BundleFile, BundlePath, PathError};
use zip::read::ZipFileEntry;
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipArchive, ZipWriter};

use crate::finding::{Finding, shown};
use crate::limits::{LimitError, Limits};
use crate::tree::FileTree;

#[cfg(test)]
mod tests;

/// The files of an archive, and what was left out of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unpacked {
    /// The files.
    pub tree: FileTree,
    /// What was skipped.
    pub findings: Vec<Finding>,
}

/// Why an archive is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// It is larger than we take.
    #[error("the archive has {size} bytes; the limit is {limit}")]
    TooLarge {
        /// Its size.
        size: u64,
        /// The largest size.
        limit: u64,
    },
    /// It is no zip file, or a broken one.
    #[error("not a readable zip file: {0}")]
    Damaged(String),
    /// Too many entries.
    #[error("the archive has {count} entries; the limit is {limit}")]
    TooManyEntries {
        /// How many there are.
        count: usize,
        /// How many may be.
        limit: usize,
    },
    /// Its content is out of proportion to its size.
    #[error("the archive expands to more than {limit} times its size; it looks like a zip bomb")]
    Bomb {
        /// The largest factor.
        limit: u64,
    },
    /// Two entries share bytes.
    #[error("entries of the archive overlap; it looks like a zip bomb")]
    Overlap,
    /// Local and central headers disagree, so two programs would see two archives.
    #[error("the archive's headers contradict each other: {0}")]
    Inconsistent(String),
    /// An entry is encrypted.
    #[error("`{0}` is encrypted; upload the archive without a password")]
    Encrypted(String),
    /// An entry uses a compression other than deflate.
    #[error("`{0}` uses an unsupported compression; use deflate or store")]
    Method(String),
    /// An entry's path could leave the folder or is not portable.
    #[error(transparent)]
    Path(PathError),
    /// An entry is a symbolic link.
    #[error("`{0}` is a symbolic link; put the file itself into the archive")]
    Link(String),
    /// An entry is a device, a pipe, a socket or the like.
    #[error("`{0}` is not a regular file; remove it from the archive")]
    Special(String),
    /// An entry wants to run as another user.
    #[error("`{0}` has a setuid or setgid bit; remove it")]
    SetUid(String),
    /// The same path stands twice.
    #[error("two entries of the archive have the same path; remove one")]
    Duplicate,
    /// Two paths that some file system treats as one.
    #[error("`{0}` and `{1}` are the same file on systems that ignore case or Unicode form; rename one")]
    Collision(String, String),
    /// A path is a file and, in another entry, a folder.
    #[error("`{0}` is both a file and a folder")]
    FileAndFolder(String),
    /// Its content is over a limit.
    #[error(transparent)]
    Limit(LimitError),
}

impl ArchiveError {
    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLarge { .. } => "archive_too_large",
            Self::Damaged(_) => "archive_damaged",
            Self::TooManyEntries { .. } => "archive_entries",
            Self::Bomb { .. } => "archive_bomb",
            Self::Overlap => "archive_overlap",
            Self::Inconsistent(_) => "archive_inconsistent",
            Self::Encrypted(_) => "archive_encrypted",
            Self::Method(_) => "archive_method",
            Self::Path(PathError::Absolute(_)) => "path_absolute",
            Self::Path(PathError::Traversal(_)) => "path_traversal",
            Self::Path(_) => "path_invalid",
            Self::Link(_) => "archive_link",
            Self::Special(_) => "archive_special_file",
            Self::SetUid(_) => "archive_setuid",
            Self::Duplicate => "path_duplicate",
            Self::Collision(..) => "path_collision",
            Self::FileAndFolder(_) => "path_file_and_folder",
            Self::Limit(_) => "limit_exceeded",
        }
    }
}

/// How each entry of the central directory begins.
const CENTRAL_HEADER: &[u8] = b"PK\x01\x02";

/// Content up to this size is never called a bomb, however well it compresses.
const BOMB_FLOOR: u64 = 1024 * 1024;

/// Unpacks an archive in memory, or says which attack or limit it is.
pub fn read_zip(bytes: &[u8], limits: &Limits) -> Result<Unpacked, ArchiveError> {
    let size = bytes.len() as u64;
    if size > limits.max_archive_bytes {
        return Err(ArchiveError::TooLarge { size, limit: limits.max_archive_bytes });
    }
    let mut archive = open(bytes, limits)?;
    let plan = survey(&archive, limits)?;
    if archive.has_overlapping_entries().map_err(|error| damaged(&error))? {
        return Err(ArchiveError::Overlap);
    }
    archive.validate_header_consistency().map_err(|error| ArchiveError::Inconsistent(error.to_string()))?;
    let mut tree = FileTree::new();
    let mut total = 0;
    for planned in plan.files {
        let content = extract(&mut archive, &planned, total, size, limits)?;
        total += content.len() as u64;
        let file = BundleFile { content: content.into(), executable: planned.executable };
        tree.insert(planned.path, file).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
    }
    Ok(Unpacked { tree, findings: litter_finding(&plan.litter) })
}

/// A file that has passed every check but those on its content.
struct Planned {
    index: usize,
    path: BundlePath,
    executable: bool,
}

#[derive(Default)]
struct Plan {
    files: Vec<Planned>,
    folders: Vec<BundlePath>,
    litter: Vec<String>,
}

/// Opens the archive; its index is only built when it cannot be huge.
fn open<'a>(bytes: &'a [u8], limits: &Limits) -> Result<ZipArchive<Cursor<&'a [u8]>>, ArchiveError> {
    let limit = limits.max_archive_entries;
    let count = bytes.windows(CENTRAL_HEADER.len()).filter(|window| *window == CENTRAL_HEADER).count();
    // The mark may also occur in content, such as an archive within the archive.
    if count > limit.max(65_536) {
        return Err(ArchiveError::TooManyEntries { count, limit });
    }
    let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    if archive.has_duplicate_names() {
        return Err(ArchiveError::Duplicate);
    }
    if archive.len() > limit {
        return Err(ArchiveError::TooManyEntries { count: archive.len(), limit });
    }
    Ok(archive)
}

/// Looks at every entry before any content is touched.
fn survey(archive: &ZipArchive<Cursor<&[u8]>>, limits: &Limits) -> Result<Plan, ArchiveError> {
    let mut plan = Plan::default();
    for index in 0..archive.len() {
        plan.add(index, &archive.by_index_data(index).map_err(|error| damaged(&error))?)?;
    }
    if plan.files.len() > limits.max_files {
        return Err(ArchiveError::Limit(LimitError::Files {
            count: plan.files.len(),
            limit: limits.max_files,
        }));
    }
    plan.check_collisions()?;
    Ok(plan)
}

impl Plan {
    fn add(&mut self, index: usize, entry: &ZipFileEntry<'_>) -> Result<(), ArchiveError> {
        let name = entry.name().map_err(|error| damaged(&error))?;
        if is_litter(&name) {
            self.litter.push(shown(&name));
            return Ok(());
        }
        let folder = name.ends_with('/');
        let path = BundlePath::parse(name.strip_suffix('/').unwrap_or(&name)).map_err(ArchiveError::Path)?;
        let mode = entry.external_attributes() >> 16;
        let kind = mode & 0o170_000;
        let expected = if folder { 0o040_000 } else { 0o100_000 };
        match kind {
            0 => {}
            0o120_000 => return Err(ArchiveError::Link(path.to_string())),
            kind if kind != expected => return Err(ArchiveError::Special(path.to_string())),
            _ => {}
        }
        if folder {
            self.folders.push(path);
            return Ok(());
        }
        if mode & 0o6000 != 0 {
            return Err(ArchiveError::SetUid(path.to_string()));
        }
        if entry.encrypted() {
            return Err(ArchiveError::Encrypted(path.to_string()));
        }
        if !matches!(entry.compression(), CompressionMethod::Stored | CompressionMethod::Deflated) {
            return Err(ArchiveError::Method(path.to_string()));
        }
        self.files.push(Planned { index, path, executable: mode & 0o100 != 0 });
        Ok(())
    }

    fn check_collisions(&self) -> Result<(), ArchiveError> {
        let mut seen: BTreeMap<String, &BundlePath> = BTreeMap::new();
        for Planned { path, .. } in &self.files {
            match seen.insert(path.collision_key(), path) {
                Some(other) if other == path => return Err(ArchiveError::Duplicate),
                Some(other) => return Err(ArchiveError::Collision(other.to_string(), path.to_string())),
                None => {}
            }
        }
        let folder_keys = self.folders.iter().map(|folder| format!("{}/", folder.collision_key()));
        for key in seen.keys().cloned().chain(folder_keys) {
            for (end, _) in key.match_indices('/') {
                if let Some(file) = key.get(..end).and_then(|folder| seen.get(folder)) {
                    return Err(ArchiveError::FileAndFolder(file.to_string()));
                }
            }
        }
        Ok(())
    }
}

/// What operating systems leave in archives and nobody means to send.
fn is_litter(name: &str) -> bool {
    name.starts_with("__MACOSX/") || name.rsplit('/').next() == Some(".DS_Store")
}

fn litter_finding(litter: &[String]) -> Vec<Finding> {
    let Some(first) = litter.first() else { return Vec::new() };
    let more = if litter.len() > 1 { format!(" and {} more", litter.len() - 1) } else { String::new() };
    let message = format!("skipped `{first}`{more}; an operating system left it there");
    vec![Finding::info("litter_skipped", message)]
}

/// Reads one file, counting; `total` is what came before it.
fn extract(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    planned: &Planned,
    total: u64,
    archive_size: u64,
    limits: &Limits,
) -> Result<Vec<u8>, ArchiveError> {
    let path = planned.path.as_str();
    let limited = |error| ArchiveError::Limit(error);
    let allowed = archive_size.saturating_mul(limits.max_expansion).max(BOMB_FLOOR);
    let mut file = archive.by_index(planned.index).map_err(|error| damaged(&error))?;
    let mut content = Vec::new();
    let mut chunk = [0; 16 * 1024];
    loop {
        let read =
            file.read(&mut chunk).map_err(|error| ArchiveError::Damaged(format!("`{path}`: {error}")))?;
        let Some(bytes) = chunk.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        content.extend_from_slice(bytes);
        let size = content.len() as u64;
        limits.check_file(path, size).map_err(limited)?;
        limits.check_total(total + size).map_err(limited)?;
        if total + size > allowed {
            return Err(ArchiveError::Bomb { limit: limits.max_expansion });
        }
    }
    Ok(content)
}

fn damaged(error: &ZipError) -> ArchiveError {
    ArchiveError::Damaged(error.to_string())
}

/// Packs a bundle; the same bundle and folder always give the same bytes.
pub fn write_zip(bundle: &Bundle, top_folder: Option<&str>) -> Result<Vec<u8>, ArchiveError> {
    let top = top_folder.map(BundlePath::parse).transpose().map_err(ArchiveError::Path)?;
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in bundle.files() {
        let name = match &top {
            Some(top) => format!("{top}/{path}"),
            None => path.to_string(),
        };
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(DateTime::default())
            .system(System::Unix)
            .unix_permissions(if file.executable { 0o755 } else { 0o644 });
        writer.start_file(name, options).map_err(|error| damaged(&error))?;
        writer.write_all(&file.content).map_err(|error| ArchiveError::Damaged(error.to_string()))?;
    }
    let cursor = writer.finish().map_err(|error| damaged(&error))?;
    Ok(cursor.into_inner())
}
